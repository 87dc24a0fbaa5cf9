"""quern-fetch and quern-remake: files from servers, folders and the cache, whatever happens on the way; nothing is used that was not verified."""

import gzip
import hashlib
import json
import os
from unittest import mock

from harness.package import needs, quern
from harness.tools import run
from remote.scene import Scene
from remote.test_text import TEXT

PACKED = gzip.compress(TEXT, mtime=0)
SUM = hashlib.sha256(PACKED).hexdigest()


class Fetch(Scene):
    objects = {"/a/e.txt.gz": PACKED, "/b/e.txt.gz": PACKED}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "files").mkdir()
        (cls.folder / "files/e.txt.gz").write_bytes(PACKED)
        run("quern-import", cls.folder / "files/e.txt.gz", "--undirected", "-q", "-o", cls.folder / "middle.qrn")
        run("quern-transform", cls.folder / "middle.qrn", "--relabel", "degree", "-q", "-o", cls.folder / "right.qrn")
        cls.right = (cls.folder / "right.qrn").read_bytes()
        cls.made = json.loads(run("quern-info", "--recipe", cls.folder / "right.qrn").stdout)["container"]

    def recipe(self, *paths, tested=True, **about):
        """A recipe's file, with these mirrors."""
        file = {"name": "e.txt.gz", "urls": [self.server.url(path) for path in paths], "bytes": len(PACKED), "sha256": SUM}
        recipe = {"quern_recipe": 1, "name": "small", "tested": tested, "files": [file if tested else {"name": "e.txt.gz", "urls": file["urls"]}],
                  "steps": [{"tool": "quern-import", "inputs": ["e.txt.gz"], "options": {"undirected": True}},
                            {"tool": "quern-transform", "options": {"relabel": "degree"}}],
                  **({"container": self.made} if tested else {}), **about}
        (self.folder / "r.json").write_text(json.dumps(recipe))
        return self.folder / "r.json"

    def fetch(self, *words, exit=0, **environment):
        (self.folder / "out.qrn").unlink(missing_ok=True)
        done = self.tool("quern-fetch", *words, "-o", "out.qrn", exit=exit, **environment)
        self.assertEqual((self.folder / "out.qrn").exists(), exit == 0)
        if exit == 0:
            self.assertEqual((self.folder / "out.qrn").read_bytes(), self.right)
        self.assertEqual([name for name in os.listdir(self.folder) if ".making" in name or ".tmp" in name], [])
        return done


class Ways(Fetch):
    def test_from_a_server_once_and_then_from_the_cache(self):
        recipe = self.recipe("/a/e.txt.gz")
        self.assertIn("not in the cache", self.fetch(recipe, "--offline", exit=5).stderr)
        report = json.loads(self.fetch(recipe, "--json").stdout)
        self.assertEqual((report["compared"], report["files"][0]["sha256"], report["container"]), (True, SUM, self.made))
        self.server.log.clear()
        self.fetch(recipe, "--offline")
        self.fetch(recipe)
        self.assertEqual(self.server.log, [])
        kept, = (self.cache / "quern").iterdir()
        self.assertEqual((kept.name, kept.read_bytes()), ("sha256-" + SUM, PACKED))

    def test_damage_in_the_cache(self):
        recipe = self.recipe("/a/e.txt.gz")
        self.fetch(recipe)
        kept, = (self.cache / "quern").iterdir()
        kept.write_bytes(PACKED[:1000] + b"\xff" + PACKED[1001:])
        self.assertIn("the cache: its SHA-256", self.fetch(recipe, "--offline", exit=3).stderr)
        self.fetch(recipe)
        self.assertEqual(kept.read_bytes(), PACKED)
        kept.chmod(0o666)
        self.fetch(recipe, "--offline", exit=5)

    def test_folders_here_and_on_servers(self):
        recipe = self.recipe("/none")
        for place in (self.folder / "files", self.server.url("/a"), self.server.url("/a/")):
            self.fetch(recipe, "--from", "/nowhere", "--from", place, QUERN_CACHE_SIZE="0")
        (self.folder / "other").mkdir(exist_ok=True)
        (self.folder / "other/e.txt.gz").write_bytes(PACKED + b"x")
        self.fetch(recipe, "--from", self.folder / "other", "--from", self.folder / "files")
        self.fetch(self.recipe("/a/e.txt.gz"), "--from", self.folder / "other", QUERN_CACHE_SIZE="0")

    def test_the_next_mirror(self):
        self.server.objects["/w/e.txt.gz"] = b"x" * len(PACKED)
        self.server.objects["/s/e.txt.gz"] = PACKED[:-1]
        for wrong, why in (("/none", "404"), ("/w/e.txt.gz", "SHA-256"), ("/s/e.txt.gz", "expected %d" % len(PACKED))):
            self.assertIn(why, self.fetch(self.recipe(wrong, "/b/e.txt.gz"), QUERN_CACHE_SIZE="0").stderr)
            self.assertIn(why, self.fetch(self.recipe(wrong), exit=5 if wrong == "/none" else 3).stderr)
        self.assertEqual([name for name in os.listdir(self.folder / "files")], ["e.txt.gz"])

    def test_resumes(self):
        big = PACKED * 12  # what came last may be half written, so that 4 MiB come again
        self.server.objects["/big"] = big
        recipe = json.loads(self.recipe("/big").read_text())
        recipe["files"][0].update(bytes=len(big), sha256=hashlib.sha256(big).hexdigest())
        del recipe["tested"], recipe["container"]
        (self.folder / "r.json").write_text(json.dumps(recipe))
        self.does.cuts = [None, 9 << 20, 0, 0, 0]
        self.tool("quern-fetch", "r.json", "-o", "big.qrn", exit=5)
        self.asked()
        self.tool("quern-fetch", "r.json", "-fo", "big.qrn")
        first = [int(asked.split("=")[1].split("-")[0]) for asked in self.asked()]
        self.assertEqual((first[0], first[1] > 0), (0, True), first)

    def test_servers_without_ranges(self):
        self.does.ranges = False
        self.fetch(self.recipe("/a/e.txt.gz"))
        self.fetch(self.recipe("/a/e.txt.gz"), "--offline")
        self.server.objects["/l/e.txt.gz"] = PACKED + b"x"
        self.fetch(self.recipe("/l/e.txt.gz"), exit=3, QUERN_CACHE_SIZE="0")


class Proofs(Fetch):
    def test_untested_is_pinned(self):
        recipe = self.recipe("/a/e.txt.gz", tested=False)
        (self.folder / "pin.json").unlink(missing_ok=True)
        done = self.fetch(recipe, "--pin", "pin.json")
        self.assertIn("[untested]", done.stderr)
        for found in (SUM, self.made["identity"], self.made["content"]):
            self.assertIn(found, done.stdout)
        pinned = json.loads((self.folder / "pin.json").read_text())
        self.assertEqual((pinned["tested"], pinned["container"], pinned["files"][0]["sha256"]), (True, self.made, SUM))
        self.assertNotIn("[untested]", self.fetch(self.folder / "pin.json", "--offline").stderr)

    def test_another_graph_is_refused(self):
        wrong = dict(self.made, identity="0" * 16)
        self.assertIn("expected 0000000000000000", self.fetch(self.recipe("/a/e.txt.gz", container=wrong), exit=1).stderr)
        self.fetch(self.recipe("/a/e.txt.gz", container=dict(wrong, version="0.9")))  # by its content
        self.fetch(self.recipe("/a/e.txt.gz", container=dict(wrong, version="0.9", content="0" * 16)), exit=1)

    def test_a_step_that_fails(self):
        steps = [{"tool": "quern-import", "inputs": ["e.txt.gz"], "options": {"format": "gml"}}]
        done = self.fetch(self.recipe("/a/e.txt.gz", steps=steps), exit=3)
        self.assertRegex(done.stderr, r"(?s)quern-import: .*quern-fetch: the step quern-import failed with exit code 3")

    def test_what_is_there_stays(self):
        recipe = self.recipe("/a/e.txt.gz")
        (self.folder / "out.qrn").write_text("mine")
        self.tool("quern-fetch", recipe, "-o", "out.qrn", exit=2)
        self.tool("quern-fetch", self.recipe("/none"), "-fo", "out.qrn", exit=5)
        self.assertEqual((self.folder / "out.qrn").read_text(), "mine")
        self.tool("quern-fetch", self.recipe("/a/e.txt.gz"), "-fo", "out.qrn")
        self.assertEqual((self.folder / "out.qrn").read_bytes(), self.right)

    @needs("numpy")
    def test_from_python(self):
        recipe, place = self.recipe("/none"), self.folder / "files"
        patched = mock.patch.dict(os.environ, XDG_CACHE_HOME=str(self.cache), QUERN_REMOTE_RETRIES="0", QUERN_CACHE_SIZE="0")
        patched.start()
        self.addCleanup(patched.stop)
        with quern.fetch(recipe, sources=[place], offline=True) as graph, quern.open(self.folder / "right.qrn") as right:
            self.assertTrue((graph.column_indices == right.column_indices).all())
        (self.folder / "out.qrn").unlink(missing_ok=True)
        with quern.fetch(recipe, self.folder / "out.qrn", sources=[self.server.url("/a")], pin=self.folder / "pinned.json"):
            self.assertEqual((self.folder / "out.qrn").read_bytes(), self.right)
        self.assertTrue(json.loads((self.folder / "pinned.json").read_text())["tested"])
        for kind, where, more in ((quern.UsageError, self.folder / "out.qrn", {}), (quern.NegativeError, None, {"container": dict(self.made, identity="0" * 16)})):
            with self.assertRaises(kind):
                quern.fetch(self.recipe("/none", **more), where, sources=[place])
        with self.assertRaisesRegex(quern.SystemFailure, "404"):
            quern.fetch(self.recipe("/none"))

    def test_verify(self):
        recipe = self.recipe("/a/e.txt.gz")
        self.tool("quern-verify", "--recipe", recipe, "right.qrn")
        self.tool("quern-archive", "create", "right.qrn", "-fo", "right.qra")
        self.tool("quern-verify", "--recipe", recipe, "right.qra")
        self.assertIn("this is not what the recipe small makes", self.tool("quern-verify", "--recipe", recipe, "middle.qrn", exit=1).stderr)
        self.tool("quern-verify", "--recipe", self.recipe("/a/e.txt.gz", tested=False), "right.qrn", exit=4)

    def test_remake(self):
        self.assertIn("is what the recipe makes", self.tool("quern-remake", "right.qrn", "--from", "files").stdout)
        self.tool("quern-remake", "right.qrn", "--from", self.server.url("/a"), "-fo", "again.qrn")
        self.assertEqual((self.folder / "again.qrn").read_bytes(), self.right)
        self.assertIn("e.txt.gz", self.tool("quern-remake", "right.qrn", exit=5).stderr)
        self.server.objects["/w/e.txt.gz"] = PACKED[:-1] + b"x"
        self.assertIn("XXH3-128", self.tool("quern-remake", "right.qrn", "--from", self.server.url("/w"), exit=3).stderr)
