#!/usr/bin/env python3
"""Writes containers in the compact form of compact.h: compact.py CONTAINER... FOLDER."""

import ctypes
import re
import struct
import sys
from pathlib import Path

HERE = Path(__file__).parent
STRIPS = 4
RECTANGULAR = 16

_zstd = ctypes.CDLL("libzstd.so.1")
_zstd.ZSTD_decompress.restype = ctypes.c_size_t
_zstd.ZSTD_decompress.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)


def section_names():
    text = (HERE / "compact.c").read_text()
    return re.findall(r'"(\w+)"', text[text.index("fuzz_section_names[] = {"):text.index("NULL};")])


def decompressed(frame):
    """What zstd frames one behind the other hold together."""
    room = ctypes.create_string_buffer(1 << 22)
    size = _zstd.ZSTD_decompress(room, len(room), bytes(frame), len(frame)) if frame else 0
    return room.raw[:size]


def compact_frames(stored, strips):
    elements, frame_elements, frames, _ = struct.unpack_from("<4Q", stored)
    out, width = struct.pack("<2Q", elements, frame_elements), 16 if strips else 8
    for i in range(frames):
        begin, = struct.unpack_from("<Q", stored, 32 + i * width)
        end, = struct.unpack_from("<Q", stored, 32 + (i + 1) * width)
        content = decompressed(stored[begin:end])
        out += struct.pack("<I", len(content)) + stored[32 + i * width + 8:32 + (i + 1) * width] + content
    return frames, out


def compact(data, names):
    layout, weights, directed, sections, vertices, edges = struct.unpack_from("<4I2Q", data, 32)
    compatible, incompatible = struct.unpack_from("<2Q", data, 16)
    parameters = list(struct.unpack_from("<32Q", data, 128))
    while parameters and not parameters[-1]:
        parameters.pop()
    head = struct.pack("<8B2Q", layout, weights, directed, incompatible, compatible, len(parameters), sections, 0,
                       vertices, edges) + struct.pack("<%dQ" % len(parameters), *parameters)
    head += data[88:104] if incompatible & RECTANGULAR else b""
    table, = struct.unpack_from("<Q", data, 72)
    entries = contents = b""
    for at in range(table, table + 128 * sections, 128):
        name = bytes(data[at:at + 32]).rstrip(b"\0").decode()
        kind, width, count, offset, stored = struct.unpack_from("<2I3Q", data, at + 32)
        codec, filter, _, flags = data[at + 72:at + 76]
        content, frames = data[offset:offset + stored], 0
        if codec:
            frames, content = compact_frames(content, flags & STRIPS)
        if name == "metadata" and not codec and len(content) > 200:
            content, count = b"{}", 2
        entries += struct.pack("<2BH4B2I", names.index(name), kind, width, codec, filter, flags, frames, len(content),
                               count)
        contents += content
    return head + entries + contents


def main():
    names, (*containers, folder) = section_names(), map(Path, sys.argv[1:])
    folder.mkdir(exist_ok=True)
    for path in containers:
        (folder / ("sound-" + path.stem)).write_bytes(compact(path.read_bytes(), names))


if __name__ == "__main__":
    main()
