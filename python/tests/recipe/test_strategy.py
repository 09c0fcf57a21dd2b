"""Training strategies: what no shared suite asks for."""

import json

import pytest

torch = pytest.importorskip("torch")
import recipe_nets  # noqa: E402
import strategy_models as M  # noqa: E402
from torch import nn  # noqa: E402
from torch.optim import lr_scheduler  # noqa: E402

import perdure  # noqa: E402
from perdure.recipe import CheckpointHook, TrainingStrategy, create_model_spec  # noqa: E402


def make(model=None, schedulers=None, **others):
    schedulers = {"main": create_model_spec(lr_scheduler.StepLR, step_size=2)} if schedulers is None else schedulers
    optimizers = {"main": create_model_spec(torch.optim.SGD, lr=0.1, momentum=0.9)}
    return TrainingStrategy(model or M.Noisy(4), optimizers=optimizers, schedulers=schedulers, training_fn=M.train_fn, **others)


def train(strategy, steps, save=lambda strategy: None):
    """The weights after each step."""
    seen = []
    for _ in range(steps):
        strategy.optimizers["main"].zero_grad()
        strategy.training_fn(strategy.models["main"], torch.rand(3, 4)).backward()
        strategy.optimizers["main"].step()
        strategy.schedulers["main"].step()
        strategy.step_done()
        save(strategy)
        seen.append(torch.cat([p.detach().flatten() for p in strategy.models["main"].parameters()]))
    return torch.stack(seen)


def seeded():
    import random

    import numpy as np

    random.seed(1), np.random.seed(2), torch.manual_seed(3)
    return make(M.Noisy(4))


def test_saving_does_not_change_the_run(tmp_path):
    never = train(seeded(), 6)
    saved = train(seeded(), 6, lambda strategy: strategy.save_checkpoint(tmp_path / "a"))
    with CheckpointHook(tmp_path / "b", step_interval=1) as hook:
        strategy = seeded()
        strategy.hooks.append(hook)
        hooked = train(strategy, 6)
    assert torch.equal(never, saved) and torch.equal(never, hooked) and hook.last_checkpoint_index == 5


def test_loaded_run_draws_the_numbers_that_the_saved_one_would_have_drawn(tmp_path):
    strategy = seeded()
    train(strategy, 2)
    strategy.save_checkpoint(tmp_path)
    expected = train(strategy, 3)
    assert torch.equal(train(TrainingStrategy.load_checkpoint(tmp_path), 3), expected)
    strategy.restore_checkpoint(tmp_path)
    assert torch.equal(train(strategy, 3), expected)


def test_streams_stay_as_they_are_if_they_are_not_to_be_restored(tmp_path):
    seeded().save_checkpoint(tmp_path)
    torch.manual_seed(9)
    expected = torch.rand(2)
    torch.manual_seed(9)
    TrainingStrategy.load_checkpoint(tmp_path, restore_random_state=False)
    assert torch.equal(torch.rand(2), expected)


SCHEDULERS = {
    "counter": lambda: create_model_spec(lr_scheduler.MultiStepLR, milestones=[2, 4]),
    "warmup": lambda: create_model_spec(
        lr_scheduler.SequentialLR,
        schedulers=[
            create_model_spec(lr_scheduler.LinearLR, start_factor=0.1, total_iters=2),
            create_model_spec(lr_scheduler.CosineAnnealingLR, T_max=8),
        ],
        milestones=[2],
    ),
    "chained": lambda: create_model_spec(
        lr_scheduler.ChainedScheduler,
        schedulers=[create_model_spec(lr_scheduler.ConstantLR), create_model_spec(lr_scheduler.ExponentialLR, gamma=0.9)],
    ),
    "by_a_function": lambda: create_model_spec(M.make_lambda_lr, steps=4),
    "one_cycle": lambda: create_model_spec(lr_scheduler.OneCycleLR, max_lr=0.5, total_steps=20),
}


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedulers_go_on_where_they_were(tmp_path, name):
    strategy = make(schedulers={"main": SCHEDULERS[name]()})
    train(strategy, 3)
    strategy.save_checkpoint(tmp_path)
    expected = train(strategy, 4)
    back = TrainingStrategy.load_checkpoint(tmp_path)
    assert torch.equal(train(back, 4), expected)
    was, now = (one.schedulers["main"].state_dict() for one in (strategy, back))
    assert now == was and {key: type(value) for key, value in now.items()} == {key: type(value) for key, value in was.items()}


def test_model_given_as_a_recipe_is_saved_with_it_again_and_again(tmp_path):
    spec = create_model_spec(recipe_nets.ForgetfulResNet, depths=(1, 2), width=4)
    strategy = make({"main": spec})
    assert type(strategy.models["main"]) is recipe_nets.ForgetfulResNet
    strategy.save_checkpoint(tmp_path)
    again = TrainingStrategy.load_checkpoint(tmp_path)
    strategy.models["main"] = nn.DataParallel(strategy.models["main"])
    assert (again.save_checkpoint(tmp_path), strategy.save_checkpoint(tmp_path)) == (1, 2)
    assert TrainingStrategy.load_checkpoint(tmp_path).to_spec_dict()["model_specs"]["main"] == spec.model_dump()
    strategy.models["main"] = recipe_nets.ForgetfulResNet((1, 2), 4)
    with pytest.raises(ValueError, match="depths"):
        strategy.save_checkpoint(tmp_path)
    again.models["main"].head = nn.Linear(8, 3)
    with pytest.raises(ValueError, match="head"):
        again.save_checkpoint(tmp_path)


def test_a_single_recipe_is_that_of_main(tmp_path):
    step = create_model_spec(lr_scheduler.StepLR, step_size=2)
    strategy = TrainingStrategy(M.Block(3), optimizers=create_model_spec(torch.optim.SGD, lr=0.1), schedulers=step)
    assert strategy.schedulers["main"].optimizer is strategy.optimizers["main"]
    with pytest.raises(perdure.InvalidError, match="optimizer 'main' is for no model"):
        TrainingStrategy({"net": M.Block(3)}, optimizers=create_model_spec(torch.optim.SGD, lr=0.1))


@pytest.mark.parametrize("argument", ["optimizers", "schedulers", "config"])
def test_what_is_no_dict_is_refused_by_the_name_of_its_argument(argument):
    with pytest.raises(perdure.InputTypeError, match=argument):
        TrainingStrategy(M.Block(3), **{argument: [1, 2]})


def test_recipe_of_what_is_no_module_is_refused():
    with pytest.raises(TypeError, match="models: a torch module, or a recipe of one, not 'main': 'Ema'"):
        TrainingStrategy(create_model_spec(M.Ema))


def test_save_waits_for_the_one_that_is_still_written(tmp_path):
    strategy = make(M.Block(2048))
    pending = strategy.save_checkpoint_async(tmp_path)
    assert (strategy.save_checkpoint(tmp_path), pending.result()) == (1, 0)


def test_frozen_parameters_and_evaluating_modules_come_back(tmp_path):
    model = M.Noisy(4)
    model.lin.bias.requires_grad_(False)
    model.drop.eval()
    make(model).save_checkpoint(tmp_path)
    back = TrainingStrategy.load_checkpoint(tmp_path).models["main"]
    assert [p.requires_grad for p in (back.lin.weight, back.lin.bias)] == [True, False]
    assert (back.training, back.lin.training, back.drop.training) == (True, True, False)


def test_hooks_are_told_in_order_and_those_that_save_come_last(tmp_path):
    ema = M.Ema()
    strategy = make(hooks=[CheckpointHook(tmp_path, step_interval=1, async_save=False), ema])
    train(strategy, 2)
    strategy.epoch_done()
    assert (ema.steps, ema.epochs) == (2, 1)
    again = M.Ema()
    TrainingStrategy.load_checkpoint(tmp_path, hooks=[again])
    assert again.steps == 2 and torch.equal(again.mean, ema.mean)


def test_hooks_take_the_states_of_their_class_and_one_without_a_taker_is_told(tmp_path):
    first, second = M.Ema(), M.OtherEma()
    first.steps, second.steps = 3, 5
    make(hooks=[first, second]).save_checkpoint(tmp_path)
    other = M.OtherEma()
    with pytest.warns(UserWarning, match="Ema"):
        TrainingStrategy.load_checkpoint(tmp_path, hooks=[other])
    assert other.steps == 5


def test_spec_dict_has_no_hooks():
    text = json.dumps(make(hooks=[M.Ema()]).to_spec_dict())
    assert "Ema" not in text and "hook" not in text


@pytest.mark.parametrize("async_save", [False, True])
def test_checkpoint_hook_refuses_what_save_checkpoint_refuses(tmp_path, async_save):
    hook = CheckpointHook(tmp_path / "run", step_interval=1, async_save=async_save)
    strategy = make(M.Noisy(4).double(), hooks=[hook])
    with pytest.raises(ValueError, match=r"Cannot save strategy checkpoint .*\['main'\].*lin\.(weight|bias)") as refused:
        strategy.step_done()
    assert isinstance(refused.value.__cause__, perdure.RecipeTypeError)
    assert list(tmp_path.iterdir()) == [] and hook.last_checkpoint_index is None


def test_own_recipe_of_another_type_is_an_omission_and_the_cause_of_a_refused_save(tmp_path):
    model = M.Block(3)
    model.checkpoint_spec = lambda: "strategy_models.Block"
    with pytest.warns(UserWarning, match="Omitting model spec for 'main'.*gave a 'str'"):
        assert make(model).to_spec_dict()["model_specs"] == {}
    with pytest.raises(ValueError, match="Cannot save strategy checkpoint") as refused:
        make(model).save_checkpoint(tmp_path / "run")
    assert isinstance(refused.value.__cause__, perdure.RecipeTypeError) and list(tmp_path.iterdir()) == []


def test_schedules_in_the_config_travel_as_recipes(tmp_path):
    make(config={"weights": [M.Linear(0.25)], "steps": 3}).save_checkpoint(tmp_path)
    config = TrainingStrategy.load_checkpoint(tmp_path).config
    assert config == {"weights": [0.25], "steps": 3} and type(config["weights"][0]) is M.Linear


@pytest.mark.parametrize("config", [{1: 2}, {"a": 10**5000}, {"a": (1, 2)}, {"a": float("nan")}, {"a": [{"cls_path": "x"}]}, {"f": M.train_fn}], ids=["int_key", "long_integer", "tuple", "nan", "recipe_without_import_path", "function"])
def test_config_that_json_would_change_is_refused_at_once(config):
    with pytest.raises(perdure.RecipeError, match=r"\$\.config"):
        make(config=config)


def test_checkpoint_is_one_directory_that_perdure_reads(tmp_path):
    strategy = make(hooks=[M.Ema()])
    train(strategy, 2)
    index = strategy.save_checkpoint(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [str(index)]
    assert perdure.verify(tmp_path / "0").ok
    state = perdure.load(tmp_path / "0")
    assert state["counters"] == {"step_count": 2, "epoch_count": 0}
    assert torch.equal(state["models"]["main"]["lin.weight"], strategy.models["main"].lin.weight)
    recipe = perdure.load_checkpointables(tmp_path / "0", {"recipe": None})["recipe"]
    assert recipe["model_specs"]["main"]["width"] == 4 and recipe["optimizers"]["main"]["momentum"] == 0.9


def test_another_model_is_refused_and_the_live_one_is_untouched(tmp_path):
    make(M.Noisy(4)).save_checkpoint(tmp_path)
    other = make(M.Noisy(5))
    before = other.models["main"].lin.weight.clone()
    with pytest.raises(perdure.MismatchError, match=r"main\.lin\.weight is \[4, 4\] in the checkpoint, \[5, 5\]"):
        other.restore_checkpoint(tmp_path)
    assert torch.equal(other.models["main"].lin.weight, before)


@pytest.mark.filterwarnings("ignore:for lin")
def test_device_of_the_models_that_are_built(tmp_path):
    make(M.Noisy(4)).save_checkpoint(tmp_path)
    back = TrainingStrategy.load_checkpoint(tmp_path, map_location="meta")
    assert {p.device.type for g in back.optimizers["main"].param_groups for p in g["params"]} == {"meta"}


def test_wrapped_model_is_saved_as_what_it_wraps(tmp_path):
    make(nn.DataParallel(M.Block(4))).save_checkpoint(tmp_path)
    assert type(TrainingStrategy.load_checkpoint(tmp_path).models["main"]) is M.Block
