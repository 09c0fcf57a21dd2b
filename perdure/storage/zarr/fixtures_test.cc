// Arrays that TensorStore and zarr-python wrote, compared by hash with what they were.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "perdure/base/error.h"
#include "perdure/base/json.h"
#include "perdure/storage/zarr/array.h"
#include "tests/support/sha256.h"

namespace perdure::storage::zarr {
namespace {

std::string read_text(const std::string& path) { return read_file(posix_file_system(), path, 1 << 20); }

void expect_array(const KvStore& store, const std::string& name, const json::Object& expected) {
  const Array array = Array::open(store, name);
  const ArrayMetadata& metadata = array.metadata();
  EXPECT_EQ(perdure::name(metadata.dtype), expected.at("dtype").as_string());
  std::vector<std::uint64_t> dims;
  for (const json::Value& extent : expected.at("shape").as_array()) dims.push_back(extent.as_uint64());
  EXPECT_EQ(metadata.shape, Shape(dims));
  for (const bool verify : {true, false}) {
    std::vector<std::byte> bytes(metadata.shape.element_count() * itemsize(metadata.dtype));
    array.read(Box::whole(metadata.shape), ArraySpan::contiguous(bytes.data(), metadata.dtype, metadata.shape),
               {.verify = verify});
    EXPECT_EQ(test::sha256_hex(bytes), expected.at("sha256").as_string());
  }
}

/// Every element read alone is the same as in the whole array.
void expect_elements(const KvStore& store, const std::string& name) {
  const Array array = Array::open(store, name);
  const ArrayMetadata& metadata = array.metadata();
  const std::size_t size = itemsize(metadata.dtype);
  std::vector<std::byte> whole(metadata.shape.element_count() * size), one(size);
  array.read(Box::whole(metadata.shape), ArraySpan::contiguous(whole.data(), metadata.dtype, metadata.shape));
  for (std::uint64_t i = 0; i < metadata.shape.element_count(); i += 7) {
    Box box = Box::whole(metadata.shape);
    std::uint64_t rest = i;
    for (std::size_t axis = metadata.shape.rank(); axis-- > 0; rest /= metadata.shape[axis]) {
      box.offset[axis] = rest % metadata.shape[axis];
      box.extent[axis] = 1;
    }
    array.read(box, ArraySpan::contiguous(one.data(), metadata.dtype, box.extent), {.verify = i % 2 == 0});
    ASSERT_EQ(as_text(one), as_text(ByteView(whole).subspan(i * size, size))) << box.str();
  }
}

constexpr const char* kFixtures[] = {"zarr2_dtypes",     "zarr2_tensorstore_dirs", "zarr2_zarr_python", "zarr3_codecs",
                                     "zarr3_dtypes",     "zarr3_sharded",          "zarr3_zarr_python", "orbax_v0_chunked",
                                     "orbax_v0_sharded", "orbax_v0_zarr3",         "orbax_v1_save"};

std::string fixture_path(const char* name) { return join_path(PERDURE_SOURCE_DIR "/tests/fixtures", name); }

json::Object arrays_of(const std::string& fixture) {
  return json::parse(read_text(join_path(fixture, "expected.json"))).as_object().at("arrays").as_object();
}

std::unique_ptr<KvStore> open_store(const std::string& fixture, const std::string& directory) {
  const std::string path = join_path(join_path(fixture, "data"), directory);
  const bool is_database = posix_file_system().find_info(join_path(path, "manifest.ocdbt")).has_value();
  return open_kvstore(path, is_database ? "ocdbt" : "file");
}

class ZarrFixture : public testing::TestWithParam<const char*> {};

TEST_P(ZarrFixture, GivesTheArraysThatWereWritten) {
  const std::string root = fixture_path(GetParam());
  const json::Object expected = arrays_of(root);
  for (const auto& [directory, arrays] : expected.members()) {
    const auto store = open_store(root, directory);
    std::vector<std::string> names;
    for (const auto& [name, array] : arrays.as_object().members()) {
      SCOPED_TRACE(name);
      names.push_back(name);
      expect_array(*store, name, array.as_object());
      expect_elements(*store, name);
    }
    EXPECT_EQ(list_arrays(*store), names);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ZarrFixture, testing::ValuesIn(kFixtures),
                         [](const auto& info) { return std::string(info.param); });

TEST(ZarrFixtures, HoldEveryCodecInEveryZarrVersionThatHasIt) {
  using Use = std::pair<int, std::string_view>;
  std::set<Use> known, found;
  for (const CodecRow& row : codec_table()) {
    for (const int version : {2, 3}) {
      if (!row.name_in(version).empty()) known.emplace(version, row.name);
    }
  }
  for (const char* name : kFixtures) {
    const std::string root = fixture_path(name);
    const json::Object expected = arrays_of(root);
    for (const auto& [directory, arrays] : expected.members()) {
      const auto store = open_store(root, directory);
      for (const auto& [array, about] : arrays.as_object().members()) {
        const Array opened = Array::open(*store, array);
        const ArrayMetadata& metadata = opened.metadata();
        for (const auto& codec : metadata.codecs.bytes_codecs) found.emplace(metadata.zarr_format, codec->name());
      }
    }
  }
  EXPECT_EQ(found, known);
}

}  // namespace
}  // namespace perdure::storage::zarr
