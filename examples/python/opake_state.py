"""A DP-SGD training state of Opake in a checkpoint: weights, clipping, noise, sampler, optimizer and accountant.

Needs opake and Python 3.12 or later. Almost all of it is dataclasses, NamedTuples and dicts, and needs nothing. The accountant, the
sampler and the processes that the accountant is composed of have serializers of their own, which Opake keeps: they are handed on.

Run: python opake_state.py FOLDER          saves, then loads in another process
     python opake_state.py FOLDER --load   loads, and prints what was spent
"""

import argparse
import pathlib
import subprocess
import sys

import opake.dpsgd as dpsgd
import opake.dpsgd.accounting as mechanisms
import opake.optimizers as optimizers
import opake.serialization
import torch
from opake.accounting import Accountant, epsilon_budget
from opake.accounting.types import DpProcess
from opake.dpsgd.sampling import PoissonSampler
from opake.random import key

import perdure
from perdure import tree


def classes_below(cls):
    for sub in cls.__subclasses__():
        yield sub
        yield from classes_below(sub)


for cls in (Accountant, PoissonSampler, *classes_below(DpProcess)):
    functions = opake.serialization.lookup_serializer(cls)
    if functions is not None:
        tree.register_serializer(cls, *functions)


def template():
    """What the program builds at start-up, before it looks for a checkpoint."""
    params = {"weight": torch.zeros(2, 3), "bias": torch.zeros(2)}
    _, noise = dpsgd.gaussian_noise(noise_multiplier=1.1, key=key(1))
    return {
        "params": params,
        "optimizer": optimizers.adam(1e-3, noise_bias_correction=True).init(params),
        "noise": noise,
        "groups": dpsgd.per_group(params, {"weight": 1.0}, fallback=0.5),
        "sampler": PoissonSampler(range(100), 0.1, 10, key=key(3)),
        "accountant": Accountant(),
        "step": 0,
    }


def trained():
    state = template()
    state["params"] = {"weight": torch.ones(2, 3), "bias": torch.full((2,), 0.5)}
    state["accountant"] = Accountant(budget=epsilon_budget(3.0, delta=1e-5))
    for _ in range(10):
        state["accountant"] = state["accountant"] | mechanisms.poisson(mechanisms.gaussian(1.1), 0.01)
    state["step"] = 10
    return state


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--load", action="store_true")
    given = arguments.parse_args()
    path = given.folder / "dp_sgd"
    if given.load:
        state = tree.from_state_dict(template(), perdure.load(path))
        print(state["step"], state["accountant"].epsilon_at(1e-5), float(state["params"]["weight"].sum()))
        return
    state = trained()
    perdure.save(path, tree.state_dict(state), overwrite=True)
    loaded = subprocess.run([sys.executable, __file__, given.folder, "--load"], capture_output=True, text=True, check=True)
    print("loaded", loaded.stdout.strip())
    assert loaded.stdout.split() == [str(state["step"]), str(state["accountant"].epsilon_at(1e-5)), "6.0"]


if __name__ == "__main__":
    main()
