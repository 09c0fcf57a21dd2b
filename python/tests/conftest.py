"""Eight CPU devices for JAX, so that arrays can be sharded: before anything imports it. And what several files of tests share."""

import os

import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"


@pytest.fixture
def fresh_type_handlers(monkeypatch):
    """The registry of type handlers that the test has instead of the program's: the native ones."""
    from perdure._src.type_handlers import global_registry

    fresh = global_registry._native_registry()
    for module in ("global_registry", "own_handlers", "handled_tree"):
        monkeypatch.setattr(f"perdure._src.type_handlers.{module}.REGISTRY", fresh)
    return fresh


@pytest.fixture
def statistics(monkeypatch):
    """Of the latest save."""
    from perdure import _core

    found = {}
    finish = _core.SaveJob.finish
    monkeypatch.setattr(_core.SaveJob, "finish", lambda job: found.update(finish(job)) or found)
    return found
