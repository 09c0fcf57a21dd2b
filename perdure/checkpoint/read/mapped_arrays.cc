#include "perdure/checkpoint/read/mapped_arrays.h"

#include <algorithm>
#include <map>
#include <optional>

#include "perdure/base/error.h"
#include "perdure/base/joined_mapping.h"

namespace perdure::checkpoint {
namespace {

struct MappedFile {
  std::unique_ptr<File> file;
  Blob all;
};

struct Piece {
  ChunkToRead* chunk;
  PlainRun run;
};

class Mapper {
 public:
  Mapper(ReadPlan& plan, FileSystem& fs) : plan_(plan), fs_(fs) {}

  std::vector<Blob> map(std::vector<bool> candidates) {
    collect(candidates);
    std::vector<Blob> mapped(plan_.arrays.size());
    for (std::size_t i = 0; i < mapped.size(); ++i) {
      if (candidates[i] && !pieces_[i].empty()) mapped[i] = map_array(plan_.arrays[i], pieces_[i]);
      if (mapped[i].empty()) continue;
      for (const Piece& piece : pieces_[i]) show_stored_bytes(*piece.chunk);
    }
    return mapped;
  }

 private:
  /// Chunks come by file and offset, so values that two arrays share are neighbours.
  void collect(std::vector<bool>& candidates) {
    pieces_.resize(plan_.arrays.size());
    const ChunkToRead* last = nullptr;
    for (ChunkToRead& chunk : plan_.chunks) {
      const bool overlaps = last != nullptr && last->location.file == chunk.location.file &&
                            chunk.location.offset < last->location.offset + last->location.size_bytes;
      const std::optional<PlainRun> run = find_plain_run(plan_.arrays[chunk.array], chunk.read);
      if (overlaps || !run || chunk.location.file.empty()) candidates[chunk.array] = false;
      if (run) pieces_[chunk.array].push_back({&chunk, *run});
      if (!overlaps || chunk.location.offset + chunk.location.size_bytes > last->location.offset + last->location.size_bytes)
        last = &chunk;
    }
  }

  Blob map_array(const ArrayToRead& array, std::vector<Piece>& pieces) {
    if (pieces.size() == 1) return map_piece(array, pieces.front());
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.run.result_offset_bytes < b.run.result_offset_bytes; });
    std::vector<FileRange> ranges;
    for (const Piece& piece : pieces) {
      const std::uint64_t offset = piece.chunk->location.offset + piece.run.chunk_offset_bytes;
      ranges.push_back({open(piece.chunk->location.file).file.get(), offset, piece.run.size_bytes});
    }
    return map_joined(ranges).value_or(Blob());
  }

  /// A slice of one mapping of the whole file: a mapping for each of many small arrays would exhaust the process's.
  Blob map_piece(const ArrayToRead& array, const Piece& piece) {
    const Blob mapped =
        slice(piece.chunk->location.file, piece.chunk->location.offset + piece.run.chunk_offset_bytes, piece.run.size_bytes);
    const bool aligned = reinterpret_cast<std::uintptr_t>(mapped.data()) % itemsize(array.dtype) == 0;
    return aligned ? mapped : Blob();
  }

  void show_stored_bytes(ChunkToRead& chunk) {
    chunk.location.inline_value = slice(chunk.location.file, chunk.location.offset, chunk.location.size_bytes);
  }

  Blob slice(const std::string& path, std::uint64_t offset, std::uint64_t size) {
    const Blob& all = open(path).all;
    if (offset <= all.size() && size <= all.size() - offset) return all.slice(offset, size);
    throw Error(ErrorKind::kCorrupt, "'" + path + "' has become shorter: " + std::to_string(all.size()) + " bytes");
  }

  MappedFile& open(const std::string& path) {
    MappedFile& mapped = files_[path];
    if (!mapped.file) {
      mapped.file = fs_.open(path);
      mapped.all = mapped.file->map(0, mapped.file->size_bytes());
    }
    return mapped;
  }

  ReadPlan& plan_;
  FileSystem& fs_;
  std::vector<std::vector<Piece>> pieces_;
  std::map<std::string, MappedFile> files_;
};

}  // namespace

std::vector<Blob> map_arrays(ReadPlan& plan, const std::vector<bool>& candidates, FileSystem& fs) {
  return Mapper(plan, fs).map(candidates);
}

}  // namespace perdure::checkpoint
