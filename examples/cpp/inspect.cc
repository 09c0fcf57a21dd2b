// Prints the leaves of a checkpoint that anybody wrote (Orbax, perdure) with a few statistics.
//
//   inspect CHECKPOINT
#include <perdure/perdure.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

struct Statistics {
  double least = INFINITY, most = -INFINITY, mean = 0;
};

/// Over all elements, as double.
Statistics statistics_of(const perdure::LoadedArray& array) {
  Statistics result;
  const auto* elements = reinterpret_cast<const double*>(array.view.data);
  const std::uint64_t count = array.view.shape.element_count();
  for (std::uint64_t i = 0; i < count; ++i) {
    result.least = std::min(result.least, elements[i]);
    result.most = std::max(result.most, elements[i]);
    result.mean += elements[i] / static_cast<double>(count);
  }
  return result;
}

std::string text_of(const perdure::Scalar& scalar) {
  struct Printer {
    std::string operator()(perdure::None) const { return "None"; }
    std::string operator()(bool value) const { return value ? "True" : "False"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(const perdure::BigInt& value) const { return value.digits; }
    std::string operator()(double value) const { return std::to_string(value); }
    std::string operator()(std::complex<double> value) const {
      return std::to_string(value.real()) + " + " + std::to_string(value.imag()) + "j";
    }
    std::string operator()(const perdure::Text& value) const { return "\"" + value.utf8 + "\""; }
    std::string operator()(const perdure::Blob& value) const { return std::to_string(value.size()) + " bytes"; }
    std::string operator()(const perdure::Handled& value) const { return "a value kept by the handler of " + value.typestr; }
  };
  return std::visit(Printer{}, scalar);
}

void print_array(const perdure::TreeItem& item, std::uint32_t leaf_index, const std::string& key) {
  const auto& stored = std::get<perdure::StoredArray>(item.leaves()[leaf_index]);
  perdure::ArrayRequest request;
  request.leaf_index = leaf_index;
  request.dtype = perdure::DType::kFloat64;  // complex numbers lose their imaginary part here
  const Statistics statistics = statistics_of(item.read({request})[0]);
  std::printf("%-40s %-14s %-16s min %.4g  mean %.4g  max %.4g\n", key.c_str(), std::string(name(stored.dtype)).c_str(),
              stored.shape.str().c_str(), statistics.least, statistics.mean, statistics.most);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: inspect CHECKPOINT\n");
    return 2;
  }
  try {
    const perdure::Checkpoint checkpoint = perdure::Checkpoint::open(argv[1]);
    const auto item = checkpoint.tree();
    perdure::tree::LeafPaths paths(item->structure());
    while (paths.next()) {
      if (paths.node().kind != perdure::NodeKind::kLeaf) continue;
      const std::uint32_t index = paths.node().leaf_index;
      const std::string key = perdure::tree::dotted(paths.path());
      if (const auto* scalar = std::get_if<perdure::Scalar>(&item->leaves()[index])) {
        std::printf("%-40s %s\n", key.c_str(), text_of(*scalar).c_str());
      } else {
        print_array(*item, index, key);
      }
    }
  } catch (const perdure::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
