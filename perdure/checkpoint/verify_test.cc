// What perdure saved, spoiled in every way: verify says so, and load never gives other values without a word.
#include "perdure/checkpoint/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "perdure/base/checksum.h"
#include "perdure/base/error.h"
#include "perdure/checkpoint/files/file_list.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/save.h"
#include "perdure/tree/names.h"
#include "tests/support/temporary_directory.h"

namespace perdure {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

/// {"w": float32 (6, 7), "n": 7, "name": "run"}, and a large one when asked.
tree::FlatTree example(std::uint64_t large = 0) {
  tree::FlatTree tree;
  tree.structure.append(NodeKind::kMapping, Key{None{}});
  std::uint32_t count = 0;
  const auto add = [&](std::string key, Leaf leaf) {
    tree.structure.append(NodeKind::kLeaf, Key{Text{std::move(key)}});
    tree.leaves.push_back(std::move(leaf));
    ++count;
  };
  const auto add_array = [&](std::string key, Shape shape) {
    auto numbers = std::make_shared<std::vector<float>>(shape.element_count());
    std::iota(numbers->begin(), numbers->end(), 0.5F);
    const ArrayView view = ArrayView::contiguous(reinterpret_cast<const std::byte*>(numbers->data()), DType::kFloat32, shape);
    add(std::move(key), ArrayLeaf{.dtype = DType::kFloat32,
                                  .shape = shape,
                                  .pieces = {{Box::whole(shape), view}},
                                  .owner = numbers,
                                  .origin = "numpy"});
  };
  add_array("w", {6, 7});
  if (large > 0) add_array("large", {large});
  add("n", Scalar(std::int64_t{7}));
  add("name", Scalar(Text{"run"}));
  tree.structure.set_child_count(0, count);
  return tree;
}

/// Everything that a load gives, as one text to compare.
std::string content_of(const tree::FlatTree& tree) {
  std::string text;
  for (const std::string& name : tree::leaf_names(tree.structure)) text.append(name);
  for (const Leaf& leaf : tree.leaves) {
    if (const auto* array = std::get_if<ArrayLeaf>(&leaf)) {
      text.append(name(array->dtype))
          .append(array->shape.str())
          .append(array->origin)
          .append(as_text(array->pieces.at(0).view.bytes()));
    } else if (const auto* number = std::get_if<std::int64_t>(&std::get<Scalar>(leaf))) {
      text += std::to_string(*number);
    } else {
      text += std::get<Text>(std::get<Scalar>(leaf)).utf8;
    }
  }
  return text;
}

class SpoiledCheckpoint : public ::testing::Test {
 protected:
  void make(const tree::FlatTree& tree, const SaveOptions& options = {}) {
    save(path_, tree, options);
    content_ = content_of(tree);
    files_ = test::snapshot(path_);
  }
  void put(const std::string& name, std::string_view content) {
    const std::string file = join_path(path_, name);
    if (fs_.find_info(file, false)) fs_.remove_file(file);
    write_new_file(fs_, file, as_bytes(content));
  }
  /// Makes the lists say that the item is as it should be.
  void sign_item() {
    const std::string item = join_path(path_, "state");
    put("state/_PERDURE", encode_list(item, {}));
    put("_PERDURE", encode_list(path_, "state/"));
  }
  /// Files below a directory, but for lists of its own and what one below lists.
  std::string encode_list(const std::string& directory, const std::string& below) {
    std::vector<checkpoint::ListedFile> listed;
    for (const auto& [name, content] : test::snapshot(directory)) {
      if (name == "_PERDURE" || (!below.empty() && name.starts_with(below) && name != below + "_PERDURE")) continue;
      listed.push_back({name, content.size(), crc32c(as_bytes(content))});
    }
    return checkpoint::encode_file_list(std::move(listed));
  }
  /// Writes into the file as it is, which is fast.
  void flip(const std::string& name, std::size_t bit) {
    const std::string& whole = files_.at(name);
    const char spoiled = static_cast<char>(whole[bit / 8] ^ (1 << bit % 8));
    fs_.open_writable(join_path(path_, name))->write_at(bit / 8, as_bytes(std::string_view(&spoiled, 1)));
  }
  void restore(const std::string& name, std::size_t bit) {
    fs_.open_writable(join_path(path_, name))->write_at(bit / 8, as_bytes(std::string_view(&files_.at(name)[bit / 8], 1)));
  }
  /// An error, or the right values.
  void expect_load_is_not_silent(const std::string& what) {
    for (const bool map : {false, true}) {
      try {
        EXPECT_EQ(content_of(load_tree(path_, {.open = inline_, .read = {.map = map}})), content_) << what;
      } catch (const Error&) {
      }
    }
  }

  test::TemporaryDirectory directory_;
  const std::string path_ = directory_ / "c";
  FileSystem& fs_ = posix_file_system();
  std::map<std::string, std::string> files_;
  std::string content_;
  const OpenOptions inline_{.environment = {.executor = &inline_executor()}};  // many small calls: no thread is worth waking
};

TEST_F(SpoiledCheckpoint, HasNoFaultsWhileItIsWhole) {
  for (int kind = 0; kind < 8; ++kind) {
    SCOPED_TRACE(kind);
    SaveOptions options;
    options.arrays.use_ocdbt = (kind & 1) != 0;
    options.arrays.use_zarr3 = (kind & 2) != 0;
    if ((kind & 4) != 0) options.arrays.compression.emplace();
    options.overwrite = true;
    make(example(50'000), options);
    const VerifyReport report = verify(path_);
    for (const Fault& fault : report.faults) ADD_FAILURE() << fault.file << " " << fault.leaf << ": " << fault.what;
    EXPECT_GT(report.bytes_checked, 1000u);
    EXPECT_EQ(content_of(load_tree(path_)), content_);
    EXPECT_EQ(content_of(load_tree(path_, {.read = {.map = true}})), content_);
  }
}

TEST_F(SpoiledCheckpoint, IsNoticedForEveryFlippedBitOfEveryFile) {
  make(example(40));  // two values with a gap between them
  for (const auto& [name, whole] : files_) {
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      flip(name, bit);
      ASSERT_FALSE(verify(path_, inline_).ok()) << name << " bit " << bit;
      restore(name, bit);
    }
  }
  EXPECT_TRUE(verify(path_).ok());
}

TEST_F(SpoiledCheckpoint, NeverLoadsOtherValuesAfterAFlippedBit) {
  for (const bool use_zarr3 : {true, false}) {
    SaveOptions options;
    options.overwrite = true;
    options.arrays.use_zarr3 = use_zarr3;
    make(example(40), options);
    for (const auto& [name, whole] : files_) {
      for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 5) {
        flip(name, bit);
        expect_load_is_not_silent(name + " bit " + std::to_string(bit));
        restore(name, bit);
      }
    }
  }
}

TEST_F(SpoiledCheckpoint, NeverLoadsOtherValuesAfterAFileWasCutOrLost) {
  make(example(50'000));
  for (const auto& [name, whole] : files_) {
    fs_.remove_file(join_path(path_, name));
    expect_load_is_not_silent(name + " gone");
    EXPECT_THAT(verify(path_).faults, Contains(Field(&Fault::file, HasSubstr(name)))) << name;
    for (const std::size_t size : {whole.size() / 2, std::size_t{0}}) {
      put(name, std::string_view(whole).substr(0, size));
      expect_load_is_not_silent(name + " cut to " + std::to_string(size));
      EXPECT_EQ(verify(path_).ok(), size == whole.size()) << name;
    }
    put(name, whole);
  }
  EXPECT_TRUE(verify(path_).ok());
}

TEST_F(SpoiledCheckpoint, SaysWhereAFaultIs) {
  make(example(50'000));
  const auto data =
      std::find_if(files_.begin(), files_.end(), [](const auto& file) { return file.first.starts_with("state/d/"); });
  const std::size_t bit = 8 * 5000;  // of the large array: it is the first value
  flip(data->first, bit);
  const VerifyReport report = verify(path_);
  EXPECT_THAT(report.faults,
              Contains(testing::AllOf(Field(&Fault::leaf, "large"), Field(&Fault::chunk, "c/0"), Field(&Fault::file, data->first),
                                      Field(&Fault::offset, 0u), Field(&Fault::what, HasSubstr("crc32c: stored 0x")))));
  try {
    load_tree(path_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.notes(), testing::ElementsAre(HasSubstr("chunk large/c/0 in '"), "leaf large"));
  }
}

TEST_F(SpoiledCheckpoint, NamesAFileThatNobodyListed) {
  make(example());
  put("state/extra", "x");
  EXPECT_THAT(verify(path_).faults, Contains(Field(&Fault::file, "state/extra")));
}

TEST_F(SpoiledCheckpoint, NamesWhatForeignReadersSeeOtherwise) {
  make(example());
  const auto faults_with = [&](const std::string& file, const std::string& from, const std::string& to) {
    std::string content = files_.at(file);
    put(file, content.replace(content.find(from), from.size(), to));
    sign_item();
    std::vector<std::string> leaves;
    for (const Fault& fault : verify(path_).faults) leaves.push_back(fault.leaf);
    put(file, files_.at(file));
    return leaves;
  };
  EXPECT_THAT(faults_with("state/_strings.json", "run", "ran"), testing::ElementsAre("name"));
  EXPECT_THAT(faults_with("state/_METADATA", "\"scalar\"", "\"string\""), testing::ElementsAre("n"));
  EXPECT_THAT(faults_with("state/_METADATA", "\"key\":\"w\"", "\"key\":\"v\""), testing::UnorderedElementsAre("v", "w"));
}

/// One leaf of each kind that Orbax has no word for, and a tie.
tree::FlatTree odd_values() {
  tree::FlatTree tree = example();
  const Leaf w = tree.leaves[0];
  for (const Key& key : {Key{"w2"}, Key{"u"}, Key{"huge"}, Key{"z"}, Key{"b"}, Key{"empty"}})
    tree.structure.append(NodeKind::kLeaf, key);
  tree.structure.set_child_count(0, 9);
  tree.leaves.insert(tree.leaves.end(), {w, Scalar(BigInt{"9223372036854775808"}), Scalar(BigInt{"-9223372036854775809"}),
                                         Scalar(std::complex<double>(1, -2)), Scalar(Blob::from(std::string("abc"))),
                                         Scalar(Blob::from(std::string()))});
  return tree;
}

TEST_F(SpoiledCheckpoint, ComparesPlainValuesThatOrbaxHasNoWordFor) {
  SaveOptions options;
  options.arrays.use_ocdbt = false;
  options.arrays.use_zarr3 = false;  // without checksums: only the comparison can tell
  save(path_, odd_values(), options);
  files_ = test::snapshot(path_);
  for (const Fault& fault : verify(path_).faults) ADD_FAILURE() << fault.file << " " << fault.leaf << ": " << fault.what;
  for (const std::string leaf : {"n", "u", "z", "b"}) {
    const std::string file = "state/" + leaf + (files_.contains("state/" + leaf + "/0") ? "/0" : "/");
    flip(file, 3);
    sign_item();
    EXPECT_THAT(verify(path_).faults, testing::ElementsAre(Field(&Fault::leaf, leaf)));
    restore(file, 3);
  }
}

TEST_F(SpoiledCheckpoint, NamesALeafThatDiffersFromTheOneItIsTiedTo) {
  SaveOptions options;
  options.arrays.use_ocdbt = false;
  options.arrays.use_zarr3 = false;
  save(path_, odd_values(), options);
  files_ = test::snapshot(path_);
  flip("state/w2/0.0", 3);
  sign_item();
  EXPECT_THAT(verify(path_).faults,
              testing::ElementsAre(testing::AllOf(Field(&Fault::leaf, "w2"), Field(&Fault::what, HasSubstr("tied")))));
}

TEST_F(SpoiledCheckpoint, GivesTiedLeavesOneMemoryAndOthersTheirOwn) {
  save(path_, odd_values());
  const auto item = Checkpoint::open(path_).tree();
  EXPECT_EQ(std::get<StoredArray>(item->leaves()[3]).tied_to, 0u);
  const Box row{{0, 0}, {1, 7}};
  const std::vector<LoadedArray> arrays = item->read({{.leaf_index = 0}, {.leaf_index = 3}, {.leaf_index = 3, .box = row}});
  EXPECT_EQ(arrays[0].view.data, arrays[1].view.data);
  EXPECT_NE(arrays[0].view.data, arrays[2].view.data);
}

TEST_F(SpoiledCheckpoint, MapsArraysThatMayBeChanged) {
  make(example(50'000));
  const auto item = Checkpoint::open(path_).tree();
  const std::vector<LoadedArray> arrays = item->read({{.leaf_index = 0}, {.leaf_index = 1}}, {.map = true});
  for (const LoadedArray& array : arrays) std::memset(const_cast<std::byte*>(array.view.data), 0, array.view.size_bytes());
  EXPECT_EQ(test::snapshot(path_), files_);
}

TEST_F(SpoiledCheckpoint, ReadsOnlyWhatIsAskedFor) {
  make(example(50'000));
  const tree::FlatTree part = load_tree(path_, {.only = {"n"}});
  ASSERT_EQ(part.leaves.size(), 1u);
  EXPECT_EQ(std::get<std::int64_t>(std::get<Scalar>(part.leaves[0])), 7);
}

}  // namespace
}  // namespace perdure
