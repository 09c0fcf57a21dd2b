// JSON text: what is parsed must come back equal from every form in which it can be dumped.
#include "perdure/base/error.h"
#include "perdure/base/json.h"
#include "tests/fuzz/fuzz.h"

using namespace perdure;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const json::Value value = json::parse({reinterpret_cast<const char*>(data), size}, {.depth_max = 100});
    for (const json::DumpOptions& options :
         {json::DumpOptions{}, json::DumpOptions{.indent = 1}, json::DumpOptions{.ascii = false}}) {
      fuzz::fuzz_check(json::parse(json::dump(value, options)) == value, "a value differs after dumping and parsing it");
    }
    if (value.is_number()) value.as_double();
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> seeds() {
  return {
      R"({"a": [1, -0.5e-3, "x\ud800\u00e9\n", {"": null}], "b": {"c": true, "d": [[], {}, false, NaN, -Infinity]}, "a": "é"})",
      R"(["\ud83d\ude00", "\"\\\/\b\f\n\r\t", 123456789012345678901234567890, 1e400])", "-1.25E+7"};
}
