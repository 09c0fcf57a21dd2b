#pragma once
// Lambdas as one visitor of a variant.

namespace perdure {

/// std::visit(Overloaded{[](int) { ... }, [](const std::string&) { ... }}, value)
template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // clang deduces aggregates from 17 on

}  // namespace perdure
