"""Privacy accountants in a checkpoint: what to register for classes that no tree library knows.

Needs dp-accounting. Its accountants are neither dataclasses nor containers, and their ledger is all that they have to remember: composed into
a fresh accountant it gives the same epsilon. So the serializer writes the ledger, and the template supplies the settings.

Run: python dp_accounting_state.py FOLDER          saves an accountant after 103 steps, then loads it in another process
     python dp_accounting_state.py FOLDER --load   loads it and prints its epsilon
"""

import argparse
import json
import pathlib
import subprocess
import sys

import dp_accounting as dp
from dp_accounting import rdp

import perdure
from perdure import tree

# Names in a file are claims: nothing but these classes is ever built.
EVENTS = {cls.__name__: cls for cls in (dp.NoOpDpEvent, dp.GaussianDpEvent, dp.PoissonSampledDpEvent, dp.ComposedDpEvent, dp.SelfComposedDpEvent)}


def encode(value):
    if isinstance(value, dp.DpEvent):
        return {type(value).__name__: {a.name: encode(getattr(value, a.name)) for a in type(value).__attrs_attrs__}}
    return [encode(v) for v in value] if isinstance(value, (list, tuple)) else value


def decode(value):
    if isinstance(value, dict):
        ((name, fields),) = value.items()
        return EVENTS[name](**{key: decode(v) for key, v in fields.items()})
    return [decode(v) for v in value] if isinstance(value, list) else value


def accountant_from(template, sd):
    fresh = rdp.RdpAccountant(orders=template._orders, neighboring_relation=template.neighboring_relation)
    return fresh.compose(decode(json.loads(sd["ledger"])))


tree.register_serializer(rdp.RdpAccountant, lambda accountant: {"ledger": json.dumps(encode(accountant.ledger))}, accountant_from)


def template():
    """What the program builds at start-up, before it looks for a checkpoint."""
    return {"accountant": rdp.RdpAccountant(), "step": 0}


def trained():
    state = template()
    state["accountant"].compose(dp.PoissonSampledDpEvent(0.01, dp.GaussianDpEvent(1.1)), 100)
    state["accountant"].compose(dp.GaussianDpEvent(20.0), 3)
    state["step"] = 103
    return state


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--load", action="store_true")
    given = arguments.parse_args()
    path = given.folder / "accountant"
    if given.load:
        state = perdure.load(path, template())
        print(state["step"], state["accountant"].get_epsilon(1e-5))
        return
    state = trained()
    perdure.save(path, state, overwrite=True)
    loaded = subprocess.run([sys.executable, __file__, given.folder, "--load"], capture_output=True, text=True, check=True)
    print("saved ", state["step"], state["accountant"].get_epsilon(1e-5))
    print("loaded", loaded.stdout.strip())
    assert loaded.stdout.split() == [str(state["step"]), str(state["accountant"].get_epsilon(1e-5))]


if __name__ == "__main__":
    main()
