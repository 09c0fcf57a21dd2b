#include "perdure/recipe/policy_table.h"

namespace perdure::recipe {
namespace {

constexpr std::string_view kProcess = "starts or controls processes";
constexpr std::string_view kInterpreter = "runs code it is given";
constexpr std::string_view kDeserialiser = "deserialises";
constexpr std::string_view kFileOrNetwork = "touches files or network";
constexpr std::string_view kStandardLibrary = "standard library, not listed as harmless";
constexpr std::string_view kPackage = "part of a package that is not listed as harmless";

// Packages of which a recipe needs a few parts are refused as a whole, and the parts are let through. All others are let through, and
// what is known to be dangerous in them is refused.
constexpr PolicyRow kPolicyTable[] = {
    // What a recipe may need of the standard library.
    {"", Verdict::kAllowed,
     "builtins.bool builtins.bytes builtins.complex builtins.dict builtins.float builtins.frozenset builtins.int builtins.list "
     "builtins.object builtins.range builtins.set builtins.slice builtins.str builtins.tuple "
     "collections.ChainMap collections.Counter collections.OrderedDict collections.UserDict collections.UserList "
     "collections.defaultdict "
     "collections.deque datetime _datetime decimal _decimal _pydecimal fractions ipaddress math cmath random random.Random "
     "_random "
     "statistics uuid.UUID zoneinfo.ZoneInfo string.Template types.SimpleNamespace pathlib.PurePath pathlib.PurePosixPath "
     "pathlib.PureWindowsPath"},
    {kStandardLibrary, Verdict::kBaseOnly,
     "abc _abc _py_abc builtins collections collections.abc _collections _collections_abc contextlib copy dataclasses enum "
     "numbers "
     "pathlib string threading.local _thread._local types typing _typing uuid warnings weakref _weakref zoneinfo"},
    {kFileOrNetwork, Verdict::kRefused, "pathlib.Path pathlib.PosixPath pathlib.WindowsPath random.SystemRandom"},
    {kInterpreter, Verdict::kRefused,
     "builtins.type builtins.eval builtins.exec builtins.compile builtins.__import__ builtins.breakpoint builtins.input "
     "builtins.getattr builtins.setattr builtins.delattr builtins.globals builtins.locals builtins.vars builtins.map "
     "builtins.filter "
     "builtins.super builtins.property builtins.staticmethod builtins.classmethod builtins.memoryview builtins.help "
     "builtins.exit "
     "builtins.quit collections.namedtuple dataclasses.make_dataclass types.FunctionType types.CodeType types.LambdaType "
     "types.MethodType types.ModuleType types.new_class types.coroutine types.DynamicClassAttribute typing.NamedTuple "
     "typing.get_type_hints typing.ForwardRef contextlib.ExitStack"},
    {kFileOrNetwork, Verdict::kRefused, "builtins.open"},
    {kProcess, Verdict::kRefused,
     "os nt posix subprocess _posixsubprocess pty tty multiprocessing _multiprocessing concurrent asyncio _asyncio ctypes "
     "_ctypes signal "
     "_signal threading _thread sched resource fcntl termios webbrowser antigravity turtle tkinter _tkinter curses _curses venv "
     "ensurepip "
     "distutils msvcrt winreg _winapi pipes selectors select queue _queue atexit"},
    {kInterpreter, Verdict::kRefused,
     "code codeop runpy importlib _imp imp _frozen_importlib _frozen_importlib_external pkgutil zipimport zipapp modulefinder "
     "timeit "
     "cProfile profile pstats _lsprof pdb bdb trace tracemalloc doctest unittest pydoc cmd idlelib lib2to3 ast _ast dis inspect "
     "symtable "
     "py_compile compileall functools _functools operator _operator itertools sys site _sitebuiltins sysconfig gc faulthandler "
     "test "
     "rlcompleter traceback linecache this"},
    {kDeserialiser, Verdict::kRefused,
     "pickle _pickle pickletools marshal shelve copyreg dbm _dbm _gdbm plistlib json _json xml pyexpat _elementtree csv _csv "
     "configparser tomllib email mailbox html mimetypes netrc"},
    {kFileOrNetwork, Verdict::kRefused,
     "io _io _pyio shutil tempfile fileinput filecmp glob zipfile tarfile gzip bz2 _bz2 lzma _lzma zlib sqlite3 _sqlite3 logging "
     "mmap "
     "codecs _codecs socket _socket ssl _ssl socketserver urllib http ftplib smtplib smtpd poplib imaplib nntplib telnetlib "
     "xmlrpc "
     "wsgiref asyncore asynchat cgi cgitb syslog getpass pwd grp spwd posixpath ntpath genericpath wave aifc sunau ossaudiodev"},
    {kStandardLibrary, Verdict::kRefused,
     "__future__ argparse array audioop base64 binascii binhex bisect calendar chunk colorsys compression contextvars crypt "
     "difflib "
     "encodings errno fnmatch formatter getopt gettext graphlib hashlib heapq hmac imghdr keyword locale macpath mailcap msilib "
     "nis "
     "nturl2path opcode optparse parser platform posixshmem pprint pyclbr pydoc_data quopri re readline reprlib secrets shlex "
     "sndhdr "
     "sre_compile sre_constants sre_parse stat stringprep struct tabnanny textwrap time token tokenize turtledemo unicodedata uu "
     "winsound "
     "xdrlib annotationlib concurrent.interpreters"},

    // PyTorch.
    {kPackage, Verdict::kRefused, "torch"},
    {"", Verdict::kAllowed,
     "torch.nn torch.optim torch.distributions torch.amp torch.Tensor torch._tensor torch._C torch.Generator torch.Size "
     "torch.device "
     "torch.dtype torch.finfo torch.iinfo torch.memory_format torch.layout torch.linalg torch.fft torch.special torch.signal "
     "torch.arange torch.eye torch.empty torch.full torch.linspace torch.logspace torch.ones torch.rand torch.randn torch.tensor "
     "torch.zeros torch.functional torch.utils.data torch.autograd.function torch.autograd.Function torch.quantization.QConfig "
     "torch.ao.nn torch.ao.quantization.QConfig torch.cuda.amp.GradScaler"},
    {kInterpreter, Verdict::kRefused,
     "torch.compile torch.compiler torch._dynamo torch._inductor torch.fx torch.ops torch._ops torch._classes torch.classes "
     "torch.library "
     "torch._library torch.utils.cpp_extension torch.utils.benchmark torch.utils._config_module torch.testing "
     "torch._C._jit_compile"},
    {kProcess, Verdict::kRefused,
     "torch.multiprocessing torch.utils.collect_env torch.utils.bottleneck torch.distributed torch.monitor"},
    {kDeserialiser, Verdict::kRefused,
     "torch.load torch.serialization torch.jit torch.package torch._weights_only_unpickler torch.export torch._export "
     "torch._C.import_ir_module"},
    {kFileOrNetwork, Verdict::kRefused,
     "torch.save torch.hub torch.from_file torch.utils.model_zoo torch.utils.tensorboard torch.utils.data.datapipes "
     "torch.utils.data.backward_compatibility torch.utils.data.get_worker_info torch.utils.data.graph torch.onnx torch.profiler "
     "torch.autograd.profiler torch._C.PyTorchFileReader torch._C.PyTorchFileWriter"},

    // NumPy.
    {kPackage, Verdict::kRefused, "numpy"},
    {"", Verdict::kAllowed,
     "numpy.ndarray numpy.generic numpy.dtype numpy.random numpy.linalg numpy.fft numpy.polynomial numpy.number numpy.integer "
     "numpy.signedinteger numpy.unsignedinteger numpy.inexact numpy.floating numpy.complexfloating numpy.bool numpy.bool_ "
     "numpy.int8 "
     "numpy.int16 numpy.int32 numpy.int64 numpy.longlong numpy.uint8 numpy.uint16 numpy.uint32 numpy.uint64 numpy.ulonglong "
     "numpy.float16 "
     "numpy.float32 numpy.float64 numpy.longdouble numpy.complex64 numpy.complex128 numpy.clongdouble numpy.str_ numpy.bytes_ "
     "numpy.arange "
     "numpy.array numpy.asarray numpy.empty numpy.eye numpy.full numpy.geomspace numpy.identity numpy.linspace numpy.logspace "
     "numpy.ones "
     "numpy.zeros numpy.lib.mixins numpy.ma"},
    {kInterpreter, Verdict::kRefused, "numpy.f2py numpy.distutils numpy.testing numpy.lib._utils_impl"},
    {kDeserialiser, Verdict::kRefused,
     "numpy.load numpy.memmap numpy.fromfile numpy.lib.format numpy.lib.npyio numpy.lib._npyio_impl"},
    {kFileOrNetwork, Verdict::kRefused,
     "numpy.save numpy.savez numpy.savez_compressed numpy.savetxt numpy.loadtxt numpy.genfromtxt numpy.fromregex "
     "numpy.DataSource "
     "numpy.ctypeslib numpy.random.bit_generator"},

    // SciPy, scikit-learn, pandas, JAX and what is built on it.
    {kInterpreter, Verdict::kRefused,
     "jax.pure_callback jax.experimental jax.ffi jax.extend jax.interpreters jax.debug jax.eval_shape jax.make_jaxpr jax.jit "
     "jax.pmap "
     "jax._src.callback jax._src.debugging jax._src.ffi jax._src.debugger sklearn.utils.parallel sklearn.utils._testing "
     "sklearn.externals sklearn._build_utils scipy._lib pandas.eval pandas.core.computation pandas.DataFrame.eval "
     "pandas.DataFrame.query "
     "pandas.testing flax.testing"},
    {kProcess, Verdict::kRefused, "jax.distributed jax._src.distributed jax.profiler jax._src.profiler jax.monitoring"},
    {kDeserialiser, Verdict::kRefused,
     "jax.numpy.load jax.export jax._src.export scipy.io pandas.read_pickle pandas.io flax.serialization "
     "flax.training.checkpoints "
     "flax.core.unfreeze_msgpack orbax tensorstore"},
    {kFileOrNetwork, Verdict::kRefused,
     "jax.numpy.save jax.numpy.savez jax.numpy.fromfile sklearn.datasets scipy.datasets pandas.read_csv pandas.read_table "
     "pandas.read_json pandas.read_html pandas.read_xml pandas.read_excel pandas.read_parquet pandas.read_feather "
     "pandas.read_orc "
     "pandas.read_hdf pandas.read_sql pandas.read_sql_query pandas.read_sql_table pandas.read_stata pandas.read_sas "
     "pandas.read_spss "
     "pandas.read_clipboard pandas.read_fwf pandas.read_gbq pandas.ExcelFile pandas.ExcelWriter pandas.HDFStore flax.io "
     "flax.metrics.tensorboard"},

    // perdure itself reads and writes files, and makes policies.
    {kFileOrNetwork, Verdict::kRefused, "perdure"},

    // Others, by what they are for.
    {kProcess, Verdict::kRefused,
     "psutil sh plumbum pexpect ptyprocess fabric invoke paramiko docker kubernetes celery ray dask distributed multiprocess "
     "loky "
     "billiard pathos mpi4py execnet rpyc deepspeed accelerate submitit gunicorn uvicorn twisted gevent eventlet trio anyio "
     "uvloop nox "
     "tox supervisor ansible"},
    {kInterpreter, Verdict::kRefused,
     "IPython ipykernel ipywidgets jupyter jupyter_client jupyter_core jupyter_server notebook nbformat nbconvert bpython "
     "ptpython pip "
     "setuptools pkg_resources wheel virtualenv build _distutils_hack Cython pyximport cffi pycparser pybind11 nanobind numba "
     "llvmlite "
     "numexpr sympy mpmath jinja2 mako hydra fire click typer absl gin ml_collections pytest _pytest py nose hypothesis coverage "
     "mock "
     "asteval RestrictedPython js2py execjs triton tvm cupy pyparsing ply lark wrapt decorator toolz cytoolz six future past "
     "importlib_metadata importlib_resources zope werkzeug flask django bottle tornado sanic fastapi starlette gradio streamlit "
     "dash "
     "bokeh panel locust keras.layers.Lambda keras.src.layers.core.lambda_layer theano ptvsd debugpy pydevd pyrsistent "
     "lazy_loader "
     "apipkg attr.make_class attrs.make_class"},
    {kDeserialiser, Verdict::kRefused,
     "joblib dill cloudpickle jsonpickle yaml _yaml ruamel msgpack srsly safetensors onnx onnxruntime tensorflow keras.models "
     "keras.saving "
     "keras.src.saving tf_keras mlflow bentoml skops h5py tables zarr netCDF4 xarray pyarrow fastparquet avro thrift "
     "google.protobuf "
     "toml tomli tomlkit simplejson ujson orjson rapidjson lxml bs4 html5lib xmltodict ijson shap.Explainer.load gensim spacy "
     "nltk "
     "polars duckdb vaex modin persistent ZODB"},
    {kFileOrNetwork, Verdict::kRefused,
     "requests requests_toolbelt httpx httpcore aiohttp urllib3 pycurl websocket websockets zmq nats redis pymongo psycopg2 "
     "psycopg MySQLdb "
     "pymysql mysql sqlalchemy peewee boto boto3 botocore aiobotocore s3transfer s3fs gcsfs adlfs fsspec smart_open google.cloud "
     "azure "
     "huggingface_hub datasets wandb neptune comet_ml clearml tensorboard tensorboardX tensorboard_data_server "
     "torchvision.datasets torchvision.io "
     "torchaudio.datasets torchaudio.io torchaudio.load torchaudio.save torchtext.datasets transformers.pipeline "
     "transformers.utils.hub "
     "diffusers.utils PIL cv2 imageio skimage.io matplotlib pylab plotly altair seaborn soundfile librosa.load nibabel pydicom "
     "astropy.io "
     "gym gymnasium.envs.registration scapy dns kafka pika stomp telnetlib3 asyncssh pysftp ftputil pyftpdlib smbclient filelock "
     "portalocker watchdog appdirs platformdirs pywin32 win32api win32com pyautogui pynput clipboard pyperclip keyring"},
};

constexpr PolicyRow kNameTable[] = {
    {kDeserialiser, Verdict::kRefused,
     "from_pretrained load_from_checkpoint load_from_metrics load_state_dict_from_url unpickle from_pickle read_pickle "
     "load_pickle "
     "loads unsafe_load full_load load_model load_weights torch_load load_module load_library load_inline"},
    {kFileOrNetwork, Verdict::kRefused,
     "urlopen urlretrieve download download_url download_url_to_file fromfile tofile memmap to_pickle"},
    {kProcess, Verdict::kRefused, "popen Popen check_output check_call"},
    {kInterpreter, Verdict::kRefused,
     "import_module exec_module execfile run_path run_module pure_callback io_callback sympify lambdify"},
};

}  // namespace

std::span<const PolicyRow> policy_table() { return kPolicyTable; }
std::span<const PolicyRow> name_table() { return kNameTable; }

}  // namespace perdure::recipe
