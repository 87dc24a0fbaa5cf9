"""Writes containers, plain and in archive form, as specs/container.md and specs/archive.md say. It shares no code with
libquern and none with zstd: frames are of blocks that are not compressed, so that the same bytes come out for ever."""

import json
import struct
from bisect import bisect_left
from dataclasses import dataclass, field

from conformance.container_reader import CHUNK, PAGE, SIGNATURE, rounded_up, section_checksum, xxh3

UNSIGNED, SIGNED, FLOAT, TEXT, OPAQUE = range(1, 6)
NONE, DELTA, SHUFFLE, GAPS, GAP_PLANES, ROWS, PAGE_GAPS, PAGE_ROWS = range(8)
CRITICAL, UPPER, STRIPS = 1, 2, 4
FRAME_BYTES = 1 << 20
WIDE_WEIGHTS = 1 << 3
RAW, RLE = 0, 1


@dataclass
class Section:
    """`content` is what the section decodes to; with a filter, `stored` is what is in the file."""
    name: str
    element_type: int
    element_bytes: int
    content: bytes
    flags: int = CRITICAL
    codec: int = 0
    filter: int = NONE
    stored: bytes = None
    align_log2: int = 12
    gap: int = 0  # pages of zeros before it, which no file has
    behind: int = 0  # and behind it

    def in_file(self):
        return self.content if self.stored is None else self.stored

    def entry(self, offset):
        count = len(self.content) // self.element_bytes
        return struct.pack("<32sIIQQQQBBBBIQQ32x", self.name.encode(), self.element_type, self.element_bytes, count, offset,
                           len(self.in_file()), len(self.content), self.codec, self.filter, self.align_log2, self.flags, 0,
                           section_checksum(self.content), section_checksum(self.in_file()))


@dataclass
class Container:
    layout: int
    num_vertices: int
    num_edges: int
    sections: list
    weight_type: int = 0
    undirected: bool = False
    compatible: int = 0
    incompatible: int = 0
    parameters: tuple = field(default=())
    num_rows: int = 0
    first_row: int = 0

    def bytes(self):
        body, table = bytearray(PAGE), b""
        for section in self.sections:
            body += bytes(-len(body) % (1 << section.align_log2) + (section.gap << section.align_log2))
            table += section.entry(len(body))
            body += section.in_file() + bytes(section.behind * PAGE)
        body += bytes(rounded_up(len(body)) - len(body))
        file_bytes = len(body) + len(table) + 64
        header = struct.pack("<8sHHIQQIIIIQQQQQQQ24x", SIGNATURE, 1, 0, PAGE, self.compatible, self.incompatible, self.layout,
                             self.weight_type, int(self.undirected), len(self.sections), self.num_vertices, self.num_edges,
                             file_bytes, len(body), xxh3(table), self.num_rows, self.first_row)
        header += struct.pack("<32Q", *self.parameters, *[0] * (32 - len(self.parameters)))
        header = header.ljust(4088, b"\0")
        header += struct.pack("<Q", xxh3(header))
        footer = struct.pack("<8sQQQ24x", SIGNATURE, file_bytes, xxh3(table), xxh3(header[:4088]))
        body[:PAGE] = header
        return bytes(body) + table + footer + struct.pack("<Q", xxh3(footer))

    def section(self, name):
        return next(section for section in self.sections if section.name == name)


def numbers(name, element_bytes, values, flags=CRITICAL):
    code = {1: "B", 2: "H", 4: "I", 8: "Q"}[element_bytes]
    return Section(name, UNSIGNED, element_bytes, struct.pack("<%d%s" % (len(values), code), *values), flags)


def of_weights(name, kind, values):
    element_type, width, code = PROPERTY_TYPES[kind]
    return Section(name, element_type, width, struct.pack("<%d%s" % (len(values), code), *values))


def chunk_hashes(sections):
    """The section that a container with sections of more than one chunk ends with."""
    hashes = [xxh3(section.content[at:at + CHUNK]) for section in sections if len(section.content) > CHUNK
              for at in range(0, len(section.content), CHUNK)]
    return [numbers("chunk_hashes", 8, hashes, 0)] if hashes else []


def graph(edges, num_vertices, weights=None, undirected=False, ids=None, transposed=False, metadata=b"{}"):
    """A container of the layout graph: edges are (source, destination, weight), every one that is stored."""
    kind = {None: 0, "u32": 1, "f32": 2, "i64": 3, "f64": 4}[weights]
    sections = []
    for turned, prefix in ((False, ""), (True, "in_"))[:2 if transposed else 1]:
        rows = sorted((to, at, weight) if turned else (at, to, weight) for at, to, weight in edges)
        sources = [at for at, _, _ in rows]
        offsets = [bisect_left(sources, v) for v in range(num_vertices + 1)]
        sections += [numbers(prefix + "row_offsets", 8, offsets),
                     numbers(prefix + "column_indices", 4, [to for _, to, _ in rows])]
        if kind:
            values = [weight for _, _, weight in rows]
            sections.append(of_weights(prefix + "weights", weights, values))
    ascending = 0
    if ids and isinstance(ids[0], bytes):
        ends = [sum(map(len, ids[:i])) for i in range(len(ids) + 1)]
        sections += [numbers("id_offsets", 8, ends), Section("id_bytes", TEXT, 1, b"".join(ids))]
        ascending = int(ids == sorted(ids))
    elif ids is not None:
        sections.append(numbers("original_ids", 8, ids))
        ascending = int(ids == sorted(ids))
    if metadata:
        sections.append(Section("metadata", TEXT, 1, metadata, 0))
    return Container(1, num_vertices, len(edges), sections + chunk_hashes(sections), kind, undirected, ascending,
                     WIDE_WEIGHTS if kind > 2 else 0)


# ---- The archive form


def zstd_frame(content):
    """One frame of blocks that are as they are, or one byte repeated (RFC 8878, 3.1.1)."""
    frame, blocks = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(content)), []
    for at in range(0, len(content), 1 << 17):
        block = content[at:at + (1 << 17)]
        repeated = len(block) > 1 and block.count(block[0]) == len(block)
        blocks.append((RLE if repeated else RAW, len(block), block[:1] if repeated else block))
    blocks = blocks or [(RAW, 0, b"")]
    for i, (kind, size, data) in enumerate(blocks):
        frame += struct.pack("<I", (i + 1 == len(blocks)) | kind << 1 | size << 3)[:3] + data
    return frame


def varint(value, length=1):
    """LEB128, of at least so many bytes."""
    out = bytearray()
    while value > 127 or len(out) + 1 < length:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def shuffled(content, width):
    return b"".join(content[i::width] for i in range(width))


def tokenized(elements):
    """Tokens and run starts of 4-byte elements, both as numbers."""
    tokens, starts, before, start = [], [], None, 0
    for element in elements:
        if before is None or element < before or element - before == 2**32 - 1:
            tokens.append(0)
            d = (element - start) % 2**32
            starts.append(2 * d if d < 2**31 else 2 * (2**32 - d) - 1)
            start = element
        else:
            tokens.append(element - before + 1)
        before = element
    return tokens, starts


def gaps(elements, length=1):
    tokens, starts = tokenized(elements)
    coded = b"".join(varint(token, length) for token in tokens)
    return struct.pack("<I", len(coded)) + coded + b"".join(varint(start, length) for start in starts)


def filtered(kind, content, width, length=1):
    """What a filter makes of elements; `length` is the least of a varint."""
    if kind == NONE:
        return content
    if kind == SHUFFLE:
        return shuffled(content, width)
    if kind == DELTA:
        values = struct.unpack("<%dQ" % (len(content) // 8), content)
        return b"".join(varint((value - before) % 2**64, length) for before, value in zip((0,) + values, values))
    elements = struct.unpack("<%dI" % (len(content) // 4), content)
    if kind == GAPS:
        return gaps(elements, length)
    tokens, starts = tokenized(elements)
    return (struct.pack("<I", len(starts)) + shuffled(struct.pack("<%dI" % len(tokens), *tokens), 4)
            + shuffled(struct.pack("<%dI" % len(starts), *starts), 4))


def encoded_frames(content, width, encode, frame_elements=None):
    """A section of frames of equal length; `encode` makes a frame's content of its elements."""
    frame_elements = frame_elements or FRAME_BYTES // width
    step = frame_elements * width
    frames = [zstd_frame(encode(content[at:at + step])) for at in range(0, len(content), step)]
    head = struct.pack("<4Q", len(content) // width, frame_elements, len(frames), 0)
    offsets = [len(head) + 8 * (len(frames) + 1)]
    for frame in frames:
        offsets.append(offsets[-1] + len(frame))
    return head + struct.pack("<%dQ" % len(offsets), *offsets) + b"".join(frames)


def encode(section, kind, elements=None, length=1):
    """Put a section into archive form; `elements` if not all of them are there."""
    section.codec, section.filter = 1, kind
    content = section.content if elements is None else elements
    section.stored = encoded_frames(content, section.element_bytes,
                                    lambda part: filtered(kind, part, section.element_bytes, length))


class Bits:
    """The lowest of each byte first."""

    def __init__(self):
        self.value = self.length = 0

    def put(self, value, length):
        self.value |= value << self.length
        self.length += length

    def bytes(self):
        return self.value.to_bytes((self.length + 7) // 8, "little")


def rows_in_bits(rows, num_vertices):
    """The two streams of (base, columns) of each row."""
    high, low = Bits(), Bits()
    for base, columns in rows:
        k, before = 0, base
        while columns and 4 * len(columns) << (k + 1) <= 3 * (num_vertices - base):
            k += 1
        for column in columns:
            gap, before = column - before, column
            high.put(1 << (gap >> k), (gap >> k) + 1)
            low.put(gap & (1 << k) - 1, k)
    return high.bytes(), low.bytes()


def rows_frame(rows, num_vertices, strip, span, after=0, base=None):
    """The content of a frame: rows are (vertex, columns), one after the other."""
    first = rows[0][0]
    base = first if base is None else base
    high, low = rows_in_bits([(base if i == 0 else v, columns) for i, (v, columns) in enumerate(rows)], num_vertices)
    tiles = [0] * (-(-num_vertices // span) - strip)
    for _, columns in rows:
        for column in columns:
            tiles[column // span - strip] += 1
    return (struct.pack("<4IQ", first - strip * span, len(rows), base, len(high), after)
            + b"".join(varint(len(columns)) for _, columns in rows) + b"".join(map(varint, tiles)) + high + low)


def strips_section(num_elements, log2, num_strips, frames):
    """A section of (strip, count, bytes) of each frame."""
    at = 32 + 16 * (len(frames) + 1)
    out = struct.pack("<4Q", num_elements, log2, len(frames), 0)
    for strip, count, data in frames:
        out += struct.pack("<QII", at, strip, count)
        at += len(data)
    return out + struct.pack("<QII", at, num_strips, 0) + b"".join(data for _, _, data in frames)


# ---- Properties

PROPERTY_TYPES = {"u32": (UNSIGNED, 4, "I"), "u64": (UNSIGNED, 8, "Q"), "i64": (SIGNED, 8, "q"), "f32": (FLOAT, 4, "f"),
                  "f64": (FLOAT, 8, "d"), "bool": (UNSIGNED, 1, "B"), "u8": (UNSIGNED, 1, "B"), "u16": (UNSIGNED, 2, "H"),
                  "i8": (SIGNED, 1, "b"), "i16": (SIGNED, 2, "h"), "i32": (SIGNED, 4, "i"), "f16": (UNSIGNED, 2, "e"),
                  "bf16": (UNSIGNED, 2, "H"), "date": (SIGNED, 4, "i"),
                  **{"timestamp_" + unit + utc: (SIGNED, 8, "q") for unit in ("s", "ms", "us", "ns") for utc in ("", "_utc")}}


def packed_numbers(kind, values):
    """Of bf16 the values are such as it has."""
    if kind == "bf16":
        values = [struct.unpack("<2H", struct.pack("<f", value))[1] for value in values]
    return struct.pack("<%d%s" % (len(values), PROPERTY_TYPES[kind][2]), *values)


def property_sections(name, kind, values):
    """The sections of a column, of which None is a null."""
    valid = [value is not None for value in values]
    if kind == "string":
        texts = [(value or "").encode() for value in values]
        sections = [Section(name, TEXT, 1, b"".join(texts), 0),
                    numbers(name + "_offsets", 8, [sum(map(len, texts[:i])) for i in range(len(texts) + 1)], 0)]
    else:
        kind, _, d = kind.partition("x")
        element_type, width, _ = PROPERTY_TYPES[kind]
        flat = [number for value in values for number in (value or (0,) * int(d))] if d else [value or 0 for value in values]
        sections = [Section(name, element_type, width, packed_numbers(kind, flat), 0)]
    if not all(valid):
        bits = [sum(valid[i + bit] << bit for bit in range(8) if i + bit < len(valid)) for i in range(0, len(valid), 8)]
        sections.append(numbers(name + "_valid", 1, bits, 0))
    return sections


def with_properties(container, vertices, edges, **more):
    """`vertices` and `edges` are [(name, type, values)]."""
    schema, sections = dict(more), []
    for kind, columns in (("vertices", vertices), ("edges", edges)):
        schema[kind] = []
        for number, (name, type_, values) in enumerate(columns):
            nulls = sum(value is None for value in values)
            schema[kind].append({"name": name, "type": type_, **({"nulls": nulls} if nulls else {})})
            sections += property_sections("property_%s%d" % (kind[0], number), type_, values)
    place = next(i for i, section in enumerate(container.sections + [None]) if not section or section.name == "metadata")
    container.sections[place:place] = [Section("properties", TEXT, 1, json.dumps(schema).encode(), 0), *sections]
    return container
