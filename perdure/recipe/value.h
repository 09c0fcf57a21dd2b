#pragma once
// What an argument can be: exact values of both languages, as the engine sees them between a host's objects and JSON.
#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "perdure/base/json.h"
#include "perdure/base/leaf.h"

namespace perdure::recipe {

class Spec;
struct Value;
struct DictEntry;
struct Field;

struct ListValue {
  std::vector<Value> items;
};
struct TupleValue {
  std::vector<Value> items;
};
/// Keys are hashable kinds: texts, numbers, None, bytes, tuples of these.
struct DictValue {
  std::vector<DictEntry> items;
};
/// An array with the word that says what to make of it (base/origin.h). `memory`: its elements in C order, machine byte order.
struct ArrayValue {
  std::string origin;
  DType dtype = DType::kUint8;
  Shape shape;
  Blob memory;
};
std::string package_of(const ArrayValue& array);
/// A copy of the leaf. A recipe is no state: no gradient is asked of its tensors.
ArrayValue array_value(const ArrayLeaf& leaf);
/// Whether the word is one that adapters give. Others are not passed on to them: they come from a file.
bool is_known_origin(std::string_view origin);

/// The name of a dtype: "torch.float32", "numpy.int8", "jax.numpy.bfloat16", or the plain text of one that was not tagged.
struct DtypeValue {
  std::string name;
};
/// A torch.device: "cuda:1".
struct DeviceValue {
  std::string name;
};
struct ClassValue {
  std::string path;
};
/// A member of the enumeration `path`: by its name, or, where the annotation says which class it is, by its value.
struct EnumValue {
  std::string path;
  std::string name;
  std::shared_ptr<const Value> value;  // instead of the name
};
/// A pathlib object: the name of its class in pathlib, and its text.
struct PathValue {
  std::string type;
  std::string text;
};
/// A dataclass instance: its fields by name.
struct RecordValue {
  std::string path;
  std::vector<Field> fields;
};
/// An object of a class that the user registered: what the serializer gave.
struct RegisteredValue {
  std::string path;
  json::Value written;
};
using SpecValue = std::shared_ptr<const Spec>;

struct Value {
  std::variant<None, bool, std::int64_t, BigInt, double, std::complex<double>, Text, Blob, ListValue, TupleValue, DictValue,
               ArrayValue, DtypeValue, DeviceValue, ClassValue, EnumValue, PathValue, RecordValue, RegisteredValue, SpecValue>
      data;

  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&data);
  }
  template <class T>
  bool is() const {
    return std::holds_alternative<T>(data);
  }
  /// "a list", "an int": for messages.
  std::string kind_name() const;
};

struct DictEntry {
  Value key;
  Value value;
};
struct Field {
  std::string name;
  Value value;
};

}  // namespace perdure::recipe
