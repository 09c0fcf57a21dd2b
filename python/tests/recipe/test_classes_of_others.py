"""Recipes made by hand of classes that nobody wrote for it: the table of docs/concepts/recipes.md."""

import warnings

import pytest

from perdure import RecipeError
from perdure.recipe import create_model_spec, create_model_spec_from_json


def built(target, *injected, **arguments):
    spec = create_model_spec(target, **arguments)
    again = create_model_spec_from_json(spec.model_dump_json())
    assert again == spec
    return again.build(*injected)


LAYERS = {
    "Linear": {"in_features": 3, "out_features": 2, "bias": False},
    "Conv2d": {"in_channels": 3, "out_channels": 4, "kernel_size": (3, 3), "padding": "same"},
    "BatchNorm2d": {"num_features": 4, "momentum": None},
    "LayerNorm": {"normalized_shape": (4,), "eps": 1e-6},
    "LSTM": {"input_size": 3, "hidden_size": 4, "bidirectional": True},
    "MultiheadAttention": {"embed_dim": 8, "num_heads": 2, "batch_first": True},
    "TransformerEncoderLayer": {"d_model": 8, "nhead": 2, "activation": "gelu"},
    "Embedding": {"num_embeddings": 5, "embedding_dim": 3, "padding_idx": 0},
    "GELU": {"approximate": "tanh"},
    "AdaptiveAvgPool2d": {"output_size": (1, None)},
    "Upsample": {"scale_factor": 2.0, "mode": "bilinear", "align_corners": False},
    "Unflatten": {"dim": 1, "unflattened_size": (2, 2)},
    "LazyLinear": {"out_features": 3},
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_of_torch(name):
    torch = pytest.importorskip("torch")
    layer = getattr(torch.nn, name)
    got, made = built(layer, **LAYERS[name]), layer(**LAYERS[name])
    assert repr(got) == repr(made) and list(got.state_dict()) == list(made.state_dict())


def test_torch_parts_that_hold_parts():
    nn = pytest.importorskip("torch.nn")
    linear = create_model_spec(nn.Linear, in_features=2, out_features=2)
    assert len(built(nn.ModuleList, modules=[linear, linear])) == 2
    layer = create_model_spec(nn.TransformerEncoderLayer, d_model=8, nhead=2)
    assert len(built(nn.TransformerEncoder, encoder_layer=layer, num_layers=2).layers) == 2
    with pytest.raises(TypeError, match="not a Module"):
        built(nn.ModuleDict, modules={"a": linear})


def test_losses_of_torch_keep_their_tensors():
    torch = pytest.importorskip("torch")
    weight = torch.tensor([1.0, float("inf")])
    assert torch.equal(built(torch.nn.CrossEntropyLoss, weight=weight).weight, weight)


def test_every_optimizer_of_torch():
    torch = pytest.importorskip("torch")
    found = [c for c in vars(torch.optim).values() if isinstance(c, type) and issubclass(c, torch.optim.Optimizer) and c is not torch.optim.Optimizer]
    assert len(found) > 10
    for optimizer in found:
        assert built(optimizer, [torch.nn.Parameter(torch.ones(2, 2))], lr=0.25).defaults["lr"] == 0.25


SCHEDULERS = {
    "StepLR": {"step_size": 2},
    "MultiStepLR": {"milestones": [1, 2]},
    "CosineAnnealingLR": {"T_max": 5},
    "OneCycleLR": {"max_lr": 0.1, "total_steps": 10},
    "CyclicLR": {"base_lr": 0.01, "max_lr": 0.1},
    "ReduceLROnPlateau": {"mode": "min"},
}


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedulers_of_torch(name):
    torch = pytest.importorskip("torch")
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1, momentum=0.5)
    assert built(getattr(torch.optim.lr_scheduler, name), optimizer, **SCHEDULERS[name]).optimizer is optimizer


def test_a_scheduler_that_calls_a_function_is_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="lr_lambda"):
        create_model_spec(torch.optim.lr_scheduler.LambdaLR, lr_lambda=lambda epoch: 1.0)


def test_modules_of_flax():
    nnx = pytest.importorskip("flax.nnx")
    import jax
    import jax.numpy as jnp

    rngs = create_model_spec(nnx.Rngs, default=0)
    conv = built(nnx.Conv, in_features=2, out_features=3, kernel_size=(3, 3), param_dtype=jnp.bfloat16, rngs=rngs)
    assert conv.kernel.shape == (3, 3, 2, 3) and conv.kernel.dtype == jnp.bfloat16
    init = create_model_spec(nnx.initializers.lecun_normal)
    layer = built(nnx.Linear, in_features=2, out_features=3, kernel_init=init, precision=jax.lax.Precision.HIGHEST, rngs=rngs)
    assert layer.precision is jax.lax.Precision.HIGHEST
    with pytest.raises(TypeError, match="kernel_init"):
        create_model_spec(nnx.Linear, in_features=2, out_features=3, kernel_init=nnx.initializers.lecun_normal())


def test_transforms_of_optax():
    optax = pytest.importorskip("optax")
    schedule = create_model_spec(optax.cosine_decay_schedule, init_value=0.1, decay_steps=10)
    adam = create_model_spec(optax.adam, learning_rate=schedule)
    assert built(optax.MultiSteps, opt=adam, every_k_schedule=2)
    clip = create_model_spec(optax.clip_by_global_norm, max_norm=1.0)
    assert built(optax.chain, clip.build(), adam.build()).init({"w": 1.0})  # *args can only be injected


def test_every_estimator_of_scikit_learn():
    utils = pytest.importorskip("sklearn.utils")
    refused, kept = set(), 0
    for name, estimator in utils.all_estimators():
        try:
            made = estimator()
        except TypeError:  # needs other estimators
            continue
        parameters = made.get_params(deep=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                assert repr(built(estimator, **parameters).get_params(deep=False)) == repr(parameters)
                kept += 1
            except RecipeError:
                refused.add(name)
                assert any(callable(value) and not isinstance(value, type) for value in parameters.values()), name
    assert kept > 150 and len(refused) < 10
