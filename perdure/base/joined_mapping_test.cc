#include "perdure/base/joined_mapping.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temporary_directory.h"

namespace perdure {
namespace {

constexpr std::uint64_t kPage = 4096;

class JoinedMapping : public ::testing::Test {
 protected:
  /// Pages of 'a', 'b', 'c'.
  std::unique_ptr<File> pages() {
    std::string content;
    for (const char letter : {'a', 'b', 'c'}) content += std::string(kPage, letter);
    write_new_file(posix_file_system(), directory_ / "f", as_bytes(content));
    return posix_file_system().open(directory_ / "f");
  }
  test::TemporaryDirectory directory_;
};

TEST_F(JoinedMapping, PutsRangesBackToBack) {
  const auto file = pages();
  const FileRange ranges[] = {{file.get(), 2 * kPage, kPage}, {file.get(), 0, 10}};
  const std::optional<Blob> joined = map_joined(ranges);
  ASSERT_TRUE(joined.has_value());
  EXPECT_EQ(joined->text(), std::string(kPage, 'c') + std::string(10, 'a'));
}

TEST_F(JoinedMapping, KeepsWritesToItself) {
  const auto file = pages();
  const FileRange ranges[] = {{file.get(), kPage, kPage}};
  const std::optional<Blob> joined = map_joined(ranges);
  const_cast<std::byte*>(joined->data())[0] = std::byte{'x'};
  EXPECT_EQ(read_file(posix_file_system(), directory_ / "f", 1 << 20)[kPage], 'b');
}

TEST_F(JoinedMapping, PutsRangesFromTheMiddleOfPagesBackToBack) {
  std::string content;
  for (std::size_t i = 0; i < 7 * kPage; ++i) content += static_cast<char>(i * 2654435761 >> 16);
  write_new_file(posix_file_system(), directory_ / "f", as_bytes(content));
  const auto file = posix_file_system().open(directory_ / "f");
  for (const std::uint64_t head : {1u, 64u, 4095u}) {
    const FileRange ranges[] = {{file.get(), 4 * kPage + head, 2 * kPage},
                                {file.get(), head, kPage},
                                {file.get(), kPage + head, 0},
                                {file.get(), kPage + head, kPage + 5}};
    const std::optional<Blob> joined = map_joined(ranges);
    ASSERT_TRUE(joined.has_value());
    EXPECT_EQ(joined->text(), content.substr(4 * kPage + head, 2 * kPage) + content.substr(head, kPage) +
                                  content.substr(kPage + head, kPage + 5));
  }
}

TEST_F(JoinedMapping, GivesNothingWhereRangesDoNotFitPages) {
  const auto file = pages();
  const FileRange off_page[] = {{file.get(), 1, kPage}, {file.get(), kPage, kPage}};
  const FileRange part_of_a_page[] = {{file.get(), 0, 10}, {file.get(), kPage, kPage}};
  const FileRange beyond_the_end[] = {{file.get(), 2 * kPage, 2 * kPage}};
  EXPECT_FALSE(map_joined(off_page).has_value());
  EXPECT_FALSE(map_joined(part_of_a_page).has_value());
  EXPECT_FALSE(map_joined(beyond_the_end).has_value());
}

}  // namespace
}  // namespace perdure
