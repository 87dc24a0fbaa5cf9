"""Public graphs by their recipes: what quern-fetch does."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from typing import List, Optional, Sequence, Type

from . import _errors
from ._graph import Graph, PathLike, open as open_graph

__all__ = ["fetch"]


def _tool() -> str:
    """quern-fetch, of this package or of the system."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "quern-fetch")
    found = beside if os.path.exists(beside) else shutil.which("quern-fetch")
    if found is None:
        raise _errors.UnsupportedError("quern-fetch is not installed: it is one of Quern's command-line tools")
    return found


def _error(code: int, said: str) -> _errors.QuernError:
    kinds: List[Type[_errors.QuernError]] = [kind for kind in _errors.QuernError.__subclasses__() if kind.exit_code == code]
    message = said.strip() or "quern-fetch ended with %d" % code
    return (kinds[0] if kinds else _errors.SystemFailure)(message.rsplit("quern-fetch: ", 1)[-1])


def _run(recipe: PathLike, path: str, more: Sequence[str]) -> None:
    done = subprocess.run([_tool(), "-q", "-o", path, *more, "--", os.fspath(recipe)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    if done.returncode:
        raise _error(done.returncode, done.stderr)


def fetch(recipe: PathLike, path: Optional[PathLike] = None, *, sources: Sequence[PathLike] = (), offline: bool = False,
          force: bool = False, pin: Optional[PathLike] = None) -> Graph:
    """A public graph by its recipe: a name of the catalogue (``quern-fetch --list``), or a file or URL that ends in ``.json``.

    Its files come from ``sources`` (folders or URLs of some), from the user's cache, or from the recipe's URLs, and are compared
    with its sums before they are read; the container is compared with what must come out. ``offline=True`` downloads nothing.
    ``path`` is the container to write, which may be there only with ``force=True``; without one it is gone with the graph.
    ``pin`` is a recipe to write, with the sums and the identity that were found.
    """
    more = [word for place in sources for word in ("--from", os.fspath(place))]
    more += (["--offline"] if offline else []) + (["--force"] if force else []) + (["--pin", os.fspath(pin)] if pin is not None else [])
    if path is not None:
        _run(recipe, os.fspath(path), more)
        return open_graph(path)
    with tempfile.TemporaryDirectory(prefix="quern-") as folder:
        _run(recipe, os.path.join(folder, "graph.qrn"), more)
        return open_graph(os.path.join(folder, "graph.qrn"))
