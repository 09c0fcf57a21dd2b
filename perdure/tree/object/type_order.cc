#include "perdure/tree/object/type_order.h"

#include <algorithm>

#include "perdure/base/error.h"

namespace perdure::tree {
namespace {

using Order = std::vector<OrderedBase>;

/// True if nobody else puts something before `type`.
bool is_next(const ObjectType* type, const std::vector<Order>& orders) {
  return std::ranges::none_of(orders, [&](const Order& order) {
    return std::any_of(order.begin() + (order.empty() ? 0 : 1), order.end(),
                       [&](const OrderedBase& base) { return base.type == type; });
  });
}

Order merge(std::vector<Order> orders, const ObjectType& derived) {
  Order merged;
  for (;;) {
    std::erase_if(orders, [](const Order& order) { return order.empty(); });
    if (orders.empty()) return merged;
    const auto chosen = std::ranges::find_if(orders, [&](const Order& order) { return is_next(order.front().type, orders); });
    if (chosen == orders.end()) {
      throw Error(ErrorKind::kInvalid, "the bases of '" + derived.name() + "' have no consistent order");
    }
    merged.push_back(chosen->front());
    for (Order& order : orders) {
      if (!order.empty() && order.front().type == merged.back().type) order.erase(order.begin());
    }
  }
}

}  // namespace

std::vector<OrderedBase> type_order(const ObjectType& type) {
  std::vector<Order> orders;
  Order declared;
  for (const BaseLink& link : type.bases()) {
    Order order = type_order(*link.type);
    for (OrderedBase& base : order) base.upcasts.insert(base.upcasts.begin(), link.upcast);
    declared.push_back(order.front());
    orders.push_back(std::move(order));
  }
  orders.push_back(std::move(declared));
  Order result = merge(std::move(orders), type);
  result.insert(result.begin(), OrderedBase{&type, {}});
  return result;
}

}  // namespace perdure::tree
