"""What no file may contain, and what every file must have."""

import re

import pytest
from sources import ROOT, cpp_sources, files, python_sources, relative

LIBRARY = [path for path in cpp_sources("perdure", "python/src") if not path.name.endswith("_test.cc")]
TESTS = cpp_sources("perdure", "tests/fuzz", "tests/support") + python_sources("python/tests")
OURS = files(["perdure", "python", "examples", "bench", "tests/fuzz", "tests/support", "tests/consumer", "cmake", "docs", "tools"],
             {".h", ".cc", ".py", ".pyi", ".md", ".txt", ".cmake", ""})

BANNED = [  # what, why not, where
    (r"\bf?printf\s*\(|std::c(out|err)\b", "the library prints nothing: log to the given sink", LIBRARY),
    (r"\bs?rand\s*\(", "randomness comes through base/clock.h", LIBRARY),
    (r"\b(strcpy|strcat|sprintf|vsprintf|gets|strtok|alloca)\s*\(", "unbounded or not thread-safe", LIBRARY),
    (r"\b(system|popen|abort|exit|_exit)\s*\(", "a library does not run programs or end them", LIBRARY),
    (r"std::regex\b", "recurses on hostile input", LIBRARY),
    (r"\busing namespace std\b", "name things", LIBRARY + TESTS),
    (r"sleep_for|sleep_until|\busleep\s*\(|\bsleep\s*\(", "do not sleep: wait for the thing", LIBRARY + TESTS),
    (r"^\s*(import|from) (pickle|marshal|shelve|dill)\b|\beval\(|\bexec\(", "nothing executable is stored or run", python_sources("python/perdure")),
    (r"^\s*print\(", "the package prints nothing", python_sources("python/perdure")),
]


def without_comment(path, line):
    return re.sub(r'(?<![":])//.*', "", line) if path.suffix in {".h", ".cc"} else line


def places(pattern, paths, prepare=lambda path, line: line):
    return [
        f"{relative(path)}:{number}"
        for path in paths
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(pattern, prepare(path, line))
    ]


@pytest.mark.parametrize("pattern, why, where", BANNED, ids=[row[0] for row in BANNED])
def test_nothing_banned_is_called(pattern, why, where):
    assert places(pattern, where, without_comment) == [], why


def test_a_todo_names_its_issue():
    assert places(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))", OURS) == []


def test_every_header_is_a_manual():
    headers = [path for path in cpp_sources("perdure", "python/src", "tests/fuzz", "tests/support") if path.suffix == ".h"]
    assert [relative(path) for path in headers if not path.read_text().startswith("#pragma once\n// ")] == []


def is_test(path):
    return path.name.endswith("_test.cc") or "tests" in path.relative_to(ROOT).parts


def test_files_stay_readable():
    long = [f"{relative(path)}: {n}" for path in OURS if path.suffix in {".h", ".cc", ".py"}
            if path.name != "ocdbt_ref.py" and (n := len(path.read_text().splitlines())) > (450 if is_test(path) else 300)]
    assert long == []


def test_every_source_is_built():
    """A .cc file stands in the CMakeLists.txt of its layer; tests and benchmarks are found by their names."""
    dead = []
    for path in cpp_sources("perdure", "python/src"):
        if path.suffix != ".cc" or path.name.endswith("_test.cc"):
            continue
        lists = [folder / "CMakeLists.txt" for folder in path.parents if ROOT in [folder, *folder.parents] and (folder / "CMakeLists.txt").is_file()]
        if not any(str(path.relative_to(cmake.parent)) in cmake.read_text() for cmake in lists):
            dead.append(relative(path))
    assert dead == []


def test_every_header_is_included_by_somebody():
    text = "\n".join(path.read_text() for path in cpp_sources("perdure", "python/src", "tests", "bench", "examples/cpp"))
    dead = [relative(path) for path in cpp_sources("perdure", "python/src", "tests/fuzz", "tests/support")
            if path.suffix == ".h" and f'"{relative(path)}"' not in text and f"<{relative(path)}>" not in text]
    assert dead == []
