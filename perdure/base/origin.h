#pragma once
// ArrayLeaf::origin: what an array was before it was bytes. A word of its package, and more after a dot, colon or bar that only the
// package's adapter understands ("jax.key:rbg", "torch|bits8"). Trees look at some of the words below and keep all others; recipes pass on
// to an adapter those of kOfArrays, and beside these only typed keys of JAX and types that only torch has.
#include <optional>
#include <string>
#include <string_view>

namespace perdure {

namespace origins {
inline constexpr std::string_view kNumpy = "numpy";
inline constexpr std::string_view kNumpyScalar = "numpy.scalar";  // np.float32(1): an array of rank 0 that is no ndarray
inline constexpr std::string_view kJax = "jax";
inline constexpr std::string_view kJaxWeak = "jax.weak";  // an array whose dtype gives way to those of others
inline constexpr std::string_view kTorch = "torch";
inline constexpr std::string_view kTorchGradient = "torch.grad";  // a tensor of which gradients are asked
inline constexpr std::string_view kTorchParameter = "torch.Parameter";
inline constexpr std::string_view kTorchFrozenParameter = "torch.Parameter:frozen";  // no gradients are asked of it

/// What the engine and the adapters of Python's frameworks call arrays; beside these, typed random keys of JAX, and types that only
/// torch has (after a bar).
inline constexpr std::string_view kOfArrays[] = {kNumpy,          kNumpyScalar,         kJax, kJaxWeak, kTorch, kTorchGradient,
                                                 kTorchParameter, kTorchFrozenParameter};

inline constexpr std::string_view kScalar = "scalar";  // a Python number that Orbax stored as an array of rank 0
}  // namespace origins

/// "torch" of "torch.Parameter:frozen", "jax" of "jax.key:threefry2x32".
std::string_view package_of_origin(std::string_view origin);

/// Whether arrays that were one memory when they were saved may be one again. A parameter of torch and its data are two tensors on one
/// memory; nobody else may write to an array of JAX.
bool may_share_memory(std::string_view origin, std::string_view other);

/// jax.Array, typed random keys too.
bool is_jax_origin(std::string_view origin);
bool is_torch_origin(std::string_view origin);

/// Typed random keys of JAX: "jax.key:threefry2x32".
std::string random_key_origin(std::string_view impl);
/// "threefry2x32" of "jax.key:threefry2x32"; nullopt for an array that is no typed key.
std::optional<std::string_view> random_key_impl(std::string_view origin);

/// Whether the array's elements are numbers. Those of a typed key, and of a type that only its package has (after the bar), are
/// bits that mean something else there: cast as numbers they would mean nothing.
bool holds_numbers(std::string_view origin);

}  // namespace perdure
