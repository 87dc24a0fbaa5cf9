"""Tables of edges in files, by pyarrow: Parquet, and Arrow's IPC files and streams."""

from __future__ import annotations

import ctypes
import os
import tempfile
from typing import Any, Iterator, Sequence, Tuple, Union

from . import _errors
from ._calls import check
from ._optional import need

Columns = Union[Sequence[Union[str, int]], str, None]

BATCH_ROWS = 1 << 17


# ---- Reading ------------------------------------------------------------------------------------

def choose(names: Sequence[str], columns: Columns) -> list:
    """The names of the two or three columns of a table that are meant."""
    if columns is None:
        texts, numbers = [name.encode("utf-8", "surrogateescape") for name in names], (ctypes.c_uint32 * 3)()
        check("qn_columns_choose", (ctypes.c_char_p * len(texts))(*texts), len(texts), numbers)
        return [names[number - 1] for number in numbers if number]
    chosen = columns.split(",") if isinstance(columns, str) else list(columns)
    if not 2 <= len(chosen) <= 3:
        raise _errors.UsageError("columns are two or three: of sources, targets and perhaps weights, not %r" % (chosen,))
    for index, column in enumerate(chosen):
        if column not in names and str(column).isdigit() and 1 <= int(column) <= len(names):
            chosen[index] = names[int(column) - 1]
        elif column not in names:
            raise _errors.UsageError("there is no column %s; there are %s" % (column, ", ".join(names)))
    return chosen


def _is_stream(file: Any) -> bool:
    """Is this a stream of Arrow IPC, not a file of it?"""
    with open(file, "rb") as opened:
        return opened.read(6) != b"ARROW1"


def _batches(pyarrow: Any, readers: Iterator[Any], wanted: Sequence[str]) -> Iterator[Any]:
    for reader in readers:
        for batch in reader:
            yield batch.select(wanted)


def table_reader(source: Any, format: str, columns: Columns) -> Tuple[Any, list]:
    """A reader of record batches of two or three columns, and their names."""
    pyarrow = need("pyarrow")
    files = [source] if hasattr(source, "read") or isinstance(source, (str, os.PathLike)) else list(source)
    if not files:
        raise _errors.UsageError("there is no file to read")
    try:
        if format == "arrow" and (hasattr(files[0], "read") or _is_stream(files[0])):
            return _streams(pyarrow, files, columns)
        dataset = need("pyarrow.dataset").dataset(source if len(files) == 1 else [os.fspath(file) for file in files],
                                                  format=format)
        wanted = choose(dataset.schema.names, columns)
        return dataset.scanner(columns=wanted, batch_size=BATCH_ROWS, batch_readahead=32).to_reader(), wanted
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError) as problem:
        raise _errors.InvalidError(str(problem), os.fspath(files[0]) if not hasattr(files[0], "read") else None) from problem


def _streams(pyarrow: Any, files: list, columns: Columns) -> Tuple[Any, list]:
    readers = [pyarrow.ipc.open_stream(file) for file in files]
    schema = readers[0].schema
    wanted = choose(schema.names, columns)
    chosen = pyarrow.schema([schema.field(name) for name in wanted])
    return pyarrow.RecordBatchReader.from_batches(chosen, _batches(pyarrow, iter(readers), wanted)), wanted


# ---- Writing ------------------------------------------------------------------------------------

def write_table(graph: Any, path: Any, kind: str, *, force: bool = False, ids: bool = True, both_directions: bool = False,
                **writer_options: Any) -> None:
    """Write the edges, of an undirected graph each once unless `both_directions`. The file appears whole or not at all."""
    pyarrow = need("pyarrow")
    reader = graph.edges(ids=ids, both_directions=both_directions).reader()
    path = os.path.abspath(os.fspath(path))
    if os.path.lexists(path) and not force:
        raise _errors.UsageError("the file exists; force=True replaces it", path)
    handle, unfinished = tempfile.mkstemp(prefix=os.path.basename(path) + ".tmp", dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, 0o666 & ~_umask())
            with _writer(pyarrow, kind, file, reader.schema, writer_options) as writer:
                for batch in reader:
                    writer.write_batch(batch)
            file.flush()
            os.fsync(handle)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise


def _umask() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1], 8) for line in status if line.startswith("Umask:"))


def _writer(pyarrow: Any, kind: str, file: Any, schema: Any, given: dict) -> Any:
    if kind == "parquet":
        return need("pyarrow.parquet").ParquetWriter(file, schema, **given)
    new = pyarrow.ipc.new_stream if kind == "arrow-stream" else pyarrow.ipc.new_file
    return new(file, schema, **given)
