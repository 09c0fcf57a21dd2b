"""Hooks of a training strategy: what they may have, and the one that saves."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from perdure._src.arguments import PathLike
from perdure.errors import InvalidError


@runtime_checkable
class CheckpointableHook(Protocol):
    """A hook whose state belongs into a checkpoint. It is restored into the instances that the caller gives; hooks are never rebuilt."""

    def state_dict(self) -> Any:
        """A tree that ``perdure.save`` takes."""
        ...

    def load_state_dict(self, state: Any, /) -> None: ...


class CheckpointHook:
    """Saves the strategy that it is a hook of, every so many steps or epochs, after the other hooks have run.

    Args:
        root: As of ``TrainingStrategy.save_checkpoint``.
        step_interval: Save after each so many steps; or
        epoch_interval: after each so many epochs.
        async_save: Write in the background; training goes on once the state has been copied. A save waits for the one before it.

    As a context manager, or with ``close()``, it waits for the last save and raises what made it fail.

    Raises:
        InvalidError: Not exactly one interval, or one that is not positive.
    """

    def __init__(
        self, root: PathLike, *, step_interval: int | None = None, epoch_interval: int | None = None, async_save: bool = True
    ) -> None:
        if (step_interval is None) == (epoch_interval is None):
            raise InvalidError("give one of step_interval and epoch_interval")
        for name, interval in (("step_interval", step_interval), ("epoch_interval", epoch_interval)):
            if interval is not None and (type(interval) is not int or interval < 1):
                raise InvalidError(f"{name}: a positive number, not {interval!r}")
        self.root = root
        self.step_interval, self.epoch_interval, self.async_save = step_interval, epoch_interval, async_save
        self._pending: Any = None
        self._last_index: int | None = None

    @property
    def last_checkpoint_index(self) -> int | None:
        """Of the last save that is known to be durable."""
        return self._last_index

    def step_done(self, strategy: Any) -> None:
        if self.step_interval is not None and strategy.step_count % self.step_interval == 0:
            self._save(strategy)

    def epoch_done(self, strategy: Any) -> None:
        if self.epoch_interval is not None and strategy.epoch_count % self.epoch_interval == 0:
            self._save(strategy)

    def close(self) -> None:
        """Waits for a save in the background. Raises what made it fail, once."""
        pending, self._pending = self._pending, None
        if pending is not None:
            self._last_index = pending.result()

    def __enter__(self) -> CheckpointHook:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _save(self, strategy: Any) -> None:
        self.close()
        if self.async_save:
            self._pending = strategy.save_checkpoint_async(self.root)
        else:
            self._last_index = strategy.save_checkpoint(self.root)
