"""The files that the tidy tests look at."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def relative(path):
    return str(path.relative_to(ROOT))


def files(folders, suffixes):
    return sorted(
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.suffix in suffixes and path.is_file() and "__pycache__" not in path.parts
    )


def cpp_sources(*folders):
    return files(folders, {".h", ".cc"})


def python_sources(*folders):
    return files(folders, {".py"})
