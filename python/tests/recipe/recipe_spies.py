"""Classes, functions and modules that note it when they are asked for something. Reading a recipe must not be seen by any of them."""

import dataclasses
import enum
import functools
import os
import sys
import types
import typing  # noqa: F401  named by an annotation

import numpy as np

ASKED = []


class SpyMeta(type):
    def __getattribute__(cls, name):
        ASKED.append(name)
        return super().__getattribute__(name)

    def __eq__(cls, other):
        ASKED.append("eq")
        return NotImplemented

    def __hash__(cls):
        ASKED.append("hash")
        return 1

    def __instancecheck__(cls, instance):
        ASKED.append("isinstance")
        return False

    def __subclasscheck__(cls, other):
        ASKED.append("issubclass")
        return False

    def __or__(cls, other):
        ASKED.append("or")
        return cls

    def __repr__(cls):
        ASKED.append("repr")
        return "spied"

    def __call__(cls, *args, **kwargs):
        ASKED.append("call")
        return super().__call__(*args, **kwargs)


class Spied(metaclass=SpyMeta):
    def __init__(self, a=1):
        self.a = a


class SpiedDict(dict, metaclass=SpyMeta):
    pass


@dataclasses.dataclass
class SpiedRecord(metaclass=SpyMeta):
    x: int = 0


class SpyEnumMeta(enum.EnumMeta):
    def __getattribute__(cls, name):
        ASKED.append(name)
        return super().__getattribute__(name)


class SpiedEnum(enum.Enum, metaclass=SpyEnumMeta):
    A = 1


class ModuleMeta(type):
    @property
    def __module__(cls):
        ASKED.append("module")
        return "recipe_spies"


class Placeless(metaclass=ModuleMeta):
    pass


class PlacelessList(list, metaclass=ModuleMeta):
    pass


class Name:
    """In the place of a text."""

    def __format__(self, how):
        ASKED.append("format")
        return "recipe_spies"

    def __eq__(self, other):
        ASKED.append("eq")
        return True

    __hash__ = None


class OddModule:
    __module__ = Name()


class OddText(str):
    def __format__(self, how):
        ASKED.append("format")
        return "x"

    def __contains__(self, part):
        ASKED.append("contains")
        return False


class OddQualname:
    pass


OddQualname.__qualname__ = OddText("OddQualname")


def odd_function(a=1):
    pass


odd_function.__module__ = Name()


class Disguised:
    @property
    def __class__(self):
        ASKED.append("class")
        return type


class Watched:
    def __getattribute__(self, name):
        ASKED.append(name)
        return object.__getattribute__(self, name)


disguised, watched = Disguised(), Watched()


class Holder:
    disguised, watched = Disguised(), Watched()


class Descriptor:
    def __get__(self, instance, owner):
        ASKED.append("get")
        return lambda *args: None


class DescriptorInit:
    __init__ = Descriptor()


class DescriptorNew(list):
    __new__ = Descriptor()


class DescriptorSignature(list):
    __signature__ = Descriptor()


class PartialInit:
    __init__ = functools.partial(os.system, "true")


class PartialNew(list):
    __new__ = functools.partial(os.system, "true")


class OddSignature:
    __signature__ = Watched()

    def __init__(self, a=1):
        pass


def odd_signature(a=1):
    pass


odd_signature.__signature__ = Watched()


def odd_partial(a=1):
    pass


odd_partial._partialmethod = odd_partial.__partialmethod__ = Watched()


def touch():
    ASKED.append("touch")
    return int


class Subscripted:
    def __class_getitem__(cls, key):
        ASKED.append("getitem")
        return int


def annotated_call(a: "touch()" = 1):  # noqa: F821
    pass


def annotated_walrus(a: "[ASKED.append(x) for x in (1,)]" = 1):  # noqa: F821
    pass


def annotated_item(a: "Subscripted[int]" = 1):
    pass


def annotated_spies(a: Spied = None, b: "Spied | None" = None, c: "typing.Optional[Spied]" = None, d: "list[Spied]" = None, e: SpiedEnum = None):
    pass


def annotated_objects(a: Watched() = 1, b: Disguised() = 2):
    pass


@dataclasses.dataclass
class Made:
    x: int = 0

    def __post_init__(self):
        ASKED.append("made")


def with_defaults(a=[Made(1)], b=(Watched(),), c={"k": Disguised()}):  # noqa: B006, B008
    pass


class Plain:
    def __init__(self, a=None):
        self.a = a


class Arrays(enum.Enum):
    A = np.arange(3)


class Bits(enum.Flag):
    A = 1


class Ejected(enum.IntFlag, boundary=enum.EJECT):
    A = 1


class LazyModule(types.ModuleType):
    @property
    def __dict__(self):
        ASKED.append("dict")
        return {}

    def __getattribute__(self, name):
        ASKED.append(name)
        return super().__getattribute__(name)


class NoModule:
    @property
    def __class__(self):
        ASKED.append("class")
        return types.ModuleType


sys.modules["recipe_spies_lazy"] = LazyModule("recipe_spies_lazy")
sys.modules["recipe_spies_object"] = NoModule()
ASKED.clear()
