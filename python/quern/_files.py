"""Tables of edges in files, by pyarrow: Parquet, and Arrow's IPC files and streams."""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any, Callable, Container, Dict, Iterator, List, Sequence, Tuple, Union

from . import _errors
from ._calls import check
from ._optional import need, optional

Columns = Union[Sequence[Union[str, int]], str, None]

BATCH_ROWS = 1 << 17


# ---- Reading ------------------------------------------------------------------------------------

def choose(names: Sequence[str], columns: Columns) -> List[Any]:
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


def other_than(taken: Container[str], name: str) -> str:
    """The name, or a longer one that is not taken."""
    while name in taken:
        name += "_"
    return name


def is_parquet(file: Any) -> bool:
    with open(file, "rb") as opened:
        return opened.read(4) == b"PAR1"


def format_of_table(file: Any) -> str:
    """Of a file, or of a folder of Parquet."""
    return "parquet" if os.path.isdir(file) or is_parquet(file) else "arrow"


def _is_stream(file: Any) -> bool:
    """Is this a stream of Arrow IPC, not a file of it?"""
    with open(file, "rb") as opened:
        return opened.read(6) != b"ARROW1"


def _batches(pyarrow: Any, readers: Iterator[Any], wanted: Sequence[str], schema: Any) -> Iterator[Any]:
    for reader in readers:
        for batch in reader:
            yield pyarrow.RecordBatch.from_arrays([column if column.type == field.type else column.cast(field.type)
                                                   for column, field in zip(batch.select(wanted).columns, schema)],
                                                  schema=schema)


def _as_property(pyarrow: Any, type: Any) -> Any:
    """What a column of this type is read as: texts, if it is one of times of day, which no property has."""
    return pyarrow.string() if pyarrow.types.is_time(type) else type


def further_columns(names: Sequence[str], wanted: Sequence[str], properties: Any) -> List[Any]:
    """The columns that become properties."""
    if isinstance(properties, bool):
        return [name for name in names if name not in wanted] if properties else []
    chosen = properties.split(",") if isinstance(properties, str) else list(properties)
    for name in chosen:
        if name not in names or name in wanted:
            raise _errors.UsageError("there is no further column %s; there are %s" % (name, ", ".join(names)))
    return chosen


def table_reader(source: Any, format: str, columns: Columns, properties: Any = False) -> Tuple[Any, List[Any]]:
    """A reader of record batches of two or three columns, or with [] of none, and of those that become properties; and the
    names of the first."""
    pyarrow = need("pyarrow")
    files = [source] if hasattr(source, "read") or isinstance(source, (str, os.PathLike)) else list(source)
    if not files:
        raise _errors.UsageError("there is no file to read")
    try:
        if format == "arrow" and (hasattr(files[0], "read") or _is_stream(files[0])):
            return _streams(pyarrow, files, columns, properties)
        dataset = need("pyarrow.dataset").dataset(source if len(files) == 1 else [os.fspath(file) for file in files],
                                                  format=format)
        wanted = [] if columns == [] else choose(dataset.schema.names, columns)
        found: Any = further_columns(dataset.schema.names, wanted, properties)
        if found:
            field = need("pyarrow.dataset").field
            types = {name: dataset.schema.field(name).type for name in found}
            found = {**{name: field(name) for name in wanted},
                     **{name: field(name) if _as_property(pyarrow, type) == type else field(name).cast(_as_property(pyarrow, type))
                        for name, type in types.items()}}
        return dataset.scanner(columns=found or wanted, batch_size=BATCH_ROWS, batch_readahead=32).to_reader(), wanted
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError) as problem:
        raise _errors.InvalidError(str(problem), os.fspath(files[0]) if not hasattr(files[0], "read") else None) from problem


def _streams(pyarrow: Any, files: List[Any], columns: Columns, properties: Any) -> Tuple[Any, List[Any]]:
    readers = [pyarrow.ipc.open_stream(file) for file in files]
    schema = readers[0].schema
    wanted = [] if columns == [] else choose(schema.names, columns)
    names = wanted + further_columns(schema.names, wanted, properties)
    chosen = pyarrow.schema([pyarrow.field(name, _as_property(pyarrow, schema.field(name).type) if name not in wanted
                                           else schema.field(name).type) for name in names])
    return pyarrow.RecordBatchReader.from_batches(chosen, _batches(pyarrow, iter(readers), names, chosen)), wanted


def in_properties(table: Any, columns: Columns, key: Any = None) -> Any:
    """The rows of a table, whose columns but those of ids and weights are of types that properties have, if texts tell them
    exactly. Without pyarrow it is the table itself."""
    pyarrow = optional("pyarrow")
    if pyarrow is None or not hasattr(pyarrow.RecordBatchReader, "from_stream"):
        return table
    try:
        reader = pyarrow.RecordBatchReader.from_stream(table)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError) as problem:
        raise _errors.InvalidError(str(problem)) from problem
    schema = reader.schema
    taken = [key] if key is not None else choose(schema.names, columns)
    kept = pyarrow.schema([field if field.name in taken else field.with_type(_as_property(pyarrow, field.type)) for field in schema])
    if kept.equals(schema):
        return reader
    batches = (pyarrow.RecordBatch.from_arrays([column.cast(field.type) for column, field in zip(batch.columns, kept)], schema=kept)
               for batch in reader)
    return pyarrow.RecordBatchReader.from_batches(kept, batches)


def lost(graph: Any) -> List[Any]:
    """What a table of edges does not have of a graph's properties."""
    return ["properties of vertices are not in the output"] if len(graph.vertex_properties) else []


# ---- Writing ------------------------------------------------------------------------------------

class _Pipe:
    """A stream that knows how much it has taken, as writers of tables ask."""

    closed = False

    def __init__(self, stream: Any) -> None:
        self.stream, self.taken = stream, 0

    def write(self, data: Any) -> int:
        self.stream.write(data)
        self.taken += len(data)
        return len(data)

    def tell(self) -> int:
        return self.taken

    def flush(self) -> None:
        self.stream.flush()


def _place_of(path: Any, force: bool) -> str:
    """Where a new file appears: behind links, and never in the place of what is no file."""
    path = os.path.abspath(os.fspath(path))
    if os.path.lexists(path) and not force:
        raise _errors.UsageError("the file exists; force=True replaces it", path)
    place: str = os.path.realpath(path)
    if os.path.lexists(place) and not os.path.isfile(place):
        raise _errors.UsageError("this is not a regular file, and is not replaced", path)
    return place


def write_table(graph: Any, path: Any, kind: str, *, force: bool = False, ids: bool = True, both_directions: bool = False,
                properties: Any = True, **writer_options: Any) -> None:
    """Write the edges, of an undirected graph each once unless `both_directions`, to a binary stream or to a file, which
    appears whole or not at all."""
    pyarrow = need("pyarrow")
    reader = graph.edges(ids=ids, both_directions=both_directions, properties=properties).reader()
    for note in lost(graph):
        warnings.warn(note, _errors.QuernWarning, stacklevel=4)

    def write(file: Any) -> None:
        with _writer(pyarrow, kind, file, reader.schema, writer_options) as writer:
            for batch in reader:
                writer.write_batch(batch)
        file.flush()

    if hasattr(path, "write"):
        write(_Pipe(path))
        return
    write_file(path, force, write)


def write_file(path: Any, force: bool, write: Callable[[Any], None]) -> None:
    """A file that `write` fills, and that appears whole or not at all."""
    path = _place_of(path, force)
    handle, unfinished = tempfile.mkstemp(prefix=os.path.basename(path) + ".tmp", dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, 0o666 & ~_umask())
            write(file)
            os.fsync(handle)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise


def write_folder(path: Any, force: bool, fill: Callable[[Path], None]) -> None:
    """A folder that `fill` writes, and that appears whole or not at all."""
    target = Path(os.path.abspath(os.fspath(path)))
    if os.path.lexists(target) and not force:
        raise _errors.UsageError("the folder exists; force=True replaces it", os.fspath(target))
    unfinished = Path(tempfile.mkdtemp(prefix=target.name + ".tmp", dir=target.parent))
    try:
        fill(unfinished)
        unfinished.chmod(0o755)
        _put_in_place(unfinished, target)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise


def _put_in_place(unfinished: Path, target: Path) -> None:
    if not os.path.lexists(target):
        os.rename(unfinished, target)
        return
    aside = Path(tempfile.mkdtemp(prefix=target.name + ".old", dir=target.parent))
    os.rename(target, aside / "old")
    os.rename(unfinished, target)
    if (aside / "old").is_dir() and not (aside / "old").is_symlink():
        shutil.rmtree(aside)
    else:
        (aside / "old").unlink()
        aside.rmdir()


def _umask() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1], 8) for line in status if line.startswith("Umask:"))


def _writer(pyarrow: Any, kind: str, file: Any, schema: Any, given: Dict[str, Any]) -> Any:
    if kind == "parquet":
        return need("pyarrow.parquet").ParquetWriter(file, schema, **given)
    new = pyarrow.ipc.new_stream if kind == "arrow-stream" else pyarrow.ipc.new_file
    return new(file, schema, **given)
