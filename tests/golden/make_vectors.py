#!/usr/bin/env python3
"""Writes the golden archives and the negative vectors, from the specification alone (container_writer.py):

    tests/golden/make_vectors.py        writes archives/ and negative/ anew: the same bytes every time

Files are packed with gzip, since a container is mostly padding."""

import gzip
import os
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from conformance.container_reader import Container as Read  # noqa: E402
from golden.container_writer import (CRITICAL, DELTA, GAP_PLANES, GAPS, NONE, PAGE_GAPS, PAGE_ROWS, ROWS, SHUFFLE,  # noqa: E402
                                     STRIPS, UPPER, Container, Section, encode, encoded_frames, gaps, graph, numbers,
                                     rows_frame, rows_in_bits, shuffled, strips_section, varint, zstd_frame)

SPECS = HERE.parent.parent / "specs"
ARCHIVE, IN_STRIPS, OF_PAGES = 1, 2, 4


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
                     read.compatible, 0, read.parameters)


def plain(archive):
    """What an archive decodes to."""
    sections = [Section(s.name, s.element_type, s.element_bytes, s.content, s.flags & CRITICAL, align_log2=s.align_log2)
                for s in archive.sections]
    return Container(archive.layout, archive.num_vertices, archive.num_edges, sections, archive.weight_type,
                     archive.undirected, archive.compatible, 0, archive.parameters)


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
    return b"".join(section.content[4 * e:4 * e + 4] for u in range(archive.num_vertices)
                    for e in range(rows[u], rows[u + 1]) if u <= columns[e])


def triangle(weights="u32"):
    archive = graph(both_ways([(0, 1, 7), (0, 3, 1), (0, 3, 5), (1, 3, 4), (2, 2, 3)]), 4, weights, undirected=True)
    archive.incompatible = ARCHIVE
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
    archive.incompatible = ARCHIVE | IN_STRIPS
    rows, strip_of = rows_of(archive), lambda strip: range(256 * strip, min(256 * strip + 256, 601))
    counts = [sum(len(rows[v]) for v in strip_of(strip)) for strip in range(3)]
    frames, of_weights, taken = [], [], 0
    values = upper(archive, "weights") if weights else b""
    for strip, count in enumerate(counts):
        filled = [v for v in strip_of(strip) if rows[v]]
        some = [(v, rows[v]) for v in range(filled[0], filled[-1] + 1)] if filled else []
        frames.append((strip, count, zstd_frame(rows_frame(some, 601, strip, 256)) if some else b""))
        part = values[4 * taken:4 * (taken + count)]
        of_weights.append((strip, count, zstd_frame(shuffled(part, 4)) if some else b""))
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


def checkpoint():
    archive = parsed(HERE / "containers" / "checkpoint.qrn")
    archive.incompatible = ARCHIVE
    encode(archive.section("registers"), DELTA)
    encode(archive.section("values"), NONE)
    return archive


ARCHIVES = {
    "all-plain": all_plain,
    "checkpoint": checkpoint,
    "every-filter": every_filter,
    "every-filter-longer-varints": lambda: every_filter(3),
    "ids-that-fall": ids_that_fall,
    "no-vertices": no_vertices,
    "page-gaps": lambda: pages("slotted-pages-figure-1.qrn", PAGE_GAPS),
    "page-gaps-weights": lambda: pages("slotted-pages-sample.qrn", PAGE_GAPS),
    "page-rows": lambda: pages("slotted-pages-figure-1.qrn", PAGE_ROWS),
    "page-rows-weights": lambda: pages("slotted-pages-sample.qrn", PAGE_ROWS),
    "strings-f32": strings_f32,
    "strip-of-two-frames": strip_of_two_frames,
    "strips": lambda: strips(None),
    "strips-f32": strips,
    "triangle": lambda: triangle(None),
    "triangle-u32": triangle,
}


def write(folder, files):
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.qrn.gz"):
        path.unlink()
    for name, data in files:
        (folder / (name + ".qrn.gz")).write_bytes(gzip.compress(data, 9, mtime=0))


def main():
    write(HERE / "archives", ((name, make().bytes()) for name, make in ARCHIVES.items()))


if __name__ == "__main__":
    main()
