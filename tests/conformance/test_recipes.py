"""Recipes: both readers name the same rule, and a container's content is what specs/recipe.md says."""

import copy
import json
import os
import random
import re
import tempfile
import unittest
from pathlib import Path

from conformance import container_reader, recipe_reader
from harness.chance import seed
from harness.tools import run

SOURCE = Path(os.environ["QUERN_SOURCE"])
SOUND = {
    "quern_recipe": 1, "name": "small", "title": "A small graph", "homepage": "https://example.org/g", "license": "CC0-1.0",
    "citation": ["A. Author, 2026"], "creators": ["A. Author"], "publisher": "Example", "year": 2026, "tested": True,
    "files": [{"name": "e.txt", "urls": ["https://example.org/e.txt", "s3://bucket/e.txt"], "bytes": 8, "sha256": "0" * 64},
              {"name": "names.zip", "bytes": 9, "xxh3_128": "1" * 32}],
    "steps": [{"tool": "quern-import", "inputs": ["e.txt", "names.zip:a/b.txt"], "options": {"undirected": True, "vertices": 9, "names": "e.txt"}},
              {"tool": "quern-transform", "options": {"relabel": "degree", "seed": "7", "symmetrize": False}, "identity": "0" * 16},
              {"tool": "quern-page", "options": {"page-size": 4096}}],
    "container": {"identity": "a" * 16, "version": "1.0.0", "content": "b" * 16, "vertices": 3, "edges": 2},
}
# What a place becomes, and the rule that breaks; None: it stays sound.
CHANGES = [
    (("quern_recipe",), 2, "RC-2"), (("quern_recipe",), 0, "RC-2"), (("quern_recipe",), "1", "RC-4"), (("more",), 1, "RC-3"),
    (("quern_recipe",), 1.0, "RC-4"), (("tested",), 1, "RC-4"), (("citation",), "x", "RC-4"), (("citation",), [1], "RC-4"), (("year",), -1, "RC-4"),
    (("files",), {}, "RC-4"), (("files", 0, "size"), 1, "RC-3"), (("files", 0, "name"), "", "RC-5"), (("title",), "a\nb", "RC-5"),
    (("title",), "a" * 8193, "RC-5"), (("description",), "ä" * 4096, None), (("steps", 0, "options", "format"), "a\tb", "RC-5"),
    (("steps", 0, "options"), [], "RC-4"), (("container", "sum"), "x", "RC-3"), (("container", "edges"), -1, "RC-4"),
    (("name",), "../x", "RC-6"), (("name",), ".x", "RC-6"), (("name",), "-f", "RC-6"), (("name",), "ä", "RC-6"), (("name",), "a" * 65, "RC-6"),
    (("files", 0, "name"), "../../etc/passwd", "RC-7"), (("files", 0, "name"), "/etc/passwd", "RC-7"), (("files", 0, "name"), "..", "RC-7"),
    (("files", 0, "name"), "a:b", "RC-7"), (("files", 0, "name"), "names.zip", "RC-7"), (("files", 0, "name"), "-o", "RC-7"),
    (("files",), [{"name": "f%d" % i} for i in range(257)], "RC-7"), (("files", 0, "name"), "x" * 201, "RC-7"),
    (("homepage",), "javascript:alert(1)", "RC-8"), (("files", 0, "urls", 0), "file:///etc/passwd", "RC-8"),
    (("files", 0, "urls", 0), "https://me:secret@example.org/", "RC-8"), (("files", 0, "urls", 0), "https://example.org/@", None),
    (("files", 0, "urls", 0), "http://a b", "RC-8"), (("files", 0, "urls", 0), "https://", "RC-8"), (("files", 0, "urls", 0), "HTTPS://x/", "RC-8"),
    (("files", 0, "urls"), ["https://x/"] * 17, "RC-8"), (("files", 0, "urls"), [], None), (("files", 0, "urls", 0), "https://x/" + "a" * 2039, "RC-8"),
    (("files", 0, "bytes"), 0, "RC-9"), (("files", 0, "bytes"), 2**46, "RC-9"), (("files", 0, "bytes"), 2**46 - 9, None),
    (("files", 0, "bytes"), 2**63 - 1, "RC-9"), (("files", 0, "sha256"), "F" * 64, "RC-9"), (("files", 0, "sha256"), "0" * 63, "RC-9"),
    (("files", 1, "xxh3_128"), "0" * 33, "RC-9"), (("steps", 1, "identity"), "x", "RC-9"), (("container", "content"), "0", "RC-9"),
    (("files", 0, "sha256"), None, "RC-10"), (("files", 1, "bytes"), None, "RC-10"), (("container",), None, "RC-10"), (("container", "version"), None, None),
    (("container", "content"), None, None), (("container",), {"identity": "0" * 16}, "RC-10"), (("tested",), None, None),
    (("steps",), [], "RC-11"), (("steps", 0, "tool"), "quern-run", "RC-11"), (("steps", 0, "tool"), "/bin/sh", "RC-11"),
    (("steps", 1, "tool"), "quern-import", "RC-11"), (("steps", 1, "inputs"), ["e.txt"], "RC-11"), (("steps", 0, "inputs"), None, "RC-11"),
    (("steps", 0, "inputs"), [], "RC-11"), (("steps", 0, "tool"), "quern-transform", "RC-11"), (("steps", 0, "inputs", 0), "other.txt", "RC-12"),
    (("steps", 0, "inputs", 0), "/etc/passwd", "RC-12"), (("steps", 0, "inputs", 1), "names.zip:../x", "RC-12"),
    (("steps", 0, "inputs", 1), "names.zip:", "RC-12"), (("steps", 0, "inputs", 1), "names.zip:a/..b", None), (("steps", 0, "inputs", 0), "-", "RC-12"),
    (("steps", 0, "options", "output"), "/tmp/x", "RC-13"), (("steps", 0, "options", "names"), "/etc/passwd", "RC-13"),
    (("steps", 0, "options", "vertices"), "../x", "RC-13"), (("steps", 0, "options", "vertices"), "12", None), (("steps", 0, "options", "undirected"), "yes", "RC-13"),
    (("steps", 0, "options", "tmpdir"), "/", "RC-13"), (("steps", 0, "options", "columns"), [1, 2], "RC-13"), (("steps", 0, "options", "columns"), True, "RC-13"),
    (("steps", 1, "options", "relabel"), "/etc/passwd", "RC-13"), (("steps", 1, "options", "relabel"), "e.txt", None), (("steps", 1, "options", "seed"), -1, "RC-13"),
    (("steps", 1, "options", "seed"), "0x7", "RC-13"), (("steps", 1, "options", "append"), "e.txt", None), (("steps", 1, "options", "append"), "/e.txt", "RC-13"),
    (("steps", 1, "options", "remove"), ["e.txt", "names.zip"], None), (("steps", 1, "options", "remove"), ["e.txt", 1], "RC-13"),
    (("steps", 1, "options", "remove"), [], "RC-13"), (("steps", 1, "options", "append-vertices"), ["e.txt"], "RC-13"),
    (("steps", 0, "options", "names"), ["e.txt", "names.zip"], None), (("steps", 0, "options", "names"), ["e.txt", "../x"], "RC-13"),
    (("steps", 0, "options", "names"), ["e.txt", "a\n"], "RC-5"), (("steps", 0, "options", "vertex-table"), ["P=e.txt,names.zip"], None),
    (("steps", 0, "options", "vertex-table"), ["P=e.txt,/etc/passwd"], "RC-13"), (("steps", 0, "options", "edge-table"), "k=e.txt", "RC-13"),
    (("steps", 0, "options", "edge-table"), ["e.txt"], "RC-13"), (("steps", 0, "options", "edge-table"), ["=e.txt"], "RC-13"),
    (("steps", 0, "options", "edge-table"), ["--output=e.txt"], "RC-13"), (("steps", 1, "name"), "base.qrn", None), (("steps", 1, "name"), "e.txt", "RC-11"),
    (("steps", 1, "name"), "../x", "RC-11"), (("steps", 1, "name"), "", "RC-5"), (("steps", 1, "options", "parts"), 3, None), (("steps", 2, "options", "stripe"), "/", "RC-13"),
]


def changed(recipe, place, value):
    """A copy in which the value is there; None: nothing is."""
    recipe = copy.deepcopy(recipe)
    at = recipe
    for key in place[:-1]:
        at = at[key]
    if value is None:
        del at[place[-1]]
    else:
        at[place[-1]] = value
    return recipe


def expected(data):
    """The rule that the text breaks, as the reader written apart says; None: it breaks none."""
    try:
        recipe_reader.check(data)
    except container_reader.Broken as broken:
        return broken.rule
    return None


class Recipes(unittest.TestCase):
    tier = "medium"
    timeout = 120

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def found(self, data):
        """The same, as quern-fetch says."""
        (self.folder / "r.json").write_bytes(data)
        done = run("quern-fetch", "--dry-run", self.folder / "r.json", exit=(0, 3, 4))
        rule = re.search(r"RC-\d+", done.stderr)
        self.assertEqual(done.returncode, 0 if not rule else 4 if rule[0] == "RC-2" else 3, done.stderr)
        return rule and rule[0]

    def test_each_rule(self):
        self.assertIsNone(self.found(json.dumps(SOUND).encode()))
        for place, value, rule in CHANGES:
            with self.subTest(place=place, value=str(value)[:60]):
                data = json.dumps(changed(SOUND, place, value)).encode()
                self.assertEqual(expected(data), rule)
                self.assertEqual(self.found(data), rule)

    def test_texts(self):
        text = json.dumps(SOUND)
        for data in (b"[]", b"1", text[:-1].encode(), b"\xef\xbb\xbf" + text.encode(), text.encode() + b"x", b"\xff" + text.encode(),
                     text.replace('"A small graph"', '"\\u0000"').encode(), text.replace('"A small graph"', '"\\ud800"').encode(),
                     text.replace('"year"', '"name"').encode(), text.replace("2026,", "1" * 30 + ",").encode(), text.encode() + b" " * (1 << 20)):
            self.assertEqual((expected(data), self.found(data)), ("RC-1", "RC-1"), data[:60])

    def test_files_are_those_of_the_recipe(self):
        """Whatever they are called."""
        recipe = changed(changed(SOUND, ("files", 0, "name"), "123"), ("steps", 0, "inputs"), ["123"])
        recipe = changed(changed(recipe, ("steps", 0, "options", "names"), "123"), ("steps", 1, "options", "relabel"), "123")
        self.assertIsNone(self.found(json.dumps(recipe).encode()))
        plan = run("quern-fetch", "--dry-run", self.folder / "r.json").stdout
        self.assertRegex(plan, r"quern-import .*--names=\./123 .*\./123 .*\nquern-transform --relabel=\./123 ")

    def test_random_damage(self):
        chance = random.Random(seed())
        text = json.dumps(SOUND).encode()
        for _ in range(60):
            data = bytearray(text)
            for _ in range(chance.randrange(1, 3)):
                at = chance.randrange(len(data))
                data[at:at + chance.randrange(3)] = chance.choice([b"", b'"', b"0", b"-", b"}", b"/", b"null", b"\n", b"e"])
            self.assertEqual(self.found(bytes(data)), expected(bytes(data)), bytes(data))

    def test_the_catalogue(self):
        recipes = sorted((SOURCE / "recipes").glob("*.json"))
        names = [entry["name"] for entry in json.loads(run("quern-fetch", "--list", "--json").stdout)["recipes"]]
        self.assertEqual(sorted(names), sorted(path.stem for path in recipes))
        self.assertGreaterEqual(len(recipes), 40)
        for path in recipes:
            recipe = recipe_reader.check(path.read_bytes())
            self.assertEqual(recipe["name"], path.stem)
            for key in ("title", "homepage", "license", "citation"):
                self.assertIn(key, recipe, path.name)
            self.assertTrue(all(file["urls"] for file in recipe["files"]), path.name)


class Content(unittest.TestCase):
    def test_what_a_container_holds(self):
        with tempfile.TemporaryDirectory() as folder:
            graph, other = Path(folder) / "g.qrn", Path(folder) / "h.qrn"
            run("quern-generate", "rmat", "--scale", 5, "--weights", "1,9", "-qo", graph)
            recipe = json.loads(run("quern-info", "--recipe", graph).stdout)
            self.assertEqual(recipe["container"]["content"], recipe_reader.content(container_reader.read(graph)))
            run("quern-archive", "create", graph, "-qo", other)
            self.assertEqual(json.loads(run("quern-info", "--recipe", other).stdout)["container"], recipe["container"])
