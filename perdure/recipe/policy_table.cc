#include "perdure/recipe/policy_table.h"

namespace perdure::recipe {
namespace {

constexpr std::string_view kProcess = "starts or controls processes";
constexpr std::string_view kInterpreter = "runs code it is given";
constexpr std::string_view kDeserialiser = "deserialises";
constexpr std::string_view kFileOrNetwork = "touches files or network";
constexpr std::string_view kStandardLibrary = "standard library, not listed as harmless";
constexpr std::string_view kProgram = "changes the running program";
constexpr std::string_view kPackage = "part of a package that is not listed as harmless";

// Packages of which a recipe needs a few parts are refused as a whole, and the parts are let through. All others are let through, and
// what is known to be dangerous in them is refused.
// clang-format off
constexpr PolicyRow kPolicyTable[] = {
    // What a recipe may need of the standard library.
    {"", Verdict::kAllowed,
     "builtins.bool builtins.bytes builtins.complex builtins.dict builtins.float builtins.frozenset builtins.int "
     "builtins.list builtins.object builtins.range builtins.set builtins.slice builtins.str builtins.tuple "
     "collections.ChainMap collections.Counter collections.defaultdict collections.deque collections.OrderedDict "
     "collections.UserDict collections.UserList datetime.date datetime.datetime datetime.time datetime.timedelta "
     "datetime.timezone datetime.tzinfo decimal.Context decimal.Decimal fractions.Fraction ipaddress pathlib.PurePath "
     "pathlib.PurePosixPath pathlib.PureWindowsPath _random.Random random.Random string.Template types.SimpleNamespace "
     "uuid.UUID zoneinfo.ZoneInfo"},
    {kStandardLibrary, Verdict::kBaseOnly,
     "_abc abc builtins _collections collections collections.abc _collections_abc contextlib copy dataclasses enum numbers "
     "pathlib _py_abc string _thread._local threading.local types _typing typing typing_extensions uuid warnings _weakref "
     "weakref zoneinfo"},
    {kFileOrNetwork, Verdict::kRefused,
     "pathlib.Path pathlib.PosixPath pathlib.WindowsPath random.SystemRandom"},
    {kInterpreter, Verdict::kRefused,
     "builtins.__import__ builtins.breakpoint builtins.classmethod builtins.compile builtins.delattr builtins.eval "
     "builtins.exec builtins.exit builtins.filter builtins.getattr builtins.globals builtins.help builtins.input "
     "builtins.locals builtins.map builtins.memoryview builtins.property builtins.quit builtins.setattr "
     "builtins.staticmethod builtins.super builtins.type builtins.vars collections.namedtuple contextlib.ExitStack "
     "dataclasses.make_dataclass types.CodeType types.coroutine types.DynamicClassAttribute types.FunctionType "
     "types.LambdaType types.MethodType types.ModuleType types.new_class typing.ForwardRef typing.get_type_hints "
     "typing.NamedTuple"},
    {kFileOrNetwork, Verdict::kRefused,
     "builtins.open"},
    {kProcess, Verdict::kRefused,
     "antigravity _asyncio asyncio atexit concurrent _ctypes ctypes _curses curses distutils ensurepip fcntl msvcrt "
     "_multiprocessing multiprocessing nt os pipes posix _posixsubprocess pty _queue queue resource sched select selectors "
     "_signal signal subprocess termios _thread threading _tkinter tkinter tty turtle venv webbrowser _winapi winreg"},
    {kInterpreter, Verdict::kRefused,
     "_ast ast bdb cmd code codeop compileall conftest cProfile dis doctest fabfile faulthandler _frozen_importlib "
     "_frozen_importlib_external _functools functools gc idlelib _imp imp importlib inspect itertools lib2to3 linecache "
     "_lsprof manage modulefinder noxfile _operator operator pdb pkgutil profile pstats py_compile pydoc rlcompleter runpy "
     "setup site _sitebuiltins sitecustomize symtable sys sysconfig test this timeit trace traceback tracemalloc unittest "
     "usercustomize zipapp zipimport"},
    {kDeserialiser, Verdict::kRefused,
     "configparser copyreg _csv csv _dbm dbm _elementtree email _gdbm html _json json mailbox marshal mimetypes netrc "
     "_pickle pickle pickletools plistlib pyexpat shelve tomllib xml"},
    {kFileOrNetwork, Verdict::kRefused,
     "aifc asynchat asyncore _bz2 bz2 cgi cgitb _codecs codecs filecmp fileinput ftplib genericpath getpass glob grp gzip "
     "http imaplib _io io logging _lzma lzma mmap nntplib ntpath ossaudiodev poplib posixpath pwd _pyio shutil smtpd smtplib "
     "_socket socket socketserver spwd _sqlite3 sqlite3 _ssl ssl sunau syslog tarfile telnetlib tempfile urllib wave wsgiref "
     "xmlrpc zipfile zlib"},
    {kStandardLibrary, Verdict::kRefused,
     "annotationlib argparse array audioop base64 binascii binhex bisect calendar chunk cmath colorsys compression "
     "concurrent.interpreters contextvars crypt _datetime datetime _decimal decimal difflib encodings errno fnmatch "
     "formatter fractions __future__ getopt gettext graphlib hashlib heapq hmac imghdr keyword locale macpath mailcap math "
     "msilib nis nturl2path opcode optparse parser platform posixshmem pprint pyclbr _pydecimal pydoc_data quopri _random "
     "random re readline reprlib secrets shlex sndhdr sre_compile sre_constants sre_parse stat statistics stringprep struct "
     "tabnanny textwrap time token tokenize turtledemo unicodedata uu winsound xdrlib"},

    // PyTorch.
    {kPackage, Verdict::kRefused,
     "torch"},
    {"", Verdict::kAllowed,
     "torch._C torch._tensor torch.amp torch.ao.nn torch.ao.quantization.QConfig torch.arange torch.autograd.Function "
     "torch.autograd.function torch.cuda.amp.GradScaler torch.device torch.distributions torch.dtype torch.empty torch.eye "
     "torch.fft torch.finfo torch.full torch.functional torch.Generator torch.iinfo torch.layout torch.linalg torch.linspace "
     "torch.logspace torch.memory_format torch.nn torch.ones torch.optim torch.quantization.QConfig torch.rand torch.randn "
     "torch.signal torch.Size torch.special torch.Tensor torch.tensor torch.utils.data torch.zeros"},
    {kInterpreter, Verdict::kRefused,
     "torch._C._jit_compile torch._classes torch._dynamo torch._inductor torch._library torch._ops torch.classes "
     "torch.compile torch.compiler torch.fx torch.library torch.ops torch.testing torch.utils._config_module "
     "torch.utils.benchmark torch.utils.cpp_extension"},
    {kProcess, Verdict::kRefused,
     "torch.distributed torch.monitor torch.multiprocessing torch.utils.bottleneck torch.utils.collect_env "
     "torch.utils.data.DataLoader torch.utils.data.dataloader"},
    {kDeserialiser, Verdict::kRefused,
     "torch._C.import_ir_module torch._export torch._weights_only_unpickler torch.export torch.jit torch.load torch.package "
     "torch.serialization"},
    {kFileOrNetwork, Verdict::kRefused,
     "torch._C.PyTorchFileReader torch._C.PyTorchFileWriter torch.autograd.profiler torch.from_file torch.hub torch.onnx "
     "torch.profiler torch.save torch.utils.data.backward_compatibility torch.utils.data.datapipes "
     "torch.utils.data.get_worker_info torch.utils.data.graph torch.utils.model_zoo torch.utils.tensorboard"},

    // NumPy.
    {kPackage, Verdict::kRefused,
     "numpy"},
    {"", Verdict::kAllowed,
     "numpy.arange numpy.array numpy.asarray numpy.bool numpy.bool_ numpy.bytes_ numpy.clongdouble numpy.complex128 "
     "numpy.complex64 numpy.complexfloating numpy.dtype numpy.empty numpy.eye numpy.fft numpy.float16 numpy.float32 "
     "numpy.float64 numpy.floating numpy.full numpy.generic numpy.geomspace numpy.identity numpy.inexact numpy.int16 "
     "numpy.int32 numpy.int64 numpy.int8 numpy.integer numpy.lib.mixins numpy.linalg numpy.linspace numpy.logspace "
     "numpy.longdouble numpy.longlong numpy.ma numpy.ndarray numpy.number numpy.ones numpy.polynomial numpy.random "
     "numpy.signedinteger numpy.str_ numpy.uint16 numpy.uint32 numpy.uint64 numpy.uint8 numpy.ulonglong "
     "numpy.unsignedinteger numpy.zeros"},
    {kInterpreter, Verdict::kRefused,
     "numpy.distutils numpy.f2py numpy.lib._utils_impl numpy.testing"},
    {kDeserialiser, Verdict::kRefused,
     "numpy.fromfile numpy.lib._npyio_impl numpy.lib.format numpy.lib.npyio numpy.load numpy.memmap"},
    {kFileOrNetwork, Verdict::kRefused,
     "numpy.ctypeslib numpy.DataSource numpy.fromregex numpy.genfromtxt numpy.loadtxt numpy.random.bit_generator numpy.save "
     "numpy.savetxt numpy.savez numpy.savez_compressed"},

    // SciPy, scikit-learn, pandas, JAX and what is built on it.
    {"", Verdict::kAllowed, "jax.lax.Precision jax.lax.DotAlgorithmPreset"},
    {kInterpreter, Verdict::kRefused,
     "flax.nnx.eval_shape flax.nnx.jit flax.testing jax._src.callback jax._src.config jax._src.debugger jax._src.debugging "
     "jax._src.ffi jax.checkpoint jax.closure_convert jax.collect_profile jax.config jax.custom_jvp jax.custom_vjp jax.debug "
     "jax.eval_shape jax.experimental jax.extend jax.ffi jax.grad jax.interpreters jax.jit jax.lax jax.make_jaxpr "
     "jax.named_call jax.pmap jax.pure_callback jax.tools jax.tree jax.tree_util jax.vmap jaxlib pandas.core.computation "
     "pandas.DataFrame.eval pandas.DataFrame.query pandas.eval pandas.test pandas.testing scipy._lib "
     "scipy.optimize.show_options scipy.test sklearn._build_utils sklearn.externals sklearn.utils._testing "
     "sklearn.utils.all_estimators sklearn.utils.discovery sklearn.utils.parallel"},
    {kProcess, Verdict::kRefused,
     "jax._src.distributed jax._src.profiler jax.distributed jax.monitoring jax.profiler"},
    {kDeserialiser, Verdict::kRefused,
     "flax.core.unfreeze_msgpack flax.serialization flax.training.checkpoints jax._src.export jax.export jax.numpy.load "
     "orbax pandas.io pandas.read_pickle scipy.io tensorstore"},
    {kFileOrNetwork, Verdict::kRefused,
     "flax.io flax.metrics.tensorboard jax.numpy.fromfile jax.numpy.save jax.numpy.savez pandas.ExcelFile pandas.ExcelWriter "
     "pandas.HDFStore pandas.read_clipboard pandas.read_csv pandas.read_excel pandas.read_feather pandas.read_fwf "
     "pandas.read_gbq pandas.read_hdf pandas.read_html pandas.read_json pandas.read_orc pandas.read_parquet pandas.read_sas "
     "pandas.read_spss pandas.read_sql pandas.read_sql_query pandas.read_sql_table pandas.read_stata pandas.read_table "
     "pandas.read_xml pandas.show_versions scipy.datasets sklearn.datasets sklearn.show_versions"},

    // perdure itself reads and writes files, and makes policies.
    {"", Verdict::kAllowed, "perdure.recipe.sequential"},
    {kFileOrNetwork, Verdict::kRefused,
     "perdure"},

    // Others, by what they are for.
    {kProcess, Verdict::kRefused,
     "accelerate ansible anyio billiard celery dask deepspeed distributed docker eventlet execnet fabric gevent gunicorn "
     "invoke kubernetes loky mpi4py multiprocess nox paramiko pathos pexpect plumbum psutil ptyprocess ray rpyc sh submitit "
     "supervisor tox trio twisted uvicorn uvloop"},
    {kInterpreter, Verdict::kRefused,
     "absl apipkg asteval attr.make_class attrs.make_class bokeh bottle bpython build cffi charset_normalizer.utils click "
     "coverage cupy Cython dash debugpy _distutils_hack django dp_accounting.dp_event.DpEvent.from_named_tuple "
     "dp_accounting.DpEvent.from_named_tuple execjs fastapi fire flask gin gradio hydra hypothesis importlib_metadata "
     "importlib_resources ipykernel IPython ipywidgets jinja2 js2py jupyter jupyter_client jupyter_core jupyter_server "
     "keras.layers.Lambda keras.src.layers.core.lambda_layer lazy_loader llvmlite locust mako markdown_it ml_collections "
     "mock mpmath nanobind nbconvert nbformat nest_asyncio nose notebook numba numexpr opt_einsum.backends panel pip "
     "pkg_resources ptpython ptvsd pybind11 pycparser pydevd pygments.formatter pygments.formatters pygments.lexers "
     "pygments.styles _pytest pytest pyvers pyximport RestrictedPython sanic setuptools six starlette streamlit sympy theano "
     "toolz.functoolz tornado treescope triton tvm typer virtualenv werkzeug wheel"},
    {kDeserialiser, Verdict::kRefused,
     "avro bentoml bs4 cloudpickle dill duckdb fastparquet gensim google.protobuf h5py html5lib ijson joblib jsonpickle "
     "keras.models keras.saving keras.src.saving lxml mlflow modin msgpack netCDF4 nltk numcodecs onnx onnxruntime orjson "
     "persistent polars pyarrow rapidjson ruamel safetensors shap.Explainer.load simplejson skops spacy srsly tables "
     "tensordict.append_memmap tensordict.from_safetensors tensordict.refresh_archive_checksums tensorflow tf_keras thrift "
     "toml tomli tomlkit ujson vaex xarray xmltodict _yaml yaml zarr ZODB"},
    {kFileOrNetwork, Verdict::kRefused,
     "adlfs aiobotocore aiofiles aiohttp altair appdirs astropy.io asyncssh azure boto boto3 botocore clearml clipboard "
     "cloudpathlib comet_ml cv2 datasets dateutil.tz diffusers.utils dns donfig epath etils filelock fontTools fsspec "
     "ftputil gcsfs google.cloud gym gymnasium.envs.registration httpcore httpx huggingface_hub imageio iniconfig kafka "
     "keyring librosa.load matplotlib mysql MySQLdb nats neptune networkx.read_gpickle networkx.readwrite nibabel peewee "
     "pika PIL platformdirs plotly portalocker prompt_toolkit psycopg psycopg2 pyautogui pycurl pydicom pyftpdlib pylab "
     "pymongo pymysql pynput pyperclip pysftp pywin32 redis requests requests_toolbelt rich s3fs s3transfer scapy seaborn "
     "skimage.io smart_open smbclient soundfile sqlalchemy stomp telnetlib3 tensorboard tensorboard_data_server tensorboardX "
     "textual torchaudio.datasets torchaudio.io torchaudio.load torchaudio.save torchtext.datasets torchvision.datasets "
     "torchvision.io transformers.pipeline transformers.utils.hub upath urllib3 wandb watchdog websocket websockets win32api "
     "win32com zmq"},
};

// Matched with the last segment of a path, or with its first word: "load_inline". Classes (capitals) are left alone.
constexpr PolicyRow kNameTable[] = {
    {kDeserialiser, Verdict::kRefused,
     "deserialise deserialize from_checkpoint from_pickle from_pretrained load loads read unpickle"},
    {kFileOrNetwork, Verdict::kRefused,
     "connect copyfile delete download dump dumps fetch from_file from_path from_url fromfile listen makedirs memmap mkdir "
     "open remove rename rmtree save serve to_pickle tofile unlink upload urlopen urlretrieve write"},
    {kProcess, Verdict::kRefused,
     "check_call check_output fork kill launch popen shell spawn subprocess system"},
    {kInterpreter, Verdict::kRefused,
     "breakpoint compile embed eval exec execfile execute import interact io_callback lambdify main pure_callback reload "
     "run_code run_module run_path sympify"},
    {kProgram, Verdict::kRefused,
     "atexit disable enable exit install register seed set uninstall unregister"},
};
// clang-format on

}  // namespace

std::span<const PolicyRow> policy_table() { return kPolicyTable; }
std::span<const PolicyRow> name_table() { return kNameTable; }

}  // namespace perdure::recipe
