"""Properties of vertices and edges, read as specs/properties.md says and checked against every rule of that page."""

import re
import struct

from conformance.container_reader import Broken, insist, parsed_json

UNSIGNED, SIGNED, FLOAT, TEXT = 1, 2, 3, 4
NUMBERS = {"u8": (UNSIGNED, 1), "u16": (UNSIGNED, 2), "u32": (UNSIGNED, 4), "u64": (UNSIGNED, 8), "i8": (SIGNED, 1),
           "i16": (SIGNED, 2), "i32": (SIGNED, 4), "i64": (SIGNED, 8), "f16": (UNSIGNED, 2), "bf16": (UNSIGNED, 2),
           "f32": (FLOAT, 4), "f64": (FLOAT, 8)}
TYPES = {**NUMBERS, "bool": (UNSIGNED, 1), "string": (TEXT, 1), "date": (SIGNED, 4),
         **{"timestamp_" + unit + utc: (SIGNED, 8) for unit in ("s", "ms", "us", "ns") for utc in ("", "_utc")}}


def parsed_type(word):
    """(type of a number, d or None) of a type."""
    match = re.fullmatch("([a-z0-9]+)x([1-9][0-9]*)", word)
    if match and match[1] in NUMBERS and int(match[2]) <= 65536:
        return match[1], int(match[2])
    insist("P-3", word in TYPES, word)
    return word, None


def value_of(word, value):
    """What the bits of a real of 16 bits mean."""
    if word == "f16":
        return struct.unpack("<e", struct.pack("<H", value))[0]
    return struct.unpack("<f", struct.pack("<2H", 0, value))[0] if word == "bf16" else value


def is_name(name):
    return (isinstance(name, str) and 1 <= len(name.encode()) <= 255
            and not any(ord(c) < 0x20 or 0x7f <= ord(c) <= 0x9f for c in name))


class Properties:
    """`vertices` and `edges`: {name: [value or None]}; `types` {(kind, name): type}; `weight` a name or None."""

    def __init__(self, container):
        self.container, self.vertices, self.edges, self.types, self.weight = container, {}, {}, {}, None
        self.names = list(container.sections)
        self.expected = []
        if "properties" in container.sections:
            insist("P-11", container.layout != "checkpoint")
            schema = self.schema()
            for kind, count in (("vertices", container.num_vertices), ("edges", container.num_edges)):
                for number, column in enumerate(self.columns(schema, kind)):
                    self.read(kind, number, column, count)
        self.check_places()

    def schema(self):
        section = self.container.sections["properties"]
        insist("P-1", section.element_type == TEXT and not section.critical and section.count <= 1 << 20)
        try:
            schema = parsed_json(bytes(self.container.bytes_of("properties")))
        except (ValueError, RecursionError) as error:
            raise Broken("P-1", str(error))
        insist("P-1", isinstance(schema, dict))
        for kind in ("vertices", "edges"):
            insist("P-1", isinstance(schema.get(kind, []), list))
        self.weight = schema.get("weight")
        return schema

    def columns(self, schema, kind):
        columns = schema.get(kind, [])
        for column in columns:
            insist("P-1", isinstance(column, dict))
            insist("P-2", is_name(column.get("name")) and isinstance(column.get("type"), str))
            parsed_type(column["type"])
        names = [column["name"] for column in columns]
        insist("P-2", len(set(names)) == len(names), kind)
        insist("P-2", self.weight is None or is_name(self.weight))
        return columns

    def section(self, name, element_type, width, count=None):
        self.expected.append(name)
        insist("P-4", name in self.container.sections, name)
        section = self.container.sections[name]
        insist("P-4", not section.critical and (section.element_type, section.element_bytes) == (element_type, width), name)
        insist("P-4", count is None or section.count == count, name)
        return self.container.array(name).tolist() if element_type != TEXT else bytes(self.container.bytes_of(name))

    def read(self, kind, number, column, count):
        name = "property_%s%d" % (kind[0], number)
        nulls, string = column.get("nulls", 0), column["type"] == "string"
        word, d = parsed_type(column["type"])
        insist("P-5", isinstance(nulls, int) and not isinstance(nulls, bool) and 0 <= nulls <= count)
        insist("P-5", bool(nulls) == (name + "_valid" in self.container.sections))
        values = self.section(name, *TYPES[word], None if string else count * (d or 1))
        if word in ("f16", "bf16"):
            values = [value_of(word, value) for value in values]
        if d:
            values = [tuple(values[d * i:d * i + d]) for i in range(count)]
        if string:
            offsets = self.section(name + "_offsets", UNSIGNED, 8, count + 1)
            insist("P-7", offsets[0] == 0 and offsets[-1] == len(values))
            insist("P-7", all(low <= high for low, high in zip(offsets, offsets[1:])))
            values = [self.text(values[low:high]) for low, high in zip(offsets, offsets[1:])]
        if nulls:
            bits = self.section(name + "_valid", UNSIGNED, 1, -(-count // 8))
            bits = [byte >> i & 1 for byte in bits for i in range(8)]
            insist("P-6", bits[:count].count(0) == nulls and not any(bits[count:]))
            raw = bytes(self.container.bytes_of(name))
            width = TYPES[word][1] * (d or 1)
            insist("P-9", all(bit or (not values[i] if string else not any(raw[width * i:width * i + width]))
                              for i, bit in enumerate(bits[:count])))
            values = [value if bit else None for value, bit in zip(values, bits)]
        if column["type"] == "bool":
            insist("P-9", set(values) <= {0, 1, None})
        getattr(self, kind)[column["name"]] = values
        self.types[kind, column["name"]] = column["type"]

    @staticmethod
    def text(data):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Broken("P-8", str(error))
        insist("P-8", "\0" not in text)
        return text

    def check_places(self):
        found = [name for name in self.names if name.startswith("property_")]
        insist("P-4", found == self.expected, found)
        if found:
            first = self.names.index("properties")
            insist("P-4", self.names[first + 1:first + 1 + len(found)] == found)

    def check_indexes(self):
        """Edges by time: of a container whose rows have been checked."""
        container = self.container
        for name in [name for name in self.names if name.startswith("by_time_")]:
            match = re.fullmatch("by_time_(0|[1-9][0-9]*)_(times|edges|ends|loads)", name)
            if match and match[2] == "times":
                self.check_index(container, "by_time_%s_" % match[1], list(self.edges)[int(match[1])])

    def check_index(self, container, prefix, column):
        kind = self.types["edges", column]
        insist("P-12", container.layout == "graph" and TYPES[kind] in ((SIGNED, 8), (SIGNED, 4), *(NUMBERS[sign + bits] for sign in "ui" for bits in ("8", "16", "32", "64"))))
        values = self.edges[column]
        count = sum(value is not None for value in values)
        widths = {"times": (UNSIGNED if kind[0] == "u" else SIGNED, 8, count), "edges": (UNSIGNED, 4, count), "ends": (UNSIGNED, 4, 2 * count)}
        weights = container.array("weights").tolist() if "weights" in container.sections else None
        if weights is not None:
            widths["loads"] = (*[getattr(container.sections["weights"], key) for key in ("element_type", "element_bytes")], count)
        for what, width in widths.items():
            insist("P-12", prefix + what in container.sections, what)
            section = container.sections[prefix + what]
            insist("P-12", not section.critical and (section.element_type, section.element_bytes, section.count) == width, what)
        offsets = container.array("row_offsets").tolist()
        rows = [v for v in range(len(offsets) - 1) for _ in range(offsets[v], offsets[v + 1])]
        columns = container.array("column_indices").tolist()
        order = sorted((value, edge) for edge, value in enumerate(values) if value is not None)
        insist("P-13", container.array(prefix + "times").tolist() == [value for value, _ in order])
        insist("P-13", container.array(prefix + "edges").tolist() == [edge for _, edge in order])
        insist("P-13", container.array(prefix + "ends").tolist() == [end for _, edge in order for end in (rows[edge], columns[edge])])
        insist("P-13", weights is None or container.array(prefix + "loads").tolist() == [weights[edge] for _, edge in order])

    def check_directions(self, edges):
        rows = {}
        for place, (source, destination, _) in enumerate(in_graph_order(edges)):
            rows.setdefault((source, destination), []).append(place)
        for values in self.edges.values():
            for (source, destination), places in rows.items():
                insist("P-10", all(same(values[a], values[b]) for a, b in zip(places, rows[destination, source])))


def in_graph_order(edges):
    """Parallel ones keep their order."""
    return sorted(edges, key=lambda edge: edge[:2])


def same(a, b):
    return repr(a) == repr(b)
