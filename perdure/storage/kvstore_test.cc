#include "perdure/storage/kvstore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "perdure/base/error.h"
#include "perdure/storage/kvstore/memory.h"
#include "perdure/storage/ocdbt/writer.h"
#include "tests/support/temporary_directory.h"

namespace perdure::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Values = std::map<std::string, std::string>;

/// Puts `values` into a store in `directory` and opens it.
using MakeStore = std::unique_ptr<KvStore> (*)(const Values& values, const std::string& directory);

std::unique_ptr<KvStore> make_memory_store(const Values& values, const std::string&) {
  auto store = std::make_unique<MemoryStore>();
  for (const auto& [key, value] : values) store->put(key, Blob::from(value));
  return store;
}

void write_file(const std::string& path, std::string_view content) {
  make_directories(posix_file_system(), parent_path(path));
  write_new_file(posix_file_system(), path, as_bytes(content));
}

std::unique_ptr<KvStore> make_file_store(const Values& values, const std::string& directory) {
  for (const auto& [key, value] : values) write_file(join_path(directory, key), value);
  return open_kvstore(directory, "file");
}

/// Values of more than 4 bytes go out of line; small nodes make a tree of several heights.
std::unique_ptr<KvStore> make_ocdbt_store(const Values& values, const std::string& directory) {
  std::vector<ocdbt::Entry> entries;
  std::string data;
  for (const auto& [key, value] : values) {
    const bool is_inline = value.size() <= 4;
    entries.push_back({key, is_inline, is_inline ? value : "", 0, data.size(), value.size()});
    if (!is_inline) data += value;
  }
  const auto database = ocdbt::encode_database(entries, {"d/data"}, 0, data.size(), {.max_decoded_node_bytes = 250});
  write_file(join_path(directory, "d/data"), data + database.nodes);
  write_file(join_path(directory, "manifest.ocdbt"), database.manifest);
  return open_kvstore(directory, "ocdbt");
}

struct Maker {
  std::string format;
  MakeStore make;
};
const Maker kMakers[] = {{"ocdbt", make_ocdbt_store}, {"file", make_file_store}, {"memory", make_memory_store}};

class KvStoreTest : public ::testing::TestWithParam<Maker> {
 protected:
  std::unique_ptr<KvStore> make(const Values& values) { return GetParam().make(values, directory_.path()); }
  test::TemporaryDirectory directory_;
};

TEST_P(KvStoreTest, ListsKeysBytewiseAndByPrefix) {
  const auto store = make({{"b", "1"}, {"a/c/1", "2"}, {"a/c/0", "3"}, {"a.b", "4"}, {"a/d", "5"}, {"\xc3\xa9", "6"}});
  EXPECT_THAT(store->list(), ElementsAre("a.b", "a/c/0", "a/c/1", "a/d", "b", "\xc3\xa9"));
  EXPECT_THAT(store->list("a/"), ElementsAre("a/c/0", "a/c/1", "a/d"));
  EXPECT_THAT(store->list("a/c/1"), ElementsAre("a/c/1"));
  EXPECT_THAT(store->list("a/e"), IsEmpty());
}

TEST_P(KvStoreTest, FindsEveryValueOfManyAndNothingBetweenThem) {
  Values values;
  for (int i = 0; i < 300; ++i)
    values["layer" + std::to_string(i) + "/w"] = std::string(static_cast<std::size_t>(i % 9), 'x') + std::to_string(i);
  const auto store = make(values);
  EXPECT_EQ(store->list().size(), values.size());
  for (const auto& [key, value] : values) {
    EXPECT_EQ(store->read(key).text(), value) << key;
    EXPECT_FALSE(store->find(key + "0")) << key;
    EXPECT_FALSE(store->find(key.substr(0, key.size() - 1) + "!")) << key;
    EXPECT_THAT(store->list(key), ElementsAre(key));
  }
}

TEST_P(KvStoreTest, ReadsRangesOfAValue) {
  const auto store = make({{"long", "0123456789"}, {"none", ""}, {"tiny", "abc"}});
  std::string target(4, '?');
  store->read_range(*store->find_location("long"), 3, ByteSpan(reinterpret_cast<std::byte*>(target.data()), 4));
  EXPECT_EQ(target, "3456");
  store->read_range(*store->find_location("tiny"), 1, ByteSpan(reinterpret_cast<std::byte*>(target.data()), 2));
  EXPECT_EQ(target, "bc56");
  EXPECT_EQ(store->find_location("long")->size_bytes, 10u);
  EXPECT_EQ(store->read("none").size(), 0u);
}

TEST_P(KvStoreTest, RefusesARangePastTheEndOfTheValue) {
  const auto store = make({{"long", "0123456789"}, {"more", "0123456789"}, {"tiny", "abc"}});
  for (const char* key : {"long", "tiny"}) {
    const auto location = *store->find_location(key);
    std::byte target[4] = {};
    EXPECT_THROW(store->read_range(location, location.size_bytes - 3, target), Error) << key;
    EXPECT_THROW(store->read_range(location, ~0ull, target), Error) << key;
  }
}

TEST_P(KvStoreTest, OfNothingIsEmpty) {
  const auto store = make({});
  EXPECT_THAT(store->list(), IsEmpty());
  EXPECT_FALSE(store->find("a"));
}

TEST_P(KvStoreTest, NamesTheKeyThatIsNotThere) {
  const auto store = make({{"a", "1"}});
  try {
    store->read("b\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    EXPECT_THAT(error.message(), HasSubstr("'b\\x0a'"));
  }
}

INSTANTIATE_TEST_SUITE_P(Every, KvStoreTest, ::testing::ValuesIn(kMakers),
                         [](const testing::TestParamInfo<Maker>& info) { return info.param.format; });

TEST(KvStoreTable, HasAMakerHereForEachRow) {
  std::vector<std::string> formats;
  for (const Maker& maker : kMakers) formats.push_back(maker.format);
  std::vector<std::string> rows;
  for (const KvStoreRow& row : kvstore_table()) rows.emplace_back(row.format);
  EXPECT_EQ(formats, rows);
}

TEST(OpenKvStore, RefusesAFormatThatIsNotInTheTable) {
  EXPECT_THAT([] { open_kvstore("x", "zip"); },
              ::testing::ThrowsMessage<Error>(HasSubstr("store format 'zip', expected one of 'ocdbt', 'file', 'memory'")));
}

TEST(FindStoreFormat, IsADatabaseWhereAManifestIs) {
  EXPECT_EQ(find_store_format([](std::string_view file) { return file == "manifest.ocdbt"; }), "ocdbt");
  EXPECT_EQ(find_store_format([](std::string_view) { return false; }), "file");
}

TEST(OpenAnyKvStore, OpensWhatItFinds) {
  const test::TemporaryDirectory directory;
  make_file_store({{"a", "1"}}, directory / "files");
  make_ocdbt_store({{"b", "2"}}, directory / "database");
  EXPECT_THAT(open_any_kvstore(directory / "files")->list(), ElementsAre("a"));
  EXPECT_THAT(open_any_kvstore(directory / "database")->list(), ElementsAre("b"));
}

TEST(OpenKvStore, ThrowsNotFoundWhereThereIsNoStore) {
  const test::TemporaryDirectory directory;
  for (const char* format : {"ocdbt", "file"}) {
    try {
      open_kvstore(directory / "nothing", format);
      FAIL() << format;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kNotFound) << format;
    }
  }
}

}  // namespace
}  // namespace perdure::storage
