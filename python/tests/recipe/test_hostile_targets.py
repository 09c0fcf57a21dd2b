"""What a recipe of somebody else may name: refused by name, nothing imported, whatever the way there."""

import sys

import pytest

from perdure import InputTypeError, RecipeError
from perdure.recipe import Policy, create_model_spec_from_json

TS = "2026-01-01T00:00:00+00:00"

# Not installed, or not imported by anything here: a refusal that imported would show.
BY_NAME = {
    "process": "os.system posix.system nt.system subprocess.run _posixsubprocess.fork_exec pty.spawn multiprocessing.Process "
    "concurrent.futures.ProcessPoolExecutor asyncio.create_subprocess_exec ctypes.CDLL _ctypes.dlopen signal.raise_signal "
    "threading.Thread webbrowser.open antigravity.geohash psutil.Process pexpect.spawn invoke.run paramiko.SSHClient "
    "torch.multiprocessing.spawn torch.distributed.rpc.init_rpc torch.utils.collect_env.main torch.utils.data.DataLoader",
    "interpreter": "builtins.eval builtins.exec builtins.compile builtins.__import__ builtins.getattr builtins.type builtins.map "
    "importlib.import_module importlib.util.module_from_spec runpy.run_path code.InteractiveInterpreter codeop.compile_command "
    "timeit.timeit cProfile.run pdb.run doctest.testfile unittest.mock.patch types.FunctionType types.CodeType types.ModuleType "
    "functools.reduce functools.partial operator.methodcaller operator.attrgetter operator.itemgetter itertools.starmap "
    "collections.namedtuple dataclasses.make_dataclass typing.get_type_hints typing_extensions.get_type_hints inspect.getattr_static "
    "sys.settrace gc.get_objects atexit.register idlelib.run.main lib2to3.main.main test.support.script_helper.run_python_until_end "
    "numexpr.evaluate sympy.sympify numba.jit jinja2.Template cffi.FFI Cython.inline pip.main setuptools.setup pytest.main IPython.embed "
    "torch.fx.GraphModule torch.compile torch.jit.script torch.ops.load_library torch.utils.cpp_extension.load torch.utils.benchmark.Timer "
    "numpy.f2py.compile numpy.testing.measure numpy.testing.rundocs jax.pure_callback jax.tree_util.Partial jax.tree.map setup.main "
    "sitecustomize.X conftest.X jax.tools.colab_tpu.setup_tpu sklearn.utils.all_estimators pyvers.get_backend "
    "dp_accounting.DpEvent.from_named_tuple pygments.styles.get_style_by_name",
    "deserialiser": "pickle.loads _pickle.loads marshal.loads shelve.open copyreg.__newobj__ joblib.load dill.loads cloudpickle.loads "
    "yaml.unsafe_load jsonpickle.decode torch.load torch.serialization.load torch.jit.load torch.package.PackageImporter torch.hub.load "
    "numpy.load numpy.lib.format.read_array numpy.memmap pandas.read_pickle pandas.io.pickle.read_pickle networkx.read_gpickle "
    "keras.models.load_model tensorflow.saved_model.load transformers.AutoModel.from_pretrained somebody.Net.load_from_checkpoint "
    "somebody.tools.unpickle_everything flax.serialization.from_bytes orbax.checkpoint.PyTreeCheckpointer xml.etree.ElementTree.parse numcodecs.pickles.Pickle",
    "program": "numpy.random.seed numpy.random.set_state sklearn.set_config somebody.logging.enable_all",
    "file or network": "builtins.open io.open io.FileIO os.remove shutil.rmtree tempfile.NamedTemporaryFile pathlib.Path "
    "pathlib.Path.write_text zipfile.ZipFile tarfile.open sqlite3.connect logging.config.dictConfig logging.FileHandler mmap.mmap "
    "socket.socket ssl.wrap_socket urllib.request.urlopen http.client.HTTPConnection smtplib.SMTP ftplib.FTP xmlrpc.client.ServerProxy "
    "requests.get httpx.get fsspec.open PIL.Image.open matplotlib.pyplot.savefig huggingface_hub.snapshot_download wandb.init "
    "torch.save torch.from_file torch.hub.download_url_to_file torch.utils.tensorboard.SummaryWriter numpy.save numpy.fromfile numpy.DataSource "
    "sklearn.datasets.fetch_openml torchvision.datasets.MNIST pandas.read_csv somebody.data.download_all etils.epath.Path "
    "dateutil.tz.tzfile iniconfig.IniConfig pandas.show_versions fontTools.ttLib.TTFont",
    "perdure": "perdure.save perdure.load perdure.recipe.Policy perdure.recipe.BaseSpec perdure.recipe.register_type_serializer",
    "private": "recipe_red_team._x.Y recipe_red_team.X.__init__ recipe_red_team.X.__subclasses__ recipe_red_team.__builtins__.eval "
    "recipe_red_team.X.__init__.__globals__ __main__.X _recipe.X torch._C._jit_clear_class_registry torch._dynamo.optimize builtins.__dict__.x",
}
TARGETS = [path for paths in BY_NAME.values() for path in paths.split()]


def recipe(path, **arguments):
    return {"cls_path": path, "timestamp": TS, **arguments}


@pytest.mark.parametrize("path", TARGETS)
def test_a_target_is_refused_by_name_and_not_imported(path):
    before = set(sys.modules)
    with pytest.raises(RecipeError) as error:
        create_model_spec_from_json(recipe(path))
    assert error.value.rule and error.value.rule in str(error.value) and path in str(error.value)
    assert error.value.json_path == "$.cls_path"
    assert [name for name in set(sys.modules) - before if path.startswith(name)] == []


@pytest.mark.parametrize("path", ["os.system", "smtplib.SMTP", "joblib.load", "_recipe.X"])
@pytest.mark.parametrize(
    ("wrap", "where"),
    [
        (lambda p: recipe("recipe_things.Plain", a=recipe(p)), "$.a.cls_path"),
        (lambda p: recipe("recipe_things.Plain", a=[0, recipe(p)]), "$.a[1].cls_path"),
        (lambda p: recipe("recipe_things.Plain", a={"__tuple__": [recipe(p)]}), "$.a.__tuple__[0].cls_path"),
        (lambda p: recipe("recipe_things.Plain", a={"k": [{"__spec__": recipe(p)}]}), "$.a.k[0].__spec__.cls_path"),
        (lambda p: recipe("recipe_things.Plain", a={"k": {"__type__": p}}), "$.a.k.__type__"),
        (lambda p: recipe("recipe_things.Plain", a={"__dict__": [[{"__type__": p}, 1]]}), "$.a.__dict__[0].__type__"),
        (lambda p: recipe("recipe_things.Plain", a={"__enum__": {"class": p, "name": "x"}}), "$.a.__enum__"),
        (lambda p: recipe("recipe_things.Plain", a={"__enum__": {"class": p, "value": 1}}), "$.a.__enum__"),
        (lambda p: recipe("recipe_things.Plain", a={"__dataclass__": {"class": p, "fields": []}}), "$.a.__dataclass__"),
        (lambda p: recipe("recipe_things.Plain", a={"__object__": {"class": p, "value": 1}}), "$.a.__object__"),
        (lambda p: recipe("recipe_unloaded.X", a=[recipe("recipe_things.Plain", b=recipe(p))]), "$.a[0].b.cls_path"),
    ],
    ids=["argument", "list", "tuple", "deep_spec", "class", "key", "enum", "enum_value", "dataclass", "object", "unloaded"],
)
def test_every_path_in_a_recipe_obeys(path, wrap, where, unloaded_module):
    before = set(sys.modules)
    with pytest.raises(RecipeError) as error:
        create_model_spec_from_json(wrap(path))
    assert error.value.rule and error.value.json_path == where
    assert set(sys.modules) - before == set()


NO_PATHS = ["", ".", "..", "a", ".a.b", "a..b", "a.b.", "a.b ", " a.b", "a b.c", "a/b.c", "../os.system", "a.b\n", "a.b\0", "a\0.b", "os:system",
            "os::system", "a.b()", "a.b[0]", "a.ｂ", "ｏs.system", "os.ѕystem", "a.b\u200b", "a.\u202eb", "a-b.c", "1a.b", "a.1b", "a." * 600 + "b"]


@pytest.mark.parametrize("path", NO_PATHS, ids=range(len(NO_PATHS)))
def test_text_that_is_no_path_is_refused(path):
    with pytest.raises(RecipeError) as error:
        create_model_spec_from_json(recipe(path))
    assert error.value.json_path == "$.cls_path" and len(str(error.value)) < 400


def test_an_allow_list_comes_before_all_else():
    strict = Policy(modules=["recipe_things"])
    create_model_spec_from_json(recipe("recipe_things.Plain"), policy=strict)
    for path in ("fractions.Fraction", "recipe_things_more.X", "recipe_unloaded.X"):
        with pytest.raises(RecipeError, match="not in the allowed modules"):
            create_model_spec_from_json(recipe(path), policy=strict)


@pytest.mark.parametrize("name", ["Borrowed", "borrow"])
def test_an_allow_list_lets_through_what_its_packages_made_and_not_what_they_imported(name):
    import recipe_things  # noqa: F401  what is not loaded is settled by build()

    strict = Policy(modules=["recipe_things"])
    create_model_spec_from_json(recipe(f"recipe_things.{name}"))
    with pytest.raises(RecipeError, match="from a package outside the allowed modules"):
        create_model_spec_from_json(recipe(f"recipe_things.{name}"), policy=strict)
    with pytest.raises(RecipeError, match="from a package outside"):
        create_model_spec_from_json(recipe("recipe_things.Plain", a={"__type__": "recipe_things.Borrowed"}), policy=strict)
    create_model_spec_from_json(recipe(f"recipe_things.{name}"), policy=Policy(modules=["recipe_things"], allow=[f"recipe_things.{name}"]))
    create_model_spec_from_json(recipe(f"recipe_things.{name}"), policy=Policy(modules=["recipe_things", "recipe_signatures"]))


def test_an_allowed_path_is_one_path():
    policy = Policy(allow=["os.getpid"])
    assert create_model_spec_from_json(recipe("os.path.join"), policy=Policy(allow=["os.path.join"])).cls_path == "os.path.join"
    for path in ("os.getpid.more", "os.getppid", "os.system"):
        with pytest.raises(RecipeError):
            create_model_spec_from_json(recipe(path), policy=policy)


def test_a_policy_names_modules_and_paths_only():
    for wrong in ({"modules": ["a b"]}, {"modules": [""]}, {"allow": ["a..b"]}):
        with pytest.raises(ValueError, match="a policy cannot name"):
            Policy(**wrong)
    with pytest.raises(TypeError):
        Policy(modules="recipe_things")
    for wrong in ({"modules": [5]}, {"allow": [None]}, {"modules": 5}, {"allow": None}):
        with pytest.raises(InputTypeError, match=next(iter(wrong))):
            Policy(**wrong)
