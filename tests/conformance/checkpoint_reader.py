"""Checkpoints, read as specs/checkpoint.md says."""

import json

from conformance.container_reader import insist
from conformance.layout_reader import OPAQUE, TEXT, UNSIGNED
from conformance.properties_reader import Properties

SECTIONS = ("run", "registers", "values", "active", "waiting")


class Checkpoint:
    def __init__(self, container):
        insist("C-7", container.layout == "checkpoint")
        container.refuse_unknown(SECTIONS)
        insist("C-6", not any(container.parameters[2:]), "parameters")
        Properties(container)
        self.identity, self.layout = container.parameters[:2]
        insist("K-1", self.layout in (1, 2, 3, 4, 5, 6, 8))
        try:
            self.run = json.loads(bytes(container.require("run", TEXT, 1)))
        except ValueError:
            self.run = None
        insist("K-2", isinstance(self.run, dict))
        self.registers = container.require("registers", UNSIGNED, 8, 16).tolist()
        insist("K-3", 1 <= self.registers[0] < 2**32)
        values = container.sections.get("values")
        insist("K-4", values and values.element_type == OPAQUE and values.count == container.num_vertices)
        for name in ("active", "waiting"):
            if name in container.sections:
                words = container.require(name, UNSIGNED, 8, -(-container.num_vertices // 64)).tolist()
                insist("K-5", not words or words[-1] >> (container.num_vertices - 1) % 64 + 1 == 0, name)
