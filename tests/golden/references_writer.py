"""Writes rows by the rows before them, as specs/archive.md, "References", says: filter 8."""

import struct

REFERENCES = 8
WHOLE, LEAST = 1 << 15, 1 << 31


class Writer:
    """Items in order, each a start, a frequency and the bits of all frequencies together."""

    def __init__(self):
        self.items, self.models = [], {}

    def symbol(self, model, symbol):
        starts, seen = self.models.get(model, ([2048 * each for each in range(17)], 0))
        self.items.append((starts[symbol], starts[symbol + 1] - starts[symbol], 15))
        rate = 3 if seen < 8 else 4 if seen < 40 else 6
        targets = [i if i <= symbol else WHOLE - 16 + i for i in range(17)]
        self.models[model] = [start + (target - start >> rate) for start, target in zip(starts, targets)], seen + 1

    def plain(self, value, bits):
        for part in ([bits - 16, 16] if bits > 16 else [bits] if bits else []):
            bits -= part
            self.items.append((value >> bits & (1 << part) - 1, 1, part))

    def number(self, kind, known, value):
        length = value.bit_length()
        self.symbol((kind, known), min(length, 15))
        if length >= 15:
            self.symbol((kind, "longer"), min(length, 30) - 15)
        if length >= 30:
            self.plain(value, 32)
        elif length > 1:
            bits = length - 1
            lower = max(bits - 3, 0)
            below = value - (1 << bits)
            self.symbol((kind, "length", length), below >> lower)
            self.plain(below & (1 << lower) - 1, lower)

    def bytes(self):
        state, words = LEAST, []
        for start, frequency, bits in reversed(self.items):
            if state >= frequency << 63 - bits:
                words.append(state & 2**32 - 1)
                state >>= 32
            state = (state // frequency << bits) + state % frequency + start
        return struct.pack("<Q%dI" % len(words), state, *reversed(words))


def split(row, other):
    """Blocks of another row that are copied and skipped by turns, and what is left of the row."""
    left, kept = list(row), []
    for element in other:
        kept.append(element in left)
        if kept[-1]:
            left.remove(element)
    blocks, copying = [0], True
    for one in kept:
        if one != copying:
            blocks, copying = blocks + [0], not copying
        blocks[-1] += 1
    return blocks, left


def write_row(writer, vertex, row, earlier, back, back_before, code):
    """`code` may change numbers of blocks, for what is refused."""
    left = list(row)
    if earlier:
        writer.number("back", min(back_before, 2), back)
    if 0 < back <= len(earlier):
        other = earlier[-back]
        blocks, left = split(row, other)
        place, copied = 0, 0
        for i, block in enumerate(blocks):
            if place == len(other) or copied == len(row):
                break
            size = len(other) - place
            most = size if i % 2 else min(size, len(row) - copied)
            number = 0 if block == most else block + (i == 0)
            writer.number("blocks", (i if i < 4 else 2 + i % 2, min(size.bit_length(), 11)), code(number))
            place, copied = place + block, copied + (0 if i % 2 else block)
    before = vertex
    previous = 0
    for i, element in enumerate(left):
        if i == 0:
            difference = element - vertex
            previous = 2 * difference if difference >= 0 else -2 * difference - 1
            writer.number("firsts", (min(len(left).bit_length(), 11), int(back > 0)), previous)
        else:
            known = 0 if i == 1 else min((len(left) - i).bit_length(), 4), min(previous.bit_length(), 23)
            previous = (element - before - 1) % 2**32
            writer.number("gaps", known, previous)
        before = element


def references(rows, backs, code=lambda number: number):
    """A frame of rows, each a vertex and its columns, that copy from so many rows before."""
    writer, earlier, back_before = Writer(), [], 0
    for (vertex, row), back in zip(rows, backs):
        write_row(writer, vertex, row, earlier, back, back_before, code)
        earlier, back_before = earlier + [row], back
    return writer.bytes()
