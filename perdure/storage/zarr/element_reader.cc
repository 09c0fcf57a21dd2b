#include "perdure/storage/zarr/element_reader.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/storage/codec/output_buffer.h"
#include "perdure/storage/zarr/box_runs.h"
#include "perdure/storage/zarr/element_bytes.h"

namespace perdure::storage::zarr {
namespace {

constexpr std::size_t kStepBytes = 1 << 20;   // a multiple of every itemsize: no element lies in two steps
constexpr std::uint64_t kGapBytesMax = 4096;  // a page: reading over a smaller gap costs nothing

/// Hands the bytes of one step to the runs that begin or go on in it.
class RunFiller {
 public:
  RunFiller(const Shape& shape, const Box& box, const ArraySpan& target, const ElementLayout& layout)
      : runs_(shape, box, target), layout_(layout) {
    pending_ = runs_.next(run_);
  }

  /// The part of the target that the whole step [offset, offset + size) belongs into; empty if it does not belong into one run.
  ByteSpan whole_step(std::uint64_t offset, std::size_t size) const {
    if (!pending_ || offset < run_.offset_bytes || offset + size > run_.offset_bytes + run_.target.size()) return {};
    return run_.target.subspan(offset - run_.offset_bytes, size);
  }

  /// Steps must come in order. A step that whole_step gave a place is there already.
  void take(std::uint64_t offset, ByteView step) {
    const std::uint64_t end = offset + step.size();
    while (pending_ && run_.offset_bytes < end) {
      const std::uint64_t run_end = run_.offset_bytes + run_.target.size();
      const std::uint64_t from = std::max(offset, run_.offset_bytes), to = std::min(end, run_end);
      const ByteSpan part = run_.target.subspan(from - run_.offset_bytes, to - from);
      const std::byte* stored = step.data() + (from - offset);
      if (stored != part.data()) std::memcpy(part.data(), stored, part.size());
      finish_elements(part, layout_);
      if (run_end > end) return;
      pending_ = runs_.next(run_);
    }
  }

 private:
  BoxRuns runs_;
  const ElementLayout& layout_;
  BoxRun run_;
  bool pending_;
};

/// Reads all of the chunk, so that its checksum can be compared, straight into the target where a step fits there.
void read_checked(const ByteSource& source, const ElementLayout& layout, const Shape& shape, const Box& box,
                  const ArraySpan& target) {
  const std::uint64_t size = source.size_bytes() - kCrc32cBytes;
  RunFiller filler(shape, box, target, layout);
  OutputBuffer scratch(std::min<std::uint64_t>(kStepBytes, size));
  std::uint32_t crc = 0;
  for (std::uint64_t offset = 0; offset < size; offset += kStepBytes) {
    const std::size_t step = std::min<std::uint64_t>(kStepBytes, size - offset);
    ByteSpan bytes = filler.whole_step(offset, step);
    if (bytes.empty()) bytes = scratch.span().first(step);
    source.read(offset, bytes);
    crc = crc32c(bytes, crc);
    filler.take(offset, bytes);
  }
  std::byte stored[kCrc32cBytes];
  source.read(size, stored);
  check_crc32c(trailing_crc32c(stored), crc);
}

/// Reads runs that are separated by small gaps at once, and long ones straight into the target.
void read_ranges(const ByteSource& source, const ElementLayout& layout, const Shape& shape, const Box& box,
                 const ArraySpan& target) {
  BoxRuns runs(shape, box, target);
  OutputBuffer scratch(source.in_memory() ? 0 : std::min<std::uint64_t>(kStepBytes, source.size_bytes()));
  const std::uint64_t span_max = scratch.size_max();
  std::vector<BoxRun> group;
  BoxRun run;
  bool pending = runs.next(run);
  while (pending) {
    group.assign(1, run);
    std::uint64_t end = run.offset_bytes + run.target.size();
    while ((pending = runs.next(run)) && run.offset_bytes - end <= kGapBytesMax &&
           run.offset_bytes + run.target.size() - group[0].offset_bytes <= span_max) {
      group.push_back(run);
      end = run.offset_bytes + run.target.size();
    }
    if (group.size() == 1) {
      source.read(group[0].offset_bytes, group[0].target);
    } else {
      const std::uint64_t start = group[0].offset_bytes;
      source.read(start, scratch.span().first(end - start));
      for (const BoxRun& part : group)
        std::memcpy(part.target.data(), scratch.data() + (part.offset_bytes - start), part.target.size());
    }
    for (const BoxRun& part : group) finish_elements(part.target, layout);
  }
}

bool last_axis_has_gaps(const ArraySpan& target) {
  const std::size_t rank = target.shape.rank();
  return rank > 0 && target.shape[rank - 1] > 1 && target.strides[rank - 1] != static_cast<std::int64_t>(itemsize(target.dtype));
}

}  // namespace

void finish_elements(ByteSpan elements, const ElementLayout& layout) {
  if (layout.big_endian) swap_byte_order(elements, layout.dtype);
  from_stored_bytes(elements, layout.dtype);
}

void read_stored_elements(const ByteSource& source, const ElementLayout& layout, const Shape& shape, const Box& box,
                          const ArraySpan& target, bool verify) {
  const std::uint64_t expected =
      checked_add(checked_multiply(shape.element_count(), itemsize(layout.dtype)), layout.has_crc32c ? kCrc32cBytes : 0);
  if (source.size_bytes() != expected) {
    throw Error(ErrorKind::kCorrupt,
                "expected " + std::to_string(expected) + " stored bytes, found " + std::to_string(source.size_bytes()));
  }
  const auto read = verify && layout.has_crc32c ? read_checked : read_ranges;
  if (!last_axis_has_gaps(target)) return read(source, layout, shape, box, target);
  OutputBuffer packed(target.view().size_bytes());
  const ArraySpan packed_target = ArraySpan::contiguous(packed.data(), target.dtype, target.shape);
  read(source, layout, shape, box, packed_target);
  copy_array(packed_target.view(), target);
}

}  // namespace perdure::storage::zarr
