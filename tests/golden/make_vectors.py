#!/usr/bin/env python3
"""Writes the golden archives and the negative vectors, from the specification alone (container_writer.py):

    tests/golden/make_vectors.py        writes archives/ and negative/ anew: the same bytes every time

Files are packed with gzip, since a container is mostly padding."""

import gzip
import json
import os
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from conformance.container_reader import Container as Read  # noqa: E402
from conformance.container_reader import xxh3  # noqa: E402
from golden.container_writer import (CRITICAL, DELTA, FLOAT, GAP_PLANES, GAPS, NONE, OPAQUE, PAGE_GAPS, PAGE_ROWS, ROWS, SHUFFLE,  # noqa: E402
                                     STRIPS, TEXT, UNSIGNED, UPPER, WIDE_WEIGHTS, Container, Section, encode, encoded_frames, gaps, graph, numbers,
                                     rows_frame, rows_in_bits, shuffled, strips_section, varint, zstd_frame)

from golden.references_writer import REFERENCES, references  # noqa: E402

SPECS = HERE.parent.parent / "specs"
ARCHIVE, IN_STRIPS, OF_PAGES, RECTANGULAR, OF_REFERENCES = 1, 2, 4, 16, 32


def both_ways(edges):
    return sorted(edges + [(to, at, weight) for at, to, weight in edges if at != to])


def parsed(path):
    """A container of the specs as sections that can be written anew."""
    data = path.read_bytes()
    read = Read(data)
    sections = [Section(s.name, s.element_type, s.element_bytes, bytes(data[s.offset:s.offset + s.stored_bytes]),
                        CRITICAL if s.critical else 0, align_log2=s.align_log2) for s in read.sections.values()]
    layout, = struct.unpack_from("<I", data, 32)
    return Container(layout, read.num_vertices, read.num_edges, sections, read.weight_type, bool(read.directedness),
                     read.compatible, read.incompatible & RECTANGULAR, read.parameters,
                     read.num_rows if read.rectangular else 0, read.first_row)


def plain(archive):
    """What an archive decodes to."""
    sections = [Section(s.name, s.element_type, s.element_bytes, s.content, s.flags & CRITICAL, align_log2=s.align_log2)
                for s in archive.sections]
    return Container(archive.layout, archive.num_vertices, archive.num_edges, sections, archive.weight_type,
                     archive.undirected, archive.compatible,
                     archive.incompatible & WIDE_WEIGHTS, archive.parameters)


# ---- Archives

EDGES = [(0, 1, 7), (0, 3, 1), (0, 3, 5), (1, 3, 4), (3, 0, 2), (3, 3, 2**32 - 1)]
FAR = [10, 20, 21, 2**64 - 1]


def every_filter(lengths=1):
    """A section for each filter of elements, on directed u32 weights with the transpose and number ids."""
    archive = graph(EDGES, 4, "u32", ids=FAR, transposed=True)
    archive.incompatible = ARCHIVE
    for name, kind in (("row_offsets", DELTA), ("column_indices", GAPS), ("weights", SHUFFLE), ("in_row_offsets", SHUFFLE),
                       ("in_column_indices", GAP_PLANES), ("in_weights", NONE), ("original_ids", DELTA), ("metadata", NONE)):
        encode(archive.section(name), kind, length=lengths)
    return archive


def ids_that_fall():
    """Differences of ten bytes, of which the tenth is 1."""
    archive = graph(EDGES, 4, "u32", ids=FAR[::-1])
    archive.incompatible = ARCHIVE
    encode(archive.section("original_ids"), DELTA)
    return archive


def strings_f32():
    archive = graph([(at, to, weight / 4) for at, to, weight in EDGES[:-1]], 4, "f32", ids=[b"a", b"bc", b"bcd", b"\xc3\xa9"])
    archive.incompatible = ARCHIVE
    for name, kind in (("id_offsets", DELTA), ("id_bytes", NONE), ("weights", SHUFFLE), ("column_indices", GAP_PLANES)):
        encode(archive.section(name), kind)
    return archive


def no_vertices():
    archive = graph([], 0, ids=[])
    archive.incompatible = ARCHIVE
    for name, kind in (("row_offsets", DELTA), ("column_indices", GAPS), ("original_ids", DELTA)):
        encode(archive.section(name), kind)
    return archive


def all_plain():
    """Archive form without a section that is encoded."""
    archive = graph(EDGES, 4, "u32")
    archive.incompatible = ARCHIVE
    return archive


def upper(archive, name):
    """Of an undirected graph's section the elements of edges u -> v with u <= v."""
    rows, section = struct.unpack("<%dQ" % (archive.num_vertices + 1), archive.section("row_offsets").content), archive.section(name)
    columns = struct.unpack("<%dI" % archive.num_edges, archive.section("column_indices").content)
    width = section.element_bytes
    return b"".join(section.content[width * e:width * e + width] for u in range(archive.num_vertices)
                    for e in range(rows[u], rows[u + 1]) if u <= columns[e])


def triangle(weights="u32"):
    archive = graph(both_ways([(0, 1, 7), (0, 3, 1), (0, 3, 5), (1, 3, 4), (2, 2, 3)]), 4, weights, undirected=True)
    archive.incompatible |= ARCHIVE
    kinds = {"column_indices": GAPS, "weights": SHUFFLE}
    parts = {name: upper(archive, name) for name in kinds if weights or name != "weights"}
    for name, elements in parts.items():
        section = archive.section(name)
        encode(section, kinds[name], elements)
        section.flags |= UPPER
    return archive


def rows_of(archive):
    columns = struct.unpack("<%dI" % (len(upper(archive, "column_indices")) // 4), upper(archive, "column_indices"))
    offsets = struct.unpack("<%dQ" % (archive.num_vertices + 1), archive.section("row_offsets").content)
    all_columns = struct.unpack("<%dI" % archive.num_edges, archive.section("column_indices").content)
    del columns
    return [[v for v in all_columns[offsets[u]:offsets[u + 1]] if u <= v] for u in range(archive.num_vertices)]


def strips(weights="f32"):
    """Three strips of 256 rows, of which the second has no edges."""
    pairs = [(0, 1, 0.5), (0, 300, 1.5), (3, 599, 2.5), (3, 599, 3.5), (255, 600, 4.0), (512, 512, 5.0), (513, 600, -1.25)]
    archive = graph(both_ways(pairs), 601, weights, undirected=True)
    archive.incompatible |= ARCHIVE | IN_STRIPS
    rows, strip_of = rows_of(archive), lambda strip: range(256 * strip, min(256 * strip + 256, 601))
    counts = [sum(len(rows[v]) for v in strip_of(strip)) for strip in range(3)]
    frames, of_weights, taken = [], [], 0
    values, width = (upper(archive, "weights"), archive.section("weights").element_bytes) if weights else (b"", 0)
    for strip, count in enumerate(counts):
        filled = [v for v in strip_of(strip) if rows[v]]
        some = [(v, rows[v]) for v in range(filled[0], filled[-1] + 1)] if filled else []
        frames.append((strip, count, zstd_frame(rows_frame(some, 601, strip, 256)) if some else b""))
        part = values[width * taken:width * (taken + count)]
        of_weights.append((strip, count, zstd_frame(shuffled(part, width)) if some else b""))
        taken += count
    put_in_strips(archive.section("column_indices"), ROWS, strips_section(taken, 8, 3, frames))
    if weights:
        put_in_strips(archive.section("weights"), SHUFFLE, strips_section(taken, 8, 3, of_weights))
    return archive


def put_in_strips(section, kind, stored):
    section.codec, section.filter, section.flags, section.stored = 1, kind, section.flags | UPPER | STRIPS, stored


MOST = 262144  # elements of a frame in a strip


def strip_of_two_frames(after=66, base=1, second_after=0, degrees=None):
    """A strip of more elements than a frame has, so that a row goes on in the next: `after` of the first frame, `base` of
    the second. Rows: 0 has 10 loops, 1 has 262198 loops and two edges to 2, 2 has 5 loops."""
    rows = [[0] * 10, [1] * (MOST + 54) + [2, 2], [2] * 5]
    offsets, columns = [0], []
    for v, more in enumerate(([], [], [1, 1])):
        columns += sorted(rows[v] + more)
        offsets.append(len(columns))
    sections = [numbers("row_offsets", 8, offsets), numbers("column_indices", 4, columns)]
    from golden.container_writer import chunk_hashes
    archive = Container(1, 3, len(columns), sections + chunk_hashes(sections), undirected=True,
                        incompatible=ARCHIVE | IN_STRIPS)
    cut = MOST - 10
    first = rows_frame([(0, rows[0]), (1, rows[1][:cut])], 3, 0, 256, after)
    second = rows_frame(degrees or [(1, rows[1][cut:]), (2, rows[2])], 3, 0, 256, second_after, base)
    total = sum(map(len, rows))
    frames = [(0, MOST, zstd_frame(first)), (0, total - MOST, zstd_frame(second))]
    put_in_strips(archive.section("column_indices"), ROWS, strips_section(total, 8, 1, frames))
    return archive


def pages(name, kind):
    """Slotted pages of the specs: who has how many edges on a page, weights, and where they lead."""
    archive = parsed(SPECS / "vectors" / name)
    size, p, q, count = archive.parameters[:4]
    content = archive.section("pages").content
    starts = struct.unpack("<%dI" % (count + 1), archive.section("start_vids").content)
    ranges = struct.unpack("<%di" % count, archive.section("lp_ranges").content)
    degrees, weights, destinations = [], b"", []
    for page in range(count):
        data = content[page * size:(page + 1) * size]
        for slot in range(1 if ranges[page] >= 0 else starts[page + 1] - starts[page]):
            at, = struct.unpack_from("<I", data, size - 10 * (slot + 1) + 6)
            degree, = struct.unpack_from("<I", data, at)
            degrees.append(degree)
            at += 4
            for _ in range(degree):
                destinations.append(starts[int.from_bytes(data[at:at + p], "little")]
                                    + int.from_bytes(data[at + p:at + p + q], "little"))
                at += p + q
            if archive.weight_type:
                weights += data[at:at + 4 * degree]
    if kind == PAGE_GAPS:
        led = gaps(destinations)
    else:
        taken = iter(destinations)
        high, low = rows_in_bits([(0, [next(taken) for _ in range(degree)]) for degree in degrees], archive.num_vertices)
        led = struct.pack("<I", len(high)) + high + low
    section, whole = archive.section("pages"), max(1, (1 << 20) // size)
    frame = b"".join(map(varint, degrees)) + shuffled(weights, 4) + led
    section.codec, section.filter = 1, kind
    section.stored = encoded_frames(section.content, 1, lambda _: frame, whole * size)
    archive.incompatible = ARCHIVE | OF_PAGES
    return archive


def by_references(backs=(0, 1, 1, 2, 0, 1, 3), **more):
    """Rows that copy all, much and little of others, long gaps of every kind, parallel edges and a loop."""
    rows = [(1, 2, 3, 5, 8), (1, 2, 3, 5, 8), (1, 3, 4, 5), (), (2, 3, 5, 5, 8, 9), (6, 69999), (6, 6, 40000, 69999), (1, 2, 3, 4)]
    edges = [(at, to, 1) for at, row in enumerate(rows) for to in row]
    archive = graph(edges, 70000)
    archive.incompatible = ARCHIVE | OF_REFERENCES
    section = archive.section("column_indices")
    section.codec, section.filter = 1, REFERENCES
    content = references([(vertex, row) for vertex, row in enumerate(rows) if row], backs, **more)
    section.stored = encoded_frames(section.content, 4, lambda _: content)
    return archive


def checkpoint():
    archive = parsed(HERE / "containers" / "checkpoint.qrn")
    archive.incompatible = ARCHIVE
    encode(archive.section("registers"), DELTA)
    encode(archive.section("values"), NONE)
    return archive


ARCHIVES = {
    "all-plain": all_plain,
    "archived-checkpoint": checkpoint,
    "every-filter": every_filter,
    "every-filter-longer-varints": lambda: every_filter(3),
    "ids-that-fall": ids_that_fall,
    "no-vertices": no_vertices,
    "page-gaps": lambda: pages("slotted-pages-figure-1.qrn", PAGE_GAPS),
    "page-gaps-weights": lambda: pages("slotted-pages-sample.qrn", PAGE_GAPS),
    "page-rows": lambda: pages("slotted-pages-figure-1.qrn", PAGE_ROWS),
    "page-rows-weights": lambda: pages("slotted-pages-sample.qrn", PAGE_ROWS),
    "references": by_references,
    "strings-f32": strings_f32,
    "strip-of-two-frames": strip_of_two_frames,
    "strips": lambda: strips(None),
    "strips-f32": strips,
    "strips-f64": lambda: strips("f64"),
    "triangle": lambda: triangle(None),
    "triangle-i64": lambda: triangle("i64"),
    "triangle-u32": triangle,
}


# ---- Files that break one rule each

def element(name, index, value):
    """Element `index` of a section (a byte, if its elements are opaque) is `value`."""
    def edit(container):
        section = container.section(name)
        width = 1 if section.element_type == OPAQUE else section.element_bytes
        content = bytearray(section.content)
        content[index * width:(index + 1) * width] = (value % (1 << 8 * width)).to_bytes(width, "little")
        section.content = bytes(content)
    return edit


def parameter(index, value):
    def edit(container):
        container.parameters = container.parameters[:index] + (value,) + container.parameters[index + 1:]
    return edit


def header(**fields):
    def edit(container):
        for name, value in fields.items():
            setattr(container, name, value)
    return edit


def without(name):
    def edit(container):
        container.sections = [section for section in container.sections if section.name != name]
    return edit


def renamed(old, new, **fields):
    def edit(container):
        container.section(old).name = new
        header(**fields)(container.section(new))
    return edit


def of_section(name, **fields):
    return lambda container: header(**fields)(container.section(name))


def with_section(section):
    return lambda container: container.sections.append(section)


def before_metadata(section):
    return lambda container: container.sections.insert(-1, section)


def schema(**fields):
    """Keys of the schema of properties are these."""
    def edit(container):
        section = container.section("properties")
        section.content = json.dumps({**json.loads(section.content), **fields}).encode()
    return edit


def column(kind, number, **fields):
    """Keys of a column are these; None: it is not there."""
    def edit(container):
        columns = json.loads(container.section("properties").content)[kind]
        columns[number] = {key: value for key, value in {**columns[number], **fields}.items() if value is not None}
        schema(**{kind: columns})(container)
    return edit


def renamed_column(kind, number, name):
    return column(kind, number, name=name)


def properties_of_edges(container):
    """The number of each edge, which is another one for the reverse."""
    content = json.dumps({"edges": [{"name": "number", "type": "u32"}]}).encode()
    before_metadata(Section("properties", TEXT, 1, content, 0))(container)
    before_metadata(numbers("property_e0", 4, list(range(container.num_edges)), 0))(container)


def swapped(a, b):
    def edit(container):
        i, j = (next(k for k, section in enumerate(container.sections) if section.name == name) for name in (a, b))
        container.sections[i], container.sections[j] = container.sections[j], container.sections[i]
    return edit


def real_weights(container):
    """The bits of u32 weights are those of very small numbers, which are finite."""
    container.weight_type = 2
    for section in container.sections:
        if section.name.endswith("weights"):
            section.element_type = FLOAT


def stored(name, change):
    """Other bytes in the file of an encoded section."""
    def edit(container):
        section = container.section(name)
        section.stored = change(section.stored)
    return edit


def frame(name, change):
    """Another content of the one frame of an encoded section."""
    def edit(container):
        section = container.section(name)
        content = zstd_frame(change(section.stored[48 + 9 + 3:]))
        section.stored = section.stored[:40] + struct.pack("<Q", 48 + len(content)) + content
    return edit


def with_new_frame(file):
    """With the checksums of header and footer that fit."""
    file = file[:4088] + struct.pack("<Q", xxh3(file[:4088])) + file[4096:]
    footer = file[-64:-40] + file[4088:4096] + file[-32:-8]
    return file[:-64] + footer + struct.pack("<Q", xxh3(footer))


def patched(offset, data, anew=True):
    """Bytes of the file, from its end on where `offset` is negative; checksums are made to fit unless not `anew`."""
    def edit(file):
        at = offset % len(file)
        file = file[:at] + data + file[at + len(data):]
        return with_new_frame(file) if anew else file
    edit.of_file = True
    return edit


def whole_file(change):
    def edit(file):
        return change(file)
    edit.of_file = True
    return edit


def u64_at(data, offset, value):
    return data[:offset] + struct.pack("<Q", value) + data[offset + 8:]


def footer(offset, data):
    """Other bytes in the footer, under its checksum."""
    def edit(file):
        end = bytearray(file[-64:-8])
        end[offset:offset + len(data)] = data
        return file[:-64] + bytes(end) + struct.pack("<Q", xxh3(end))
    edit.of_file = True
    return edit


def entry(number, offset, data):
    """Other bytes in an entry of the table, under its checksum and those above it."""
    def edit(file):
        table, sections = struct.unpack_from("<Q", file, 72)[0], struct.unpack_from("<I", file, 44)[0]
        at = table + 128 * number + offset
        file = file[:at] + data + file[at + len(data):]
        checksum = struct.pack("<Q", xxh3(file[table:table + 128 * sections]))
        file = file[:80] + checksum + file[88:-48] + checksum + file[-40:]
        return with_new_frame(file)
    edit.of_file = True
    return edit


INFINITE = 0x7F800000
FIRST_ENTRY = 8 * 4096  # of the table of graph-sample
ADDED = Section("more", UNSIGNED, 4, b"", 0)
PART = "set-sample/part-00001"

NEGATIVE = {
    # The container
    "C-1-signature": ("graph-sample", patched(1, b"q", False)),
    "C-1-line-ends-changed": ("graph-sample", patched(4, b"\n\x1a\n\x01", False)),
    "C-2-too-short": ("graph-sample", whole_file(lambda file: file[:4000])),
    "C-2-header-bytes": ("graph-sample", patched(12, b"\x00\x20\x00\x00")),
    "C-3-header-checksum": ("graph-sample", patched(48, b"\x05", False)),
    "C-4-major-version": ("graph-sample", patched(8, b"\x02\x00")),
    "C-5-unknown-bit": ("graph-sample", header(incompatible=32)),
    "C-5-pages-without-archive": ("graph-sample", header(incompatible=4)),
    "C-5-strips-without-archive": ("graph-sample", header(incompatible=2)),
    "C-6-reserved-header": ("graph-sample", patched(106, b"\x01")),
    "C-6-reserved-tail": ("graph-sample", patched(4000, b"\x01")),
    "C-6-parameter-without-meaning": ("graph-sample", header(parameters=(0, 0, 1))),
    "C-6-reserved-flag": ("graph-sample", of_section("row_offsets", flags=9)),
    "C-6-strips-without-bit": ("triangle", of_section("column_indices", flags=7)),
    "C-6-last-parameter": ("graph-sample", patched(128 + 8 * 31, b"\x01")),
    "C-6-reserved-footer": ("graph-sample", footer(40, b"\x01")),
    "C-6-reserved-entry": ("graph-sample", entry(0, 76, b"\x01")),
    "C-6-reserved-entry-tail": ("graph-sample", entry(7, 127, b"\x01")),
    "C-6-strips-without-triangle": ("strips", of_section("column_indices", flags=CRITICAL | STRIPS)),
    "C-7-layout": ("graph-sample", header(layout=9)),
    "C-8-weight-type": ("graph-sample", header(weight_type=5)),
    "C-8-wide-without-bit": ("graph-sample", header(weight_type=3)),
    "C-8-bit-without-wide": ("graph-sample", header(incompatible=8)),
    "C-9-directedness": ("graph-sample", header(undirected=2)),
    "C-10-sections": ("graph-sample", patched(44, b"\x01\x10\x00\x00")),
    "C-11-vertices": ("graph-sample", header(num_vertices=2**32)),
    "C-12-truncated": ("graph-sample", whole_file(lambda file: file[:-1])),
    "C-12-bytes-behind": ("graph-sample", whole_file(lambda file: file + b"\0")),
    "C-12-other-length": ("graph-sample", patched(64, struct.pack("<Q", 37952 + 4096))),
    "C-13-table-offset": ("graph-sample", patched(72, struct.pack("<Q", 8 * 4096 + 1))),
    "C-13-table-beyond": ("graph-sample", patched(72, struct.pack("<Q", 2**63))),
    "C-13-page-before-the-table": ("graph-sample", of_section("metadata", behind=1)),
    "C-14-table-checksum": ("graph-sample", patched(-64 - 128, b"M", False)),
    "C-15-footer-checksum": ("graph-sample", patched(-60, b"\xff", False)),
    "C-15-footer-signature": ("graph-sample", footer(0, b"\x88")),
    "C-15-footer-length": ("graph-sample", footer(8, b"\x41")),
    "C-15-footer-table-checksum": ("graph-sample", footer(16, b"\xd3")),
    "C-15-footer-header-checksum": ("graph-sample", footer(24, b"\xfc")),
    "C-16-empty-name": ("graph-sample", entry(7, 0, bytes(8))),
    "C-16-behind-the-name": ("graph-sample", entry(7, 31, b"x")),
    "C-16-no-ascii": ("graph-sample", entry(7, 0, b"\xc3\xa9")),
    "C-16-capital-letter": ("graph-sample", renamed("metadata", "Metadata")),
    "C-16-same-name": ("graph-sample", renamed("in_weights", "weights")),
    "C-17-element-type": ("graph-sample", of_section("metadata", element_type=6)),
    "C-17-element-bytes": ("graph-sample", of_section("in_row_offsets", element_bytes=5)),
    "C-17-logical-bytes": ("graph-sample", entry(0, 64, struct.pack("<Q", 48))),
    "C-17-count-of-64-bits": ("graph-sample", entry(0, 40, struct.pack("<Q", 2**61 + 5))),
    "C-17-text-of-two-bytes": ("graph-sample", entry(7, 36, b"\x02")),
    "C-17-no-type": ("graph-sample", entry(0, 32, b"\x00")),
    "C-17-opaque-of-4097-bytes": ("graph-sample", of_section("metadata", element_type=OPAQUE, element_bytes=4097)),
    "C-17-opaque-of-none": ("graph-sample", entry(7, 32, b"\x05"), entry(7, 36, bytes(4))),
    "C-17-float-of-two-bytes": ("graph-sample", entry(0, 32, b"\x03"), entry(0, 36, b"\x02"), entry(0, 64, b"\x0a")),
    "C-18-alignment": ("graph-sample", of_section("metadata", align_log2=22)),
    "C-18-hole": ("graph-sample", of_section("weights", align_log2=14, gap=1)),
    "C-18-least-alignment": ("graph-sample", entry(0, 74, b"\x0b")),
    "C-18-before-the-end": ("graph-sample", entry(2, 48, struct.pack("<Q", 8192))),
    "C-18-beyond-the-table": ("graph-sample", entry(7, 40, struct.pack("<Q", 4097)),
                              entry(7, 56, struct.pack("<2Q", 4097, 4097))),
    "C-19-stored-bytes": ("graph-sample", entry(0, 56, struct.pack("<Q", 48))),
    "C-19-stored-checksum": ("graph-sample", entry(0, 88, b"\x88")),
    "C-19-triangle-of-a-plain-section": ("all-plain", of_section("column_indices", flags=CRITICAL | UPPER)),
    "C-19-pages-without-bit": ("page-gaps", header(incompatible=1)),
    "C-19-filter-without-archive": ("graph-sample", entry(0, 73, b"\x01")),
    "C-19-codec-without-archive": ("graph-sample", of_section("metadata", codec=1)),
    "C-19-newer-codec": ("every-filter", of_section("weights", codec=2)),
    "C-19-newer-filter": ("every-filter", of_section("weights", filter=9)),
    "C-19-references-unannounced": ("references", header(incompatible=ARCHIVE)),
    "C-5-references-without-archive": ("graph-sample", header(incompatible=OF_REFERENCES)),
    "C-19-rows-without-strips": ("triangle", of_section("column_indices", filter=ROWS)),
    "C-20-padding": ("graph-sample", patched(4096 + 100, b"\x01", False)),
    "C-20-behind-the-last-section": ("graph-sample", patched(-64 - 8 * 128 - 1, b"\x01", False)),
    "C-21-damaged-section": ("graph-sample", patched(4096 + 8, b"\x01", False)),
    "C-21-decodes-to-another": ("every-filter", frame("metadata", lambda content: b"[]")),
    "C-21-both-checksums": ("graph-sample", entry(0, 80, b"\x88"), entry(0, 88, b"\x88")),
    "C-22-metadata-of-numbers": ("graph-sample", of_section("metadata", element_type=UNSIGNED)),
    "C-22-columns-missing": ("graph-sample", without("column_indices")),
    "C-22-too-few-rows": ("graph-sample", header(num_vertices=3)),
    "C-22-edges-beyond-bytes": ("graph-sample", header(num_edges=6)),
    "C-23-unknown-critical": ("graph-sample", renamed("metadata", "x_notes", flags=CRITICAL)),
    "C-24-edges-of-64-bits": ("graph-sample", header(num_edges=2**64 - 1)),
    "C-24-vertices": ("graph-sample", header(num_vertices=2**32 - 1)),
    "C-25-hashes-of-nothing": ("graph-sample", with_section(numbers("chunk_hashes", 8, [1], 0))),
    "C-25-empty": ("graph-sample", with_section(numbers("chunk_hashes", 8, [], 0))),
    "C-26-order": ("graph-sample", swapped("weights", "in_row_offsets")),
    "C-26-not-critical": ("graph-sample", of_section("weights", flags=0)),
    "C-26-behind-metadata": ("graph-sample", with_section(ADDED)),
    # Rectangular ones
    "C-22-rows-of-a-part": (PART, header(num_rows=3)),
    "C-24-rows-of-a-part": (PART, header(num_rows=2**32 - 1)),
    "C-27-rows-without-the-bit": ("graph-sample", header(num_rows=4)),
    "C-27-first-row-without-the-bit": ("graph-sample", header(first_row=1)),
    "C-27-another-layout": ("shards-garaph", header(incompatible=RECTANGULAR)),
    "C-27-rows-beyond-32-bits": (PART, header(num_rows=2**32)),
    "C-27-first-row-beyond-32-bits": (PART, header(first_row=2**63)),
    "C-27-undirected": (PART, header(undirected=True)),
    "G-2-offsets-of-a-part": (PART, element("row_offsets", 1, 4)),
    "G-4-column-of-a-part": (PART, header(num_vertices=3)),
    "G-5-columns-of-a-part": (PART, element("column_indices", 0, 3)),
    "G-10-transpose-of-a-part": (PART, before_metadata(numbers("in_row_offsets", 8, [0, 0, 3])),
                                 before_metadata(numbers("in_column_indices", 4, [0, 1, 1])),
                                 before_metadata(numbers("in_weights", 4, [1, 4, 9]))),
    "PK-1-in-of-a-part": ("packed-sample", header(incompatible=RECTANGULAR, num_rows=4)),
    "PK-2-rows-of-a-part": ("packed-example", header(incompatible=RECTANGULAR, num_rows=4)),
    "PK-8-column-of-a-part": ("packed-example", header(incompatible=RECTANGULAR, num_rows=5, first_row=1)),
    "M-1-no-object": ("graph-sample", of_section("metadata", content=b"[]")),
    "M-1-mark": ("graph-sample", of_section("metadata", content=b"\xef\xbb\xbf{}")),
    "M-1-behind-the-object": ("graph-sample", of_section("metadata", content=b"{} {}")),
    "M-1-nul": ("graph-sample", of_section("metadata", content=b'{"a":"\\u0000"}')),
    "M-1-lone-surrogate": ("graph-sample", of_section("metadata", content=b'{"a":"\\udc00\\ud800"}')),
    "M-1-no-utf-8": ("graph-sample", of_section("metadata", content=b'{"a":"\xc0\x80"}')),
    "M-1-beyond-64-bits": ("graph-sample", of_section("metadata", content=b'{"a":9223372036854775808}')),
    "M-1-beyond-binary64": ("graph-sample", of_section("metadata", content=b'{"a":-1e309}')),
    "M-1-no-number": ("graph-sample", of_section("metadata", content=b'{"a":Infinity}')),
    "M-1-too-deep": ("graph-sample", of_section("metadata", content=b'{"a":' + b"[" * 2048 + b"]" * 2048 + b"}")),
    "M-1-twice-the-same-key": ("graph-sample", of_section("metadata", content=b'{"a":1,"a":2}')),
    # Graphs, and ids
    "G-1-first-offset": ("graph-sample", element("row_offsets", 0, 1)),
    "G-1-of-the-transpose": ("graph-sample", element("in_row_offsets", 0, 1)),
    "G-2-offsets-decrease": ("graph-sample", element("row_offsets", 3, 2)),
    "G-3-last-offset": ("graph-sample", element("row_offsets", 4, 4)),
    "G-4-column": ("graph-sample", element("column_indices", 0, 4)),
    "G-5-columns-decrease": ("graph-sample", without("in_row_offsets"), without("in_column_indices"), without("in_weights"),
                             element("column_indices", 1, 0)),
    "G-2-of-the-transpose": ("graph-sample", element("in_row_offsets", 3, 1)),
    "G-3-of-the-transpose": ("graph-sample", element("in_row_offsets", 4, 4)),
    "G-4-of-the-transpose": ("graph-sample", element("in_column_indices", 0, 4)),
    "G-5-of-the-transpose": ("graph-sample", element("in_column_indices", 3, 0), element("in_column_indices", 2, 1)),
    "G-6-weights-without-a-type": ("graph-sample", header(weight_type=0)),
    "G-7-infinite": ("graph-strings-f32", element("weights", 0, INFINITE)),
    "G-7-no-number": ("graph-strings-f32", element("weights", 4, 0xFFC00000)),
    "G-8-other-weight": ("graph-sample", element("in_weights", 0, 77)),
    "G-9-one-way": ("graph-strings-f32", header(undirected=True)),
    "G-10-transpose-of-an-undirected-graph": ("graph-sample", header(undirected=True)),
    "ID-1-first-offset": ("graph-strings-f32", element("id_offsets", 0, 1)),
    "ID-2-nul": ("graph-strings-f32", element("id_bytes", 0, 0)),
    "ID-2-line-feed": ("graph-strings-f32", element("id_bytes", 0, 10)),
    "ID-2-carriage-return": ("graph-strings-f32", element("id_bytes", 0, 13)),
    "G-10-half-a-transpose": ("graph-sample", without("in_column_indices")),
    "ID-1-empty": ("graph-strings-f32", element("id_offsets", 1, 0)),
    "ID-2-tab": ("graph-strings-f32", element("id_bytes", 0, 9)),
    "ID-3-same": ("graph-sample", header(compatible=0), element("original_ids", 1, 10)),
    "ID-4-descend": ("graph-sample", element("original_ids", 1, 0)),
    "ID-5-of-both-kinds": ("graph-sample", renamed("metadata", "id_bytes", flags=CRITICAL)),
    "ID-6-dense-ascend": ("graph-sample", without("original_ids")),
    # Blocked CSR
    "BC-1-empty-blocks": ("blocked-csr-figure-4", parameter(0, 0)),
    "BC-1-directions": ("blocked-csr-figure-4", parameter(1, 4)),
    "BC-1-another-direction": ("blocked-csr-figure-4", parameter(1, 2)),
    "BC-1-range": ("blocked-csr-figure-4", parameter(2, 512)),
    "BC-1-beyond-32-bits": ("blocked-csr-figure-4", parameter(0, 2**32)),
    "BC-2-block-rows": ("blocked-csr-figure-4", element("pull_block_rows", 0, 1)),
    "BC-2-decreases": ("blocked-csr-figure-4", element("pull_block_rows", 1, 11)),
    "BC-2-last": ("blocked-csr-figure-4", element("pull_block_rows", 3, 9), element("pull_block_rows", 2, 9)),
    "BC-2-of-push": ("blocked-csr-sample", element("push_block_rows", 0, 1)),
    "BC-3-block-edges": ("blocked-csr-figure-4", element("pull_block_edges", 0, 1)),
    "BC-3-decreases": ("blocked-csr-figure-4", element("pull_block_edges", 1, 15)),
    "BC-3-last": ("blocked-csr-figure-4", element("pull_block_edges", 3, 13), element("pull_block_edges", 2, 13)),
    "BC-4-first-offset": ("blocked-csr-figure-4", element("pull_row_offsets", 7, 1)),
    "BC-4-last-offset": ("blocked-csr-figure-4", element("pull_row_offsets", 6, 9)),
    "BC-4-of-an-empty-block": ("blocked-csr-figure-4", element("pull_row_offsets", 12, 1)),
    "BC-4-empty-row": ("blocked-csr-figure-4", element("pull_row_offsets", 1, 0)),
    "BC-5-id-map": ("blocked-csr-figure-4", element("pull_id_map", 0, 3)),
    "BC-5-no-vertex": ("blocked-csr-figure-4", element("pull_id_map", 9, 9)),
    "BC-6-range-starts": ("blocked-csr-figure-4", element("pull_range_starts", 0, 1)),
    "BC-6-last": ("blocked-csr-figure-4", element("pull_range_starts", 1, 5)),
    "BC-7-column-of-another-block": ("blocked-csr-figure-4", element("pull_columns", 0, 2**32 - 1)),
    "BC-8-columns-decrease": ("blocked-csr-figure-4", element("pull_columns", 3, 2)),
    "BC-9-infinite": ("blocked-csr-sample", real_weights, element("pull_weights", 0, INFINITE)),
    "BC-10-degrees": ("blocked-csr-figure-4", element("out_degrees", 0, 4)),
    "BC-9-of-push": ("blocked-csr-sample", real_weights, element("push_weights", 4, 0x7FC00000)),
    "BC-10-of-another-vertex": ("blocked-csr-figure-4", element("out_degrees", 0, 2), element("out_degrees", 1, 3)),
    "BC-11-push-and-pull": ("blocked-csr-sample", element("push_weights", 0, 77)),
    "BC-12-other-out-edges": ("blocked-csr-sample", element("row_offsets", 1, 1)),
    "BC-13-one-way": ("blocked-csr-figure-4", header(undirected=True)),
    # Packed
    "PK-1-directions": ("packed-example", parameter(0, 0)),
    "PK-1-out-degrees-beside-out": ("packed-example", lambda container: container.sections.insert(
        0, numbers("out_degrees", 4, [1] * container.num_vertices))),
    "PK-1-in-of-an-undirected-graph": ("packed-sample", header(undirected=True)),
    "PK-2-first": ("packed-example", element("out_tile_rows", 0, 1)),
    "PK-2-last": ("packed-example", element("out_tile_rows", 1, 2)),
    "PK-3-last": ("packed-example", element("out_tile_edges", 1, 4)),
    "PK-4-last": ("packed-example", element("out_tile_starts", 1, 5)),
    "PK-2-rows": ("packed-example", element("out_tile_rows", 1, 4)),
    "PK-3-edges": ("packed-example", element("out_tile_edges", 0, 1)),
    "PK-4-starts": ("packed-example", element("out_tile_starts", 0, 1)),
    "PK-4-padding": ("packed-example", element("out_words", 6, 1)),
    "PK-5-least-gap": ("packed-example", element("out_words", 0, 0x202)),
    "PK-5-width": ("packed-example", element("out_words", 0, 0x2100)),
    "PK-5-width-of-an-unused-code": ("packed-example", element("out_words", 1, 0x21)),
    "PK-5-code-of-no-group": ("packed-sample", element("in_words", 4, 0x1212)),
    "PK-6-too-few-words": ("packed-example", element("out_words", 0, 0x1400)),
    "PK-6-bits-beyond": ("packed-example", element("out_words", 5, 0x010F56C7)),
    "PK-7-lengths": ("packed-example", element("out_words", 5, 0x000F56D7)),
    "PK-8-no-vertex": ("packed-example", element("out_words", 5, 0x000F57C7)),
    "PK-9-infinite": ("packed-sample", header(weight_type=2), of_section("in_weights", element_type=FLOAT),
                      element("in_weights", 0, INFINITE)),
    "PK-10-degrees": ("packed-sample", element("out_degrees", 0, 3)),
    "PK-11-in-and-out": ("packed", element("in_weights", 0, 0xFFFFFFF0)),
    "PK-12-one-way": ("packed-example", header(undirected=True)),
    "PK-13-newer-kind": ("packed-weights", parameter(1, 3)),
    "PK-13-sums-of-reals": ("packed-weights", parameter(1, 1)),
    "PK-13-values-of-plain-weights": ("packed-weights", parameter(1, 0)),
    "PK-14-values-descend": ("packed-weights", element("weight_values", 0, 0x40C00000)),
    "PK-14-greatest-before-least": ("packed-weights", header(weight_type=1), parameter(1, 1),
                                    of_section("weight_values", element_type=UNSIGNED, content=struct.pack("<2I", 5, 2))),
    "PK-15-code-of-no-value": ("packed-weights", of_section("weight_values", content=struct.pack("<3f", 1, 2, 3)),
                               element("out_weights", 0, 0x7)),
    "PK-15-bits-beyond": ("packed-weights", element("out_weights", 0, 0xCB)),
    "PK-9-infinite-value": ("packed-weights", element("weight_values", 1, INFINITE)),
    # Edge partitions
    "EP-1-no-partitions": ("edge-partitions-graphie", parameter(0, 0)),
    "EP-1-more-than-edges": ("edge-partitions-graphie", parameter(0, 100)),
    "EP-1-range-size": ("edge-partitions-graphie", parameter(1, 0)),
    "EP-1-ids-beyond-32-bits": ("edge-partitions-graphie", parameter(1, 2**31)),
    "EP-1-sources": ("edge-partitions-graphie", parameter(2, 100)),
    "EP-1-capacity": ("edge-partitions-graphie", parameter(3, 0)),
    "EP-2-empty-partition": ("edge-partitions-graphie", element("edge_offsets", 1, 0)),
    "EP-2-last-offset": ("edge-partitions-graphie", element("edge_offsets", 3, 8)),
    "EP-2-first-offset": ("edge-partitions-graphie", element("edge_offsets", 0, 1)),
    "EP-3-beyond-capacity": ("edge-partitions-graphie", element("edge_offsets", 1, 5)),
    "EP-4-prefix": ("edge-partitions-graphie", element("prefix_offsets", 0, 1)),
    "EP-4-last": ("edge-partitions-graphie", element("prefix_offsets", 4, 5)),
    "EP-5-no-full-partition": ("edge-partitions-graphie", element("prefix_offsets", 1, 1)),
    "EP-6-descends": ("edge-partitions-graphie", element("new_to_old", 0, 1)),
    "EP-6-no-vertex": ("edge-partitions-graphie", element("new_to_old", 5, 99)),
    "EP-7-twice": ("edge-partitions-graphie", element("new_to_old", 2, 3)),
    "EP-8-first-source": ("edge-partitions-graphie", element("prefix_offsets", 1, 0)),
    "EP-9-continuation": ("edge-partitions-graphie", element("prefix_offsets", 3, 5)),
    "EP-10-no-vertex": ("edge-partitions-graphie", element("destinations", 0, 2)),
    "EP-11-destinations-decrease": ("edge-partitions-graphie", element("destinations", 1, 0)),
    "EP-12-infinite": ("edge-partitions-graphie", real_weights, element("weights", 0, INFINITE)),
    "EP-13-one-way": ("edge-partitions-graphie", header(undirected=True)),
    # Slotted pages
    "SP-1-page-size": ("slotted-pages-figure-1", parameter(0, 0)),
    "SP-1-page-id": ("slotted-pages-figure-1", parameter(1, 3)),
    "SP-1-slot-number": ("slotted-pages-figure-1", parameter(2, 5)),
    "SP-1-no-multiple-of-four": ("slotted-pages-figure-1", parameter(0, 61)),
    "SP-1-pages": ("slotted-pages-figure-1", parameter(3, 2**31)),
    "SP-2-last-vertex": ("slotted-pages-figure-1", element("start_vids", 6, 13)),
    "SP-2-first-vertex": ("slotted-pages-figure-1", element("start_vids", 0, 1)),
    "SP-3-ranges": ("slotted-pages-figure-1", element("lp_ranges", 0, 0)),
    "SP-3-less-than-minus-one": ("slotted-pages-figure-1", element("lp_ranges", 0, 2**32 - 2)),
    "SP-3-does-not-count-down": ("slotted-pages-figure-1", element("lp_ranges", 1, 2)),
    "SP-3-last-page": ("slotted-pages-figure-1", element("lp_ranges", 5, 1)),
    "SP-4-vertices-of-a-page": ("slotted-pages-figure-1", element("start_vids", 1, 0)),
    "SP-5-too-much-on-a-page": ("slotted-pages-figure-1", element("start_vids", 1, 4)),
    "SP-4-large-page": ("slotted-pages-figure-1", element("start_vids", 2, 4)),
    "SP-5-first": ("slotted-pages-figure-1", element("edge_offsets", 0, 1)),
    "SP-5-decreases": ("slotted-pages-figure-1", element("edge_offsets", 2, 3)),
    "SP-5-last": ("slotted-pages-figure-1", element("edge_offsets", 6, 16)),
    "SP-6-number-of-a-slot": ("slotted-pages-figure-1", element("pages", 30, 3)),
    "SP-7-offset-of-a-record": ("slotted-pages-sample", element("pages", 20, 1)),
    "SP-7-first-offset": ("slotted-pages-figure-1", element("pages", 56, 4)),
    "SP-8-size-of-a-record": ("slotted-pages-sample", element("pages", 0, 2)),
    "SP-9-physical-id": ("slotted-pages-figure-1", element("pages", 4, 255)),
    "SP-9-slot": ("slotted-pages-figure-1", element("pages", 6, 3)),
    "SP-9-later-large-page": ("slotted-pages-figure-1", element("pages", 8, 2)),
    "SP-10-destinations-decrease": ("slotted-pages-figure-1", element("pages", 4, 3)),
    "SP-12-bytes-between": ("slotted-pages-figure-1", element("pages", 28, 1)),
    "SP-13-infinite": ("slotted-pages-sample", real_weights, element("pages", 10, 0), element("pages", 12, 0x80),
                       element("pages", 13, 0x7F)),
    "SP-14-one-way": ("slotted-pages-figure-1", header(undirected=True)),
    # Shards
    "SH-1-no-shards": ("shards-garaph", parameter(0, 0)),
    "SH-1-more-pages-than-shards": ("shards-garaph", parameter(1, 3)),
    "SH-1-most-vertices": ("shards-garaph", parameter(2, 0)),
    "SH-1-beyond-16-bits": ("shards-garaph", parameter(2, 65537)),
    "SH-2-empty-shard": ("shards-garaph", element("vertex_offsets", 1, 0)),
    "SH-2-last-vertex": ("shards-garaph", element("vertex_offsets", 2, 5)),
    "SH-2-first-vertex": ("shards-garaph", element("vertex_offsets", 0, 1)),
    "SH-3-too-many-vertices": ("shards-garaph", element("vertex_offsets", 1, 4)),
    "SH-4-replication": ("shards-garaph", element("replication", 0, 3)),
    "SH-5-beyond-shared-bytes": ("shards-garaph", parameter(3, 1)),
    "SH-6-pages": ("shards-garaph", element("page_shards", 0, 1)),
    "SH-6-first": ("shards-garaph", element("page_shards", 0, 2)),
    "SH-6-last": ("shards-garaph", element("page_shards", 2, 3)),
    "SH-7-page-bytes": ("shards-garaph", parameter(4, 1)),
    "SH-8-destination-offset": ("shards-garaph", element("destination_offsets", 0, 2)),
    "SH-8-last": ("shards-garaph", element("destination_offsets", 8, 1)),
    "SH-9-no-out-edges": ("shards-garaph", without("out_row_offsets"), without("out_destinations")),
    "SH-9-out-edges-of-an-undirected-graph": ("shards-garaph", header(undirected=True)),
    "SH-10-infinite": ("shards-garaph", real_weights, element("weights", 0, INFINITE)),
    "SH-11-other-out-edges": ("shards-garaph", element("sources", 0, 4)),
    "SH-12-one-way": ("shards-garaph", without("out_row_offsets"), without("out_destinations"), header(undirected=True)),
    # Hybrid
    "HY-1-directions": ("hybrid-sample", parameter(0, 0)),
    "HY-1-width-of-no-direction": ("hybrid-figure-3", parameter(1, 1)),
    "HY-1-another-direction": ("hybrid-figure-3", parameter(0, 1)),
    "HY-2-last": ("hybrid-sample", element("in_coo_starts", 1, 1)),
    "HY-2-coo-starts": ("hybrid-sample", element("in_coo_starts", 0, 1)),
    "HY-3-no-vertex": ("hybrid-sample", element("in_ell_columns", 0, 4)),
    "HY-3-behind-the-last-row": ("hybrid-sample", element("in_ell_columns", 31, 0)),
    "HY-4-columns-decrease": ("hybrid-figure-3", element("out_ell_columns", 0, 3)),
    "HY-5-rows-decrease": ("hybrid-sample", element("in_coo_rows", 1, 0)),
    "HY-6-no-vertex-in-coo": ("hybrid-sample", element("in_coo_columns", 0, 4)),
    "HY-6-columns-decrease": ("hybrid-sample", element("in_coo_columns", 1, 0), element("in_coo_columns", 0, 1)),
    "HY-7-ell-not-full": ("hybrid-figure-3", element("out_coo_columns", 0, 0)),
    "HY-8-number-of-entries": ("hybrid-sample", element("in_ell_columns", 2, 0)),
    "HY-9-weight-of-padding": ("hybrid-sample", element("in_ell_weights", 2, 1)),
    "HY-10-degrees": ("hybrid-sample", element("out_degrees", 0, 3)),
    "HY-11-in-and-out": ("hybrid-sample", element("in_ell_weights", 0, 3)),
    "HY-12-one-way": ("hybrid-figure-3", header(undirected=True)),
    # Checkpoints
    "K-1-layout": ("checkpoint", parameter(1, 7)),
    "K-1-beyond-the-layouts": ("checkpoint", parameter(1, 9)),
    "K-2-run-is-a-list": ("checkpoint", of_section("run", content=b"[]")),
    "K-3-beyond-32-bits": ("checkpoint", element("registers", 0, 2**32)),
    "K-2-run-is-no-object": ("checkpoint", element("run", 0, 0)),
    "K-3-no-iteration": ("checkpoint", element("registers", 0, 0)),
    "K-4-values-missing": ("checkpoint", without("values")),
    "K-4-values-in-a-list": ("checkpoint-list", with_section(Section("values", OPAQUE, 4, bytes(4 * 41)))),
    "K-4-values-of-all-in-a-part": ("checkpoint-part", of_section("values", content=bytes(4 * 41))),
    "K-5-bits-beyond": ("checkpoint", with_section(numbers("active", 8, [1 << 63]))),
    "K-5-bits-before-a-part": ("checkpoint-part", with_section(numbers("active", 8, [1 << 22]))),
    "K-6-empty-range": ("checkpoint-part", parameter(3, 23)),
    "K-6-range-beyond": ("checkpoint-part", parameter(3, 42)),
    "K-6-range-of-a-list": ("checkpoint-list", parameter(3, 41)),
    "K-7-gap": ("checkpoint-list", element("parts", 3, 24)),
    "K-7-empty-part": ("checkpoint-list", element("parts", 1, 0), element("parts", 3, 0)),
    "K-7-not-to-the-end": ("checkpoint-list", element("parts", 4, 40)),
    "K-7-half-a-record": ("checkpoint-list", of_section("parts", content=bytes(8 * 5))),
    # Properties
    "P-1-schema-is-no-object": ("properties-sample", of_section("properties", content=b"[]")),
    "P-1-column-is-no-object": ("properties-sample", schema(vertices=["name"])),
    "P-1-schema-of-numbers": ("properties-sample", of_section("properties", element_type=UNSIGNED)),
    "P-1-columns-are-no-list": ("properties-sample", schema(edges={})),
    "P-1-more-than-a-mebibyte": ("properties-sample", schema(more="x" * (1 << 20))),
    "P-2-empty-name": ("properties-sample", renamed_column("vertices", 1, "")),
    "P-2-line-end-in-a-name": ("properties-sample", renamed_column("vertices", 1, "a\nb")),
    "P-2-name-of-256-bytes": ("properties-sample", renamed_column("vertices", 1, "\u00e9" * 128)),
    "P-2-same-name": ("properties-sample", renamed_column("vertices", 1, "name")),
    "P-2-no-type": ("properties-sample", column("edges", 0, type=None)),
    "P-2-name-of-numbers": ("properties-sample", renamed_column("vertices", 1, 7)),
    "P-2-delete-in-a-name": ("properties-sample", renamed_column("vertices", 1, "a\x7f")),
    "P-2-weight-without-a-name": ("properties-sample", schema(weight="")),
    "P-3-newer-type": ("properties-sample", column("edges", 0, type="u128")),
    "P-3-vector-of-no-numbers": ("properties-vectors", column("vertices", 0, type="f32x0")),
    "P-3-vector-of-65537-numbers": ("properties-vectors", column("vertices", 0, type="f32x65537")),
    "P-3-leading-zero": ("properties-vectors", column("vertices", 0, type="f32x03")),
    "P-3-vector-of-texts": ("properties-vectors", column("vertices", 0, type="stringx3")),
    "P-4-shorter-vectors": ("properties-vectors", column("vertices", 0, type="f32x2")),
    "P-4-longer-vectors": ("properties-vectors", column("vertices", 0, type="f32x65536")),
    "P-4-vectors-of-other-numbers": ("properties-vectors", column("vertices", 0, type="u32x3")),
    "P-4-part-of-a-vector": ("properties-vectors", of_section("property_v0", content=bytes(4 * 13))),
    "P-9-null-vector-with-a-number": ("properties-vectors", element("property_v0", 5, 1)),
    "P-4-values-missing": ("properties-sample", without("property_e1")),
    "P-4-other-width": ("properties-sample", column("edges", 0, type="u32")),
    "P-4-order": ("properties-sample", swapped("property_e0", "property_e1")),
    "P-4-of-no-column": ("properties-sample", before_metadata(numbers("property_e9", 4, [0] * 5, 0))),
    "P-4-without-a-schema": ("properties-sample", without("properties")),
    "P-4-between": ("properties-sample", lambda container: container.sections.insert(
        2 + next(i for i, section in enumerate(container.sections) if section.name == "properties"), Section("x_more", UNSIGNED, 4, b"", 0))),
    "P-4-one-more": ("properties-sample", of_section("property_e1", content=bytes(4 * 6))),
    "P-5-more-nulls-than-values": ("properties-sample", column("vertices", 0, nulls=5)),
    "P-5-negative": ("properties-sample", column("vertices", 0, nulls=-1)),
    "P-5-nulls-absent": ("properties-sample", column("vertices", 0, nulls=None)),
    "P-5-bits-missing": ("properties-sample", without("property_v0_valid")),
    "P-5-no-whole-number": ("properties-sample", column("vertices", 0, nulls=1.5)),
    "P-5-bits-without-nulls": ("properties-sample", column("vertices", 0, nulls=0)),
    "P-6-other-number-of-nulls": ("properties-sample", column("vertices", 0, nulls=2)),
    "P-6-bit-behind": ("properties-sample", element("property_v0_valid", 0, 0b11011)),
    "P-7-first-offset": ("properties-sample", element("property_v0_offsets", 0, 1)),
    "P-7-offsets-decrease": ("properties-sample", element("property_v0_offsets", 1, 99)),
    "P-7-last-offset": ("properties-sample", element("property_v0_offsets", 4, 2)),
    "P-8-long-form": ("properties-sample", element("property_v0", 0, 0xC0)),
    "P-8-cut": ("properties-sample", element("property_v0", 2, 0xE2)),
    "P-8-nul": ("properties-sample", element("property_v0", 0, 0)),
    "P-8-surrogate": ("properties-sample", of_section("property_v0", content=b"\xed\xa0\x80rich" + b"ulm")),
    "P-9-bool-of-two": ("properties-sample", element("property_v2", 0, 2)),
    "P-9-null-with-a-value": ("properties-sample", element("property_e0_valid", 0, 0b11101)),
    "P-9-null-string": ("properties-sample", column("vertices", 0, nulls=2), element("property_v0_valid", 0, 0b01010)),
    "P-10-one-way": ("graph-undirected", properties_of_edges),
    "P-11-of-a-checkpoint": ("checkpoint", with_section(Section("properties", TEXT, 1, b"{}", 0))),
    # Archives
    "A-1-delta-of-four-bytes": ("every-filter", of_section("weights", filter=DELTA)),
    "A-1-pages-elsewhere": ("page-gaps", of_section("start_vids", codec=1, filter=PAGE_GAPS)),
    "A-1-shuffle-of-bytes": ("every-filter", of_section("metadata", codec=1, filter=SHUFFLE)),
    "A-1-gaps-of-eight-bytes": ("every-filter", of_section("row_offsets", filter=GAPS)),
    "A-1-references-of-weights": ("every-filter", header(incompatible=ARCHIVE | OF_REFERENCES), of_section("weights", filter=REFERENCES)),
    "A-2-elements": ("every-filter", stored("row_offsets", lambda data: u64_at(data, 0, 6))),
    "A-2-frames": ("every-filter", stored("row_offsets", lambda data: u64_at(data, 16, 2))),
    "A-2-last-offset": ("every-filter", stored("row_offsets", lambda data: u64_at(data, 40, len(data) - 1))),
    "A-2-cut": ("every-filter", stored("row_offsets", lambda data: data[:39])),
    "A-2-less-than-half": ("triangle-u32", stored("column_indices", lambda data: u64_at(data, 0, 4))),
    "A-2-strips-elements": ("strips", stored("column_indices", lambda data: u64_at(data, 0, 8))),
    "A-2-strips-reserved": ("strips", stored("column_indices", lambda data: u64_at(data, 24, 1))),
    "A-2-strips-last-strip": ("strips", stored("column_indices", lambda data: data[:32 + 16 * 3 + 8] + b"\x04" + data[32 + 16 * 3 + 9:])),
    "A-2-frame-elements": ("every-filter", stored("row_offsets", lambda data: u64_at(data, 8, 131071))),
    "A-2-reserved": ("every-filter", stored("row_offsets", lambda data: u64_at(data, 24, 1))),
    "A-2-offset": ("every-filter", stored("row_offsets", lambda data: u64_at(data, 32, 40))),
    "A-2-span": ("strips", stored("column_indices", lambda data: u64_at(data, 8, 7))),
    "A-3-varint-of-eleven-bytes": ("every-filter", frame("row_offsets", lambda data: b"\x80" * 10 + data)),
    "A-3-tenth-byte": ("ids-that-fall", frame("original_ids", lambda data: data[:9] + b"\x02" + data[10:])),
    "A-3-varint-that-does-not-end": ("every-filter", frame("row_offsets", lambda data: data[:-1] + b"\x80")),
    "A-3-too-few-elements": ("every-filter", frame("row_offsets", lambda data: data[:-1])),
    "A-3-skippable-frame": ("every-filter", stored("row_offsets", lambda data: u64_at(data, 40, len(data) + 8) +
                                                   bytes.fromhex("502a4d1800000000"))),
    "A-3-after-too-many": ("strip-of-two-frames", lambda: strip_of_two_frames(after=67)),
    "A-3-after-none": ("strip-of-two-frames", lambda: strip_of_two_frames(after=0)),
    "A-3-after-the-last": ("strip-of-two-frames", lambda: strip_of_two_frames(second_after=1)),
    "A-3-base-of-another-row": ("strip-of-two-frames", lambda: strip_of_two_frames(base=0)),
    "A-3-references-before-the-first": ("references", lambda: by_references((0, 1, 3, 2, 0, 1, 3))),
    "A-3-references-beyond-a-row": ("references", lambda: by_references(code=lambda number: number or 7)),
    "A-3-references-of-too-few-words": ("references", frame("column_indices", lambda data: data[:-4])),
    "A-3-references-of-more-words": ("references", frame("column_indices", lambda data: data + b"word")),
    "A-7-rows-that-fall": ("references", element("row_offsets", 1, 11)),
    "A-4-triangle-of-a-directed-graph": ("triangle-u32", header(undirected=False)),
    "SP-3-ranges-of-an-archive": ("page-gaps", element("lp_ranges", 0, 0)),
    "G-4-column-of-an-archive": ("all-plain", element("column_indices", 0, 4)),
}

# What a reader may find first, since the broken field leads it astray.
ALSO = {"A-3-after-too-many": "A-4", "A-3-after-none": "C-21", "A-3-after-the-last": "C-21", "G-10-half-a-transpose": "C-22",
        "SH-9-no-out-edges": "C-22", "A-2-less-than-half": "A-4"}


def base(name):
    if name in ARCHIVES:
        return ARCHIVES[name]()
    path = SPECS / "vectors" / (name + ".qrn")
    return parsed(path if path.exists() else HERE / "containers" / (name + ".qrn"))


def negative(name):
    source, *edits = NEGATIVE[name]
    if source == "strip-of-two-frames" or len(edits) == 1 and not edits[0].__code__.co_argcount:
        return edits[0]().bytes()
    container = base(source)
    for edit in edits:
        if not hasattr(edit, "of_file"):
            edit(container)
    file = container.bytes()
    for edit in edits:
        if hasattr(edit, "of_file"):
            file = edit(file)
    return file


def write(folder, files):
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.qrn.gz"):
        path.unlink()
    for name, data in files:
        (folder / (name + ".qrn.gz")).write_bytes(gzip.compress(data, 9, mtime=0))


def main():
    write(HERE / "archives", ((name, make().bytes()) for name, make in ARCHIVES.items()))
    write(HERE / "negative", ((name, negative(name)) for name in NEGATIVE))


if __name__ == "__main__":
    main()
