"""Calls of the library: options, jobs with progress and cancelling, errors."""

from __future__ import annotations

import ctypes
import json
import logging
import os
import re
import sys
import threading
import warnings
from typing import Any, Callable, Iterable, List, Mapping, Optional, Tuple, Union

import numpy

from . import _errors, _library
from ._library import library
from ._optional import need
from ._words import in_python

ProgressOption = Union[bool, None, Callable[[str, str, int, int], None]]
"""``True`` shows a bar (by tqdm), ``False`` none, ``None`` shows one in terminals and notebooks once a call takes more than
a second, if tqdm is installed. A function is called as ``function(what, unit, done, total)``; total is 0 if unknown."""


def check(name: str, *arguments: Any) -> None:
    """Call a function of the library, whose last argument is its error, and raise what it says."""
    error = _library.Error()
    if getattr(library, name)(*arguments, ctypes.byref(error)):
        raise _errors.from_library(error)


def _parsed(text: bytes) -> Any:
    """Metadata may have more levels than Python's parser takes by itself: 2048."""
    try:
        return json.loads(text)
    except RecursionError:
        limit = sys.getrecursionlimit()
        try:
            sys.setrecursionlimit(limit + 8192)
            return json.loads(text)
        finally:
            sys.setrecursionlimit(limit)


def text_of(name: str, *arguments: Any) -> Any:
    """The JSON that a function of the library makes."""
    text = ctypes.c_void_p()
    check(name, *arguments, ctypes.byref(text))
    return taken(text)


def taken(text: ctypes.c_void_p) -> Any:
    """A JSON that the library has made, which is freed."""
    try:
        return _parsed(ctypes.cast(text, ctypes.c_char_p).value or b"")
    finally:
        library.qn_text_free(text)


def view(address: Optional[int], dtype: Any, count: int, owner: Any, writable: bool = False) -> numpy.ndarray:
    """Memory of the library as an array, read-only unless it is nobody else's, which keeps its owner."""
    dtype = numpy.dtype(dtype)
    if not count or not address:
        array = numpy.empty(0, dtype)
        array.flags.writeable = writable
        return array
    return numpy.asarray(_Memory(address, dtype, count, owner, writable))


class _Memory:
    """What NumPy asks for an array; it becomes the array's base."""

    def __init__(self, address: int, dtype: numpy.dtype, count: int, owner: Any, writable: bool) -> None:
        self.owner = owner
        self.__array_interface__ = {"data": (address, not writable), "typestr": dtype.str, "shape": (count,), "version": 3}


def name_bytes(name: Optional[str]) -> Optional[bytes]:
    if name is None:
        return None
    text = str(name).encode("utf-8", "surrogateescape")
    if b"\0" in text:
        raise _errors.UsageError("a name has no NUL in it: %r" % name)
    return text


# ---- Options ------------------------------------------------------------------------------------

def path_bytes(path: Any) -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:
        raise _errors.UsageError("a path has no NUL in it", os.fsdecode(name))
    return name


def is_url(path: Any) -> bool:
    """Is it the name of something on a server that the library reads itself?"""
    return isinstance(path, str) and path.lower().startswith(("http://", "https://", "s3://"))


def local(path: Any) -> Any:
    """A path or URL that the library reads. What other file systems of fsspec have (``"gs://..."``) comes to a temporary file
    that is gone with the process."""
    if not isinstance(path, str) or "://" not in path or is_url(path):
        return path
    return need("fsspec").open_local("simplecache::" + path)


def _is_list(value: Any) -> bool:
    return (isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike, Mapping))
            and not (isinstance(value, numpy.ndarray) and not value.ndim))


def _value(name: str, value: Any) -> bytes:
    """One value of an option, as the tools take it."""
    if isinstance(value, (numpy.generic, numpy.ndarray)) and not _is_list(value):
        value = value.item()
    if value is None or isinstance(value, Mapping) or _is_list(value):
        raise _errors.UsageError("%s: %r is no value of an option" % (name, value))
    if isinstance(value, bool):
        return b"yes" if value else b"no"
    if isinstance(value, (os.PathLike, bytes)):
        return path_bytes(value)
    text = (repr(value) if isinstance(value, float) else str(value)).encode("utf-8", "surrogateescape")
    if b"\0" in text:
        raise _errors.UsageError("an option has no NUL in it: %r" % value)
    return text


def _values(name: str, value: Any) -> List[Tuple[str, bytes]]:
    """An option with its value: of a list with commas, as the tools have it, but of sources one by one, as an id may have
    a comma in it, and be a file's name; none of None."""
    if value is None:
        return []
    if not _is_list(value):
        return [(name, _value(name, value))]
    items = [_value(name, item) for item in value]
    if not items:
        raise _errors.UsageError("%s: the list is empty" % name)
    if name in ("source", "sources"):
        return [("source", item) for item in items]
    if any(b"," in item for item in items):
        raise _errors.UsageError("%s: a value in a list has no comma in it: %r" % (name, value))
    return [(name, b",".join(items))]


def options(**given: Any) -> Tuple[Any, int]:
    """The two arguments of a call that takes options: names have underscores for dashes."""
    pairs = [_library.Option(key.replace("_", "-").encode(), text) for name, value in given.items()
             for key, text in _values(name, value)]
    return (_library.Option * len(pairs))(*pairs), len(pairs)


# ---- Jobs ---------------------------------------------------------------------------------------

_SIZES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def byte_count(size: Union[int, str, None]) -> int:
    """A number of bytes, or a text such as "4G"; 0 for None."""
    if size is None:
        return 0
    if isinstance(size, str):
        unit = size[-1:].upper()
        number = size[:-1] if unit in _SIZES and unit else size
        if number.isascii() and number.isdigit():
            return int(number) * _SIZES.get(unit, 1)
    elif int(size) > 0:
        return int(size)
    raise _errors.UsageError("memory: %r is no size, such as 4G" % (size,))


def thread_count(threads: Optional[int]) -> int:
    """0 for None: as many as the process may run on."""
    if threads is None:
        return 0
    if isinstance(threads, (int, numpy.integer)) and not isinstance(threads, bool) and 0 <= threads < 2**32:
        return int(threads)
    raise _errors.UsageError("threads: %r is no number of threads" % (threads,))


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return bool(shell and shell.get_ipython() and "IPKernelApp" in shell.get_ipython().config)


class _Bars:
    """A bar of tqdm for each part of the work."""

    def __init__(self, delay: float) -> None:
        with warnings.catch_warnings():  # that a notebook has no widgets: the bar is text then
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
        self.make, self.delay = tqdm, delay
        self.bar: Any = None
        self.what: Optional[str] = None

    def __call__(self, what: str, unit: str, done: int, total: int) -> None:
        if what != self.what:
            self.close()
            self.bar = self.make(desc=what, unit=" " + unit, unit_scale=True, total=total or None, delay=self.delay,
                                 leave=False)
            self.what = what
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def _progress(asked: ProgressOption) -> Any:
    if callable(asked):
        return asked
    if asked is False or (asked is None and not (_in_notebook() or (sys.stderr and sys.stderr.isatty()))):
        return None
    try:
        return _Bars(delay=0 if asked else 1)
    except ImportError:
        if asked:
            raise ImportError("progress=True needs tqdm: pip install tqdm") from None
        return None


class _Watch:
    """The callbacks of a job, and what they found. No exception leaves a callback: it ends the call, which raises it."""

    def __init__(self, progress: ProgressOption) -> None:
        self.report = _progress(progress)
        self.stop = False
        self.failure: Optional[BaseException] = None
        self.notices: List[bytes] = []

    def job(self, threads: Optional[int], memory: Union[int, str, None], tmpdir: Any) -> _library.Job:
        return _library.Job(threads=thread_count(threads), memory=byte_count(memory),
                            tmpdir=None if tmpdir is None else path_bytes(tmpdir),
                            progress=_library.ON_PROGRESS(self.on_progress if self.report else 0),
                            cancelled=_library.IS_CANCELLED(lambda user: self.stop),
                            notice=_library.ON_NOTICE(lambda user, text: self.notices.append(text)))

    def on_progress(self, user: Any, progress: Any) -> None:
        now = progress.contents
        try:
            self.report(now.what.decode(), now.unit.decode(), now.done, now.total)
        except BaseException as failure:
            self.failure, self.stop = failure, True

    def finish(self) -> None:
        if isinstance(self.report, _Bars):
            self.report.close()
        for notice in self.notices:
            text = notice.decode(errors="replace")
            note = re.fullmatch(r"(note|warning): (.*) \[([a-z-]+)\]", text, re.DOTALL)
            if note:
                warnings.warn(_errors.QuernWarning(in_python(note[2]), note[3], note[1] == "warning"), stacklevel=4)
            else:  # what was found in an input
                logging.getLogger("quern").info("%s", text)


class _Worker(threading.Thread):
    """Runs a function, whose exception the waiting thread takes."""

    def __init__(self, function: Callable[[], None]) -> None:
        super().__init__(name="quern", daemon=True)
        self.function, self.done = function, threading.Event()
        self.failure: Optional[BaseException] = None

    def run(self) -> None:
        try:
            self.function()
        except BaseException as failure:
            self.failure = failure
        finally:
            self.done.set()


def _run_interruptibly(function: Callable[[], None], watch: _Watch) -> None:
    """Run what may take long. Signal handlers run in Python's main thread only, between its instructions: it waits, and
    another thread makes the call. What a handler raises, such as KeyboardInterrupt, ends the call."""
    if threading.current_thread() is not threading.main_thread():
        function()
        return
    worker = _Worker(function)
    interruption: Optional[BaseException] = None
    worker.start()
    while not worker.done.is_set():
        try:
            worker.done.wait()
        except BaseException as raised:
            interruption, watch.stop = raised, True
    if interruption:
        raise interruption
    if worker.failure:
        raise worker.failure


def run_job(name: str, *arguments: Any, progress: ProgressOption = None, threads: Optional[int] = None,
            memory: Union[int, str, None] = None, tmpdir: Any = None, after: Tuple[Any, ...] = (), keep: Any = None) -> None:
    """Call a function of the library that takes a job: behind `arguments`, and before `after` and the error. What the
    arguments point to is in `keep`."""
    watch = _Watch(progress)
    job = watch.job(threads, memory, tmpdir)

    def call(kept: Any = keep) -> None:
        check(name, *arguments, ctypes.byref(job), *after)

    try:
        _run_interruptibly(call, watch)
    except _errors.Cancelled:
        if watch.failure:
            raise watch.failure
        raise
    finally:
        watch.finish()
    if watch.failure:
        raise watch.failure
