"""Every #include against arrows.txt: groups use what lies below them and nothing else."""

import os
import re
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
ARROWS = Path(__file__).with_name("arrows.txt")
PUBLIC = "include/quern"
TOP_FOLDERS = ("include", "support", "formats", "converters", "partitioner", "kernels", "results", "runtime", "library", "tools")
# What each of these top folders uses nothing of, so that no arrow to it is ever drawn.
STRANGERS = {"runtime": ("converters", "partitioner"), "results": ("converters", "partitioner", "runtime"),
             "kernels": ("converters", "partitioner", "runtime"), "partitioner": ("converters", "kernels", "runtime"),
             "converters": ("partitioner", "kernels", "runtime")}
MOST_FILES = 35
MOST_LINES = 900


def read_arrows(text):
    """What each group may include, in the order of the file, and the group that each public header belongs to."""
    uses, owners = {}, {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        group, others = line.split(":")
        if group.startswith("public "):
            owners.update((header, group.split()[1]) for header in others.split())
        else:
            uses[group] = others.split()
    return uses, owners


def sources():
    return sorted(path.relative_to(SOURCE) for folder in TOP_FOLDERS for path in (SOURCE / folder).glob("**/*")
                  if path.suffix in (".c", ".h", ".cu", ".cuh"))


def includes(path):
    """The lines of a file that include a header of ours: their numbers and paths from the root, and how it is quoted."""
    for number, line in enumerate((SOURCE / path).read_text().splitlines(), 1):
        found = re.match(r'\s*#\s*include\s+(["<])([^">]+)', line)
        if found and found[1] == '"':
            yield number, Path(found[2]), found[1]
        elif found and found[2].startswith("quern/"):
            yield number, Path("include") / found[2], found[1]


class Arrows(unittest.TestCase):
    sanitized_tier = "long"

    @classmethod
    def setUpClass(cls):
        cls.uses, cls.owners = read_arrows(ARROWS.read_text())

    def group(self, path):
        folder = str(path.parent)
        return self.owners.get(path.name, "no group") if folder == PUBLIC else folder

    def test_groups_name_only_groups_above_them(self):
        above = []
        for group, others in self.uses.items():
            self.assertLessEqual(set(others), set(above), "%s: not above it" % group)
            above.append(group)

    def test_every_file_belongs_to_a_group(self):
        for path in sources():
            self.assertIn(self.group(path), self.uses, "%s: add its group to %s" % (path, ARROWS.name))

    def test_every_include_follows_an_arrow(self):
        used = set()
        for path in sources():
            of = self.group(path)
            for number, header, quote in includes(path):
                with self.subTest(line="%s:%d" % (path, number)):
                    self.assertTrue((SOURCE / header).exists(), "%s: headers are named from the root" % header)
                    self.assertEqual(quote, "<" if str(header.parent) == PUBLIC else '"',
                                     "<quern/...> is for public headers, \"...\" for all others")
                    to = self.group(header)
                    if to not in (of, "support"):
                        used.add((of, to))
                        self.assertIn(to, self.uses[of], "%s may not use %s" % (of, to))
        listed = {(of, to) for of, others in self.uses.items() for to in others}
        self.assertEqual(listed - used, set(), "arrows that nothing follows any more")

    def test_strangers_do_not_know_each_other(self):
        for group, others in self.uses.items():
            strangers = STRANGERS.get(group.split("/")[0], ())
            self.assertEqual([other for other in others if other.split("/")[0] in strangers], [], group)

    def test_no_header_includes_itself_by_way_of_others(self):
        includes_of = {path: [header for _, header, _ in includes(path)] for path in sources()}
        done = set()

        def follow(path, way):
            self.assertNotIn(path, way, "a circle: %s" % " -> ".join(map(str, [*way, path])))
            if path not in done:
                for header in includes_of.get(path, ()):
                    follow(header, [*way, path])
                done.add(path)

        for path in includes_of:
            follow(path, [])

    def test_public_headers_include_public_headers_alone(self):
        for path in sources():
            if str(path.parent) == PUBLIC:
                for number, header, _ in includes(path):
                    self.assertEqual(str(header.parent), PUBLIC, "%s:%d" % (path, number))

    def test_folders_are_small(self):
        folders = [path.parent for path in [*sources(), *(path.relative_to(SOURCE) for path in (SOURCE / "bench").glob("**/*")
                                                          if path.is_file() and "results" not in path.parts)]]
        for folder in sorted(set(folders)):
            self.assertLessEqual(folders.count(folder), MOST_FILES, "files in %s" % folder)

    def test_files_are_small(self):
        for path in sources():
            self.assertLessEqual((SOURCE / path).read_text().count("\n"), MOST_LINES, str(path))

    def test_main_is_in_tools_alone(self):
        for path in sources():
            if path.suffix == ".c" and path.parts[0] != "tools":
                self.assertIsNone(re.search(r"^int main\(", (SOURCE / path).read_text(), re.M), str(path))
