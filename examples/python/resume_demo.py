"""What the three digits demos share: a run that is killed and resumes must end like one that was never stopped.

A demo defines a Job and calls ``main(Job)``. The run is started three times, each in a process of its own:

1. without interruption;
2. killed with SIGKILL in the middle, wherever it happens to be;
3. again, from the newest checkpoint of 2.

Then the weights of 1 and 3 are compared bit for bit, by a hash that each process takes of its own memory.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Protocol

import numpy as np
from sklearn.datasets import load_digits


class Job(Protocol):
    """A training run: everything that decides its future is saved by ``save`` and restored by ``load``."""

    step: int  # training steps done

    def train_step(self) -> float:
        """Does one step; returns the loss."""

    def save(self, path: pathlib.Path) -> None: ...

    def load(self, path: pathlib.Path) -> None: ...

    def weights(self) -> dict[str, np.ndarray]: ...

    def accuracy(self) -> float:
        """Share of the test images that are recognised."""


@dataclasses.dataclass(frozen=True)
class Digits:
    """scikit-learn's 1,797 handwritten digits, 8 x 8 grey values scaled to 0..1."""

    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray


def read_digits() -> Digits:
    digits = load_digits()
    images, labels = (digits.data / 16).astype(np.float32), digits.target.astype(np.int32)
    return Digits(images[:1500], labels[:1500], images[1500:], labels[1500:])


def newest_step(folder: pathlib.Path) -> int | None:
    """The newest committed checkpoint. A save that was killed leaves a name that does not match."""
    steps = [int(match[1]) for entry in folder.iterdir() if (match := re.fullmatch(r"step_(\d+)", entry.name))]
    return max(steps, default=None)


def train(job: Job, folder: pathlib.Path, step_count: int, save_every: int) -> None:
    """Trains from the newest checkpoint in the folder to the end. Says what it does as JSON, one line an event."""

    def say(**event) -> None:
        print(json.dumps(event), flush=True)

    resumed_at = newest_step(folder)
    if resumed_at is not None:
        job.load(folder / f"step_{resumed_at}")
    loss = float("nan")
    while job.step < step_count:
        loss = job.train_step()
        if job.step % save_every == 0:
            job.save(folder / f"step_{job.step}")
        say(step=job.step)
    digest = hashlib.sha256()
    for name, array in sorted(job.weights().items()):
        digest.update(name.encode() + str((array.dtype, array.shape)).encode() + np.ascontiguousarray(array).tobytes())
    say(resumed_at=resumed_at, loss=float(loss), accuracy=job.accuracy(), weights=digest.hexdigest())


def run_in_child(folder: pathlib.Path, arguments: list[str], kill_at: int | None = None) -> dict:
    """Runs this script's training in a process of its own; kills it when it has said that step ``kill_at`` is done."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, sys.argv[0], "--train", str(folder), *arguments]
    # One thread: the order of the additions in a matrix product must not depend on the load of the machine.
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu"}
    event = {}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            event = json.loads(line)
            if kill_at is not None and event.get("step") == kill_at:
                child.kill()
                break
        child.stdout.read()
    if kill_at is None and child.returncode != 0:
        raise SystemExit(f"training ended with exit code {child.returncode}")
    if kill_at is not None and child.returncode >= 0:
        raise SystemExit("training ended before it could be killed")
    return event


def compare(folder: pathlib.Path, arguments: argparse.Namespace) -> None:
    settings = ["--steps", str(arguments.steps), "--save-every", str(arguments.save_every)]
    print(f"{arguments.steps} steps on scikit-learn's digits, a checkpoint every {arguments.save_every} steps, in {folder}")

    whole = run_in_child(folder / "never_stopped", settings)
    print(f"never stopped:  loss {whole['loss']:.6f}, accuracy {whole['accuracy']:.1%}, weights {whole['weights'][:16]}")

    halfway = arguments.steps // 2 // arguments.save_every * arguments.save_every + arguments.save_every // 2  # between two saves
    killed = run_in_child(folder / "killed", settings, kill_at=halfway)
    print(f"killed:         SIGKILL soon after step {killed['step']}; newest checkpoint: step {newest_step(folder / 'killed')}")

    resumed = run_in_child(folder / "killed", settings)
    print(f"resumed:        at step {resumed['resumed_at']}: "
          f"loss {resumed['loss']:.6f}, accuracy {resumed['accuracy']:.1%}, weights {resumed['weights'][:16]}")

    if not resumed["resumed_at"] or resumed["weights"] != whole["weights"]:
        raise SystemExit("FAILED: the resumed run ended with other weights")
    print("The resumed run ended with bit-identical weights.")


def main(make_job) -> None:
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--save-every", type=int, default=20)
    parser.add_argument("--folder", type=pathlib.Path, help="keep the checkpoints here; default: a temporary folder")
    parser.add_argument("--train", type=pathlib.Path, metavar="FOLDER", help="only train, from the newest checkpoint in FOLDER")
    arguments = parser.parse_args()
    if arguments.train:
        train(make_job(arguments.steps), arguments.train, arguments.steps, arguments.save_every)
    elif arguments.folder:
        compare(arguments.folder, arguments)
    else:
        with tempfile.TemporaryDirectory(prefix="perdure-digits-") as folder:
            compare(pathlib.Path(folder), arguments)
