"""Tensors: every dtype and view; what has no dense memory of its own is refused by key path."""

import numpy as np
import pytest
from exact import round_trip

import perdure

torch = pytest.importorskip("torch")
DTYPES = sorted({dtype for dtype in vars(torch).values() if isinstance(dtype, torch.dtype)}, key=str)
QUANTIZED = [dtype for dtype in DTYPES if str(dtype).startswith("torch.q")]


def raw(dtype, count):
    values = torch.from_numpy(np.random.default_rng(0).integers(0, 2 if dtype == torch.bool else 256, count * dtype.itemsize, np.uint8))
    return values.view(dtype)


def bits(tensor):
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor.dtype == torch.complex32:
        tensor = torch.view_as_real(tensor)
    if tensor.element_size() == 1:
        tensor = tensor.view(torch.uint8)
    return tensor.contiguous().reshape(-1).view(torch.uint8).tolist() if tensor.numel() else []


def same_tensor(got, want):
    assert type(got) is type(want)
    facts = [(t.dtype, t.shape, t.requires_grad and t.is_leaf, bits(t)) for t in (got, want)]
    assert facts[0] == facts[1]


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype not in QUANTIZED], ids=str)
def test_every_dtype_and_view(tmp_path, dtype):
    base = raw(dtype, 24)
    views = [base, base[:0], base[3], base[3:4], base.reshape(4, 6).T, base.reshape(4, 6)[:, ::2], base[:1].expand(5, 1),
             base.reshape(2, 3, 4).permute(2, 0, 1)[1:], base[1:1].reshape(0, 3)]
    for got, want in zip(round_trip(tmp_path, views), views):
        same_tensor(got, want)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128, torch.complex32], ids=str)
def test_conjugates_and_negatives(tmp_path, dtype):
    base = raw(dtype, 24).reshape(4, 6)
    views = [base.conj(), base.conj().imag, base.conj().T[1:], base.H, torch._neg_view(base), base.real]
    for got, want in zip(round_trip(tmp_path, views), views):
        assert (got.dtype, got.shape, bits(got)) == (want.dtype, want.shape, bits(want))


def test_parameters_and_gradients(tmp_path):
    tensors = [torch.nn.Parameter(torch.ones(3)), torch.nn.Parameter(torch.ones(3), requires_grad=False), torch.ones(3, requires_grad=True),
               torch.nn.Parameter(raw(torch.int8, 3), requires_grad=False)]
    for got, want in zip(round_trip(tmp_path, tensors), tensors):
        same_tensor(got, want)
    (got,) = round_trip(tmp_path, [tensors[0] * 2])
    assert not got.requires_grad and got.tolist() == [2, 2, 2]


def test_tied_tensors_are_one_and_views_of_another_class_are_not(tmp_path):
    weight = torch.nn.Parameter(torch.ones(3, 3))
    got = round_trip(tmp_path, {"a": weight, "b": weight, "data": weight.data, "numpy": weight.data.numpy(), "equal": torch.ones(3, 3)})
    assert got["a"] is got["b"]
    assert type(got["data"]) is torch.Tensor and got["data"].data_ptr() == got["a"].data_ptr()
    assert type(got["numpy"]) is np.ndarray
    assert len({got["a"].data_ptr(), got["equal"].data_ptr(), got["numpy"].ctypes.data}) == 3


def test_a_template_decides_what_is_tied(tmp_path):
    weight, apart = torch.ones(3), torch.zeros(3)
    got = round_trip(tmp_path, {"a": weight, "b": weight, "c": weight}, {"a": apart, "b": torch.zeros(3), "c": apart})
    assert got["a"] is got["c"] and got["a"].data_ptr() != got["b"].data_ptr()
    assert not apart.any()


def test_a_template_decides_dtype_class_and_gradient(tmp_path):
    perdure.save(tmp_path / "c", {"a": torch.tensor([1.0, 2, 3]), "b": np.arange(3.0)})
    template = {"a": torch.nn.Parameter(torch.zeros(3, dtype=torch.bfloat16), requires_grad=False), "b": torch.zeros(3, requires_grad=True)}
    got = perdure.load(tmp_path / "c", template)
    same_tensor(got["a"], torch.nn.Parameter(torch.tensor([1.0, 2, 3], dtype=torch.bfloat16), requires_grad=False))
    same_tensor(got["b"], torch.arange(3.0, requires_grad=True))
    got = perdure.load(tmp_path / "c", {"a": np.zeros(3), "b": torch.zeros(3, device="meta", dtype=torch.float64)})
    assert type(got["a"]) is np.ndarray and got["b"].device.type == "cpu" and got["b"].tolist() == [0, 1, 2]


def test_metadata_as_a_template_gives_the_kind_that_was_saved(tmp_path):
    weight = torch.nn.Parameter(torch.ones(2))
    round_trip(tmp_path, {"w": weight, "tied": weight, "b": torch.zeros(3), "n": np.zeros(3)})
    got = perdure.load(tmp_path / "c", perdure.metadata(tmp_path / "c"))
    assert {name: type(value) for name, value in got.items()} == {
        "w": torch.nn.Parameter, "tied": torch.nn.Parameter, "b": torch.Tensor, "n": np.ndarray}  # fmt: skip


def test_a_template_without_a_cast_is_refused_by_path(tmp_path):
    perdure.save(tmp_path / "c", {"a": torch.ones(4), "b": raw(torch.bits8, 4)})
    for template in [{"a": raw(torch.int4, 4), "b": raw(torch.bits8, 4)}, {"a": torch.ones(4), "b": torch.ones(4)}]:
        with pytest.raises(perdure.MismatchError, match="there is no cast at '[ab]'"):
            perdure.load(tmp_path / "c", template)
    with pytest.raises(perdure.InputTypeError, match="a template cannot hold a 'Tensor' that is not one dense tensor at 'a'"):
        perdure.load(tmp_path / "c", {"a": torch.ones(4).to_sparse(), "b": raw(torch.bits8, 4)})


def test_model_and_optimizer_states_come_back_exactly(tmp_path):
    def make():
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 8), torch.nn.Linear(8, 8))
        model[3].weight = model[2].weight
        return model, torch.optim.AdamW(model.parameters(), amsgrad=True)

    model, optimizer = make()
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(5, 4)).square().sum().backward()
        optimizer.step()
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state()}
    for template in (None, state):
        got = round_trip(tmp_path, state, template)
        again, again_optimizer = make()
        again.load_state_dict(got["model"])
        again_optimizer.load_state_dict(got["optimizer"])
        assert got["optimizer"]["param_groups"] == state["optimizer"]["param_groups"]
        for name, tensor in state["model"].items():
            same_tensor(again.state_dict()[name], tensor)
        for index, entry in state["optimizer"]["state"].items():
            for name, tensor in entry.items():
                same_tensor(again_optimizer.state_dict()["state"][index][name], tensor)
        assert torch.equal(got["rng"], state["rng"])


def without_memory():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return [torch.zeros(3, device="meta"), torch.zeros(3), torch.zeros(3, device="cuda"), torch.nn.Parameter(torch.zeros(3))]


@pytest.mark.parametrize("template", [torch.zeros(3, device="meta"), torch.nn.Parameter(torch.zeros(3, device="meta")), *without_memory()],
                         ids=lambda template: f"{type(template).__name__}-{template.device}")
def test_a_template_without_memory_says_shape_and_dtype_only(tmp_path, template):
    got = round_trip(tmp_path, {"a": torch.arange(3)}, {"a": template})["a"]
    assert type(got) in (torch.Tensor, torch.nn.Parameter) and got.requires_grad == template.requires_grad
    assert (got.device.type, got.dtype, got.tolist()) == ("cpu", torch.float32, [0, 1, 2])


class Own(torch.Tensor):
    pass


class OwnParameter(torch.nn.Parameter):
    pass


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested")
def test_what_is_no_plain_tensor_is_refused_as_a_template_by_path(tmp_path):
    perdure.save(tmp_path / "c", {"a": torch.ones(3)})
    for template in [torch.ones(3).as_subclass(Own), OwnParameter(torch.ones(3)), torch.nn.UninitializedParameter(), torch.float32,
                     torch.nn.Linear(3, 1), torch.nested.nested_tensor([torch.ones(3)]), torch.ones(3).to_sparse()]:
        with pytest.raises(perdure.InputTypeError, match=f"a template cannot hold a '{type(template).__name__}'.* at 'a'"):
            perdure.load(tmp_path / "c", {"a": template})


def test_parameters_that_were_stored_as_integers_require_no_gradient(tmp_path):
    context = perdure.Context()
    context.array.saving.storage_options.dtype = np.int32
    with context:
        got = round_trip(tmp_path, [torch.nn.Parameter(torch.ones(3)), torch.ones(3, requires_grad=True), torch.ones(3)])
    assert [(type(tensor), tensor.dtype, tensor.requires_grad) for tensor in got] == [
        (cls, torch.int32, False) for cls in (torch.nn.Parameter, torch.Tensor, torch.Tensor)]


def test_modes_of_torch_change_nothing(tmp_path):
    tensors = [torch.arange(3.0), torch.nn.Parameter(torch.ones(3)), torch.ones(3, requires_grad=True), torch._lazy_clone(torch.ones(3))]
    perdure.save(tmp_path / "plain", tensors)
    for mode in (torch.device("meta"), torch.no_grad(), torch.inference_mode()):
        with mode:
            got = perdure.load(tmp_path / "plain") + perdure.load(tmp_path / "plain", tensors)
            perdure.save(tmp_path / "c", tensors, overwrite=True)
        for tensor, want in zip(got + perdure.load(tmp_path / "c"), tensors * 3):
            same_tensor(tensor, want)


def test_a_buffer_comes_back_as_the_tensor_that_it_is(tmp_path):
    same_tensor(round_trip(tmp_path, [torch.nn.Buffer(torch.ones(3))])[0], torch.ones(3))


def refused():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.ones(3)
    freed, cut = torch.ones(1000), torch.ones(10, 10).T[1:, ::3]
    freed.untyped_storage().resize_(0)
    cut.untyped_storage().resize_(4 * 99)  # its last element lies in the last four bytes
    return {"cut": cut, "zeros": torch._efficientzerotensor(3), "sparse": torch.eye(3).to_sparse(), "csr": torch.eye(3).to_sparse_csr(), "meta": torch.ones(3, device="meta"), "fake": fake,
            "quantized": torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8), "freed": freed,
            "nested": torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
            "jagged": torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged),
            "subclass": torch.ones(3).as_subclass(type("Own", (torch.Tensor,), {})), "lazy": torch.nn.UninitializedParameter(),
            "storage": torch.ones(3).untyped_storage(), "module": torch.nn.Linear(2, 2), "dtype": torch.float32,
            **{str(dtype): raw(dtype, 4) for dtype in QUANTIZED}}


@pytest.mark.filterwarnings("ignore")
def test_what_is_not_one_dense_tensor_is_refused_by_path(tmp_path):
    for name, value in refused().items():
        with pytest.raises(perdure.InputTypeError, match=r"cannot save a '\w+': .* at 'deep\.1\.k'"):
            perdure.save(tmp_path / "c", {"w": torch.ones(3), "deep": [1, {"k": value}]})
        assert not list(tmp_path.iterdir()), name


def test_what_has_a_state_dict_is_refused_with_the_way_out(tmp_path):
    model = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for value in (model, optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 1)):
        with pytest.raises(perdure.InputTypeError, match=r"save its state_dict\(\) at 'k'"):
            perdure.save(tmp_path / "c", {"k": value})


def test_tensors_inside_a_transformation_are_refused(tmp_path):
    def save(x):
        with pytest.raises(perdure.InputTypeError, match="has no data at 'x'"):
            perdure.save(tmp_path / "c", {"x": x})
        return x.sum()

    torch.func.vmap(save)(torch.ones(3, 2))
    torch.func.grad(save)(torch.ones(3))
    torch.func.functionalize(save)(torch.ones(3))
