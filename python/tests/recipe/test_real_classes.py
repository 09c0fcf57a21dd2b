"""Which classes that nobody here wrote round-trip, and why the others are refused: the table of docs/concepts/recipes_of_real_classes.md."""

import pytest

torch = pytest.importorskip("torch")
import recipe_nets as nets  # noqa: E402
from torch import nn  # noqa: E402

from perdure import RecipeError  # noqa: E402
from perdure.recipe import create_model_spec, create_model_spec_from_json, spec_of  # noqa: E402


def parameters():
    return [nn.Parameter(torch.ones(2, 2))]


def backbone(make):
    return lambda: nets.WithHead(make())


def frozen_head():
    model = nets.WithHead(nn.Linear(3, 5))
    model.head(torch.ones(1, 3))  # the lazy layer becomes a Linear
    return model


TORCH = {
    "Linear": lambda: nn.Linear(2, 3, bias=False),
    "Linear, bfloat16": lambda: nn.Linear(2, 3).bfloat16(),
    "Conv2d": lambda: nn.Conv2d(3, 4, 3, padding="same", padding_mode="reflect"),
    "ConvTranspose2d": lambda: nn.ConvTranspose2d(2, 3, 3, stride=2),
    "BatchNorm2d": lambda: nn.BatchNorm2d(3, momentum=None),
    "LayerNorm": lambda: nn.LayerNorm((3, 4), elementwise_affine=False),
    "GroupNorm": lambda: nn.GroupNorm(2, 4),
    "RMSNorm": lambda: nn.RMSNorm(4),
    "Embedding": lambda: nn.Embedding(10, 3, padding_idx=1),
    "MultiheadAttention": lambda: nn.MultiheadAttention(8, 2, batch_first=True),
    "LSTMCell": lambda: nn.LSTMCell(3, 4),
    "PReLU": lambda: nn.PReLU(3),
    "Dropout": lambda: nn.Dropout(0.3),
    "Flatten": lambda: nn.Flatten(0),
    "MaxPool2d": lambda: nn.MaxPool2d(2),
    "CrossEntropyLoss": lambda: nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0])),
    "resnet that keeps its arguments": lambda: nets.ResNet((1, 2), 4),
    "resnet with default arguments": nets.ForgetfulResNet,
    "encoder around nn.TransformerEncoder": nets.Encoder,
    "net around nn.LSTM": lambda: nets.Recurrent(3, 4, 2),
    "net around a given resnet": backbone(lambda: nets.ResNet((1,), 4)),
}
TORCH_REFUSED = {
    "resnet that forgets its arguments": (lambda: nets.ForgetfulResNet((1, 2), 4), "depths"),
    "residual block": (lambda: nets.Residual(3, 4), "inputs"),
    "cast after it was built": (lambda: nets.ResNet().double(), "float64"),
    "Sequential": (lambda: nn.Sequential(nn.Linear(1, 2)), r"\*args"),
    "ModuleList": (lambda: nn.ModuleList([nn.Linear(1, 2)]), "modules"),
    "LSTM": (lambda: nn.LSTM(3, 4), "input_size"),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(8, 2), "d_model"),
    "MultiheadAttention without bias": (lambda: nn.MultiheadAttention(8, 2, bias=False), "'bias'"),
    "weight_norm": (lambda: nn.utils.parametrizations.weight_norm(nn.Linear(2, 3)), "ParametrizedLinear"),
    "lazy layer that saw a batch": (frozen_head, "head"),
}


@pytest.mark.parametrize("name", TORCH)
def test_torch_module_round_trips(name):
    model = TORCH[name]()
    again = create_model_spec_from_json(spec_of(model).model_dump_json()).build()
    assert type(again) is type(model)
    again.load_state_dict(model.state_dict())


@pytest.mark.parametrize("name", TORCH_REFUSED)
def test_torch_module_is_refused_by_argument(name):
    make, why = TORCH_REFUSED[name]
    with pytest.raises(RecipeError, match=why):
        spec_of(make())


OPTIMIZERS = "SGD Adam AdamW Adagrad RMSprop Adadelta NAdam RAdam Adamax ASGD LBFGS Rprop Adafactor SparseAdam".split()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_torch_optimizer_round_trips(name):
    optimizer = getattr(torch.optim, name)(parameters(), lr=0.02)
    again = spec_of(optimizer, params=parameters()).build(parameters())
    assert type(again) is type(optimizer) and again.defaults == optimizer.defaults


SKLEARN = {
    "LogisticRegression": ("linear_model", lambda m: m.LogisticRegression(C=0.5)),
    "RandomForestClassifier": ("ensemble", lambda m: m.RandomForestClassifier(10, random_state=3)),
    "SVC": ("svm", lambda m: m.SVC(gamma=0.1)),
    "KMeans": ("cluster", lambda m: m.KMeans(3)),
    "MLPClassifier": ("neural_network", lambda m: m.MLPClassifier((3, 4))),
    "AdaBoost over a forest": ("ensemble", lambda m: m.AdaBoostClassifier(m.RandomForestClassifier(3))),
    "sum of kernels": ("gaussian_process.kernels", lambda m: m.RBF(2.0) + m.WhiteKernel()),
}
SKLEARN_REFUSED = {
    "Pipeline": ("pipeline", lambda m: m.make_pipeline(sklearn_part("preprocessing").StandardScaler()), r"steps\[0\]\[1\]"),
    "a RandomState": ("ensemble", lambda m: m.RandomForestClassifier(random_state=numpy_state()), "random_state"),
}


def sklearn_part(name):
    pytest.importorskip("sklearn")
    return pytest.importorskip(f"sklearn.{name}")


def numpy_state():
    import numpy as np

    return np.random.RandomState(0)


@pytest.mark.parametrize("name", SKLEARN)
def test_sklearn_estimator_round_trips(name):
    part, make = SKLEARN[name]
    estimator = make(sklearn_part(part))
    again = create_model_spec_from_json(spec_of(estimator).model_dump_json()).build()
    assert type(again) is type(estimator) and str(again) == str(estimator)


@pytest.mark.parametrize("name", SKLEARN_REFUSED)
def test_sklearn_estimator_is_refused_by_argument(name):
    part, make, why = SKLEARN_REFUSED[name]
    with pytest.raises(RecipeError, match=why):
        spec_of(make(sklearn_part(part)))


NNX = {
    "Linear": lambda nnx, rngs: nnx.Linear(2, 3, rngs=rngs),
    "Conv": lambda nnx, rngs: nnx.Conv(2, 3, (3, 3), rngs=rngs),
    "BatchNorm": lambda nnx, rngs: nnx.BatchNorm(3, rngs=rngs),
    "LayerNorm": lambda nnx, rngs: nnx.LayerNorm(3, rngs=rngs),
    "Embed": lambda nnx, rngs: nnx.Embed(5, 3, rngs=rngs),
    "MultiHeadAttention": lambda nnx, rngs: nnx.MultiHeadAttention(num_heads=2, in_features=4, rngs=rngs),
    "GRUCell": lambda nnx, rngs: nnx.GRUCell(2, 3, rngs=rngs),
}


@pytest.mark.parametrize("name", NNX)
def test_nnx_module_round_trips_with_rngs_given_again(name):
    nnx = pytest.importorskip("flax.nnx")
    jax = pytest.importorskip("jax")
    rngs = nnx.Rngs(0)
    module = NNX[name](nnx, rngs)
    again = create_model_spec_from_json(spec_of(module, rngs=rngs).model_dump_json()).build(rngs=rngs)
    shapes = [jax.tree.map(lambda array: (array.shape, array.dtype), nnx.to_pure_dict(nnx.state(one))) for one in (module, again)]
    assert type(again) is type(module) and shapes[0] == shapes[1]


OPTAX = {
    "adamw with a schedule": lambda optax: create_model_spec(
        optax.adamw, learning_rate=create_model_spec(optax.cosine_decay_schedule, init_value=0.1, decay_steps=10)
    ),
    "MultiSteps": lambda optax: create_model_spec(
        optax.MultiSteps, opt=create_model_spec(optax.sgd, learning_rate=0.1), every_k_schedule=2
    ),
}


@pytest.mark.parametrize("name", OPTAX)
def test_optax_call_round_trips(name):
    optax = pytest.importorskip("optax")
    text = OPTAX[name](optax).model_dump_json()
    assert create_model_spec_from_json(text).build().init({"w": 1.0}) is not None


def test_optax_transformation_itself_is_refused():
    optax = pytest.importorskip("optax")
    with pytest.raises(RecipeError, match="init"):
        spec_of(optax.adam(0.1))
