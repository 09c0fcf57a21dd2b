"""Objects of classes that nobody here wrote: each row is a name in docs/concepts/recipes_of_real_classes.md, and what to do with it."""

import collections
import importlib

import pytest
import recipe_nets as nets
import torch
from torch import nn
from torch.optim import lr_scheduler

from perdure.recipe import create_model_spec, create_model_spec_from_json, spec_of


def live(obj, **injected):
    """The recipe of an object, through text, built."""
    again = create_model_spec_from_json(spec_of(obj, **injected).model_dump_json()).build(**injected)
    assert type(again) is type(obj)
    if isinstance(obj, nn.Module):
        again.load_state_dict(obj.state_dict())
    return again


def made(target, *injected, **arguments):
    """A recipe that names a target, through text, built."""
    return create_model_spec_from_json(create_model_spec(target, **arguments).model_dump_json()).build(*injected)


def part(name):
    pytest.importorskip(name.partition(".")[0])
    return importlib.import_module(name)


def parameters():
    return [nn.Parameter(torch.ones(2, 2))]


def optimizer(name):
    one = getattr(torch.optim, name)(parameters(), lr=0.02)
    assert live(one, params=parameters()).defaults == one.defaults


def scheduler(name, **arguments):
    sgd = torch.optim.SGD(parameters(), lr=0.1, momentum=0.9)
    assert made(getattr(lr_scheduler, name), sgd, **arguments).optimizer is sgd


def sgd_and_step():
    sgd = torch.optim.SGD(parameters(), lr=0.1)
    return sgd, lr_scheduler.StepLR(sgd, 2)


def nnx(name, *args, **kwargs):
    nnx, jax = part("flax.nnx"), part("jax")
    rngs = nnx.Rngs(0)
    one = getattr(nnx, name)(*args, rngs=rngs, **kwargs)
    shapes = [jax.tree.map(lambda array: (array.shape, array.dtype), nnx.to_pure_dict(nnx.state(m))) for m in (one, live(one, rngs=rngs))]
    assert shapes[0] == shapes[1]


def sklearn(name, cls, *args, **kwargs):
    one = getattr(part(f"sklearn.{name}"), cls)(*args, **kwargs)
    assert str(live(one)) == str(one)


def frozen_head():
    model = nets.WithHead(nn.Linear(3, 5))
    model.head(torch.ones(1, 3))  # the lazy layer becomes a Linear
    return model


def kernel():
    m = part("sklearn.gaussian_process.kernels")
    return m.RBF(2.0) + m.WhiteKernel()


def schedule():
    return create_model_spec(part("optax").cosine_decay_schedule, init_value=0.1, decay_steps=10)


def shared():
    layer = nn.Linear(2, 2)
    return nn.Sequential(layer, nn.ReLU(), layer)


ROUND_TRIP = {
    "nn.Linear": lambda: live(nn.Linear(2, 3, bias=False)),
    "nn.Linear().bfloat16()": lambda: live(nn.Linear(2, 3).bfloat16()),
    "nn.Conv2d": lambda: live(nn.Conv2d(3, 4, 3, padding="same", padding_mode="reflect")),
    "nn.ConvTranspose2d": lambda: live(nn.ConvTranspose2d(2, 3, 3, stride=2)),
    "nn.BatchNorm2d": lambda: live(nn.BatchNorm2d(3, momentum=None)),
    "nn.LayerNorm": lambda: live(nn.LayerNorm((3, 4), elementwise_affine=False)),
    "nn.GroupNorm": lambda: live(nn.GroupNorm(2, 4)),
    "nn.RMSNorm": lambda: live(nn.RMSNorm(4)),
    "nn.Embedding": lambda: live(nn.Embedding(10, 3, padding_idx=1)),
    "nn.MultiheadAttention": lambda: live(nn.MultiheadAttention(8, 2, bias=False, batch_first=True)),
    "nn.LSTMCell": lambda: live(nn.LSTMCell(3, 4)),
    "nn.PReLU": lambda: live(nn.PReLU(3)),
    "nn.Dropout": lambda: live(nn.Dropout(0.3)),
    "nn.Flatten": lambda: live(nn.Flatten(0)),
    "nn.MaxPool2d": lambda: live(nn.MaxPool2d(2)),
    "nn.CrossEntropyLoss": lambda: live(nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))),
    "nn.LSTM": lambda: live(nn.LSTM(3, 4, 2, bidirectional=True)),
    "nn.GRU": lambda: live(nn.GRU(3, 4, batch_first=True).double()),
    "nn.RNN": lambda: live(nn.RNN(3, 4, nonlinearity="relu")),
    "nn.Sequential": lambda: live(nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.25)))),
    "nn.Sequential of an OrderedDict": lambda: live(nn.Sequential(collections.OrderedDict(body=nn.Linear(1, 2), head=nn.GRU(2, 3)))),
    "nn.ModuleList": lambda: live(nn.ModuleList([nn.Linear(1, 2), nn.Linear(2, 1)])),
    "a resnet that keeps its arguments": lambda: live(nets.ResNet((1, 2), 4)),
    "a resnet with its default arguments": lambda: live(nets.ForgetfulResNet()),
    "a net around nn.TransformerEncoder": lambda: live(nets.Encoder()),
    "a net around nn.LSTM": lambda: live(nets.Recurrent(3, 4, 2)),
    "a net around a given resnet": lambda: live(nets.WithHead(nets.ResNet((1,), 4))),
    "a net around a given nn.Sequential": lambda: live(nets.WithHead(nn.Sequential(nn.Linear(1, 2), nn.ReLU()))),
    **{f"optim.{name}": lambda name=name: optimizer(name) for name in
       "SGD Adam AdamW Adagrad RMSprop Adadelta NAdam RAdam Adamax ASGD LBFGS Rprop Adafactor SparseAdam".split()},
    "StepLR": lambda: scheduler("StepLR", step_size=2),
    "MultiStepLR": lambda: scheduler("MultiStepLR", milestones=[1, 2]),
    "CosineAnnealingLR": lambda: scheduler("CosineAnnealingLR", T_max=5),
    "OneCycleLR": lambda: scheduler("OneCycleLR", max_lr=0.1, total_steps=10),
    "CyclicLR": lambda: scheduler("CyclicLR", base_lr=0.01, max_lr=0.1),
    "ReduceLROnPlateau": lambda: scheduler("ReduceLROnPlateau", mode="min"),
    "nnx.Linear": lambda: nnx("Linear", 2, 3),
    "nnx.Conv": lambda: nnx("Conv", 2, 3, (3, 3)),
    "nnx.BatchNorm": lambda: nnx("BatchNorm", 3),
    "nnx.LayerNorm": lambda: nnx("LayerNorm", 3),
    "nnx.Embed": lambda: nnx("Embed", 5, 3),
    "nnx.MultiHeadAttention": lambda: nnx("MultiHeadAttention", num_heads=2, in_features=4),
    "nnx.GRUCell": lambda: nnx("GRUCell", 2, 3),
    "optax.adamw": lambda: made(part("optax").adamw, learning_rate=schedule()).init({"w": 1.0}),
    "optax.MultiSteps": lambda: made(part("optax").MultiSteps, opt=create_model_spec(part("optax").sgd, learning_rate=0.1), every_k_schedule=2),
    "LogisticRegression": lambda: sklearn("linear_model", "LogisticRegression", C=0.5),
    "RandomForestClassifier": lambda: sklearn("ensemble", "RandomForestClassifier", 10, random_state=3),
    "SVC": lambda: sklearn("svm", "SVC", gamma=0.1),
    "KMeans": lambda: sklearn("cluster", "KMeans", 3),
    "MLPClassifier": lambda: sklearn("neural_network", "MLPClassifier", (3, 4)),
    "AdaBoostClassifier over a forest": lambda: sklearn("ensemble", "AdaBoostClassifier", part("sklearn.ensemble").RandomForestClassifier(3)),
    "sum of kernels": lambda: live(kernel()),
    "dp_accounting.GaussianDpEvent": lambda: live(part("dp_accounting").GaussianDpEvent(1.1)),
    "dp_accounting.PoissonSampledDpEvent": lambda: live(
        part("dp_accounting").PoissonSampledDpEvent(0.01, part("dp_accounting").GaussianDpEvent(1.1))
    ),
    "dp_accounting.ComposedDpEvent": lambda: live(part("dp_accounting").ComposedDpEvent([part("dp_accounting").LaplaceDpEvent(2.0)])),
    "rdp.RdpAccountant": lambda: live(part("dp_accounting.rdp").RdpAccountant([2.0, 3.0])),
    "pld.PLDAccountant": lambda: live(part("dp_accounting.pld").PLDAccountant()),
    "opake.random.key": lambda: made(part("opake.random").key, seed=3),
    "opake.scheduling.with_warmup": lambda: made(
        part("opake.scheduling").with_warmup,
        schedule=create_model_spec(part("opake.scheduling").cosine_schedule, init_value=0.1, end_value=0.0, transition_steps=5),
        transition_steps=2,
    ),
}

REFUSED = {  # what is tried, and what the error says
    "a resnet that forgets its arguments": (lambda: spec_of(nets.ForgetfulResNet((1, 2), 4)), "'depths', 'width', 'classes': keep it there"),
    "a residual block": (lambda: spec_of(nets.Residual(3, 4)), "argument 'inputs'"),
    "model.double()": (lambda: spec_of(nets.ResNet().double()), r"is torch\.float64.*but torch\.float32"),
    "nn.ModuleDict": (lambda: spec_of(nn.ModuleDict({"a": nn.Linear(1, 2)})), "'modules'"),
    "nn.TransformerEncoderLayer": (lambda: spec_of(nn.TransformerEncoderLayer(8, 2)), "argument 'd_model'"),
    "weight_norm": (lambda: spec_of(nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))), "ParametrizedLinear"),
    "a lazy layer that saw a batch": (lambda: spec_of(frozen_head()), "head"),
    "one layer in two arguments": (lambda: spec_of(shared()), "shared with '0.weight'|shared with '0.bias'"),
    "LambdaLR": (lambda: create_model_spec(lr_scheduler.LambdaLR, lr_lambda=lambda step: 1.0), "carry no code.*lr_lambda"),
    "a scheduler that exists": (lambda: spec_of(sgd_and_step()[1], optimizer=sgd_and_step()[0]), "'last_epoch'.*inject"),
    "optax.adam(...)": (lambda: spec_of(part("optax").adam(0.1)), "init"),
    "nnx.Linear(kernel_init=...)": (
        lambda: create_model_spec(part("flax.nnx").Linear, kernel_init=part("flax.nnx").initializers.lecun_normal()),
        "kernel_init",
    ),
    "Pipeline": (lambda: spec_of(part("sklearn.pipeline").make_pipeline(part("sklearn.preprocessing").StandardScaler())), r"steps\[0\]\[1\]"),
    "random_state=RandomState(0)": (lambda: spec_of(part("sklearn.svm").SVC(random_state=part("numpy").random.RandomState(0))), "random_state"),
    "FunctionTransformer(len)": (lambda: spec_of(part("sklearn.preprocessing").FunctionTransformer(len)), "carry no code.*func"),
    "PLDAccountant(value_discretization_interval=...)": (
        lambda: spec_of(part("dp_accounting.pld").PLDAccountant(value_discretization_interval=1e-3)),
        "'_pld'",
    ),
    "an opake schedule itself": (lambda: spec_of(part("opake.scheduling").constant_schedule(0.1)), "private|importable"),
}
