#include "perdure/checkpoint/write/transfer.h"

#include <gmock/gmock.h>

#include <cstring>
#include <deque>
#include <string>

#include "perdure/base/error.h"
#include "tests/support/trees.h"

namespace perdure::checkpoint {
namespace {

using test::floats;
using testing::ElementsAre;

constexpr auto kSync = TransferPriority::kSynchronous;
constexpr auto kFirst = TransferPriority::kPrioritized;
constexpr auto kLast = TransferPriority::kDeprioritized;

/// "t0" "T0": transfer of leaf 0; "w0" "W0": its write.
class Log final : public LeafStatusSink {
 public:
  void on_transfer_start(std::uint32_t leaf) override { add('t', leaf); }
  void on_transfer_end(std::uint32_t leaf) override { add('T', leaf); }
  void on_write_start(std::uint32_t leaf) override { add('w', leaf); }
  void on_write_end(std::uint32_t leaf) override { add('W', leaf); }
  std::vector<std::string> events;

 private:
  void add(char what, std::uint32_t leaf) { events.push_back(what + std::to_string(leaf)); }
};

struct Fixture {
  explicit Fixture(std::vector<TransferPriority> priorities, std::uint64_t bytes_max = ~std::uint64_t{0}) {
    options.priorities = std::move(priorities);
    options.bytes_max = bytes_max;
    options.status = log;
    for (std::size_t i = 0; i < options.priorities.size(); ++i) leaves.push_back(floats({10}));  // 40 bytes
  }
  Transfers make() {
    std::vector<TransferredArray> arrays;
    for (std::uint32_t i = 0; i < leaves.size(); ++i) arrays.push_back(make_transferred(i, options.priority(i), leaves[i]));
    return {std::move(arrays), options};
  }
  std::shared_ptr<Log> log = std::make_shared<Log>();
  TransferOptions options;
  std::deque<ArrayLeaf> leaves;
};

void write_all(Transfers& transfers, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    transfers.begin_write(i);
    transfers.end_write(i);
  }
}

TEST(Transfers, TellFourEventsOfEachArrayInOrder) {
  Fixture f({kSync, kFirst, kLast});
  Transfers transfers = f.make();
  transfers.begin_synchronous();
  transfers.end_synchronous();
  write_all(transfers, 3);
  EXPECT_THAT(f.log->events, ElementsAre("t0", "T0", "w0", "W0", "t1", "T1", "w1", "W1", "t2", "T2", "w2", "W2"));
}

TEST(Transfers, WithoutABudgetAllPrioritizedArraysAreTransferredBeforeTheFirstIsWritten) {
  Fixture f({kFirst, kFirst, kLast});
  Transfers transfers = f.make();
  write_all(transfers, 3);
  EXPECT_THAT(f.log->events, ElementsAre("t0", "T0", "t1", "T1", "w0", "W0", "w1", "W1", "t2", "T2", "w2", "W2"));
}

TEST(Transfers, ABudgetBoundsWhatIsTransferredAndNotWritten) {
  Fixture f({kFirst, kFirst, kFirst}, 90);
  Transfers transfers = f.make();
  write_all(transfers, 3);
  EXPECT_THAT(f.log->events, ElementsAre("t0", "T0", "t1", "T1", "w0", "W0", "t2", "T2", "w1", "W1", "w2", "W2"));
}

TEST(Transfers, ABudgetThatJustFitsIsUsed) {
  Fixture f({kFirst, kFirst, kFirst}, 80);
  Transfers transfers = f.make();
  transfers.begin_write(0);
  EXPECT_THAT(f.log->events, ElementsAre("t0", "T0", "t1", "T1", "w0"));
}

TEST(Transfers, ASynchronousArrayThatNobodyCopiedIsTransferredWhenItIsWritten) {
  Fixture f({kSync});
  Transfers transfers = f.make();
  write_all(transfers, 1);
  EXPECT_THAT(f.log->events, ElementsAre("t0", "T0", "w0", "W0"));
}

TEST(Transfers, SayNothingOfPlainValues) {
  Fixture f({kSync});
  Transfers transfers({{.leaf_index = 0, .is_told = false}}, f.options);
  transfers.begin_synchronous();
  transfers.end_synchronous();
  write_all(transfers, 1);
  EXPECT_THAT(f.log->events, testing::IsEmpty());
}

TEST(Transfers, AnArrayLargerThanTheBudgetPassesAlone) {
  Fixture f({kFirst, kFirst}, 8);
  Transfers transfers = f.make();
  write_all(transfers, 2);
  EXPECT_THAT(f.log->events, ElementsAre("t0", "T0", "w0", "W0", "t1", "T1", "w1", "W1"));
}

TEST(Transfers, OwnersMayChangeAnArrayOnceItIsTransferred) {
  Fixture f({kFirst});
  const auto* original = f.leaves[0].pieces[0].view.data;
  Transfers transfers = f.make();
  transfers.begin_write(0);
  EXPECT_NE(f.leaves[0].pieces[0].view.data, original);
  EXPECT_EQ(std::memcmp(f.leaves[0].pieces[0].view.data, floats({10}).pieces[0].view.data, 40), 0);
}

TEST(Transfers, EveryPieceOfAnArrayIsCopied) {
  ArrayLeaf leaf = floats({10});
  const ArrayView whole = leaf.pieces[0].view;
  leaf.pieces.clear();
  for (const std::uint64_t first : {0u, 4u}) {
    const Box box{{first}, {first == 0 ? 4u : 6u}};
    leaf.pieces.push_back({box, whole.sub(box)});
  }
  const ArrayLeaf original = leaf;
  take_copy(leaf);
  EXPECT_TRUE(leaf.immutable);
  for (std::size_t i = 0; i < 2; ++i) {
    const ArrayView &copy = leaf.pieces[i].view, &from = original.pieces[i].view;
    EXPECT_NE(copy.data, from.data);
    EXPECT_EQ(std::memcmp(copy.data, from.data, from.size_bytes()), 0);
  }
}

TEST(Transfers, TakeNoCopyOfWhatNobodyMayChange) {
  ArrayLeaf leaf = floats({10});
  leaf.immutable = true;
  const std::shared_ptr<const void> owner = leaf.owner;
  take_copy(leaf);
  EXPECT_EQ(leaf.owner, owner);
}

TEST(Transfers, ACopyGoesOnceItIsWritten) {
  Fixture f({kFirst});
  Transfers transfers = f.make();
  transfers.begin_write(0);
  const std::weak_ptr<const void> copy = f.leaves[0].owner;
  EXPECT_FALSE(copy.expired());
  transfers.end_write(0);
  EXPECT_TRUE(copy.expired());
}

TEST(Transfers, MemoryThatNobodyMayChangeIsNotCopied) {
  Fixture f({kFirst});
  f.leaves[0].immutable = true;
  const auto* original = f.leaves[0].pieces[0].view.data;
  Transfers transfers = f.make();
  transfers.begin_write(0);
  EXPECT_EQ(f.leaves[0].pieces[0].view.data, original);
}

TEST(Transfers, RefuseAnArrayThatTheWriteLimitNeverLetsThrough) {
  Fixture f({kSync});
  f.options.write_limiter = std::make_shared<ByteLimiter>(39);
  EXPECT_THROW(f.make(), Error);
}

TEST(Transfers, HoldTheWriteLimitWhileAnArrayIsWritten) {
  Fixture f({kSync, kSync});
  f.options.write_limiter = std::make_shared<ByteLimiter>(40);
  Transfers transfers = f.make();
  transfers.begin_write(0);
  EXPECT_EQ(f.options.write_limiter->bytes_in_flight(), 40);
  transfers.end_write(0);
  EXPECT_EQ(f.options.write_limiter->bytes_in_flight(), 0);
}

}  // namespace
}  // namespace perdure::checkpoint
