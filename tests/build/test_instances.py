"""kernels/instances.txt: what a reduced build, as of the sanitizers and the emulator, still has."""

import os
import re
import unittest
from pathlib import Path

KERNELS = Path(os.environ["QUERN_SOURCE"]) / "kernels"
NOT_PROGRAMS = {"algorithm", "complete", "context", "describe", "half", "program"}
SHARED = {"shared_rows"}  # several devices, of programs that are not derived
TEXTS = {"PROGRAM_NAME", "PROGRAM_TITLE", "PROGRAM_ALIASES", "PROGRAM_VALUES", "PROGRAM_PURPOSE", "PROGRAM_IDENTITY",
             "PROGRAM_ITERATIONS", "PROGRAM_FUNCTION"}  # text and numbers, no traits


def rows(column):
    """The layouts by program or variant: those of all builds (1), or of reduced ones (2)."""
    table = {}
    for line in (KERNELS / "instances.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            columns = re.split(r"\s{2,}", line.strip())
            table[columns[0]] = columns[min(column, len(columns) - 1)].split()
    return {name: table[row[1]] if row[0] == "as" else row for name, row in table.items()}


def traits(program):
    """The traits of a program with their values, and of what its header includes: PROGRAM_COMBINE QN_ADD, ..."""
    text = (KERNELS / "programs" / (program + ".h")).read_text().replace("\\\n", " ")
    found = set(re.findall(r"^#define (PROGRAM_\w+ \S+)", text, re.MULTILINE))
    found = {trait for trait in found if not trait.startswith(("PROGRAM_WEIGHTS ", "PROGRAM_TOLERANCE "))}
    for weights in re.findall(r"^#define PROGRAM_WEIGHTS (.*)", text, re.MULTILINE):  # a set, each member a trait
        found |= {"PROGRAM_WEIGHTS " + member for member in re.findall(r"\w+", weights)}
    found |= {"PROGRAM_TOLERANCE" for _ in re.findall(r"^#define PROGRAM_TOLERANCE", text, re.MULTILINE)}
    for included in re.findall(r'#include "kernels/programs/(\w+)\.h"', text):
        found |= set() if included in NOT_PROGRAMS else traits(included)
    return {trait for trait in found if trait.split()[0] not in TEXTS}


class Reduced(unittest.TestCase):
    def setUp(self):
        self.programs = sorted(path.stem for path in (KERNELS / "programs").glob("*.h") if path.stem not in NOT_PROGRAMS)
        self.layouts = {path.parent.name for path in KERNELS.glob("cpu/*/engine.h")}
        self.all, self.reduced = rows(1), rows(2)

    def layouts_of(self, table, program):
        """Of the program and its variants."""
        found = set(table.get(program, table["other"]))
        return self.layouts if "all" in found else found

    def test_is_a_part_of_all(self):
        for row in self.all:
            every, some = (self.layouts if "all" in table[row] else set(table[row]) for table in (self.all, self.reduced))
            self.assertLessEqual(some, every, row)

    def test_parents_follow_everywhere(self):
        for table in (self.all, self.reduced):
            for variant in ("", "_real", "_whole_wide", "_real_wide"):
                self.assertEqual(*(set(table.get(name + variant, table[name])) - SHARED for name in ("sssp", "sssp_parents")), variant)
            self.assertEqual(set(table["bfs"]) - SHARED, set(table["bfs_parents"]))

    def test_every_algorithm_is_there(self):
        for program in self.programs:
            self.assertLessEqual({"csr", "set"}, self.layouts_of(self.reduced, program), program)

    def test_every_engine_has_every_schedule_and_searches_and_sums(self):
        for layout in self.layouts:
            met = set().union(*(traits(program) for program in self.programs if layout in self.layouts_of(self.reduced, program)))
            for trait in ("PROGRAM_SCHEDULE QN_FRONTIER", "PROGRAM_SCHEDULE QN_ALL_ACTIVE", "PROGRAM_COMBINE QN_MIN",
                          "PROGRAM_COMBINE QN_ADD", "PROGRAM_ASYNCHRONOUS 1", "PROGRAM_ROUNDS 1", "PROGRAM_SEES_RECEIVER 1",
                          "PROGRAM_PRIORITY 1", "PROGRAM_WEIGHTS QN_WEIGHTED", "PROGRAM_BEGINS 1"):
                self.assertIn(trait, met, layout)

    def test_every_trait_meets_an_engine_beyond_plain_rows(self):
        """Plain CSR and sets have all; so do others, but for what is the loop's business alone."""
        met = set().union(*(traits(program) for program in self.programs
                            if self.layouts_of(self.reduced, program) - {"csr", "set"}))
        every = set().union(*map(traits, self.programs))
        self.assertEqual({trait.split()[0] for trait in every - met}, {"PROGRAM_INITIAL"})


if __name__ == "__main__":
    unittest.main()
