// Runs a fuzz target without libFuzzer: DRIVER CORPUS_DIR [MUTATION_COUNT [FIRST_SEED]].
// Or writes its seeds as files, for libFuzzer to start from: DRIVER --write-seeds FOLDER.
//
// Every mutation has a seed of its own. Whatever goes wrong (crash, sanitizer report, exception, more than 20 seconds or
// 4 GiB for one input) prints that seed and leaves the input in the file crash-input of the current folder.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

namespace fs = std::filesystem;

constexpr unsigned kInputSecondsMax = 20;
constexpr rlim_t kMemoryBytesMax = rlim_t{4} << 30;

std::string running_name;  // these two say what the failure report needs
std::string running_input;

void report_failure() {
  std::cerr << "\nfuzz target failed at " << running_name << "; its input is in " << fs::current_path() / "crash-input"
            << std::endl;
  std::ofstream("crash-input", std::ios::binary) << running_input;
}

void on_signal(int signal_number) {
  report_failure();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

// A sanitizer has handlers of its own, and wants more address space than the limit.
void report_failures() {
  std::signal(SIGABRT, on_signal);
  std::signal(SIGALRM, on_signal);
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(report_failure);
    return;
  }
  for (int signal_number : {SIGSEGV, SIGFPE, SIGBUS, SIGILL}) std::signal(signal_number, on_signal);
  const rlimit limit{kMemoryBytesMax, kMemoryBytesMax};
  setrlimit(RLIMIT_AS, &limit);
}

void feed(std::string name, std::string input) {
  running_name = std::move(name);
  running_input = std::move(input);
  alarm(kInputSecondsMax);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(running_input.data()), running_input.size());
  alarm(0);
}

std::vector<std::string> read_folder(const fs::path& folder) {
  std::vector<std::string> inputs;
  if (!fs::is_directory(folder)) return inputs;
  std::vector<fs::path> paths(fs::directory_iterator(folder), fs::directory_iterator{});
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

int write_seeds(const fs::path& folder) {
  fs::create_directories(folder);
  std::size_t index = 0;
  for (const std::string& seed : seeds()) {
    std::ofstream(folder / ("seed-" + std::to_string(index++)), std::ios::binary) << seed;
  }
  return 0;
}

void run(const fs::path& corpus, std::uint64_t mutation_count, std::uint64_t first_seed) {
  std::vector<std::string> inputs = seeds();
  std::ranges::move(read_folder(corpus), std::back_inserter(inputs));
  inputs.emplace_back();
  for (std::size_t i = 0; i < inputs.size(); ++i) feed("input " + std::to_string(i), inputs[i]);
  for (std::uint64_t seed = first_seed; seed < first_seed + mutation_count; ++seed) {
    std::mt19937_64 random(seed);
    const std::string& start = inputs[random() % inputs.size()];
    feed("seed " + std::to_string(seed), perdure::fuzz::mutate(start, inputs, random));
  }
  std::cout << inputs.size() << " inputs and " << mutation_count << " mutations from seed " << first_seed << " passed\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 2 && arguments[0] == "--write-seeds") return write_seeds(arguments[1]);
  if (arguments.empty() || arguments.size() > 3) {
    std::cerr << "usage: " << argv[0] << " CORPUS_DIR [MUTATION_COUNT [FIRST_SEED]] | --write-seeds FOLDER\n";
    return 2;
  }
  report_failures();
  run(arguments[0], arguments.size() > 1 ? std::stoull(arguments[1]) : 2000,
      arguments.size() > 2 ? std::stoull(arguments[2]) : 1);
}
