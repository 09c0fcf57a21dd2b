#include "perdure/checkpoint/read/restore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"

namespace perdure::checkpoint {
namespace {

/// An item with the float32 array [1, 2, 3] as leaf 0 and 2.5 as leaf 1.
class SmallItem : public TreeItem {
 public:
  SmallItem() {
    StoredArray array;
    array.name = "a";
    array.dtype = DType::kFloat32;
    array.shape = Shape{3};
    leaves_ = {array, Scalar(2.5)};
  }
  const tree::Structure& structure() const override { return structure_; }
  const std::vector<StoredLeaf>& leaves() const override { return leaves_; }
  std::vector<LoadedArray> read(const std::vector<ArrayRequest>& requests, const ReadOptions&) const override {
    std::vector<LoadedArray> result;
    for (const ArrayRequest& request : requests) result.push_back(read_one(request));
    return result;
  }

 private:
  LoadedArray read_one(const ArrayRequest& request) const {
    const ArrayView stored = ArrayView::contiguous(reinterpret_cast<const std::byte*>(elements_), DType::kFloat32, Shape{3})
                                 .sub(request.box.value_or(Box::whole(Shape{3})));
    if (!request.target) return {stored, nullptr};
    copy_array(stored, *request.target);
    return {request.target->view(), nullptr};
  }
  tree::Structure structure_;
  std::vector<StoredLeaf> leaves_;
  float elements_[3] = {1, 2, 3};
};

LeafTemplate array_of(Shape shape) {
  LeafTemplate result;
  result.kind = LeafTemplate::Kind::kArray;
  result.shape = std::move(shape);
  return result;
}

LeafTemplate scalar_of_kind(ScalarKind kind) {
  LeafTemplate result;
  result.kind = LeafTemplate::Kind::kScalar;
  result.scalar_kind = kind;
  return result;
}

std::vector<float> floats(const RestoredLeaf& leaf) {
  const ByteView bytes = std::get<LoadedArray>(leaf).view.bytes();
  const auto* first = reinterpret_cast<const float*>(bytes.data());
  return {first, first + bytes.size() / sizeof(float)};
}

std::string message_of(const SmallItem& item, std::uint32_t leaf, const LeafTemplate& wanted) {
  try {
    TreeRestore restore(item, {});
    restore.want(leaf, wanted, "enc.w");
    restore.run({});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMismatch);
    return error.message();
  }
  return "nothing thrown";
}

TEST(TreeRestore, NamesTheLeafAndBothShapes) {
  EXPECT_EQ(message_of({}, 0, array_of({5})), "shape of 'enc.w' is (3,) in the checkpoint, (5,) in the template");
  EXPECT_EQ(message_of({}, 1, array_of({1})), "shape of 'enc.w' is () in the checkpoint, (1,) in the template");
}

TEST(TreeRestore, RefusesAnotherKindOfLeaf) {
  EXPECT_EQ(message_of({}, 0, scalar_of_kind(ScalarKind::kText)), "'enc.w' is an array in the checkpoint, str in the template");
  EXPECT_EQ(message_of({}, 1, scalar_of_kind(ScalarKind::kNone)), "'enc.w' is float in the checkpoint, None in the template");
}

TEST(TreeRestore, NamesEveryLeafThatDoesNotFitAtOnce) {
  const SmallItem item;
  TreeRestore restore(item, {});
  restore.want(0, array_of({5}), "a");
  restore.want(0, array_of({3}), "fits");
  restore.want(1, scalar_of_kind(ScalarKind::kNone), "b");
  try {
    restore.run({});
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "shape of 'a' is (3,) in the checkpoint, (5,) in the template; "
              "'b' is float in the checkpoint, None in the template");
  }
}

TEST(TreeRestore, GivesTheStoredValuesInTheOrderAsked) {
  const SmallItem item;
  TreeRestore restore(item, {});
  restore.want(1, {}, "s");
  restore.want(0, {}, "a");
  const std::vector<RestoredLeaf> got = restore.run({});
  EXPECT_EQ(std::get<double>(std::get<Scalar>(got[0])), 2.5);
  EXPECT_THAT(floats(got[1]), testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(restore.lossy_keys(), testing::IsEmpty());
}

TEST(TreeRestore, PadsWithZerosAndTruncatesWhenToldTo) {
  const SmallItem item;
  TreeRestore restore(item, {.pad_and_truncate = true});
  restore.want(0, array_of({5}), "a");
  restore.want(0, array_of({2}), "a");
  const std::vector<RestoredLeaf> got = restore.run({});
  EXPECT_THAT(floats(got[0]), testing::ElementsAre(1, 2, 3, 0, 0));
  EXPECT_THAT(floats(got[1]), testing::ElementsAre(1, 2));
}

TEST(TreeRestore, BoundsItsOwnMemoryByBytesMax) {
  const SmallItem item;
  LeafTemplate own = array_of({3});
  own.own_memory = true;
  for (const LeafTemplate& wanted : {own, array_of({1'000'000'000'000})}) {
    TreeRestore restore(item, {.pad_and_truncate = true});
    restore.want(0, wanted, "a");
    try {
      restore.run({.bytes_max = 11});
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInvalid) << error.what();
    }
  }
}

TEST(TreeRestore, NamesKeysWhoseValuesAConversionChanges) {
  const SmallItem item;
  TreeRestore restore(item, {});
  restore.want(1, scalar_of_kind(ScalarKind::kInt), "step");
  EXPECT_EQ(std::get<std::int64_t>(std::get<Scalar>(restore.run({})[0])), 2);
  EXPECT_THAT(restore.lossy_keys(), testing::ElementsAre("step"));
}

TEST(TreeRestore, GivesAPlainValueAsArrayWithoutAxes) {
  const SmallItem item;
  TreeRestore restore(item, {});
  LeafTemplate wanted = array_of({});
  wanted.dtype = DType::kFloat32;
  restore.want(1, wanted, "s");
  EXPECT_THAT(floats(restore.run({})[0]), testing::ElementsAre(2.5f));
}

TEST(TreeRestore, GivesMemoryOfItsOwnWhenTheTemplateIsNotTied) {
  const SmallItem item;
  TreeRestore restore(item, {});
  LeafTemplate own = array_of({3});
  own.own_memory = true;
  restore.want(0, array_of({3}), "a");
  restore.want(0, own, "b");
  const std::vector<RestoredLeaf> got = restore.run({});
  EXPECT_NE(std::get<LoadedArray>(got[0]).view.data, std::get<LoadedArray>(got[1]).view.data);
  EXPECT_EQ(floats(got[0]), floats(got[1]));
}

}  // namespace
}  // namespace perdure::checkpoint
