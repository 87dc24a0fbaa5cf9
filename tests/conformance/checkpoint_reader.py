"""Checkpoints, read as specs/checkpoint.md says."""

import json

from conformance.container_reader import insist
from conformance.layout_reader import OPAQUE, TEXT, UNSIGNED
from conformance.properties_reader import Properties

SECTIONS = ("run", "registers", "parts", "values", "active", "waiting")


class Checkpoint:
    def __init__(self, container):
        insist("C-7", container.layout == "checkpoint")
        container.refuse_unknown(SECTIONS)
        insist("C-6", not any(container.parameters[4:]), "parameters")
        Properties(container)
        self.identity, self.layout = container.parameters[:2]
        insist("K-1", self.layout in (1, 2, 3, 4, 5, 6, 8, 65536))
        try:
            self.run = json.loads(bytes(container.require("run", TEXT, 1)))
        except ValueError:
            self.run = None
        insist("K-2", isinstance(self.run, dict))
        self.registers = container.require("registers", UNSIGNED, 8, 16).tolist()
        insist("K-3", 1 <= self.registers[0] < 2**32)
        begin, end = container.parameters[2:4]
        is_list = "parts" in container.sections
        insist("K-6", begin == end == 0 or not is_list and begin < end <= container.num_vertices)
        self.begin, self.end = begin, end or container.num_vertices
        self.parts = None
        values = container.sections.get("values")
        if is_list:
            insist("K-4", not any(name in container.sections for name in ("values", "active", "waiting")))
            self.parts = self.read_parts(container)
            return
        insist("K-4", values and values.element_type == OPAQUE and values.count == self.end - self.begin)
        for name in ("active", "waiting"):
            if name in container.sections:
                words = container.require(name, UNSIGNED, 8, -(-self.end // 64) - self.begin // 64).tolist()
                bits = sum(word << 64 * i for i, word in enumerate(words))
                low = self.begin % 64
                insist("K-5", bits >> low << low == bits and bits >> self.end - self.begin // 64 * 64 == 0, name)

    @staticmethod
    def read_parts(container):
        section = container.sections["parts"]
        insist("K-7", (section.element_type, section.element_bytes) == (UNSIGNED, 8) and section.count % 3 == 0)
        numbers = container.require("parts", UNSIGNED, 8, section.count).tolist()
        parts = list(zip(numbers[::3], numbers[1::3], numbers[2::3]))
        ends = [0, *(end for _, end, _ in parts)]
        insist("K-7", all(begin == before < end for (begin, end, _), before in zip(parts, ends)) and
               ends[-1] == container.num_vertices)
        return parts
