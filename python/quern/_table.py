"""Tables: named columns that anything reads which takes an Arrow C stream."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, Mapping, Optional, Tuple

import numpy

from . import _arrow
from ._arrow import Halves, Text, Times
from ._optional import need

BATCH_ROWS = 1 << 18


class Made:
    """A column of numbers that is made a batch at a time: ``values(start, stop)`` are those of some rows."""

    def __init__(self, dtype: str, count: int, values: Callable[[int, int], numpy.ndarray]) -> None:
        self.dtype, self.count, self.values = numpy.dtype(dtype), count, values

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, rows: slice) -> numpy.ndarray:
        return self.values(*rows.indices(self.count)[:2])


def as_column(values: Any) -> Any:
    """An array of numbers or of bool as it is, masked where there are nulls; of texts, None, dates and times as Arrow has them. With
    two dimensions it is of vectors."""
    if isinstance(values, (Text, Made, Times, Halves)):
        return values
    if not isinstance(values, numpy.ndarray):
        values = numpy.asarray(values)
    if values.dtype.kind == "M" and values.ndim == 1:
        return Times.of(values)
    if values.dtype.name == "bfloat16":
        values = Halves(values.view("u2"))[:]
    if values.ndim == 2 and values.dtype.kind in "uif" and values.shape[1]:
        return values.astype(values.dtype.newbyteorder("<"), copy=False)
    if values.ndim != 1:
        raise ValueError("a column has one dimension, or of vectors two, not the shape %s" % (values.shape,))
    if values.dtype.kind in "OU":
        return Text.of([None if text is None else str(text) for text in values.tolist()])
    if values.dtype.kind == "b":
        return values
    if values.dtype.kind not in "uif" or values.dtype.itemsize not in (1, 2, 4, 8):
        raise ValueError("a column is of numbers, of bool or of texts, not of %s" % values.dtype)
    return values.astype(values.dtype.newbyteorder("<"), copy=False)


class Table:
    """A table of named columns, made batch by batch as it is read, as often as it is read.

    pyarrow (``pyarrow.table(t)``), polars (``polars.DataFrame(t)``), DuckDB and pandas (2.2 and later) take it as it is.
    """

    def __init__(self, columns: List[Tuple[str, bytes]], num_rows: Callable[[], int], batches: Callable[[], Iterator[List[Any]]]):
        self._columns, self._num_rows, self._batches = columns, num_rows, batches

    @classmethod
    def of_arrays(cls, columns: Optional[Mapping[str, Any]] = None, /, **more: Any) -> "Table":
        """A table of arrays of one length."""
        columns = {**(columns or {}), **more}
        arrays = {name: as_column(values) for name, values in columns.items()}
        counts = {len(column) for column in arrays.values()}
        if len(counts) != 1:
            raise ValueError("the columns have different lengths: %s" % sorted(counts))
        count = counts.pop()
        return cls([(name, _arrow.format_of(column)) for name, column in arrays.items()], lambda: count,
                   lambda: ([column[at:at + BATCH_ROWS] for column in arrays.values()]
                            for at in range(0, count, BATCH_ROWS)))

    @property
    def num_rows(self) -> int:
        return self._num_rows()

    @property
    def column_names(self) -> List[str]:
        return [name for name, _ in self._columns]

    def __len__(self) -> int:
        return self.num_rows

    def __repr__(self) -> str:
        return "<quern.Table %s: %d rows>" % (", ".join(self.column_names), self.num_rows)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A new stream of the table, as a capsule."""
        names, formats = zip(*self._columns)
        return _arrow.capsule_of(names, formats, self._batches())

    def __arrow_c_schema__(self) -> Any:
        """The names and types of its columns, as a capsule."""
        names, formats = zip(*self._columns)
        return _arrow.schema_capsule(names, formats)

    def reader(self) -> Any:
        """A ``pyarrow.RecordBatchReader`` of the table."""
        return need("pyarrow").RecordBatchReader.from_stream(self)

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table``."""
        return self.reader().read_all()

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        need("pandas")
        return self.to_arrow().to_pandas()
