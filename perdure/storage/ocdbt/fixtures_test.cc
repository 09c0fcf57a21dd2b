// Databases that TensorStore and Orbax wrote: every key and value of every generation that their writers noted down.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "perdure/base/file_system.h"
#include "perdure/base/json.h"
#include "perdure/base/utf8.h"
#include "perdure/storage/kvstore.h"
#include "tests/support/sha256.h"

namespace perdure::storage {
namespace {

const std::string kFixtures = PERDURE_SOURCE_DIR "/tests/fixtures";

std::string from_latin1(std::string_view utf8) {
  std::string bytes;
  while (!utf8.empty()) bytes.push_back(static_cast<char>(take_code_point(utf8).value()));
  return bytes;
}

json::Value expected(const std::string& fixture) {
  return json::parse(read_file(posix_file_system(), kFixtures + "/" + fixture + "/expected.json", 64 << 20));
}

/// "db@17": generation 17 of the database "db".
std::unique_ptr<KvStore> open_named(const std::string& fixture, const std::string& name) {
  const std::size_t at = name.find('@');
  KvStoreOptions options;
  if (at != name.npos) options.generation = std::stoull(name.substr(at + 1));
  return open_kvstore(kFixtures + "/" + fixture + "/data/" + name.substr(0, at), "ocdbt", options);
}

std::map<std::string, std::string> hashes_of(const KvStore& store) {
  std::map<std::string, std::string> hashes;
  for (const std::string& key : store.list()) hashes[key] = test::sha256_hex(store.read(key));
  return hashes;
}

std::map<std::string, std::string> hashes_in(const json::Value& values) {
  std::map<std::string, std::string> hashes;
  for (const auto& [key, hash] : values.as_object().members()) hashes[from_latin1(key)] = hash.as_string();
  return hashes;
}

TEST(Sha256, OfTheStandardsExample) {
  EXPECT_EQ(test::sha256_hex(as_bytes("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(OcdbtFixtures, HaveTheKeysAndValuesThatTheirWritersPut) {
  int databases = 0;
  for (const DirectoryEntry& fixture : posix_file_system().list(kFixtures)) {
    if (fixture.type != FileType::kDirectory) continue;
    const json::Value document = expected(fixture.name);
    const json::Value* raw = document.as_object().find("raw");
    if (!raw) continue;
    for (const auto& [name, values] : raw->as_object().members()) {
      SCOPED_TRACE(fixture.name + " " + name);
      EXPECT_EQ(hashes_of(*open_named(fixture.name, name)), hashes_in(values));
      ++databases;
    }
  }
  EXPECT_GE(databases, 7);
}

TEST(OcdbtFixtures, AreReadableWhereverAManifestIs) {
  int databases = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFixtures)) {
    if (entry.path().filename() != "manifest.ocdbt") continue;
    SCOPED_TRACE(entry.path().string());
    const auto store = open_kvstore(entry.path().parent_path().string(), "ocdbt");
    for (const std::string& key : store->list()) EXPECT_TRUE(store->find(key).has_value()) << key;
    ++databases;
  }
  EXPECT_GE(databases, 15);
}

}  // namespace
}  // namespace perdure::storage
