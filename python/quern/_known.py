"""What this build knows, and checks of files."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from . import _library
from ._calls import ProgressOption, text_of
from ._graph import PathLike, open
from ._library import library

__version__: str = library.qn_version().decode()


def algorithms() -> List[Dict[str, Any]]:
    """Every algorithm with layouts and devices that it runs on, as ``quern-run --list --json`` has them."""
    found: List[Dict[str, Any]] = text_of("qn_list", _library.LIST_ALGORITHMS)["kernels"]
    return found


def formats() -> List[Dict[str, Any]]:
    """Every format that is read or written, and what is lost in it."""
    found: List[Dict[str, Any]] = text_of("qn_list", _library.LIST_FORMATS)["formats"]
    return found


def layouts() -> List[Dict[str, Any]]:
    """Every layout that :meth:`Graph.build` makes, with its options."""
    found: List[Dict[str, Any]] = text_of("qn_list", _library.LIST_LAYOUTS)["layouts"]
    return found


def verify(path: PathLike, *, progress: ProgressOption = None, threads: Optional[int] = None) -> None:
    """Check every checksum and every rule of a container. Raises :class:`InvalidError`, which says what is wrong."""
    with open(path, progress=progress, threads=threads) as graph:
        graph.verify(progress=progress, threads=threads)
