"""libquern, loaded: its structs and functions as include/quern declares them.

tests/python compares every struct with what a C compiler makes of the header.
"""

import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_uint, c_uint32, c_uint64,
                    c_void_p)
from pathlib import Path
from typing import Any

import numpy

# enum qn_type
TYPES = {1: "u1", 2: "u2", 3: "u4", 4: "u8", 5: "i1", 6: "i2", 7: "i4", 8: "i8", 9: "f4", 10: "f8"}
TYPE_CODES = {numpy.dtype(name): code for code, name in TYPES.items()}

OPEN_VERIFY, OPEN_TRUST, OPEN_PART = 1, 2, 4
VERIFY_STRUCTURE, VERIFY_ALL = 1, 2
LIST_ALGORITHMS, LIST_FORMATS, LIST_LAYOUTS = 1, 2, 3
ID_FORMS = ("dense", "numbers", "strings")
SAMPLER_REPLACE, SAMPLER_DISJOINT, SAMPLER_NUMBERS = 1, 2, 4
SAMPLE_NEIGHBORS, SAMPLE_INDUCED = 0, 1
NO_OFFSET = 2**64 - 1


class Sized(Structure):
    """A struct that may grow: its first field says how large this one is."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(size=ctypes.sizeof(self), **fields)


class Error(Structure):
    _fields_ = [("status", c_int), ("line", c_uint64), ("column", c_uint64), ("offset", c_uint64),
                ("file", c_char * 256), ("message", c_char * 768)]


class Progress(Sized):
    _fields_ = [("size", c_uint64), ("what", c_char_p), ("unit", c_char_p), ("done", c_uint64), ("total", c_uint64)]


ON_PROGRESS = CFUNCTYPE(None, c_void_p, POINTER(Progress))
IS_CANCELLED = CFUNCTYPE(c_bool, c_void_p)
ON_NOTICE = CFUNCTYPE(None, c_void_p, c_char_p)


class Job(Sized):
    _fields_ = [("size", c_uint64), ("threads", c_uint32), ("reserved", c_uint32), ("memory", c_uint64),
                ("tmpdir", c_char_p), ("progress", ON_PROGRESS), ("cancelled", IS_CANCELLED), ("notice", ON_NOTICE),
                ("user", c_void_p)]


class Option(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class SessionInfo(Sized):
    _fields_ = [("size", c_uint64), ("num_vertices", c_uint64), ("num_edges", c_uint64), ("layout", c_char_p),
                ("weight_type", c_int), ("id_form", c_int), ("directed", c_bool), ("has_in_edges", c_bool),
                ("in_memory", c_bool), ("bytes", c_uint64), ("identity", c_uint64), ("num_sections", c_uint64),
                ("path", c_char_p)]


class Rows(Sized):
    _fields_ = [("size", c_uint64), ("num_vertices", c_uint64), ("num_edges", c_uint64), ("row_offsets", c_void_p),
                ("column_indices", c_void_p), ("weights", c_void_p), ("weight_type", c_int), ("mapped", c_bool)]


class Row(Sized):
    _fields_ = [("size", c_uint64), ("num_edges", c_uint64), ("first", c_uint64), ("columns", c_void_p), ("weights", c_void_p)]


class IdArrays(Sized):
    _fields_ = [("size", c_uint64), ("form", c_int), ("ascending", c_bool), ("num_vertices", c_uint64),
                ("numbers", c_void_p), ("offsets", c_void_p), ("bytes", c_void_p)]


class SectionArray(Sized):
    _fields_ = [("size", c_uint64), ("name", c_char_p), ("type", c_int), ("count", c_uint64), ("item_size", c_uint64),
                ("data", c_void_p)]


class PropertyArray(Sized):
    _fields_ = [("size", c_uint64), ("name", c_char_p), ("type_name", c_char_p), ("type", c_int), ("count", c_uint64),
                ("nulls", c_uint64), ("values", c_void_p), ("offsets", c_void_p), ("bytes", c_uint64), ("valid", c_void_p),
                ("dimension", c_uint64)]


class EdgeArrays(Sized):
    _fields_ = [("size", c_uint64), ("num_edges", c_uint64), ("id_type", c_int), ("sources", c_void_p),
                ("targets", c_void_p), ("weight_type", c_int), ("weights", c_void_p), ("has_num_vertices", c_bool),
                ("num_vertices", c_uint64), ("names", POINTER(IdArrays))]


class ResultInfo(Sized):
    _fields_ = [("size", c_uint64), ("algorithm", c_char_p), ("layout", c_char_p), ("device", c_char_p),
                ("kernel", c_char_p), ("num_vertices", c_uint64), ("num_columns", c_uint64), ("count_of", c_char_p),
                ("count", c_uint64), ("iterations", c_uint64), ("converged", c_bool), ("change", c_double),
                ("prepare_seconds", c_double), ("run_seconds", c_double), ("num_sources", c_uint32),
                ("sources", POINTER(c_uint32))]


class ResultColumn(Sized):
    _fields_ = [("size", c_uint64), ("name", c_char_p), ("type", c_int), ("is_vertex", c_bool), ("count", c_uint64),
                ("data", c_void_p)]


class DeviceArray(Sized):
    _fields_ = [("size", c_uint64), ("device", c_char_p), ("index", c_uint64), ("type", c_int), ("count", c_uint64),
                ("data", c_void_p)]


class SamplerEdges(Sized):
    _fields_ = [("size", c_uint64), ("session", c_void_p), ("rows", c_int), ("center_type", c_uint32), ("neighbor_type", c_uint32),
                ("first_center", c_uint64), ("first_neighbor", c_uint64), ("fanouts", c_void_p), ("times", c_void_p), ("set", c_char_p),
                ("read", c_bool), ("cache_bytes", c_uint64)]


class SamplerShape(Sized):
    _fields_ = [("size", c_uint64), ("num_vertex_types", c_uint32), ("num_edge_types", c_uint32), ("num_vertices", c_void_p),
                ("times", POINTER(c_void_p)), ("edges", POINTER(SamplerEdges)), ("num_hops", c_uint32), ("flags", c_uint32),
                ("seed", c_uint64)]


class Seeds(Sized):
    _fields_ = [("size", c_uint64), ("count", c_uint64), ("vertices", c_void_p), ("times", c_void_p)]


class BatchSeeds(Sized):
    _fields_ = [("size", c_uint64), ("number", c_uint64), ("seeds", POINTER(Seeds))]


class BatchVertices(Sized):
    _fields_ = [("size", c_uint64), ("count", c_uint64), ("vertices", c_void_p), ("trees", c_void_p), ("hops", c_void_p)]


class BatchEdges(Sized):
    _fields_ = [("size", c_uint64), ("count", c_uint64), ("neighbors", c_void_p), ("centers", c_void_p), ("numbers", c_void_p),
                ("hops", c_void_p)]


class Walks(Sized):
    _fields_ = [("size", c_uint64), ("number", c_uint64), ("count", c_uint64), ("starts", c_void_p), ("length", c_uint64),
                ("restart", c_double), ("p", c_double), ("q", c_double)]


class FeaturesShape(Sized):
    _fields_ = [("size", c_uint64), ("session", c_void_p), ("name", c_char_p), ("of_edges", c_bool), ("from_file", c_bool),
                ("cache_bytes", c_uint64)]


class FeaturesInfo(Sized):
    _fields_ = [("size", c_uint64), ("num_rows", c_uint64), ("row_bytes", c_uint64), ("how", c_char_p), ("cache_bytes", c_uint64),
                ("rows_found", c_uint64), ("rows_read", c_uint64), ("bytes_read", c_uint64)]


class PartRows(Sized):
    _fields_ = [("size", c_uint64), ("begin", c_uint64), ("end", c_uint64), ("row_offsets", c_void_p), ("columns", c_void_p),
                ("weight_type", c_int), ("weights", c_void_p), ("rows_in", c_bool)]


class PartFile(Structure):
    _fields_ = [("bytes", c_uint64), ("identity", c_uint64), ("fingerprint", c_uint64)]


class SetShape(Sized):
    _fields_ = [("size", c_uint64), ("num_vertices", c_uint64), ("num_parts", c_uint64), ("ends", c_void_p),
                ("part_edges", c_void_p), ("out_degrees", c_void_p), ("weight_type", c_int), ("undirected", c_bool),
                ("rows_in", c_bool), ("fingerprint", c_uint64), ("names", POINTER(IdArrays)), ("block_vertices", c_uint64)]


class VertexTable(Structure):
    _fields_ = [("type", c_char_p), ("graph", c_void_p), ("type_column", c_char_p)]


class EdgeTable(Structure):
    _fields_ = [("type", c_char_p), ("source", c_uint32), ("target", c_uint32), ("graph", c_void_p), ("type_column", c_char_p)]


STRUCTS = {"qn_error": Error, "qn_progress": Progress, "qn_job": Job, "qn_option": Option,
           "qn_session_info": SessionInfo, "qn_edge_rows": Rows, "qn_row": Row, "qn_id_arrays": IdArrays,
           "qn_section_array": SectionArray, "qn_property_array": PropertyArray, "qn_edge_arrays": EdgeArrays, "qn_result_info": ResultInfo,
           "qn_result_column": ResultColumn, "qn_device_array": DeviceArray,
           "qn_vertex_table": VertexTable, "qn_edge_table": EdgeTable,
           "qn_sampler_edges": SamplerEdges, "qn_sampler_shape": SamplerShape, "qn_seeds": Seeds, "qn_batch_seeds": BatchSeeds,
           "qn_batch_vertices": BatchVertices, "qn_batch_edges": BatchEdges, "qn_walks": Walks,
           "qn_features_shape": FeaturesShape, "qn_features_info": FeaturesInfo,
           "qn_part_rows": PartRows, "qn_part_file": PartFile, "qn_set_shape": SetShape}

# What every call that can fail ends with, and what calls with options have before their path.
_OUT, _ERROR, _JOB = POINTER(c_void_p), POINTER(Error), POINTER(Job)
_OPTIONS = [POINTER(Option), c_uint64]
_TEXT = POINTER(c_void_p)

FUNCTIONS = {
    "qn_session_open": [c_char_p, c_uint, _JOB, _OUT, _ERROR],
    "qn_session_describe": [c_void_p, _TEXT, _ERROR],
    "qn_session_verify": [c_void_p, c_int, _JOB, _ERROR],
    "qn_session_out_edges": [c_void_p, _JOB, POINTER(Rows), _ERROR],
    "qn_session_in_edges": [c_void_p, _JOB, POINTER(Rows), _ERROR],
    "qn_session_ids": [c_void_p, POINTER(IdArrays), _ERROR],
    "qn_session_find": [c_void_p, POINTER(c_char_p), c_uint64, c_void_p, c_void_p, _ERROR],
    "qn_session_find_numbers": [c_void_p, c_void_p, c_uint64, c_void_p, c_void_p, _ERROR],
    "qn_session_numbers_of": [c_void_p, c_void_p, c_uint64, c_void_p, _ERROR],
    "qn_session_texts_of": [c_void_p, c_void_p, c_uint64, c_void_p, c_void_p, _ERROR],
    "qn_session_row": [c_void_p, c_int, c_uint32, POINTER(Row), _ERROR],
    "qn_session_degrees": [c_void_p, c_int, c_void_p, c_uint64, c_void_p, _ERROR],
    "qn_session_count_edges": [c_void_p, _JOB, POINTER(c_uint64), _ERROR],
    "qn_session_section": [c_void_p, c_uint64, POINTER(SectionArray), _ERROR],
    "qn_session_properties": [c_void_p, POINTER(c_uint64), POINTER(c_uint64), _ERROR],
    "qn_session_property": [c_void_p, c_bool, c_uint64, POINTER(PropertyArray), _ERROR],
    "qn_session_attach": [c_void_p, POINTER(PropertyArray), c_uint64, POINTER(PropertyArray), c_uint64, *_OPTIONS, c_char_p,
                          _JOB, _OUT, _ERROR],
    "qn_session_build": [c_void_p, c_char_p, *_OPTIONS, c_char_p, _JOB, _OUT, _ERROR],
    "qn_session_transform": [c_void_p, *_OPTIONS, c_char_p, _JOB, _OUT, _ERROR],
    "qn_session_subgraph": [c_void_p, c_void_p, c_uint64, *_OPTIONS, c_char_p, _JOB, _OUT, _ERROR],
    "qn_session_export": [c_void_p, c_char_p, *_OPTIONS, c_char_p, _JOB, _ERROR],
    "qn_session_save": [c_void_p, *_OPTIONS, c_char_p, _JOB, _ERROR],
    "qn_session_run": [c_void_p, c_char_p, *_OPTIONS, _JOB, _OUT, _ERROR],
    "qn_session_place": [c_void_p, *_OPTIONS, _JOB, _OUT, _ERROR],
    "qn_placed_run": [c_void_p, c_char_p, *_OPTIONS, _JOB, _OUT, _ERROR],
    "qn_result_on_device": [c_void_p, c_uint64, POINTER(DeviceArray), _ERROR],
    "qn_result_column": [c_void_p, c_uint64, POINTER(ResultColumn), _ERROR],
    "qn_result_summary": [c_void_p, _TEXT, _ERROR],
    "qn_features_open": [POINTER(FeaturesShape), _OUT, _ERROR],
    "qn_features_gather": [c_void_p, c_void_p, c_uint64, _JOB, c_void_p, _ERROR],
    "qn_sampler_create": [POINTER(SamplerShape), _JOB, _OUT, _ERROR],
    "qn_sampler_sample": [c_void_p, c_int, POINTER(BatchSeeds), c_uint64, _JOB, POINTER(c_void_p), _ERROR],
    "qn_sampler_walk": [c_void_p, POINTER(Walks), _JOB, c_void_p, _ERROR],
    "qn_sampler_non_edges": [c_void_p, c_uint32, c_uint64, c_void_p, c_uint64, _JOB, c_void_p, c_void_p, _ERROR],
    "qn_batch_vertices": [c_void_p, c_uint32, POINTER(BatchVertices), _ERROR],
    "qn_batch_edges": [c_void_p, c_uint32, POINTER(BatchEdges), _ERROR],
    "qn_import_arrays": [POINTER(EdgeArrays), *_OPTIONS, c_char_p, _JOB, _OUT, _ERROR],
    "qn_import_arrow": [c_void_p, *_OPTIONS, c_char_p, _JOB, _OUT, _ERROR],
    "qn_import_tables": [c_void_p, c_void_p, *_OPTIONS, c_char_p, _JOB, _OUT, _ERROR],
    "qn_columns_choose": [POINTER(c_char_p), c_uint64, POINTER(c_uint32), _ERROR],
    "qn_import_files": [POINTER(c_char_p), c_uint64, *_OPTIONS, c_char_p, _JOB, _OUT, _ERROR],
    "qn_generate_graph": [c_char_p, *_OPTIONS, c_char_p, _JOB, _OUT, _ERROR],
    "qn_part_fingerprint": [POINTER(PartRows), _JOB, POINTER(c_uint64), _ERROR],
    "qn_part_write": [c_char_p, c_uint64, POINTER(PartRows), _JOB, POINTER(PartFile), _ERROR],
    "qn_set_begin": [c_char_p, c_bool, POINTER(SetShape), _JOB, _OUT, _ERROR],
    "qn_set_finish": [c_void_p, POINTER(PartFile), _ERROR],
    "qn_changes_append": [c_char_p, *_OPTIONS, c_char_p, _JOB, _TEXT, _ERROR],
    "qn_changes_describe": [c_char_p, _TEXT, _ERROR],
    "qn_changes_compact": [c_char_p, *_OPTIONS, c_char_p, _JOB, _OUT, _ERROR],
    "qn_types_assemble": [POINTER(VertexTable), c_uint64, POINTER(EdgeTable), c_uint64, *_OPTIONS, c_char_p, _JOB, _ERROR],
    "qn_types_describe": [c_char_p, _TEXT, _ERROR],
    "qn_types_project": [c_char_p, *_OPTIONS, c_char_p, _JOB, _OUT, _ERROR],
    "qn_list": [c_int, _TEXT, _ERROR],
}
PLAIN_FUNCTIONS = {
    "qn_version": ([], c_char_p),
    "qn_text_free": ([c_void_p], None),
    "qn_session_close": ([c_void_p], None),
    "qn_set_draft_place": ([c_void_p], c_char_p),
    "qn_set_abandon": ([c_void_p], None),
    "qn_session_info": ([c_void_p, POINTER(SessionInfo)], None),
    "qn_placed_close": ([c_void_p], None),
    "qn_features_close": ([c_void_p], None),
    "qn_features_info": ([c_void_p, POINTER(FeaturesInfo)], None),
    "qn_sampler_close": ([c_void_p], None),
    "qn_batch_close": ([c_void_p], None),
    "qn_result_close": ([c_void_p], None),
    "qn_result_info": ([c_void_p, POINTER(ResultInfo)], None),
}

FILE_NAME = "libquern.so.0"
_NAMED = os.environ.get("QUERN_LIBRARY")


def beside(name: str) -> str:
    """A file that is installed with the package, or in the build of the clone that the package is in."""
    package = Path(__file__).resolve().parent
    for folder in ([Path(_NAMED).parent] if _NAMED else []) + [package, package.parents[1] / "build/lib"]:
        if (folder / name).exists():
            return str(folder / name)
    return name  # for the system to find


def _load() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(_NAMED or beside(FILE_NAME))
        for function, arguments in FUNCTIONS.items():
            getattr(library, function).argtypes = arguments
            getattr(library, function).restype = c_int
        for name, (takes, gives) in PLAIN_FUNCTIONS.items():
            getattr(library, name).argtypes, getattr(library, name).restype = takes, gives
    except (OSError, AttributeError) as problem:
        raise ImportError("libquern could not be loaded: %s; install the package with `pip install .`, build the library "
                          "with `scons`, or name it in QUERN_LIBRARY" % problem) from problem
    return library


library = _load()
