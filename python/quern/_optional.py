"""Packages that only some functions need."""

import importlib
from typing import Any

_PACKAGES = {"yaml": "pyyaml", "igraph": "igraph"}


def need(module: str) -> Any:
    """Import a package, or say how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        package = _PACKAGES.get(module, module.split(".")[0])
        raise ImportError("this needs %s: pip install %s" % (package, package), name=module) from problem


def optional(module: str) -> Any:
    """A package, or None where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None
