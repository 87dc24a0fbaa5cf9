"""Striped containers, read as specs/stripes.md says."""

import struct
from pathlib import Path

from conformance.container_reader import Broken, xxh3

MAIN, STRIPE = b"\x89QRS\r\n\x1a\n", b"\x89QRT\r\n\x1a\n"
DATA = 1 << 16


def must(rule, holds):
    if not holds:
        raise Broken(rule, "")


def entries_of(main):
    """[(name, file_bytes)] of a main file."""
    count, = struct.unpack_from("<I", main, 12)
    return [struct.unpack_from("<256sQ", main, 64 + 264 * i) for i in range(count)]


def found(main_path, name):
    folders = Path(str(main_path) + ".stripes")
    lines = folders.read_bytes().split(b"\n") if folders.is_file() else []
    for folder in [line.decode() for line in lines if line] + ["."]:
        path = main_path.parent / folder / name
        if path.is_file():
            return path
    raise Broken("ST-5", name)


def read_striped(main_path):
    """The bytes of the container."""
    main_path = Path(main_path).resolve()
    main = main_path.read_bytes()
    must("ST-1", main[:8] == MAIN and len(main) >= 64)
    _, major, _, count, features, content, unit, identity, spare, spare_too = struct.unpack_from("<8sHHIQQQQQQ", main)
    must("ST-1", (major, features) == (1, 0))
    must("ST-2", 1 <= count <= 32)
    must("ST-1", len(main) == 72 + 264 * count and struct.unpack("<Q", main[-8:]) == (xxh3(main[:-8]),))
    must("ST-2", unit in (1 << i for i in range(16, 41)) and 0 < content < 1 << 63 and -(-content // unit) <= 16384)
    must("ST-2", spare == spare_too == 0)
    sizes = [DATA + sum(min(unit, content - at) for at in range(i * unit, content, count * unit)) for i in range(count)]
    names, parts = [], []
    for i, (name, file_bytes) in enumerate(entries_of(main)):
        name = name.rstrip(b"\0")
        must("ST-3", name and not any(byte < 0x20 or byte in b"/\x7f" for byte in name) and name not in (b".", b".."))
        must("ST-3", name not in names and len(name) < 256)
        must("ST-4", file_bytes == sizes[i])
        names.append(name)
    for i, name in enumerate(names):
        data = found(main_path, name.decode()).read_bytes()
        must("ST-5", len(data) == sizes[i])
        must("ST-6", data[:8] == STRIPE and struct.unpack_from("<Q", data, 56) == (xxh3(data[:56]),))
        must("ST-6", not any(data[64:DATA]) and not any(data[32:56]))
        must("ST-7", struct.unpack_from("<HHIQQ", data, 8) == (1, 0, i, struct.unpack("<Q", main[-8:])[0], sizes[i]))
        parts.append(data[DATA:])
    whole = b"".join(parts[j % count][j // count * unit:(j // count + 1) * unit] for j in range(-(-content // unit)))
    must("ST-8", len(whole) == content and struct.unpack_from("<Q", whole, 4088) == (identity,))
    return whole
