"""Structures of optree in perdure.tree: the program makes them, nothing of them is saved."""

from __future__ import annotations

import optree

from perdure import _core


def register_classes() -> None:
    _core._register_serializer(optree.PyTreeSpec, lambda spec: {}, lambda template, sd: template)
