"""Containers that were changed on purpose, with their checksums made to fit again: forgeries, not accidents."""

import struct

from conformance.container_reader import section_checksum, xxh3


def rebuilt(data, contents):
    """The container with other stored bytes of these sections {name: bytes}, laid out anew."""
    table_offset, = struct.unpack_from("<Q", data, 72)
    num_sections, = struct.unpack_from("<I", data, 44)
    out, table = bytearray(data[:4096]), bytearray(data[table_offset:table_offset + 128 * num_sections])
    for entry in range(0, len(table), 128):
        name = bytes(table[entry:entry + 32]).rstrip(b"\0").decode()
        offset, stored = struct.unpack_from("<QQ", table, entry + 48)
        content = contents.get(name, data[offset:offset + stored])
        out += bytes(-len(out) % (1 << table[entry + 74]))
        struct.pack_into("<QQ", table, entry + 48, len(out), len(content))
        width, codec, transform = struct.unpack_from("<I", table, entry + 36)[0], table[entry + 72], table[entry + 73]
        if name in contents and not codec and not transform:
            struct.pack_into("<Q", table, entry + 40, len(content) // width)
            struct.pack_into("<Q", table, entry + 64, len(content))
        out += content
    out += bytes(-len(out) % 4096)
    struct.pack_into("<QQ", out, 64, len(out) + len(table) + 64, len(out))
    return resealed(out + table + data[-64:])


def entry_of(data, name):
    """Where a section's entry of the table begins."""
    table_offset, = struct.unpack_from("<Q", data, 72)
    return data.index(name.encode().ljust(32, b"\0"), table_offset)


def resealed(data):
    data = bytearray(data)
    table_offset, = struct.unpack_from("<Q", data, 72)
    num_sections, = struct.unpack_from("<I", data, 44)
    for entry in range(table_offset, table_offset + 128 * num_sections, 128):
        offset, stored = struct.unpack_from("<QQ", data, entry + 48)
        if offset + stored <= table_offset:
            checksum = section_checksum(data[offset:offset + stored])
            struct.pack_into("<Q", data, entry + 88, checksum)
            if data[entry + 72] == 0 and data[entry + 73] == 0:  # not encoded
                struct.pack_into("<Q", data, entry + 80, checksum)
    footer = table_offset + 128 * num_sections
    struct.pack_into("<Q", data, 80, xxh3(data[table_offset:footer]))
    struct.pack_into("<Q", data, 4088, xxh3(data[:4088]))
    data[footer + 8:footer + 16] = data[64:72]
    data[footer + 16:footer + 24] = data[80:88]
    data[footer + 24:footer + 32] = data[4088:4096]
    struct.pack_into("<Q", data, footer + 56, xxh3(data[footer:footer + 56]))
    return bytes(data)
