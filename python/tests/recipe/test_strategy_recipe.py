"""Recipes of training strategies that are malformed, hostile or of somebody else: refused with their place, before anything is built."""

import pytest

torch = pytest.importorskip("torch")
import strategy_models as M  # noqa: E402
from torch.optim import lr_scheduler  # noqa: E402

import perdure  # noqa: E402
import perdure.handlers  # noqa: E402
from perdure.recipe import Policy, TrainingStrategy, create_model_spec  # noqa: E402


def make():
    schedulers = {"main": create_model_spec(lr_scheduler.StepLR, step_size=2)}
    optimizers = {"main": create_model_spec(torch.optim.SGD, lr=0.1, momentum=0.9)}
    return TrainingStrategy(M.Noisy(4), optimizers=optimizers, schedulers=schedulers, training_fn=M.train_fn)


FAULTS = {
    "$.model_specs": lambda d: d.update(model_specs=[]),
    "$.model_specs.main.cls_path": lambda d: d["model_specs"]["main"].update(cls_path="no.such.path"),
    "$.optimizers.main": lambda d: d["optimizers"].update(main=3),
    "$.schedulers.main.timestamp": lambda d: d["schedulers"]["main"].update(timestamp=3),
    "$.training_fn": lambda d: d.update(training_fn=3),
    "$.config": lambda d: d.update(config=None),
    "$.hooks": lambda d: d.update(hooks=[]),
    "$": lambda d: d.pop("schedulers"),
}


@pytest.mark.parametrize("where", FAULTS)
def test_fault_of_a_recipe_has_its_path(where):
    written = make().to_spec_dict()
    FAULTS[where](written)
    with pytest.raises(perdure.RecipeError) as fault:
        TrainingStrategy.from_spec_dict(written)
    assert fault.value.json_path == where and f"(at {where})" in str(fault.value)


NAMES = {"two words": "['two words']", "x" * 100_000: "." + "x" * 120, "": "['']", "a\n\ud800": r"['a\n\ud800']"}


@pytest.mark.parametrize("name", NAMES, ids=["two_words", "long", "empty", "no_text"])
def test_odd_name_in_a_recipe_is_shown_in_short(name):
    written = make().to_spec_dict()
    written["model_specs"][name] = {"cls_path": "os.system", "timestamp": "t"}
    with pytest.raises(perdure.RecipeError) as fault:
        TrainingStrategy.from_spec_dict(written)
    assert fault.value.json_path == f"$.model_specs{NAMES[name]}.cls_path"


@pytest.mark.parametrize("section", ["model_specs", "config"])
def test_name_that_is_no_text_is_refused(section):
    written = make().to_spec_dict()
    written[section][3] = {}
    with pytest.raises(perdure.RecipeError, match=f"expected a str, found a int .*{section}"):
        TrainingStrategy.from_spec_dict(written)


@pytest.mark.parametrize("section", ["model_specs", "optimizers", "training_fn"])
def test_refused_target_stops_everything_before_anything_is_built(section):
    written = make().to_spec_dict()
    if section == "training_fn":
        written[section] = "os.system"
    else:
        written[section]["main"]["cls_path"] = "os.system"
    made = M.Noisy.made
    with pytest.raises(perdure.RecipeError) as refused:
        TrainingStrategy.from_spec_dict(written)
    assert refused.value.rule and M.Noisy.made == made


def test_hostile_checkpoint_is_refused_before_it_imports_anything(tmp_path, unloaded_module):
    make().save_checkpoint(tmp_path)
    items = perdure.load_checkpointables(tmp_path / "0", {"recipe": None, "state": None})
    items["recipe"]["model_specs"]["main"] = {"cls_path": "recipe_unloaded.X", "timestamp": "2026-01-01T00:00:00+00:00"}
    items["recipe"]["optimizers"]["main"]["cls_path"] = "os.system"
    context = perdure.Context()
    context.checkpointables.registry = perdure.handlers.Registry().add(perdure.handlers.JsonHandler, checkpointable_name="recipe")
    context.checkpointables.registry.add(perdure.handlers.TreeHandler, checkpointable_name="state")
    with context:
        perdure.save_checkpointables(tmp_path / "1", items)
    with pytest.raises(perdure.RecipeError, match=r"os\.system") as refused:
        TrainingStrategy.load_checkpoint(tmp_path)
    assert refused.value.json_path == "$.optimizers.main.cls_path" and not unloaded_module.exists()


def test_policy_holds_for_the_whole_recipe():
    written = make().to_spec_dict()
    TrainingStrategy.from_spec_dict(written, policy=Policy(modules=["torch", "strategy_models"]))
    with pytest.raises(perdure.RecipeError, match="strategy_models"):
        TrainingStrategy.from_spec_dict(written, policy=Policy(modules=["torch"]))


def test_training_function_that_the_policy_refuses_is_not_imported(unloaded_module):
    written = make().to_spec_dict()
    written["training_fn"] = "recipe_unloaded.X"
    with pytest.raises(perdure.RecipeError, match="recipe_unloaded") as refused:
        TrainingStrategy.from_spec_dict(written, policy=Policy(modules=["torch", "strategy_models"]))
    assert refused.value.json_path == "$.training_fn" and not unloaded_module.exists()
