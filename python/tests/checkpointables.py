"""Saving and loading single checkpointables, for tests of their handlers."""

import os

import numpy as np

import perdure

os.environ.setdefault("JAX_PLATFORMS", "cpu")


def saved(path, **checkpointables):
    perdure.save_checkpointables(path, checkpointables)
    assert perdure.verify(path).ok
    return path


def one(path, abstract=None, name="x"):
    return perdure.load_checkpointables(path, {name: abstract})[name]


def named(handler, name="x"):
    context = perdure.Context()
    context.checkpointables.registry = perdure.handlers.local_registry().add(handler, checkpointable_name=name)
    return context


def draws(generator):
    if isinstance(generator, np.random.BitGenerator):
        return generator.random_raw(3).tolist()
    return [*generator.normal(size=3), *generator.uniform(size=3)]
