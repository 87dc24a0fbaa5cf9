"""Encoded sections, decoded as specs/archive.md says."""

import ctypes
import struct

FRAME_BYTES = 1 << 20
NONE, DELTA, SHUFFLE, GAPS, GAP_PLANES, ROWS = range(6)
STRIP_FRAME = 262144

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
    insist("A-3", len(frame) > 5 and frame[:4] == b"\x28\xb5\x2f\xfd" and frame[4] & 3 == 0, "no simple frame")
    window = (1 << 10 + (frame[5] >> 3)) * (8 + (frame[5] & 7)) // 8
    insist("A-3", frame[4] & 32 or window <= 1 << 23, "a window of %d bytes" % window)
    insist("A-3", _zstd.ZSTD_findFrameCompressedSize(frame, len(frame)) == len(frame), "more than a frame")
    size = _zstd.ZSTD_decompress(content, most, frame, len(frame))
    insist("A-3", not _zstd.ZSTD_isError(size), "zstd")
    return content.raw[:size]


def unpacked_all(frames, most):
    """What zstd frames one behind the other hold together, at most so many bytes."""
    frames, contents = bytes(frames), b""
    while frames:
        size = _zstd.ZSTD_findFrameCompressedSize(frames, len(frames))
        insist("A-3", not _zstd.ZSTD_isError(size), "zstd")
        contents += unpacked(frames[:size], most - len(contents))
        frames = frames[size:]
    return contents


def varints(data):
    """All numbers of a text of varints."""
    values, value, shift = [], 0, 0
    for byte in data:
        insist("A-3", shift < 70, "a varint of more than ten bytes")
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            insist("A-3", value < 2**64, "a varint of more than 64 bits")
            values.append(value)
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


def from_gaps(content):
    insist("A-3", len(content) >= 4)
    length, = struct.unpack_from("<I", content)
    return untokenized(varints(content[4:4 + length]), varints(content[4 + length:]))


def from_gap_planes(content, count):
    insist("A-3", len(content) >= 4)
    starts, = struct.unpack_from("<I", content)
    insist("A-3", len(content) == 4 + 4 * count + 4 * starts)
    return untokenized(words(unshuffled(content[4:4 + 4 * count], 4)), words(unshuffled(content[4 + 4 * count:], 4)))


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
        elements = from_gaps(content) if kind == GAPS else from_gap_planes(content, count)
    insist("A-3", len(elements) == count * width, "not its elements")
    return elements


def leading_varints(data, at, count):
    """So many numbers from byte `at` on, and where they end."""
    end = at
    for _ in range(count):
        while True:
            insist("A-3", end < len(data), "varints that do not end")
            end += 1
            if data[end - 1] < 128:
                break
    values = varints(data[at:end])
    insist("A-3", all(value < 2**32 for value in values), "a number of more than 32 bits")
    return values, end


class Bits:
    """A stream of bits, the lowest of each byte first."""

    def __init__(self, data):
        self.bits = "".join(format(byte, "08b")[::-1] for byte in data)
        self.at = 0

    def until_one(self):
        one = self.bits.find("1", self.at)
        insist("A-3", one >= 0, "too few bits")
        zeros, self.at = one - self.at, one + 1
        return zeros

    def number(self, length):
        insist("A-3", self.at + length <= len(self.bits), "too few bits")
        text, self.at = self.bits[self.at:self.at + length], self.at + length
        return int(text[::-1], 2) if text else 0

    def insist_end(self):
        left = self.bits[self.at:]
        insist("A-3", len(left) < 8 and "1" not in left, "bits behind the end")


class RowsInBits:
    """Rows one after the other, from the two streams of bits behind the length of the first."""

    def __init__(self, unary_bytes, streams, num_vertices):
        insist("A-3", unary_bytes <= len(streams), "high parts")
        self.high, self.low, self.num_vertices = Bits(streams[:unary_bytes]), Bits(streams[unary_bytes:]), num_vertices

    def row(self, base, degree):
        columns, element, k = [], base, 0
        while degree and 4 * degree << (k + 1) <= 3 * (self.num_vertices - base):
            k += 1
        for _ in range(degree):
            element += (self.high.until_one() << k) + self.low.number(k)
            columns.append(element)
        insist("A-3", element < self.num_vertices or not degree, "no vertex")
        return columns

    def insist_end(self):
        self.high.insist_end()
        self.low.insist_end()


def decoded_rows(frame, strip, span, count, num_vertices):
    """The columns of a frame of rows."""
    content, tiles = unpacked_all(frame, 2**26), -(-num_vertices // span) - strip
    insist("A-3", len(content) >= 24)
    first_row, num_rows, base, unary_bytes, after = struct.unpack_from("<4IQ", content)
    first = strip * span + first_row
    insist("A-3", num_rows > 0 and first_row + num_rows <= span and first + num_rows <= num_vertices, "rows")
    insist("A-3", first <= base < num_vertices, "a base before the rows")
    degrees, at = leading_varints(content, 24, num_rows)
    of_tiles, at = leading_varints(content, at, tiles)
    insist("A-3", sum(degrees) == count, "other degrees")
    insist("A-3", (degrees[0] or base == first) and (degrees[-1] or after == 0), "fields without a meaning")
    rows, columns = RowsInBits(unary_bytes, content[at:], num_vertices), []
    for i, degree in enumerate(degrees):
        columns += rows.row(base if i == 0 else first + i, degree)
    rows.insist_end()
    counted = [0] * tiles
    for column in columns:
        counted[column // span - strip] += 1
    insist("A-3", counted == of_tiles, "other tiles")
    return struct.pack("<%dI" % count, *columns), {first + i: degree for i, degree in enumerate(degrees)}, after


def check_after(frames):
    """Of (strip, degrees by row, after): what the last row of each has in later frames of its strip."""
    for i, (strip, degrees, after) in enumerate(frames):
        later = sum(more.get(max(degrees), 0) for other, more, _ in frames[i + 1:] if other == strip)
        insist("A-3", after == later, "the elements that follow")


def frames_of_strips(section, stored, num_vertices):
    """Rows of a strip, and of every frame its strip, count and place in the section."""
    insist("A-2", len(stored) >= 48 and num_vertices > 0, section.name)
    count, log2, num_frames, reserved = struct.unpack_from("<4Q", stored)
    insist("A-2", (section.count + 1) // 2 <= count <= section.count and reserved == 0, section.name)
    insist("A-2", 8 <= log2 <= 16 and (log2 == 16 or 2**log2 * 4096 >= num_vertices), section.name)
    insist("A-2", 32 + 16 * (num_frames + 1) <= len(stored), section.name)
    entries = [struct.unpack_from("<QII", stored, 32 + 16 * i) for i in range(num_frames + 1)]
    strips = -(-num_vertices // 2**log2)
    insist("A-2", entries[0][:2] == (32 + 16 * (num_frames + 1), 0) and entries[-1] == (len(stored), strips, 0), section.name)
    for (begin, strip, elements), (end, next_strip, next_elements) in zip(entries, entries[1:]):
        insist("A-2", elements <= STRIP_FRAME and begin <= end and (elements or begin == end), section.name)
        insist("A-2", next_strip == strip + 1 or
               (next_strip == strip and elements == STRIP_FRAME and next_elements), section.name)
    insist("A-2", sum(entry[2] for entry in entries) == count, section.name)
    return 2**log2, [(strip, elements, begin, end)
                     for (begin, strip, elements), (end, _, _) in zip(entries, entries[1:])]


def cut_alike(a, b):
    """Do two sections say the same of their frames, but for where they are?"""
    def frames(stored):
        num_frames, = struct.unpack_from("<Q", stored, 16)
        return [bytes(stored[:24])] + [bytes(stored[40 + 16 * i:48 + 16 * i]) for i in range(num_frames)]
    return frames(a) == frames(b)


def decoded_strips(section, stored, num_vertices):
    span, frames = frames_of_strips(section, stored, num_vertices)
    insist("A-1", (section.filter == ROWS) == (section.name == "column_indices"), section.name)
    if section.filter != ROWS:
        return b"".join(decoded_frame(stored[begin:end], section.filter, count, section.element_bytes)
                        for _, count, begin, end in frames if count)
    rows = [(strip, *decoded_rows(stored[begin:end], strip, span, count, num_vertices))
            for strip, count, begin, end in frames if count]
    check_after([(strip, degrees, after) for strip, _, degrees, after in rows])
    return b"".join(columns for _, columns, _, _ in rows)


def frame_places(section, stored, count, frame_elements):
    """Where in the section each frame is, and how many elements it holds."""
    insist("A-2", len(stored) >= 40, section.name)
    num_elements, elements, num_frames, reserved = struct.unpack_from("<4Q", stored)
    insist("A-2", num_elements == count and reserved == 0, section.name)
    insist("A-2", elements == frame_elements and num_frames == -(-count // frame_elements), section.name)
    insist("A-2", len(stored) >= 40 + 8 * num_frames, section.name)
    offsets = struct.unpack_from("<%dQ" % (num_frames + 1), stored, 32)
    insist("A-2", offsets[0] == 40 + 8 * num_frames and offsets[-1] == len(stored) and list(offsets) == sorted(offsets),
           section.name)
    return [(offsets[f], offsets[f + 1], min(frame_elements, count - f * frame_elements)) for f in range(num_frames)]


def decoded(section, stored, num_vertices):
    """The elements that a section holds in encoded form; of an upper triangle those that are stored."""
    width = section.element_bytes
    insist("A-1", {NONE: True, DELTA: width == 8, SHUFFLE: width >= 2}.get(section.filter, width == 4), section.name)
    if section.strips:
        return decoded_strips(section, stored, num_vertices)
    insist("A-2", len(stored) >= 40, section.name)
    count, = struct.unpack_from("<Q", stored)
    least = (section.count + 1) // 2 if section.upper else section.count
    insist("A-2", least <= count <= section.count, section.name)
    return b"".join(decoded_frame(stored[begin:end], section.filter, elements, width)
                    for begin, end, elements in frame_places(section, stored, count, FRAME_BYTES // width))


def mirrored(row_offsets, triangle, elements, num_vertices, code="I"):
    """All elements from those of the edges of a triangle, whose columns are `triangle`; for its
    columns themselves `elements` is None. `code` is of struct, for an element."""
    ends = list(row_offsets[:num_vertices + 1])
    insist("A-4", len(ends) == num_vertices + 1 and ends == sorted(ends) and ends[0] == 0 and ends[-1] <= 2 * len(triangle),
           "rows that do not follow each other, or are of another size")
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
    return struct.pack("<%d%s" % (len(out), code), *out)
