"""A reader of containers, written from specs/container.md alone: it shares no code with libquern.

    container = read("graph.qrn")       raises Broken("C-3", ...) for a file that breaks a rule
    container.array("row_offsets")      a section as a memoryview of numbers
"""

import ctypes
import json
import struct
from dataclasses import dataclass

from conformance import archive_pages_reader, archive_reader, references_reader

SIGNATURE = b"\x89QRN\r\n\x1a\n"
LAYOUTS = {1: "graph", 2: "blocked-csr", 3: "edge-partitions", 4: "slotted-pages", 5: "shards", 6: "hybrid",
           7: "checkpoint", 8: "packed"}
KNOWN_INCOMPATIBLE = 63
RECTANGULAR = 16
REFERENCES = 32
WIDE = 8
PAGES = 4
STRIPS = 2
ARCHIVE = 1
PAGE = 4096
OF_PAGES = (archive_pages_reader.PAGE_GAPS, archive_pages_reader.PAGE_ROWS)
CHUNK = 1 << 20
NAME_LETTERS = set(b"abcdefghijklmnopqrstuvwxyz0123456789_")
WIDTHS = {1: (1, 2, 4, 8), 2: (1, 2, 4, 8), 3: (4, 8), 4: (1,), 5: range(1, 4097)}
CODES = {(1, 1): "B", (1, 2): "H", (1, 4): "I", (1, 8): "Q", (2, 1): "b", (2, 2): "h", (2, 4): "i", (2, 8): "q",
         (3, 4): "f", (3, 8): "d"}


class Broken(Exception):
    """A rule of the specification that the file breaks."""

    def __init__(self, rule, why=""):
        super().__init__("%s %s" % (rule, why))
        self.rule = rule


def insist(rule, holds, why=""):
    if not holds:
        raise Broken(rule, why)


_xxhash = ctypes.CDLL("libxxhash.so.0")
_xxhash.XXH3_64bits.restype = ctypes.c_uint64
_xxhash.XXH3_64bits.argtypes = (ctypes.c_char_p, ctypes.c_size_t)


def xxh3(data):
    data = bytes(data)
    return _xxhash.XXH3_64bits(data, len(data))


class _Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


_xxhash.XXH3_128bits.restype = _Hash128
_xxhash.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def xxh3_128(data):
    """As `xxhsum -H2` prints it."""
    found = _xxhash.XXH3_128bits(bytes(data), len(data))
    return "%016x%016x" % (found.high, found.low)


def section_checksum(data):
    hashes = [xxh3(data[i:i + CHUNK]) for i in range(0, len(data), CHUNK)]
    return xxh3(struct.pack("<%dQ" % len(hashes), *hashes))


def parsed_json(data):
    """By the profile of M-1."""
    def distinct(pairs):
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key occurs twice")
        return dict(pairs)

    def integer(text):
        if not -2**63 <= int(text) < 2**63:
            raise ValueError("an integer beyond 64 bits")
        return int(text)

    def real(text):
        if float(text) in (float("inf"), float("-inf")):
            raise ValueError("a real number beyond binary64")
        return float(text)

    def constant(text):
        raise ValueError(text)

    value = json.loads(data.decode("utf-8"), object_pairs_hook=distinct, parse_int=integer, parse_float=real,
                       parse_constant=constant)
    if "\0" in str(value) or "\\x00" in repr(value):
        raise ValueError("U+0000 in a string")
    json.dumps(value, ensure_ascii=False).encode()  # fails for a lone surrogate
    return value


def rounded_up(value, align_log2=12):
    mask = (1 << align_log2) - 1
    return (value + mask) & ~mask


@dataclass
class Section:
    name: str
    element_type: int
    element_bytes: int
    count: int
    offset: int
    stored_bytes: int
    logical_bytes: int
    codec: int
    filter: int
    align_log2: int
    critical: bool
    upper: bool
    strips: bool
    checksum: int
    stored_checksum: int


class Container:
    def __init__(self, data):
        self.data = memoryview(data)
        self.decoded = {}
        self.read_header()
        self.read_table()
        self.check_places()
        self.check_chunk_hashes()
        self.check_contents()

    def read_header(self):
        data = self.data
        insist("C-1", data[:8] == SIGNATURE)
        insist("C-2", len(data) >= PAGE)
        (_, major, minor, header_bytes, self.compatible, self.incompatible, layout, self.weight_type, self.directedness,
         self.num_sections, self.num_vertices, self.num_edges, self.file_bytes, self.table_offset,
         self.table_checksum) = struct.unpack_from("<8sHHIQQIIIIQQQQQ", data)
        self.checksum, = struct.unpack_from("<Q", data, 4088)
        self.parameters = struct.unpack_from("<32Q", data, 128)
        insist("C-2", header_bytes == PAGE)
        insist("C-3", xxh3(data[:4088]) == self.checksum)
        insist("C-4", major == 1, "version %d.%d" % (major, minor))
        insist("C-5", not self.incompatible & ~KNOWN_INCOMPATIBLE
               and (self.incompatible & ARCHIVE or not self.incompatible & (STRIPS | PAGES | REFERENCES)))
        insist("C-6", not any(data[104:128]) and not any(data[384:4088]))
        insist("C-7", layout in LAYOUTS)
        self.layout = LAYOUTS[layout]
        insist("C-8", self.weight_type <= 4 and bool(self.incompatible & WIDE) == (self.weight_type >= 3))
        insist("C-9", self.directedness in (0, 1))
        insist("C-10", self.num_sections <= 4096)
        insist("C-11", self.num_vertices <= 2**32 - 1)
        self.read_rows()
        insist("C-12", self.file_bytes == len(data), "%d bytes, not %d" % (len(data), self.file_bytes))
        insist("C-13", self.table_offset % PAGE == 0 and self.table_offset >= PAGE
               and self.table_offset + 128 * self.num_sections + 64 == self.file_bytes)

    def read_rows(self):
        """C-27."""
        self.num_rows, self.first_row = struct.unpack_from("<QQ", self.data, 88)
        self.rectangular = bool(self.incompatible & RECTANGULAR)
        if not self.rectangular:
            insist("C-27", self.num_rows == self.first_row == 0)
            self.num_rows = self.num_vertices
            return
        insist("C-27", self.layout in ("graph", "packed"))
        insist("C-27", self.num_rows < 2**32 and self.first_row < 2**32)
        insist("C-27", self.directedness == 0 or self.num_edges == 0)

    def read_table(self):
        table = self.data[self.table_offset:self.table_offset + 128 * self.num_sections]
        insist("C-14", xxh3(table) == self.table_checksum)
        footer = self.data[self.table_offset + len(table):]
        signature, *agreeing, footer_checksum = struct.unpack("<8sQQQ24xQ", footer)
        insist("C-15", signature == SIGNATURE and xxh3(footer[:56]) == footer_checksum
               and agreeing == [self.file_bytes, self.table_checksum, self.checksum])
        insist("C-6", not any(footer[32:56]))
        self.sections = {}
        for at in range(0, len(table), 128):
            section = self.read_entry(table[at:at + 128])
            insist("C-16", section.name not in self.sections, section.name)
            self.sections[section.name] = section

    def read_entry(self, entry):
        (raw_name, element_type, element_bytes, count, offset, stored, logical, codec, filter_, align, flags, reserved,
         checksum, stored_checksum) = struct.unpack("<32sIIQQQQBBBBIQQ32x", entry)
        name = raw_name.rstrip(b"\0")
        insist("C-16", name and set(name) <= NAME_LETTERS, raw_name)
        insist("C-6", flags <= 7 and reserved == 0 and not any(entry[96:]), name)
        insist("C-6", not flags & 4 or (flags & 2 and self.incompatible & STRIPS), name)
        insist("C-17", element_type in WIDTHS and element_bytes in WIDTHS[element_type], name)
        insist("C-17", logical == count * element_bytes, name)
        insist("C-18", 12 <= align <= 21, name)
        filters = set(range(6 if flags & 4 else 5)) | set(OF_PAGES if self.incompatible & PAGES else ())
        filters |= {references_reader.REFERENCES} if self.incompatible & REFERENCES else set()
        insist("C-19", codec in (0, 1) and filter_ in filters, name)
        plain = codec == 0 and filter_ == 0
        insist("C-19", plain or self.incompatible & ARCHIVE, name)
        insist("C-19", not plain or (stored == logical and stored_checksum == checksum and flags & 2 == 0), name)
        return Section(name.decode(), element_type, element_bytes, count, offset, stored, logical, codec, filter_,
                       align, flags & 1 == 1, flags & 2 == 2, flags & 4 == 4, checksum, stored_checksum)

    def check_places(self):
        """Sections follow one another without holes but padding, which is zero."""
        end = PAGE
        for section in self.sections.values():
            insist("C-18", section.offset == rounded_up(end, section.align_log2), section.name)
            insist("C-18", section.offset + section.stored_bytes <= self.table_offset, section.name)
            insist("C-20", not any(self.data[end:section.offset]), section.name)
            end = section.offset + section.stored_bytes
        insist("C-13", self.table_offset == rounded_up(end))
        insist("C-20", not any(self.data[end:self.table_offset]))
        total = sum(section.logical_bytes for section in self.sections.values())
        counts = () if self.layout == "checkpoint" else (self.num_rows, self.num_edges)
        most = min(8 * total, 2**63 - 1) if self.layout == "packed" else total
        insist("C-24", total < 2**63 and all(count <= most for count in counts))

    def check_chunk_hashes(self):
        """Of all sections that have more than one chunk, in their order."""
        if "chunk_hashes" not in self.sections:
            return
        *others, last = self.sections.values()
        insist("C-25", last.name == "chunk_hashes" and not last.critical and (last.codec, last.filter) == (0, 0))
        insist("C-25", (last.element_type, last.element_bytes) == (1, 8))
        hashes = bytes(self.data[last.offset:last.offset + last.stored_bytes])
        for section in others:
            chunks = -(-section.logical_bytes // CHUNK)
            if chunks > 1:
                insist("C-25", len(hashes) >= 8 * chunks and xxh3(hashes[:8 * chunks]) == section.checksum, section.name)
                hashes = hashes[8 * chunks:]
        insist("C-25", not hashes and last.count)

    def check_contents(self):
        for section in self.sections.values():
            stored = self.data[section.offset:section.offset + section.stored_bytes]
            insist("C-21", section_checksum(stored) == section.stored_checksum, section.name)
        if "metadata" in self.sections:
            insist("C-22", self.sections["metadata"].element_type == 4, "metadata")
            try:
                self.metadata = parsed_json(bytes(self.bytes_of("metadata")))
            except (ValueError, RecursionError) as error:
                raise Broken("M-1", str(error))
            insist("M-1", isinstance(self.metadata, dict))

    def bytes_of(self, name):
        """A section's elements, decoded if the container is an archive."""
        section = self.sections[name]
        stored = self.data[section.offset:section.offset + section.stored_bytes]
        if section.codec == 0 and section.filter == 0:
            return stored
        if name not in self.decoded:
            try:
                elements = self.decode(section, stored)
            except archive_reader.Undecodable as reason:
                raise Broken(*reason.args)
            insist("C-21", section_checksum(elements) == section.checksum, name)
            self.decoded[name] = memoryview(elements)
        return self.decoded[name]

    def decode(self, section, stored):
        if section.filter == references_reader.REFERENCES:
            return references_reader.decoded_references(section, stored, self)
        if section.filter in OF_PAGES:
            return archive_pages_reader.decoded_pages(section, stored, self)
        elements = archive_reader.decoded(section, stored, self.num_vertices)
        if not section.upper:
            return elements
        rows, columns = self.array("row_offsets"), self.sections["column_indices"]
        insist("A-4", self.layout == "graph" and self.directedness == 1 and not self.rectangular, section.name)
        widths = (4,) if section is columns else (4, 8)
        insist("A-4", section.element_bytes in widths and section.count == self.num_edges and columns.upper, section.name)
        insist("A-4", section.strips == columns.strips, section.name)
        if section is columns:
            return archive_reader.mirrored(rows, memoryview(elements).cast("I"), None, self.num_vertices)
        of_columns = self.data[columns.offset:columns.offset + columns.stored_bytes]
        if section.strips:
            insist("A-4", archive_reader.cut_alike(stored, of_columns), section.name)
        triangle = archive_reader.decoded(columns, of_columns, self.num_vertices)
        code = "IQ"[section.element_bytes == 8]
        return archive_reader.mirrored(rows, memoryview(triangle).cast("I"), memoryview(elements).cast(code), self.num_vertices, code)

    def array(self, name):
        """A section as numbers in the machine's order, which for this reader must be little-endian."""
        section = self.sections[name]
        return self.bytes_of(name).cast(CODES[section.element_type, section.element_bytes])

    def require(self, name, element_type, element_bytes, count=None):
        """The section as an array (as bytes if text or opaque), with the shape that the layout's page says."""
        insist("C-22", name in self.sections, name)
        section = self.sections[name]
        insist("C-22", (section.element_type, section.element_bytes) == (element_type, element_bytes), name)
        insist("C-22", count is None or section.count == count, name)
        return self.bytes_of(name) if element_type in (4, 5) else self.array(name)

    def refuse_unknown(self, known):
        last = -1
        for section in self.sections.values():
            insist("C-26", last < 0 or known[last] != "metadata" or section.name == "chunk_hashes", section.name)
            if section.name in known:
                insist("C-26", known.index(section.name) > last, "the order of sections")
                insist("C-26", section.critical == (section.name != "metadata"), section.name)
                last = known.index(section.name)
            else:
                insist("C-23", not section.critical, section.name)


def read(path):
    with open(path, "rb") as file:
        return Container(file.read())
