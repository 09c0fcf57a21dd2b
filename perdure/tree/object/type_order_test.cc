#include "perdure/tree/object/type_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perdure/base/error.h"
#include "perdure/tree/object/models.h"
#include "tests/support/failures.h"

// The example of the paper that introduced the order, and of Python's documentation: O; F, D, E(O); C(D, F); B(E, D); A(B, C).
namespace {

struct O {
  int o = 0;
};
struct F : virtual O {};
struct D : virtual O {
  int d = 4;
};
struct E : virtual O {};
struct C : virtual D, virtual F {};
struct B : virtual E, virtual D {};
struct A : B, C {
  A() = default;
  A(const A&) = default;
  A& operator=(const A&) = default;  // a move would move what is virtual twice
};
struct DF : virtual D, virtual F {};
struct FD : virtual F, virtual D {};
struct Quarrel : DF, FD {
  Quarrel() = default;
  Quarrel(const Quarrel&) = default;
  Quarrel& operator=(const Quarrel&) = default;
};

template <class T, class... Parents>
constexpr auto described() {
  return perdure::record<T>("test", perdure::bases<Parents...>());
}

}  // namespace

// clang-format off
template <> constexpr auto perdure::describe<O>() { return described<O>(); }
template <> constexpr auto perdure::describe<F>() { return described<F, O>(); }
template <> constexpr auto perdure::describe<D>() { return described<D, O>(); }
template <> constexpr auto perdure::describe<E>() { return described<E, O>(); }
template <> constexpr auto perdure::describe<C>() { return described<C, D, F>(); }
template <> constexpr auto perdure::describe<B>() { return described<B, E, D>(); }
template <> constexpr auto perdure::describe<A>() { return described<A, B, C>(); }
template <> constexpr auto perdure::describe<DF>() { return described<DF, D, F>(); }
template <> constexpr auto perdure::describe<FD>() { return described<FD, F, D>(); }
template <> constexpr auto perdure::describe<Quarrel>() { return described<Quarrel, DF, FD>(); }
// clang-format on

namespace perdure::tree {
namespace {

template <class... T>
std::vector<const ObjectType*> types() {
  return {&object_type<T>()...};
}

template <class T>
std::vector<const ObjectType*> order_of() {
  std::vector<const ObjectType*> order;
  for (const OrderedBase& base : type_order(object_type<T>())) order.push_back(base.type);
  return order;
}

TEST(TypeOrder, IsPythons) {
  EXPECT_EQ(order_of<O>(), types<O>());
  EXPECT_EQ(order_of<C>(), (types<C, D, F, O>()));
  EXPECT_EQ(order_of<B>(), (types<B, E, D, O>()));
  EXPECT_EQ(order_of<A>(), (types<A, B, E, C, D, F, O>()));
}

TEST(TypeOrder, FindsTheBaseWithinTheObject) {
  A object;
  object.d = 9;
  for (const OrderedBase& base : type_order(object_type<A>())) {
    if (base.type != &object_type<D>()) continue;
    EXPECT_EQ(static_cast<D*>(base.part_of(&object))->d, 9);
  }
}

TEST(TypeOrder, RefusesBasesThatContradictEachOther) {
  EXPECT_EQ(test::kind_of_failure([] { type_order(object_type<Quarrel>()); }), ErrorKind::kInvalid);
}

}  // namespace
}  // namespace perdure::tree
