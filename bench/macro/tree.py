"""W8: flattening Python states. perdure.tree beside jax.tree, optree and torch's pytree, in one process, interleaved, best of N.

Only perdure makes a flat dict with string keys; the peers give lists of leaves, with and without key paths. Microseconds a leaf:

    python bench/macro/tree.py [--leaves 160000] [--rounds 5]
"""

import argparse
import gc
import importlib.util
import time

import torch
import torch.utils._pytree as torch_tree

from perdure import tree


def plain_state(leaf_count):
    """Six deep, half in lists and half in dicts, fifty leaves in each."""
    state = {}
    for start in range(0, leaf_count, 100):
        layer, block, module = start // 16_000, start // 1_600 % 10, start // 100 % 16
        state.setdefault(f"layer{layer}", {}).setdefault(f"block{block}", {})[f"module{module}"] = {
            "weights": list(range(50)),
            "state": {f"p{i}": float(i) for i in range(50)},
        }
    return state


def tensor_state(tensor_count):
    return {f"layer{i}": {f"p{j}": torch.full((64,), float(j)) for j in range(20)} for i in range(tensor_count // 20)}


def seconds(function):
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    function()
    end = time.perf_counter()
    gc.enable()
    return end - start


def cases_of(state):
    flat = tree.state_dict(state)
    yield "perdure state_dict", lambda: tree.state_dict(state)
    yield "perdure from_state_dict", lambda: tree.from_state_dict(state, flat)
    if importlib.util.find_spec("jax"):
        import jax

        leaves, definition = jax.tree.flatten(state)
        yield "jax flatten", lambda: jax.tree.flatten(state)
        yield "jax flatten with paths", lambda: jax.tree.flatten_with_path(state)
        yield "jax unflatten", lambda: jax.tree.unflatten(definition, leaves)
    if importlib.util.find_spec("optree"):
        import optree

        spec = optree.tree_structure(state)
        yield "optree flatten", lambda: optree.tree_flatten(state)
        yield "optree flatten with paths", lambda: optree.tree_flatten_with_path(state)
        yield "optree unflatten", lambda: optree.tree_unflatten(spec, optree.tree_leaves(state))
    leaves, spec = torch_tree.tree_flatten(state)
    yield "torch flatten", lambda: torch_tree.tree_flatten(state)
    yield "torch flatten with paths", lambda: torch_tree.tree_flatten_with_path(state)
    yield "torch unflatten", lambda: torch_tree.tree_unflatten(leaves, spec)


def tensor_cases(state):
    flat = tree.state_dict(state)
    tensors = list(flat.values())
    yield "perdure state_dict", lambda: tree.state_dict(state)
    yield "perdure from_state_dict", lambda: tree.from_state_dict(state, flat)
    yield "limit: clone each", lambda: [tensor.clone() for tensor in tensors]


def report(title, cases, leaf_count, rounds):
    cases = list(cases)
    best = {name: min(times) for name, times in zip(
        [name for name, _ in cases], zip(*[[seconds(function) for _, function in cases] for _ in range(rounds)]))}
    print(f"{title}: {leaf_count} leaves, us a leaf")
    for name, time_s in best.items():
        print(f"  {name:28} {time_s / leaf_count * 1e6:7.3f}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--leaves", type=int, default=160_000)
    arguments.add_argument("--tensors", type=int, default=20_000)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    plain, tensors = plain_state(given.leaves), tensor_state(given.tensors)
    report("plain values", cases_of(plain), len(tree.state_dict(plain)), given.rounds)
    report("tensors of 64 floats", tensor_cases(tensors), len(tree.state_dict(tensors)), given.rounds)


if __name__ == "__main__":
    main()
