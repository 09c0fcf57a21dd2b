"""Every header can be included first."""

import concurrent.futures
import os
import shutil
import subprocess

import pytest
from sources import ROOT, cpp_sources, relative

COMPILER = os.environ.get("CXX") or shutil.which("c++")
OPTIONS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", str(ROOT), "-x", "c++", "-"]


def error_of(header):
    source = f'#include "{relative(header)}"\n'
    result = subprocess.run([COMPILER, *OPTIONS], input=source, capture_output=True, text=True)
    return f"{relative(header)}:\n{result.stderr}" if result.returncode else ""


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
def test_every_header_compiles_alone():
    headers = [path for path in cpp_sources("perdure", "tests/fuzz", "tests/support") if path.suffix == ".h"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = [error for error in pool.map(error_of, headers) if error]
    assert errors == []
