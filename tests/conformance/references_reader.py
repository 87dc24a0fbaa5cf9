"""Rows by the rows before them, decoded as specs/archive.md, "References", says."""

import struct
from bisect import bisect_right

from conformance.archive_reader import frame_places, insist, unpacked

REFERENCES = 8
ROWS_OF = {"column_indices": "row_offsets", "in_column_indices": "in_row_offsets"}
WHOLE = 1 << 15


class Model:
    def __init__(self):
        self.starts = [2048 * symbol for symbol in range(16)]
        self.seen = 0

    def saw(self, symbol):
        rate = 3 if self.seen < 8 else 4 if self.seen < 40 else 6
        self.seen += 1
        self.starts = [c + (((i if i <= symbol else WHOLE - 16 + i) - c) >> rate) for i, c in enumerate(self.starts)]


class Models(dict):
    """Each is made when it is first asked for."""

    def __missing__(self, key):
        return self.setdefault(key, Model())


class Symbols:
    def __init__(self, content):
        insist("A-3", len(content) >= 8 and len(content) % 4 == 0, "words")
        self.state, = struct.unpack_from("<Q", content)
        self.words = list(struct.unpack_from("<%dI" % ((len(content) - 8) // 4), content, 8))[::-1]
        insist("A-3", 1 << 31 <= self.state < 1 << 63, "a state")
        self.models = Models()

    def refill(self):
        if self.state < 1 << 31:
            insist("A-3", self.words, "too few words")
            self.state = self.state << 32 | self.words.pop()

    def symbol(self, *key):
        model, slot = self.models[key], self.state % WHOLE
        symbol = bisect_right(model.starts, slot) - 1
        end = (model.starts + [WHOLE])[symbol + 1]
        self.state = (end - model.starts[symbol]) * (self.state // WHOLE) + slot - model.starts[symbol]
        model.saw(symbol)
        self.refill()
        return symbol

    def plain(self, count):
        if count > 16:
            upper = self.plain(count - 16)
            return upper << 16 | self.plain(16)
        bits = self.state % (1 << count)
        self.state >>= count
        self.refill()
        return bits

    def number(self, kind, *known):
        length = self.symbol(kind, "lengths", *known)
        if length == 15:
            length += self.symbol(kind, "longer")
        if length < 2:
            return length
        if length == 30:
            return self.plain(32)
        bits = length - 1
        upper = min(bits, 3)
        above = 1 << upper | self.symbol(kind, "below", length) % (1 << upper)
        return above << bits - upper | self.plain(bits - upper)

    def ended(self):
        return not self.words and self.state == 1 << 31


def copied(symbols, other, size):
    """What a slice of so many elements copies from another."""
    copy, place, i = [], 0, 0
    while place < len(other) and len(copy) < size:
        left = len(other) - place
        most = left if i % 2 else min(left, size - len(copy))
        number = symbols.number("blocks", i if i < 4 else 2 + i % 2, min(left.bit_length(), 11))
        block = most if number == 0 else number - (i == 0)
        insist("A-3", block <= most, "a block beyond its row")
        if i % 2 == 0:
            copy += other[place:place + block]
        place, i = place + block, i + 1
    return copy


def rest_of(symbols, vertex, size, back):
    rest, element, before = [], vertex, 0
    for i in range(size):
        if i == 0:
            before = symbols.number("firsts", min(size.bit_length(), 11), int(back > 0))
            element += before >> 1 ^ -(before & 1)
        else:
            before = symbols.number("gaps", 0 if i == 1 else min((size - i).bit_length(), 4), min(before.bit_length(), 23))
            element += before + 1
        element %= 1 << 32
        rest.append(element)
    return rest


def merged(copy, rest):
    out, taken = [], 0
    for element in rest:
        while taken < len(copy) and copy[taken] <= element:
            out.append(copy[taken])
            taken += 1
        out.append(element)
    return out + copy[taken:]


def slices_of(row_offsets, begin, end):
    """Rows with elements in [begin, end), and how many."""
    for row, (at, to) in enumerate(zip(row_offsets, row_offsets[1:])):
        if max(at, begin) < min(to, end):
            yield row, min(to, end) - max(at, begin)


def decoded_slices(content, slices, first_row):
    symbols, before, back = Symbols(content), [], 0
    for row, size in slices:
        back = symbols.number("back", min(back, 2)) if before else 0
        insist("A-3", back <= min(32, len(before)), "a row that is not there")
        copy = copied(symbols, before[-back], size) if back else []
        before.append(merged(copy, rest_of(symbols, (first_row + row) % (1 << 32), size - len(copy), back)))
    insist("A-3", symbols.ended(), "words are left")
    return b"".join(struct.pack("<%dI" % len(elements), *elements) for elements in before)


def decoded_references(section, stored, container):
    name = ROWS_OF.get(section.name)
    offsets = container.sections.get(name)
    insist("A-1", container.layout == "graph" and section.element_bytes == 4 and not section.upper and offsets is not None
           and offsets.element_bytes == 8 and not offsets.upper and offsets.offset < section.offset
           and offsets.count == container.num_rows + 1, section.name)
    rows, at, out = container.array(name).tolist(), 0, b""
    places = frame_places(section, stored, section.count, (1 << 20) // 4)
    insist("A-7", rows == sorted(rows) and rows[0] == 0 and rows[-1] == section.count, name)
    for begin, end, count in places:
        content = unpacked(stored[begin:end], 16 + 13 * count)
        out += decoded_slices(content, slices_of(rows, at, at + count), container.first_row)
        at += count
    return out
