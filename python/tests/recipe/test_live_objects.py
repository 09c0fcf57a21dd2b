"""Recipes of objects that exist: what they say of themselves, introspection, and the proof."""

import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import strategy_models as M  # noqa: E402
from torch import nn  # noqa: E402

from perdure import RecipeError, RecipeTypeError  # noqa: E402
from perdure.recipe import BaseSpec, Policy, create_model_spec, create_model_spec_from_json, sequential, spec_of  # noqa: E402


def streams():
    return random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist()


def rebuilt(obj):
    return create_model_spec_from_json(spec_of(obj).model_dump_json()).build()


def test_submodules_become_nested_recipes_and_open_arguments_are_skipped():
    model = M.Stack(M.Block(3), [M.Block(3), M.Block(3, bias=False)], "extra", scale=2.0, option=1)
    spec = spec_of(model)
    assert list(spec.model_dump()) == ["cls_path", "timestamp", "body", "heads", "scale"]
    assert isinstance(spec.body, BaseSpec) and [head.bias for head in spec.heads] == [True, False]
    assert rebuilt(M.Stack(M.Block(3), [M.Block(3, bias=False)])).heads[0].bias is None


def test_schedule_is_written_by_its_to_spec():
    model = rebuilt(M.Weighted(M.Linear(0.5)))
    assert type(model.schedule) is M.Linear and model.schedule == 0.5


def test_object_that_keeps_its_arguments_is_a_nested_recipe_and_another_is_refused():
    import fractions

    class Plain:
        pass

    assert spec_of(M.Weighted(np.float32(2))).schedule == np.float32(2)
    with pytest.raises(RecipeError, match=r"\$\.schedule"):
        spec_of(M.Weighted(Plain()))
    with pytest.raises(RecipeError, match="schedule"):
        spec_of(M.Weighted(fractions.Fraction(1, 3)))


@pytest.mark.parametrize("options", [M.Options(8, (1, 2)), M.Slotted(8, [True])], ids=["named_tuple", "slots"])
def test_object_without_a_dict_is_a_nested_recipe(options):
    again = rebuilt(M.Weighted(options)).schedule
    assert type(again) is type(options) and (again.width, again.flags) == (options.width, options.flags)


@pytest.mark.parametrize("function", [lambda x: x, random.Random().random], ids=["lambda", "bound method"])
def test_callable_without_a_path_is_refused_and_named(function):
    with pytest.raises(RecipeTypeError, match="schedule"):
        spec_of(M.Weighted(function))


def test_attribute_of_the_class_or_a_method_is_no_kept_argument():
    assert list(spec_of(M.SharedDefault()).model_dump()) == ["cls_path", "timestamp"]
    with pytest.raises(RecipeTypeError, match="'r_cut'.*9.0.*'cutoff', 'train'"):
        spec_of(M.SharedDefault(9.0))


def test_streams_of_every_device_are_put_back(monkeypatch):
    from perdure._src.recipe import random_state

    states = [torch.tensor([1, 2], dtype=torch.uint8), torch.tensor([3, 4], dtype=torch.uint8)]
    fakes = {
        "is_initialized": lambda: True,
        "is_available": lambda: True,
        "device_count": lambda: 2,
        "get_rng_state_all": lambda: [state.clone() for state in states],
        "set_rng_state": lambda state, index: states[index].copy_(state),
    }
    for name, fake in fakes.items():
        monkeypatch.setattr(torch.cuda, name, fake)
    with random_state.unchanged():
        states[1].fill_(9)
    assert states[1].tolist() == [3, 4]


def test_constructor_that_needs_values_is_built_where_there_are_some():
    assert type(rebuilt(M.LooksAtValues(5))) is M.LooksAtValues


def test_copy_that_proves_takes_no_memory_where_the_constructor_allows_it():
    model = M.Placed(11)
    M.Placed.devices.clear()
    spec_of(model)
    assert M.Placed.devices == ["meta"]


def test_argument_that_a_submodule_lost_is_named():
    spec_of(M.Stack(M.SharedDefault(), []))
    with pytest.raises(RecipeTypeError, match="'body.r_cut'.*9.0.*'body.cutoff'"):
        spec_of(M.Stack(M.SharedDefault(9.0), []))


def test_proof_leaves_every_stream_and_the_object_alone():
    model = M.Noisy(6).eval()
    before, weight = streams(), model.lin.weight.clone()
    spec_of(model)
    assert streams() == before and torch.equal(weight, model.lin.weight) and not model.training


def test_equal_object_is_not_built_again():
    spec_of(M.Noisy(7))
    models = [M.Noisy(7), M.Noisy(8)]
    made = M.Noisy.made
    spec_of(models[0])
    assert M.Noisy.made == made
    spec_of(models[1])
    assert M.Noisy.made > made


def test_dtype_of_all_weights_is_the_argument_that_gave_it():
    assert spec_of(nn.Linear(2, 3, dtype=torch.float64)).dtype == torch.float64
    with pytest.raises(RecipeTypeError, match="'(lin.weight|bias)' of the Block is torch.float64"):
        spec_of(M.Block(3).double())


def test_wrappers_of_torch_are_looked_through():
    assert spec_of(nn.DataParallel(M.Block(3))).cls_path == "strategy_models.Block"
    assert spec_of(torch.compile(nn.Linear(2, 3))).in_features == 2


def test_large_array_is_a_weight_and_no_argument():
    with pytest.raises(RecipeTypeError, match=r"too large .*\$\.schedule"):
        spec_of(M.Weighted(np.zeros((1025, 1024))))


def test_own_recipe_that_builds_something_else_is_refused():
    class Wrong(M.Block):
        def checkpoint_spec(self):
            return create_model_spec(M.Block, width=self.width + 1)

    with pytest.raises(RecipeTypeError):
        spec_of(Wrong(3))


def test_recipe_that_an_object_was_given_counts():
    model = nn.Sequential(M.Block(3))
    model.checkpoint_spec = lambda: create_model_spec(M.make_blocks, width=3, count=1)
    assert spec_of(model).cls_path == "strategy_models.make_blocks" and type(rebuilt(model)[0]) is M.Block
    model.checkpoint_spec = lambda: create_model_spec(M.make_blocks, width=3, count=2)
    with pytest.raises(RecipeTypeError, match=r"'1\.bias'"):
        spec_of(model)


def test_weights_that_stand_under_two_keys_are_one_or_no_recipe_is_found():
    block = M.Block(3)
    with pytest.raises(RecipeTypeError, match="shared with 'body.bias'|shared with 'body.lin.weight'"):
        spec_of(M.Stack(block, [block]))
    assert spec_of(M.Tied(3)).width == 3


def test_sequence_of_modules_is_a_call_with_names_that_a_strict_policy_lists():
    model = nn.Sequential(M.Block(3), M.Block(3, bias=False))
    text = spec_of(model).model_dump_json()
    strict = ["torch", "strategy_models"]
    with pytest.raises(RecipeError, match="not in the allowed modules"):
        create_model_spec_from_json(text, policy=Policy(modules=strict))
    again = create_model_spec_from_json(text, policy=Policy(modules=[*strict, "perdure.recipe.sequential"])).build()
    assert [block.bias is None for block in again] == [False, True]
    with pytest.raises(ValueError, match="zip"):
        sequential([nn.ReLU()], ["a", "b"])


def test_module_that_stands_twice_in_a_sequence_stands_twice_in_its_recipe():
    relu = nn.ReLU()
    assert len(rebuilt(nn.Sequential(M.Block(3), relu, M.Block(3), relu))) == 4


def test_attribute_that_keeps_something_else_than_it_was_given_is_named():
    with pytest.raises(RecipeTypeError, match="'gain' of the Doubling is 4.0, but 8.0 .*keep what was given"):
        spec_of(M.Doubling(2.0))


@pytest.mark.parametrize("name", ["checkpoint_spec", "to_spec"])
def test_own_recipe_of_another_type_is_refused_and_none_declines(name):
    model = M.Block(3)
    setattr(model, name, lambda: None)
    assert spec_of(model).width == 3
    setattr(model, name, lambda: {"cls_path": "strategy_models.Block"})
    with pytest.raises(RecipeTypeError, match=rf"{name}\(\) of Block gave a 'dict'"):
        spec_of(model)


def test_injected_arguments_stay_out_of_the_recipe():
    parameters = [nn.Parameter(torch.ones(2))]
    spec = spec_of(torch.optim.SGD(parameters, lr=0.5, momentum=0.9), params=parameters)
    assert "params" not in spec.model_dump() and spec.build(parameters).defaults["momentum"] == 0.9
