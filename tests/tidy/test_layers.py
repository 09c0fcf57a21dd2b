"""Data flows one way: checkpoint -> {tree, storage, recipe} -> base. The three in the middle do not know each other."""

import re

import pytest
from sources import ROOT, cpp_sources, relative

MAY_INCLUDE = {
    "base": {"base"},
    "tree": {"tree", "base"},
    "storage": {"storage", "base"},
    "recipe": {"recipe", "base"},
    "checkpoint": {"checkpoint", "tree", "storage", "recipe", "base"},
}
CHECKPOINT_MAY_INCLUDE = {  # folders of perdure/checkpoint; each may include the public headers beside them, and those all folders
    "files": set(),
    "orbax": set(),
    "document": {"orbax"},
    "plan": {"document", "orbax", "files"},
    "write": {"plan", "document", "orbax", "files"},
    "read": {"document", "orbax", "files"},
    "leaves": {"write", "read", "plan", "orbax", "files"},
    "verify": {"read", "document", "orbax", "files"},
}
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)


def includes(path):
    return INCLUDE.findall(path.read_text())


@pytest.mark.parametrize("layer", MAY_INCLUDE)
def test_a_layer_includes_only_what_lies_below(layer):
    wrong = [
        f"{relative(path)}: {name}"
        for path in cpp_sources("perdure/" + layer)
        for name in includes(path)
        if not (name.startswith("perdure/") and name.split("/")[1] in MAY_INCLUDE[layer])
        and not (path.name.endswith("_test.cc") and name.startswith("tests/support/"))
    ]
    assert wrong == []


@pytest.mark.parametrize("folder", CHECKPOINT_MAY_INCLUDE)
def test_a_folder_of_checkpoint_includes_only_what_lies_below(folder):
    public = installed_headers()
    wrong = [
        f"{relative(path)}: {name}"
        for path in cpp_sources("perdure/checkpoint/" + folder)
        for name in includes(path)
        if name.startswith("perdure/checkpoint/")
        and not path.name.endswith("_test.cc")
        and not (name in public or name.split("/")[2] in CHECKPOINT_MAY_INCLUDE[folder] | {folder})
    ]
    assert wrong == []


def installed_headers():
    installed = set()
    for lists in (ROOT / "perdure").rglob("CMakeLists.txt"):
        for names in re.findall(r"FILE_SET HEADERS[^)]*FILES([^)]*)", lists.read_text()):
            installed |= {relative(lists.parent / name) for name in names.split()}
    return installed


def reachable_from(header):
    seen, open_paths = set(), [header]
    while open_paths:
        path = open_paths.pop()
        if path not in seen:
            seen.add(path)
            open_paths += includes(ROOT / path)
    return seen


def test_perdure_h_and_what_it_includes_is_installed():
    assert installed_headers() == reachable_from("perdure/perdure.h")


def test_include_paths_start_at_the_root():
    missing = [
        f"{relative(path)}: {name}"
        for path in cpp_sources("perdure", "python/src", "tests/fuzz", "tests/support", "bench", "examples/cpp")
        for name in includes(path)
        if not (ROOT / name).is_file()
    ]
    assert missing == []


def test_own_header_then_system_then_project():
    """Own first: so that a header which lacks an include does not compile."""
    wrong = []
    for path in cpp_sources("perdure", "python/src", "tests", "bench", "examples/cpp"):
        text = re.sub(r"^#if.*?^#endif", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
        own = re.sub(r"(_test)?\.cc$", ".h", relative(path))
        found = re.findall(r'^#include ([<"])([^">]+)', text, re.MULTILINE)
        order = [0 if path.suffix == ".cc" and name == own else 1 if opening == "<" else 2 for opening, name in found]
        if order != sorted(order):
            wrong.append(relative(path))
    assert wrong == []


def test_every_layer_is_ruled():
    assert {path.name for path in (ROOT / "perdure").iterdir() if path.is_dir()} <= set(MAY_INCLUDE)
    assert {path.name for path in (ROOT / "perdure/checkpoint").iterdir() if path.is_dir()} == set(CHECKPOINT_MAY_INCLUDE)
