// .zarray and zarr.json.
#include "perdure/base/error.h"
#include "perdure/storage/zarr/metadata.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/write_formats.h"

using namespace perdure;
using namespace perdure::storage::zarr;

namespace {

const std::vector<WriteFormat> kFormats = storage::write_formats();

/// What was accepted can be used, and what we would write for such an array is read as the same.
void check_metadata(const ArrayMetadata& metadata) {
  metadata.chunk_bytes();
  metadata.chunk_key(metadata.grid());
  fuzz::fuzz_check(metadata.fill_value.size() == itemsize(metadata.dtype), "a fill value of another size");
  for (const WriteFormat& format : kFormats) {
    const std::string text = metadata_text(metadata.dtype, metadata.shape, metadata.chunk_shape, format);
    const ArrayMetadata again =
        format.zarr_format == 3 ? parse_zarr3(text) : parse_zarr2(text, attributes_text(metadata.dtype, format));
    fuzz::fuzz_check(again.dtype == metadata.dtype && again.shape == metadata.shape && again.chunk_shape == metadata.chunk_shape,
                     "metadata that does not come back");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (ArrayMetadata (*parse)(std::string_view) : {+[](std::string_view t) { return parse_zarr2(t); }, +parse_zarr3}) {
    std::optional<ArrayMetadata> metadata;
    try {
      metadata = parse(text);
    } catch (const Error& error) {
      fuzz::fuzz_check(error.kind() == ErrorKind::kCorrupt || error.kind() == ErrorKind::kInvalid, "an error of another kind");
    }
    if (metadata) check_metadata(*metadata);
  }
  return 0;
}

std::vector<std::string> seeds() {
  std::vector<std::string> made;
  for (const DTypeInfo& row : dtype_table()) {
    for (const WriteFormat& format : kFormats) {
      if (format.compression) made.push_back(metadata_text(row.dtype, {10, 9}, {4, 9}, format));
    }
  }
  made.push_back(
      R"({"zarr_format":2,"shape":[7,3],"chunks":[3,2],"dtype":">c8","fill_value":["NaN",-1.5],"order":"F","filters":[],)"
      R"("compressor":{"id":"blosc","cname":"zstd","clevel":3,"shuffle":-1,"blocksize":0},"dimension_separator":"/"})");
  made.push_back(
      R"({"zarr_format":3,"node_type":"array","shape":[8,12],"data_type":"float32","chunk_grid":)"
      R"({"name":"regular","configuration":{"chunk_shape":[8,12]}},)"
      R"("chunk_key_encoding":{"name":"v2","configuration":{"separator":"/"}},)"
      R"("fill_value":"0x7fc00001","codecs":[{"name":"transpose","configuration":{"order":[1,0]}},)"
      R"({"name":"sharding_indexed","configuration":{"chunk_shape":[4,4],)"
      R"("codecs":[{"name":"bytes","configuration":{"endian":"big"}},{"name":"gzip","configuration":{"level":2}}],)"
      R"("index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}],"index_location":"start"}}],)"
      R"("attributes":{"a":[1]},"dimension_names":["x",null],"storage_transformers":[],"hint":{"must_understand":false}})");
  return made;
}
