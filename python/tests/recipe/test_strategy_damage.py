"""States of a strategy that are damaged or somebody else's: an error of ours, and the random streams stay as they are."""

import copy
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import strategy_models as M  # noqa: E402
from torch.optim import lr_scheduler  # noqa: E402

import perdure  # noqa: E402
import perdure.handlers  # noqa: E402
from perdure.recipe import TrainingStrategy, create_model_spec  # noqa: E402


def python_stream(**changes):
    return lambda state: state["random"]["python"].update(changes)


def group(state):
    return state["optimizers"]["main"]["param_groups"]


DAMAGE = {
    "no random streams": lambda s: s.update(random=3),
    "a stream is no stream": lambda s: s.update(random={"python": 3}),
    "words of a stream are text": python_stream(words="x"),
    "too few words": python_stream(words=np.zeros(3, np.uint32)),
    "words out of range": python_stream(words=np.full(625, 2**32 - 1, np.uint32)),
    "another generator of numpy": lambda s: s["random"].update(numpy={"bit_generator": "os"}),
    "key of numpy's generator": lambda s: s["random"]["numpy"]["state"].update(key=np.zeros(2)),
    "bytes of torch's generator": lambda s: s["random"].update(torch=np.zeros(3)),
    "text of torch's generator": lambda s: s["random"].update(torch="x"),
    "no modes": lambda s: s.update(modes={}),
    "modes are a number": lambda s: s["modes"].update(main=3),
    "frozen is no list": lambda s: s["modes"]["main"].update(frozen=3),
    "frozen holds lists": lambda s: s["modes"]["main"].update(frozen=[[1]]),
    "a hook is a number": lambda s: s.update(hooks=[3]),
    "a hook without a class": lambda s: s.update(hooks=[{"state": 1}]),
    "a hook without a state": lambda s: s.update(hooks=[{"class": "strategy_models.Ema"}]),
    "a negative count": lambda s: s["counters"].update(step_count=-1),
    "a count that is a bool": lambda s: s["counters"].update(step_count=True),
    "no counts": lambda s: s.update(counters={}),
    "a model is a number": lambda s: s["models"].update(main=3),
    "a weight is text": lambda s: s["models"]["main"].update({"lin.weight": "x"}),
    "a weight is missing": lambda s: s["models"]["main"].pop("lin.weight"),
    "an optimizer is a number": lambda s: s["optimizers"].update(main=3),
    "no groups of parameters": lambda s: s["optimizers"]["main"].pop("param_groups"),
    "groups are a number": lambda s: s["optimizers"]["main"].update(param_groups=3),
    "a group is a number": lambda s: group(s).__setitem__(0, 3),
    "parameters are a number": lambda s: group(s)[0].update(params=3),
    "the optimizer's state is a number": lambda s: s["optimizers"]["main"].update(state=3),
    "a scheduler is a number": lambda s: s["schedulers"].update(main=3),
    "no such scheduler": lambda s: s.update(schedulers={"other": {}}),
}


def context():
    with_handlers = perdure.Context()
    registry = perdure.handlers.Registry().add(perdure.handlers.JsonHandler, checkpointable_name="recipe")
    with_handlers.checkpointables.registry = registry.add(perdure.handlers.TreeHandler, checkpointable_name="state")
    return with_handlers


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    root = tmp_path_factory.mktemp("saved")
    optimizers = {"main": create_model_spec(torch.optim.SGD, lr=0.1, momentum=0.9)}
    schedulers = {"main": create_model_spec(lr_scheduler.StepLR, step_size=2)}
    TrainingStrategy(M.Noisy(4), optimizers=optimizers, schedulers=schedulers, hooks=[M.Ema()]).save_checkpoint(root)
    return perdure.load_checkpointables(root / "0", {"recipe": None, "state": None})


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_state_is_an_error_of_ours(tmp_path, saved, name):
    state = copy.deepcopy(saved["state"])
    DAMAGE[name](state)
    with context():
        perdure.save_checkpointables(tmp_path / "0", {"recipe": saved["recipe"], "state": state})
    streams = random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist()
    with pytest.raises((perdure.CorruptError, perdure.MismatchError)):
        TrainingStrategy.load_checkpoint(tmp_path, hooks=[M.Ema()])
    assert streams == (random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist())
