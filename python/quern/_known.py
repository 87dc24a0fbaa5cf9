"""What this build knows, and checks of files."""

from __future__ import annotations

from typing import List, Optional

from . import _library
from ._calls import ProgressOption, text_of
from ._graph import PathLike, open
from ._library import library

__version__: str = library.qn_version().decode()


def algorithms() -> List[dict]:
    """Every algorithm with layouts and devices that it runs on, as ``quern-run --list --json`` has them."""
    return text_of("qn_list", _library.LIST_ALGORITHMS)["kernels"]


def formats() -> List[dict]:
    """Every format that is read or written, and what is lost in it."""
    return text_of("qn_list", _library.LIST_FORMATS)["formats"]


def layouts() -> List[dict]:
    """Every layout that :meth:`Graph.build` makes, with its options."""
    return text_of("qn_list", _library.LIST_LAYOUTS)["layouts"]


def verify(path: PathLike, *, progress: ProgressOption = None, threads: Optional[int] = None) -> None:
    """Check every checksum and every rule of a container. Raises :class:`InvalidError`, which says what is wrong."""
    with open(path, progress=progress, threads=threads) as graph:
        graph.verify(progress=progress, threads=threads)
