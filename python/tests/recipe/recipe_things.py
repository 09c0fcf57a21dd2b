"""What the tests of recipes name: under a module name of their own, so that recipes can."""

import dataclasses
import enum
import functools
import os
import subprocess

from recipe_signatures import Config as Borrowed  # noqa: F401
from recipe_signatures import decorated as borrow  # noqa: F401


class Plain:
    def __init__(self, a=None, b=None):
        self.a, self.b = a, b


@dataclasses.dataclass
class Pair:
    left: object
    right: object = None


@dataclasses.dataclass
class Doubled:
    """Its constructor changes a field."""

    x: int

    def __post_init__(self):
        self.x *= 2


@dataclasses.dataclass
class NeedsMore:
    """Its constructor needs what is no field."""

    x: int
    y: dataclasses.InitVar[int]


CALLS = []


@dataclasses.dataclass
class Watched:
    x: int = 0

    def __post_init__(self):
        CALLS.append("dataclass")


class Seen(enum.Enum):
    ONE = 1

    @classmethod
    def _missing_(cls, value):
        CALLS.append("enum")
        return cls.ONE


class Bits(enum.Flag):
    A = 1
    B = 2


class Noisy:
    def __init__(self, **arguments):
        CALLS.append("class")


def noisy(**arguments):
    CALLS.append("function")


class Runs(subprocess.Popen):
    pass


class ViaNew:
    __new__ = staticmethod(os.system)


class _Caller(type):
    __call__ = staticmethod(os.system)


class ViaMetaclass(metaclass=_Caller):
    pass


class Meta(type):
    pass


class Methods:
    def method(self, a=1):
        return a

    @staticmethod
    def static(a=1):
        return Plain(a)

    @classmethod
    def make(cls, a=1):
        return Plain((cls.__name__, a))

    alias = os.system
    hidden = staticmethod(os.system)
    bound = os.environ.get


@functools.wraps(os.system)
def wrapped(command):
    return os.system(command)


@functools.wraps(wrapped)
def wrapped_twice(command):
    return wrapped(command)


rename = os.system
part = functools.partial(os.system, "true")
instance = Plain()
bound = Plain.__init__.__get__(instance)


def __getattr__(name):
    if name == "Lazy":
        CALLS.append("module")
        return Plain
    if name == "lazy_system":
        return os.system
    raise AttributeError(name)
