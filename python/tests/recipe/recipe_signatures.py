"""Targets whose signatures are found in odd ways."""

import abc
import dataclasses
import enum
import functools
import inspect
import typing


class Marker(abc.ABC):
    pass


class CatchAll(type):
    def __call__(cls, *args, **kwargs):
        return super().__call__(*args, **kwargs)


class Registered(metaclass=CatchAll):
    def __init__(self, size, rate=0.5):
        self.size, self.rate = size, rate


class ByNew:
    def __new__(cls, size):
        made = super().__new__(cls)
        made.size = size
        return made


class NewPassesOn:
    def __new__(cls, *args, **kwargs):
        return super().__new__(cls)

    def __init__(self, size):
        self.size = size


class Derived(NewPassesOn):
    def __init__(self, width):
        super().__init__(width)
        self.width = width


@dataclasses.dataclass
class Config:
    size: int
    names: list[str] = dataclasses.field(default_factory=list)


class Point(typing.NamedTuple):
    x: int
    y: int = 0


def traced(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


class Decorated:
    @traced
    def __init__(self, size: int):
        self.size = size


@traced
def decorated(size: int = 1):
    return size


class Declared:
    __signature__ = inspect.Signature([inspect.Parameter("size", inspect.Parameter.KEYWORD_ONLY)])

    def __init__(self, **given):
        self.size = given["size"]


class Asked:
    """Looking for its signature by attribute would run code."""

    CALLS: typing.ClassVar[list] = []

    class _Property:
        def __get__(self, instance, owner):
            Asked.CALLS.append(1)
            return inspect.Signature()

    __signature__ = _Property()

    def __init__(self, size=1):
        self.size = size


class Mode(enum.Enum):
    FAST = "fast"


Size = typing.NewType("Size", int)
T = typing.TypeVar("T")


class Annotated(typing.Generic[T]):
    def __init__(
        self,
        size: Size = 1,
        maybe: "int | None" = None,
        mode: Mode = Mode.FAST,
        exact: typing.Annotated[float, "metres"] = 1.0,
        pairs: "dict[str, tuple[int, ...]]" = {},  # noqa: B006
        either: "int | str" = 0,
        choice: typing.Literal["a", "b"] = "a",
        unknown: "NoSuchName" = None,  # noqa: F821
        free: T = None,
        odd: int = "auto",
        kind: type = int,
    ):
        self.__dict__.update(locals())
