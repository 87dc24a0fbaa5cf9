"""Encoded sections, decoded as specs/archive.md says."""

import ctypes
import struct

FRAME_BYTES = 1 << 20
NONE, DELTA, SHUFFLE, GAPS, GAP_PLANES = range(5)

_zstd = ctypes.CDLL("libzstd.so.1")
_zstd.ZSTD_decompress.restype = ctypes.c_size_t
_zstd.ZSTD_decompress.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
_zstd.ZSTD_isError.restype = ctypes.c_uint
_zstd.ZSTD_isError.argtypes = (ctypes.c_size_t,)
_zstd.ZSTD_findFrameCompressedSize.restype = ctypes.c_size_t
_zstd.ZSTD_findFrameCompressedSize.argtypes = (ctypes.c_char_p, ctypes.c_size_t)


class Undecodable(Exception):
    """A rule that is broken, and why."""


def insist(rule, holds, why=""):
    if not holds:
        raise Undecodable(rule, why)


def unpacked(frame, most):
    """What one zstd frame holds, at most so many bytes."""
    frame, content = bytes(frame), ctypes.create_string_buffer(most + 1)
    insist("A-3", _zstd.ZSTD_findFrameCompressedSize(frame, len(frame)) == len(frame), "more than a frame")
    size = _zstd.ZSTD_decompress(content, most, frame, len(frame))
    insist("A-3", not _zstd.ZSTD_isError(size), "zstd")
    return content.raw[:size]


def varints(data):
    """All numbers of a text of varints."""
    values, value, shift = [], 0, 0
    for byte in data:
        insist("A-3", shift < 70, "a varint of more than ten bytes")
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value & (2**64 - 1))
            value = shift = 0
    insist("A-3", shift == 0, "a varint that does not end")
    return values


def unshuffled(data, width):
    insist("A-3", len(data) % width == 0)
    planes = [data[i * (len(data) // width):(i + 1) * (len(data) // width)] for i in range(width)]
    return bytes(byte for element in zip(*planes) for byte in element)


def words(data):
    return list(struct.unpack("<%dI" % (len(data) // 4), data))


def untokenized(tokens, starts):
    """Elements from tokens and run starts."""
    elements, element, start, starts = [], 0, 0, iter(starts)
    for token in tokens:
        if token == 0:
            coded = next(starts, None)
            insist("A-3", coded is not None, "too few run starts")
            start = element = (start + (coded >> 1 if coded % 2 == 0 else -(coded + 1 >> 1))) % 2**32
        else:
            element = (element + token - 1) % 2**32
        elements.append(element)
    insist("A-3", next(starts, None) is None, "too many run starts")
    return struct.pack("<%dI" % len(elements), *elements)


def decoded_frame(frame, kind, count, width):
    if kind in (NONE, SHUFFLE):
        content = unpacked(frame, count * width)
        elements = content if kind == NONE else unshuffled(content, width)
    elif kind == DELTA:
        total, sums = 0, []
        for difference in varints(unpacked(frame, 10 * count)):
            total = (total + difference) % 2**64
            sums.append(total)
        elements = struct.pack("<%dQ" % len(sums), *sums)
    else:
        content = unpacked(frame, 4 + 20 * count)
        insist("A-3", len(content) >= 4)
        first, = struct.unpack_from("<I", content)
        if kind == GAPS:
            elements = untokenized(varints(content[4:4 + first]), varints(content[4 + first:]))
        else:
            insist("A-3", len(content) == 4 + 4 * count + 4 * first)
            elements = untokenized(words(unshuffled(content[4:4 + 4 * count], 4)), words(unshuffled(content[4 + 4 * count:], 4)))
    insist("A-3", len(elements) == count * width, "not its elements")
    return elements


def decoded(section, stored):
    """The elements that a section holds in encoded form; of an upper triangle those that are stored."""
    width = section.element_bytes
    insist("A-1", {NONE: True, DELTA: width == 8, SHUFFLE: width >= 2}.get(section.filter, width == 4), section.name)
    insist("A-2", len(stored) >= 40, section.name)
    count, frame_elements, num_frames, reserved = struct.unpack_from("<4Q", stored)
    least = (section.count + 1) // 2 if section.upper else section.count
    insist("A-2", least <= count <= section.count and reserved == 0, section.name)
    insist("A-2", frame_elements == FRAME_BYTES // width and num_frames == -(-count // frame_elements), section.name)
    insist("A-2", len(stored) >= 40 + 8 * num_frames, section.name)
    offsets = struct.unpack_from("<%dQ" % (num_frames + 1), stored, 32)
    insist("A-2", offsets[0] == 40 + 8 * num_frames and offsets[-1] == len(stored) and list(offsets) == sorted(offsets),
           section.name)
    frames = [decoded_frame(stored[offsets[f]:offsets[f + 1]], section.filter,
                            min(frame_elements, count - f * frame_elements), width) for f in range(num_frames)]
    return b"".join(frames)


def mirrored(row_offsets, triangle, elements, num_vertices):
    """All elements from those of the edges of a triangle, whose columns are `triangle`; for its
    columns themselves `elements` is None."""
    out, low, taken = [0] * row_offsets[num_vertices], [0] * num_vertices, 0
    for u in range(num_vertices):
        for e in range(row_offsets[u] + low[u], row_offsets[u + 1]):
            insist("A-4", taken < len(triangle), "the triangle is too small")
            v = triangle[taken]
            insist("A-4", u <= v < num_vertices, "an edge that is not of the upper triangle")
            out[e] = v if elements is None else elements[taken]
            taken += 1
            if v != u:
                m = row_offsets[v] + low[v]
                low[v] += 1
                insist("A-4", m < row_offsets[v + 1], "a row without room")
                out[m] = u if elements is None else elements[taken - 1]
    insist("A-4", taken == len(triangle), "the triangle is too large")
    return struct.pack("<%dI" % len(out), *out)
