"""Reads a graph container with numpy.memmap alone, by specs/container.md, and shows the vertex with most out-edges.

    python3 out_degrees.py graph.qrn
"""

import struct
import sys

import numpy

KINDS = {1: "u", 2: "i", 3: "f", 4: "S", 5: "V"}
WIDE_WEIGHTS = 1 << 3  # a feature


def sections(path):
    """(header fields, {name: array in place}). Trusts the file: quern-verify checks it."""
    head = numpy.memmap(path, dtype="u1", mode="r", shape=4096).tobytes()
    if head[:8] != b"\x89QRN\r\n\x1a\n" or struct.unpack_from("<H", head, 8)[0] != 1:
        sys.exit("%s: not a container of version 1" % path)
    if struct.unpack_from("<Q", head, 24)[0] & ~WIDE_WEIGHTS:
        sys.exit("%s: in archive form, which quern-archive extract unpacks, or of a later version" % path)
    layout, weight_type, directedness, count = struct.unpack_from("<4I", head, 32)
    vertices, edges, _, table = struct.unpack_from("<4Q", head, 48)
    found = {}
    for i in range(count):
        entry = numpy.memmap(path, dtype="u1", mode="r", offset=table + 128 * i, shape=128).tobytes()
        name = entry[:32].rstrip(b"\0").decode()
        kind, width, elements, offset = struct.unpack_from("<IIQQ", entry, 32)
        dtype = "<%s%d" % (KINDS[kind], width)
        found[name] = (numpy.memmap(path, dtype=dtype, mode="r", offset=offset, shape=elements)
                       if elements else numpy.empty(0, dtype))
    return {"layout": layout, "vertices": vertices, "edges": edges}, found


header, arrays = sections(sys.argv[1])
print("%(vertices)d vertices, %(edges)d edges" % header)
degrees = numpy.diff(arrays["row_offsets"])
if len(degrees):
    most = degrees.argmax()
    print("%s has %d out-edges" % (arrays["original_ids"][most] if "original_ids" in arrays else most, degrees[most]))
