"""Objects with a state of their own: modules, optimizers, loaders, iterators. Loaded in place."""

import pytest
from checkpointables import one, saved

import perdure


def test_modules_and_optimizers_of_torch_are_loaded_in_place(tmp_path):
    torch = pytest.importorskip("torch")

    def made():
        model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
        return model, torch.optim.AdamW(model.parameters())

    model, optimizer = made()
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    saved(tmp_path / "c", model=model, optimizer=optimizer)
    other, other_optimizer = made()
    out = perdure.load_checkpointables(tmp_path / "c", {"model": other, "optimizer": other_optimizer})
    assert out["model"] is other and out["optimizer"] is other_optimizer
    assert all(torch.equal(a, b) for a, b in zip(model.state_dict().values(), other.state_dict().values()))
    same_state = other_optimizer.state_dict()["state"]
    assert all(torch.equal(value, same_state[i][key]) for i, entry in optimizer.state_dict()["state"].items() for key, value in entry.items())
    assert list(one(tmp_path / "c", name="model")) == list(model.state_dict())
    assert perdure.load(tmp_path / "c", checkpointable_name="model").keys() == model.state_dict().keys()
    with pytest.raises(perdure.MismatchError, match="Linear"):
        one(tmp_path / "c", torch.nn.Linear(3, 3), name="model")


def test_a_module_that_the_state_does_not_fit_stays_as_it_is(tmp_path):
    torch = pytest.importorskip("torch")

    def module(width):
        return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, width))

    perdure.save_checkpointables(tmp_path / "c", {"m": module(5)})
    for target in (module(6), torch.nn.Sequential(torch.nn.Linear(3, 4))):
        before = {key: value.clone() for key, value in target.state_dict().items()}
        with pytest.raises(perdure.MismatchError, match="Sequential"):
            perdure.load_checkpointables(tmp_path / "c", {"m": target})
        assert all(torch.equal(value, before[key]) for key, value in target.state_dict().items())


def test_nothing_is_changed_before_everything_has_been_read(tmp_path):
    torch = pytest.importorskip("torch")
    saved(tmp_path / "c", a=torch.nn.Linear(3, 4), b={"w": torch.ones(50_000)})
    data = max((tmp_path / "c" / "b" / "d").iterdir(), key=lambda path: path.stat().st_size)
    content = bytearray(data.read_bytes())
    content[len(content) // 2] ^= 1
    data.write_bytes(content)
    target = torch.nn.Linear(3, 4)
    before = target.weight.clone()
    with pytest.raises(perdure.CorruptError):
        perdure.load_checkpointables(tmp_path / "c", {"a": target, "b": None})
    assert torch.equal(target.weight, before)


def test_a_module_may_change_the_names_and_shapes_of_an_older_state(tmp_path):
    torch = pytest.importorskip("torch")

    class Renamed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.new = torch.nn.Linear(2, 2)
            self.register_load_state_dict_pre_hook(self.rename)

        @staticmethod
        def rename(module, state, prefix, *rest):
            for name in ("weight", "bias"):
                state[f"new.{name}"] = state.pop(f"old.{name}")

    old = torch.nn.Linear(2, 2)
    perdure.save_checkpointables(tmp_path / "c", {"m": torch.nn.ModuleDict({"old": old})})
    target = Renamed()
    perdure.load_checkpointables(tmp_path / "c", {"m": target})
    assert torch.equal(target.new.weight, old.weight)


def test_schedulers_within_schedulers_go_on_where_they_were(tmp_path):
    torch = pytest.importorskip("torch")
    lr_scheduler = torch.optim.lr_scheduler

    def made():
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
        parts = [lr_scheduler.ConstantLR(optimizer, total_iters=2), lr_scheduler.MultiStepLR(optimizer, [2, 3, 3])]
        return lr_scheduler.SequentialLR(optimizer, parts, [2])

    def rates(scheduler):
        return [scheduler.step() or scheduler.get_last_lr() for _ in range(6)]

    scheduler, other = made(), made()
    scheduler.step()
    saved(tmp_path / "c", scheduler=scheduler)
    perdure.load_checkpointables(tmp_path / "c", {"scheduler": other})
    assert rates(other) == rates(scheduler)


def test_stateful_objects_of_torch_and_iterators(tmp_path):
    class Stateful:
        def __init__(self, n):
            self.n = n

        def state_dict(self):
            return {"n": self.n}

        def load_state_dict(self, state):
            self.n = state["n"]

    class Iterator:
        def __init__(self, at, as_bytes=False):
            self.at, self.as_bytes = at, as_bytes

        def __next__(self):
            self.at += 1
            return self.at

        def get_state(self):
            return bytes([self.at]) if self.as_bytes else {"at": self.at}

        def set_state(self, state):
            self.at = state[0] if self.as_bytes else state["at"]

    saved(tmp_path / "c", s=Stateful(5), i=Iterator(7), b=Iterator(9, True))
    back = {"s": Stateful(0), "i": Iterator(0), "b": Iterator(0, True)}
    perdure.load_checkpointables(tmp_path / "c", back)
    assert (back["s"].n, next(back["i"]), next(back["b"])) == (5, 8, 10)
    assert perdure.load_checkpointables(tmp_path / "c") == {"s": {"n": 5}, "i": {"at": 7}, "b": b"\x09"}
