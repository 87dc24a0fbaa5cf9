"""What can go wrong, as exceptions: one for each status of libquern."""

from __future__ import annotations

import os
from typing import Any, Optional, Tuple

from . import _library
from ._words import in_python


class QuernError(Exception):
    """Something failed. Each status of the library has a subclass, which is also the fitting exception of Python's own.

    ``file``, ``line``, ``column`` and ``offset`` (of a byte) say where, and are None where that is not known.
    """

    status = "error"
    exit_code = 1
    """What the command-line tools exit with."""

    def __init__(self, message: str, file: Optional[str] = None, line: Optional[int] = None,
                 column: Optional[int] = None, offset: Optional[int] = None) -> None:
        super().__init__(message)
        self.message, self.file, self.line, self.column, self.offset = message, file, line, column, offset

    def __str__(self) -> str:
        if self.file is None:
            return self.message
        if self.line is not None:
            place = "%s:%d" % (self.file, self.line)
            return "%s%s: %s" % (place, ":%d" % self.column if self.column is not None else "", self.message)
        at = ": at byte %d" % self.offset if self.offset is not None else ""
        return "%s%s: %s" % (self.file, at, self.message)

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.message, self.file, self.line, self.column, self.offset)


class NegativeError(QuernError):
    """A check or a comparison gave a negative answer."""

    status, exit_code = "negative", 1


class UsageError(QuernError, ValueError):
    """What was asked for makes no sense: an unknown option, a file that exists."""

    status, exit_code = "usage", 2


class InvalidError(QuernError, ValueError):
    """Invalid or corrupt input."""

    status, exit_code = "invalid", 3


class UnsupportedError(QuernError, NotImplementedError):
    """A version or feature that this build does not know."""

    status, exit_code = "unsupported", 4


class SystemFailure(QuernError, OSError):
    """Reading or writing failed, or memory ran out."""

    status, exit_code = "system", 5


class DeviceError(QuernError, RuntimeError):
    """The accelerator is missing or failed."""

    status, exit_code = "device", 6


class Cancelled(QuernError):
    """The call was cancelled, by the function given as ``cancelled``."""

    status, exit_code = "interrupted", 130


class QuernWarning(UserWarning):
    """The library has done what was asked for, and something about it is worth knowing. ``code`` says what (docs/json.md,
    "Notes"); ``is_warning``: it changes what the graph means."""

    def __init__(self, message: str, code: str = "not-kept", is_warning: bool = False) -> None:
        super().__init__(message)
        self.code, self.is_warning = code, is_warning


_BY_CODE = {kind.exit_code: kind for kind in (NegativeError, UsageError, InvalidError, UnsupportedError, SystemFailure,
                                              DeviceError, Cancelled)}


def from_library(error: _library.Error) -> QuernError:
    """The exception for what a call has filled in."""
    kind = _BY_CODE.get(error.status, QuernError)
    return kind(in_python(error.message.decode(errors="replace")), os.fsdecode(error.file) or None, error.line or None,
                error.column or None, None if error.offset == _library.NO_OFFSET else error.offset)
