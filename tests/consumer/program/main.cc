#include <perdure/base/error.h>

#include <iostream>

int main() {
  const perdure::Error error(perdure::ErrorKind::kCorrupt, "expected 1, found 2");
  if (perdure::error_kind_name(error.kind()) != "corrupt") return 1;
  std::cout << error.what() << "\n";
}
