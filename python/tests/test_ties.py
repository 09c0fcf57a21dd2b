"""Leaves that are one object are stored once and come back as one, unless the template says otherwise."""

import numpy as np

import perdure


def tied():
    table = np.arange(6.0)
    return {"embed": table, "head": table, "other": table + 1}


def test_without_a_template_they_come_back_as_one_object(tmp_path):
    perdure.save(tmp_path / "c", tied())
    got = perdure.load(tmp_path / "c")
    assert got["embed"] is got["head"] and got["embed"] is not got["other"]


def test_a_template_that_is_not_tied_gets_arrays_of_their_own(tmp_path):
    perdure.save(tmp_path / "c", tied())
    got = perdure.load(tmp_path / "c", {key: np.zeros(6) for key in tied()})
    got["embed"][:] = -1
    assert np.array_equal(got["head"], np.arange(6.0))


def test_a_tied_template_gets_one_object(tmp_path):
    perdure.save(tmp_path / "c", tied())
    one = np.zeros(6)
    got = perdure.load(tmp_path / "c", {"embed": one, "head": one, "other": np.zeros(6)})
    assert got["embed"] is got["head"] and got["embed"] is not one


def test_one_template_object_for_different_arrays_does_not_mix_them(tmp_path):
    perdure.save(tmp_path / "c", {"a": np.zeros(6), "b": np.arange(6.0)})
    one = np.ones(6)
    got = perdure.load(tmp_path / "c", {"a": one, "b": one})
    assert got["a"].tolist() == [0] * 6 and got["b"].tolist() == list(range(6))


def test_equal_arrays_share_bytes_on_disk_but_not_memory(tmp_path):
    big = np.random.default_rng(0).standard_normal(100_000)
    perdure.save(tmp_path / "c", {"a": big, "b": big.copy()})
    assert sum(f.stat().st_size for f in (tmp_path / "c").rglob("*") if f.is_file()) < 1.1 * big.nbytes
    got = perdure.load(tmp_path / "c")
    got["a"][:] = 0
    assert np.array_equal(got["b"], big)
