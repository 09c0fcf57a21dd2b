"""Models, schedules and hooks that the tests of recipes of live objects name by path."""

import random
from typing import NamedTuple

import numpy as np
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width: int = 4, bias: bool = True):
        super().__init__()
        self.width = width
        self.lin = nn.Linear(width, width, bias=False)
        self.bias = nn.Parameter(torch.zeros(width)) if bias else None

    def forward(self, x):
        return self.lin(x) if self.bias is None else self.lin(x) + self.bias


def make_blocks(width: int, count: int):
    return nn.Sequential(*(Block(width) for _ in range(count)))


class Tied(nn.Module):
    """One weight under two keys, by its constructor."""

    def __init__(self, width: int = 4):
        super().__init__()
        self.width = width
        self.embedding, self.head = nn.Embedding(width, width), nn.Linear(width, width)
        self.head.weight = self.embedding.weight


class Stack(nn.Module):
    """Made of modules that it is given."""

    def __init__(self, body: nn.Module, heads: list, *extra, scale: float = 1.0, **options):
        super().__init__()
        self.body, self.scale, self.extra, self.options = body, scale, extra, options
        self.heads = list(heads)
        self.all = nn.ModuleList(heads)

    def forward(self, x):
        return self.scale * sum(head(self.body(x)) for head in self.heads)


class Noisy(nn.Module):
    """Draws from every stream, when it is made and when it runs."""

    made = 0

    def __init__(self, width: int = 4):
        super().__init__()
        Noisy.made += 1
        self.width = width
        self.lin = nn.Linear(width, width)
        self.drop = nn.Dropout(0.5)
        self.offset = random.random() + np.random.rand()

    def forward(self, x):
        return self.drop(self.lin(x)) * (random.random() + np.random.rand())


class Options(NamedTuple):
    width: int
    flags: tuple = ()


class Slotted:
    __slots__ = ("flags", "width")

    def __init__(self, width, flags):
        self.width, self.flags = width, flags


class Doubling(nn.Module):
    """Its attribute is not what it was given."""

    def __init__(self, gain: float = 1.0):
        super().__init__()
        self.gain = 2 * gain


class SharedDefault(nn.Module):
    """The class has an attribute of the argument's name, which says nothing about the argument."""

    cutoff = 5.0

    def __init__(self, cutoff: float = 5.0, train: bool = True):
        super().__init__()
        self.r_cut = cutoff


class LooksAtValues(nn.Module):
    """A constructor that the meta device cannot run."""

    def __init__(self, width: int = 4):
        super().__init__()
        self.width = width
        self.lin = nn.Linear(width, width)
        self.largest = float(self.lin.weight.max().item())


class Placed(nn.Module):
    """Remembers where each of its kind was made."""

    devices: list = []

    def __init__(self, width: int = 4):
        super().__init__()
        self.width = width
        self.lin = nn.Linear(width, width)
        Placed.devices.append(self.lin.weight.device.type)


class Linear(float):
    """A schedule that no recipe holds by itself."""

    def to_spec(self):
        from perdure.recipe import create_model_spec

        return create_model_spec(make_schedule, slope=float(self))


def make_schedule(slope: float):
    return Linear(slope)


class Weighted(nn.Module):
    def __init__(self, schedule):
        super().__init__()
        self.schedule = schedule


class Ema:
    """A hook with a state and a count of its calls."""

    def __init__(self):
        self.steps, self.epochs, self.mean = 0, 0, torch.zeros(2)

    def step_done(self, strategy):
        self.steps += 1
        self.mean = self.mean * 0.5 + strategy.step_count

    def epoch_done(self, strategy):
        self.epochs += 1

    def state_dict(self):
        return {"steps": self.steps, "mean": self.mean, "pair": (1, 2.5)}

    def load_state_dict(self, state):
        assert state["pair"] == (1, 2.5)
        self.steps, self.mean = state["steps"], state["mean"]


class OtherEma(Ema):
    pass


def make_lambda_lr(optimizer, steps: int):
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / steps))


def train_fn(model, batch):
    return model(batch).sum()
