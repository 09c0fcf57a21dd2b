"""Saves and loads of every system, as ratios to the limits of the machine. See README.md here."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from systems import SYSTEMS  # noqa: E402
from workloads import WORKLOADS  # noqa: E402


def _measure(workload: str, system: str, what: str, path: str) -> dict:
    command = [sys.executable, str(HERE / "worker.py"), workload, system, what, path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {"failed": done.stderr.strip().splitlines()[-1:]}
    return json.loads(done.stdout.splitlines()[-1])


def _remove(path: str) -> None:
    for name in (path, path + ".first"):
        shutil.rmtree(name, ignore_errors=True)
        pathlib.Path(name).unlink(missing_ok=True)


def _round(workload: str, systems: list[str], directory: str) -> list[dict]:
    """Every system once, each beside the limits of that moment."""
    rows = []
    for system in systems:
        path = os.path.join(directory, f"{workload}-{system}")
        _remove(path)
        save = _measure(workload, system, "save", path)
        load = {"failed": ["nothing saved"]} if "failed" in save else _measure(workload, system, "load", path)
        limit = _measure(workload, system, "limits", path)
        rows += [
            {"workload": workload, "system": system, "what": "save", "limit": limit["write"], **save},
            {"workload": workload, "system": system, "what": "load", "limit": limit["read"], **load},
        ]
        _remove(path)
    return rows


def _table(rows: list[dict]) -> str:
    lines = [f"{'workload':9}{'what':6}{'system':16}{'limit ms':>10}{'ms':>10}{'x limit':>9}{'cpu ms':>9}{'peak MB':>9}"]
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault((row["workload"], row["what"], row["system"]), []).append(row)
    for (workload, what, system), group in sorted(groups.items()):
        good = [row for row in group if "failed" not in row]
        head = f"{workload:9}{what:6}{system:16}"
        if not good:
            lines.append(f"{head}  failed: {group[0]['failed']}")
            continue
        middle = {k: statistics.median(row[k] for row in good) for k in ("limit", "seconds", "cpu_seconds", "peak_bytes")}
        ratio = statistics.median(row["seconds"] / row["limit"] for row in good)
        note = "" if all(row.get("equal", True) for row in good) else "  VALUES DIFFER"
        lines.append(
            f"{head}{middle['limit'] * 1e3:10.1f}{middle['seconds'] * 1e3:10.1f}{ratio:9.2f}"
            f"{middle['cpu_seconds'] * 1e3:9.0f}{middle['peak_bytes'] / 1e6:9.0f}{note}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workloads", nargs="+", default=list(WORKLOADS), choices=list(WORKLOADS))
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS), choices=list(SYSTEMS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dir", default=None, help="where to save; default: a temporary directory")
    parser.add_argument("--json", default=None, help="write every single measurement here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.dir) as directory:
        rows = [
            row
            for _ in range(options.rounds)
            for workload in options.workloads
            for row in _round(workload, options.systems, directory)
        ]
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
    print(_table(rows))


if __name__ == "__main__":
    main()
