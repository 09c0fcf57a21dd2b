"""What verify says about checkpoints that others wrote."""

import pathlib
import shutil

import pytest

import perdure

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "tests" / "fixtures"


@pytest.fixture
def directories(tmp_path):
    """Orbax's form with a directory for each array: no file list of perdure, and no checksums."""
    return pathlib.Path(shutil.copytree(FIXTURES / "orbax_v0_dir_per_param" / "data" / "ckpt", tmp_path / "c"))


def places(path):
    return {(fault.leaf, fault.chunk, fault.file, fault.offset) for fault in perdure.verify(path).faults}


def test_every_fault_has_its_place(directories):
    (directories / "a.b" / "0.0").unlink()
    (directories / "a.b" / "1.0").write_bytes(b"no zstd frame")
    (directories / "a.c" / "0").write_bytes(b"")
    assert places(directories) == {("a.b", "0.0", "", 0), ("a.b", "1.0", "a.b/1.0", 0), ("a.c", "0", "a.c/0", 0)}


def test_metadata_that_cannot_be_read_does_not_hide_other_faults(directories):
    (directories / "a.c" / ".zarray").write_text("{")
    (directories / "a.b" / "0.0").unlink()
    found = places(directories)
    assert ("a.b", "0.0", "", 0) in found and "a.c" in {leaf for leaf, *_ in found}
