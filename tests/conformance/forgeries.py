"""Forged containers: each field of the header, each section and each element of a sound one is changed alone, under sums that
fit, so that only the rules of specs/ can tell."""

import copy
import struct

from golden.container_writer import CRITICAL, FLOAT, OPAQUE, SIGNED, TEXT, UNSIGNED, WIDE_WEIGHTS, Section

WIDTHS = {UNSIGNED: (1, 2, 4, 8), SIGNED: (1, 2, 4, 8), FLOAT: (4, 8), TEXT: (1,), OPAQUE: (1, 7)}
MOST = 2**64 - 1


def of_headers(container):
    """(what, edit) of the header's fields."""
    def sets(**fields):
        return lambda forged: [setattr(forged, name, value) for name, value in fields.items()]

    for name in ("num_vertices", "num_edges"):
        value = getattr(container, name)
        for other in {value - 1, value + 1, 0, 2**32 - 1} - {value, -1}:
            yield "%s %d" % (name, other), sets(**{name: other})
    for kind in set(range(5)) - {container.weight_type}:
        wide = WIDE_WEIGHTS if kind > 2 else 0
        yield "weight type %d" % kind, sets(weight_type=kind, incompatible=container.incompatible & ~WIDE_WEIGHTS | wide)
    yield "directedness", sets(undirected=not container.undirected)
    yield "ids ascend", sets(compatible=container.compatible ^ 1)
    yield "layout", sets(layout=container.layout % 8 + 1)
    for i, value in enumerate(container.parameters):
        for other in {0, 1, value - 1, value + 1, 2**32, MOST} - {value, -1, 2**64}:
            yield "parameter %d %d" % (i, other), sets(parameters=container.parameters[:i] + (other,) + container.parameters[i + 1:])


def of_sections(container):
    """(what, edit) of the table: what is there, in which order, of which type, and how much."""
    def at(i, **fields):
        return lambda forged: [setattr(forged.sections[i], name, value) for name, value in fields.items()]

    def moved(i, to):
        return lambda forged: forged.sections.insert(to, forged.sections.pop(i))

    for i, section in enumerate(container.sections):
        name = section.name
        yield name + " is not there", lambda forged, i=i: forged.sections.pop(i)
        yield name + " has another name", at(i, name="x_" + name[:30], flags=0)
        yield name + " is critical or not", at(i, flags=section.flags ^ CRITICAL)
        yield name + " comes later", moved(i, i + 1)
        yield name + " comes last", moved(i, len(container.sections))
        yield name + " comes first", moved(i, 0)
        for kind in set(WIDTHS) - {section.element_type}:
            if section.element_bytes in WIDTHS[kind]:
                yield "%s of type %d" % (name, kind), at(i, element_type=kind)
        for width in set(WIDTHS[section.element_type]) - {section.element_bytes}:
            if len(section.content) % width == 0:
                yield "%s of %d bytes an element" % (name, width), at(i, element_bytes=width)
        if section.stored is None:
            more = section.content[-section.element_bytes:] or bytes(section.element_bytes)
            yield name + " has one more", at(i, content=section.content + more)
            yield name + " has zeros behind", at(i, content=section.content + bytes(8 * section.element_bytes))
            if section.content:
                yield name + " has one less", at(i, content=section.content[:-section.element_bytes])
                yield name + " is empty", at(i, content=b"")
    yield "an unknown critical section", lambda forged: forged.sections.insert(0, Section("x_more", UNSIGNED, 4, b"", CRITICAL))


def of_elements(container, chance, most):
    """(what, edit) of numbers in sections: up to `most` elements of each."""
    def put(i, place, width, value):
        def edit(forged):
            content = bytearray(forged.sections[i].content)
            content[place:place + width] = value.to_bytes(width, "little")
            forged.sections[i].content = bytes(content)
        return edit

    for i, section in enumerate(container.sections):
        if section.stored is not None or section.element_type == TEXT and section.name != "id_bytes":
            continue
        width = 1 if section.element_type == OPAQUE else section.element_bytes
        places = range(0, len(section.content), width)
        for place in sorted(chance.sample(places, min(most, len(places)))):
            value, = struct.unpack("<" + {1: "B", 2: "H", 4: "I", 8: "Q"}[width], section.content[place:place + width])
            others = {0, 1, value + 1, value - 1, container.num_vertices, container.num_edges, 2**(8 * width) - 1, 2**(8 * width - 1)}
            if section.element_type == FLOAT:
                others |= {0x7F800000, 0xFFC00000} if width == 4 else {0x7FF0000000000000}
            for other in {value % 256**width for value in others} - {value}:
                yield "%s[%d] = %d" % (section.name, place // width, other), put(i, place, width, other)


def forged(container, edit):
    """The bytes of a container that `edit` has changed."""
    other = copy.deepcopy(container)
    edit(other)
    return other.bytes()
