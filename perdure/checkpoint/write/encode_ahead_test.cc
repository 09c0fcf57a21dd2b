#include "perdure/checkpoint/write/encode_ahead.h"

#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "tests/support/trees.h"

namespace perdure::checkpoint {
namespace {

using test::floats;
using test::mapping;

/// Three compressed arrays of 1, 5 and 1 chunks of 40 kB.
class EncodeAheadTest : public testing::Test {
 protected:
  EncodeAheadTest()
      : item_{"state", mapping({{"a", floats({10, 1000})}, {"b", floats({50, 1000}, 7)}, {"c", floats({10, 1000}, 9)}}), {}} {
    ArraySaveOptions options;
    options.compression.emplace();
    options.chunk_bytes_max = 40'000;
    plan_ = plan_save(item_, options);
  }
  NamedTree item_;
  SavePlan plan_;
};

TEST_F(EncodeAheadTest, GivesEveryValueInItsTurnByAnyNumberOfThreads) {
  for (Executor* executor : {&inline_executor(), &default_executor()}) {
    EncodeAhead ahead(plan_, plan_.order, *executor);
    ASSERT_EQ(plan_.order.size(), 7);
    for (const std::size_t value : plan_.order) {
      const PlannedArray& array = plan_.arrays[plan_.values[value].array];
      const std::optional<EncodedValue> encoded = ahead.next();
      ASSERT_TRUE(encoded.has_value());
      EXPECT_EQ(encoded->bytes.text(), ValueWriter::encode(array, plan_.values[value].chunk).bytes.text());
      EXPECT_EQ(encoded->copied_bytes, 40'000);
    }
  }
}

TEST_F(EncodeAheadTest, PassesByWhatIsNotCompressed) {
  plan_.arrays[1].metadata = storage::zarr::make_metadata(DType::kFloat32, {50, 1000}, {10, 1000}, {});
  EncodeAhead ahead(plan_, plan_.order, default_executor());
  for (const std::size_t value : plan_.order) EXPECT_EQ(ahead.next().has_value(), plan_.values[value].array != 1);
}

/// Runs at once, and notes how many tasks it was given since asked last.
struct CountingExecutor : Executor {
  void run(std::function<void()> task) override {
    ++count;
    task();
  }
  int concurrency() const override { return 3; }
  int count = 0;
};

TEST(EncodeAhead, HoldsNoMoreThanItMay) {
  std::vector<std::pair<std::string, Leaf>> members;
  for (int i = 0; i < 12; ++i) members.emplace_back("a" + std::to_string(i), floats({1000, 2000}, static_cast<float>(i)));
  const NamedTree item{"state", mapping(std::move(members)), {}};
  ArraySaveOptions options;
  options.compression.emplace();
  const SavePlan plan = plan_save(item, options);
  CountingExecutor executor;
  EncodeAhead ahead(plan, plan.order, executor);
  const std::size_t batch = EncodeAhead::kBytesMax / 16'000'000;  // of values of 8 MB, decoded and encoded
  for (std::size_t i = 0; i < plan.order.size(); ++i) {
    executor.count = 0;
    ahead.next();
    EXPECT_EQ(executor.count, i % batch == 0 ? 3 : 0) << i;
  }
}

TEST_F(EncodeAheadTest, NamesTheLeafThatCannotBeEncoded) {
  plan_.arrays[1].metadata.codecs.big_endian = true;
  EncodeAhead ahead(plan_, plan_.order, default_executor());
  try {
    ahead.next();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.notes(), std::vector<std::string>{"leaf b"});
  }
}

}  // namespace
}  // namespace perdure::checkpoint
