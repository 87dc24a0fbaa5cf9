"""Ids as users have them, in arrays and columns, as arrays that the library takes."""

from __future__ import annotations

from typing import Any, Iterator, List

import numpy

from . import _errors

MOST_REAL = 2.0**53
"""Beyond it reals skip integers: two ids may have become one."""


def _refuse(what: str, row: int, why: str) -> _errors.InvalidError:
    return _errors.InvalidError("%s: entry %d (from 0) is %s" % (what, row, why))


def _of_objects(objects: List[Any], what: str) -> numpy.ndarray:
    """Of Python's objects: all texts, or all integers."""
    texts = isinstance(next((one for one in objects if isinstance(one, (str, int, float))), None), str)
    for row, one in enumerate(objects):
        one = one.item() if isinstance(one, numpy.generic) else one
        if texts and isinstance(one, str):
            if "\0" in one:
                raise _errors.InvalidError("%s: entry %d (from 0) has a NUL, which no id has" % (what, row))
        elif one is None or one != one:  # NaN, NaT
            raise _refuse(what, row, "null")
        elif texts or isinstance(one, bool) or not isinstance(one, (int, float)):
            raise _errors.UsageError("%s: entry %d (from 0) is %.40r, and no %s: an array is of one type of numbers, or of texts"
                                     % (what, row, one, "text" if texts or not isinstance(one, str) else "number"))
        elif not texts and not 0 <= one < 2**64:
            raise _refuse(what, row, "%r, which is %s" % (one, "negative" if one < 0 else "beyond 64 bits"))
        elif isinstance(one, float) and (one > MOST_REAL or not one.is_integer()):
            raise _refuse(what, row, "%r, and no integer" % one)
    return numpy.array(objects, object) if texts else numpy.array([int(one) for one in objects], "u8")


def _of_reals(array: numpy.ndarray, what: str) -> numpy.ndarray:
    right = (array >= 0) & (array <= MOST_REAL) & (numpy.floor(array) == array)
    if right.all():
        return array.astype("u8")
    row = int(right.argmin())
    value = array[row].item()
    if value != value:
        raise _refuse(what, row, "NaN, and no id")
    if value > MOST_REAL:
        raise _refuse(what, row, "%r, a real number that may have been rounded: cast ids to integers" % value)
    raise _refuse(what, row, "%r: ids are integers from 0, or texts" % value)


def id_array(values: Any, what: str) -> numpy.ndarray:
    """An array of ids: of integers, also where they are kept as reals, or of objects that are texts."""
    if isinstance(values, numpy.ma.MaskedArray) and numpy.ma.getmaskarray(values).any():
        raise _errors.UsageError("%s: entry %d (from 0) is masked" % (what, numpy.ma.getmaskarray(values).argmax()))
    if isinstance(values, Iterator):
        values = list(values)
    array = numpy.asarray(values)
    if array.ndim != 1:
        if array.dtype.kind == "O":
            _of_objects(array.ravel().tolist(), what)
        return array
    if array.dtype.kind in "UT" or (array.dtype.kind == "f" and not hasattr(values, "dtype")):
        # NumPy makes texts of what stands beside one, and cuts them at the end; and reals of large numbers.
        array = numpy.array(list(values), object) if array.dtype.kind != "U" or not isinstance(values, numpy.ndarray) else array
    if array.dtype.kind == "O":
        return _of_objects(array.tolist(), what)
    return _of_reals(array, what) if array.dtype.kind == "f" else array


def id_column(column: Any, what: str) -> numpy.ndarray:
    """The ids in a column of pandas: also of categories, of types with nulls, and of Arrow's."""
    dtype = column.dtype
    if not isinstance(dtype, numpy.dtype):
        null = column.isna().to_numpy()
        if null.any():
            raise _refuse(what, int(null.argmax()), "null")
        column = column.astype(object) if str(dtype) == "category" else column
        values = column.to_numpy()
        return id_array(values if values.dtype.kind in "uif" else list(values), what)
    if dtype.kind not in "uifO":
        raise _errors.UsageError("%s: ids are integers or texts, not of %s" % (what, dtype))
    return id_array(column.to_numpy(), what)
