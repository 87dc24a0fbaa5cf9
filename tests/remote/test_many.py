"""Sets and bundles on servers: what is needed of their files comes, and each is the one that the manifest names."""

import json
import shutil

from harness.tools import run, values
from remote.scene import Scene


class Many(Scene):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run("quern-transform", cls.local, "--parts", "3", "-q", "-o", cls.folder / "set")
        run("quern-generate", "rmat", "--scale", 9, "--undirected", "-q", "-o", cls.folder / "other.qrn")
        run("quern-archive", "create", cls.local, cls.folder / "other.qrn", "-q", "-o", cls.folder / "b.tar")
        run("quern-archive", "create", cls.folder / "set", "-q", "-o", cls.folder / "s.tar")
        cls.objects = {"/s/" + file.name: file.read_bytes() for file in (cls.folder / "set").iterdir()}
        cls.objects.update({"/" + name: (cls.folder / name).read_bytes() for name in ("b.tar", "s.tar")})

    def same(self, tool, far, near, *words, output="out.qrn"):
        """The same bytes of what is on the server as of what is here."""
        made = []
        for source in (far, near):
            self.tool(tool, source, *words, "-q", "-f", "-o", output)
            made.append((self.folder / output).read_bytes())
        self.assertEqual(made[0], made[1])


class Sets(Many):
    def test_like_folders(self):
        for name in ("/s/", "/s/set.json"):
            far, near = self.server.url(name, user="me:secret@"), self.folder / "set"
            shown = self.tool("quern-info", far, "--json")
            self.assertNotIn("secret", shown.stdout + shown.stderr)
            self.assertEqual(json.loads(shown.stdout)["identity"], json.loads(run("quern-info", "--json", near).stdout)["identity"])
            self.assertNotIn("part-00000", str([entry[0] for entry in self.server.log]))
            self.tool("quern-verify", far)
            self.same("quern-transform", far, near)
            self.server.log.clear()
        self.same("quern-export", far, near, "--format", "edges", output="out.txt")
        ranks = []
        for source in (far, near):
            self.tool("quern-run", "pagerank", source, "--iterations", "3", "-q", "-f", "-o", "out.tsv")
            ranks.append(values(self.folder / "out.tsv"))
        self.assertEqual(ranks[0], ranks[1])
        self.assertEqual(self.tool("quern-info", far, "--neighbors", "77").stdout, self.tool("quern-info", near, "--neighbors", "77").stdout)

    def test_wrong_files(self):
        far, sound = self.server.url("/s/"), dict(self.server.objects)
        for change, why, code in ((lambda: self.server.objects.pop("/s/part-00001.qrn"), "part-00001.qrn: .*404", 5),
                                  (lambda: self.server.objects.update({"/s/part-00001.qrn": sound["/s/part-00002.qrn"]}), "SET-6", 3),
                                  (lambda: self.server.objects.update({"/s/set.json": sound["/s/set.json"][:-9]}), "set.json: ", 3),
                                  (lambda: self.server.objects.pop("/s/set.json"), "set.json: .*404", 5)):
            change()
            self.assertRegex(self.tool("quern-verify", far, exit=code).stderr, why)
            self.server.objects.clear()
            self.server.objects.update(sound)

    def test_no_outputs(self):
        (self.folder / "e.csv").write_text("1,2\n")
        for output in ("x", self.server.url("/s/")):
            self.assertIn("download it first", self.tool("quern-transform", self.server.url("/s/"), "--append", "e.csv", "-o", output, exit=4).stderr)
        self.assertIn("download it first", self.tool("quern-archive", "create", self.server.url("/s/"), "-o", "x.tar", exit=4).stderr)


class Bundles(Many):
    def test_members(self):
        far = self.server.url("/b.tar", user="me:secret@")
        listed = self.tool("quern-archive", "list", far, "--json")
        self.assertEqual(json.loads(listed.stdout), json.loads(run("quern-archive", "list", "--json", self.folder / "b.tar").stdout))
        self.assertLess(sum(self.counts()), 100000)
        self.same("quern-transform", far + ":other.qrn", self.folder / "other.qrn", "--relabel", "degree")
        self.assertLess(sum(self.counts()), self.folder.joinpath("other.qrn").stat().st_size + 400000)
        self.tool("quern-archive", "verify", far)
        shutil.rmtree(self.folder / "x", ignore_errors=True)
        (self.folder / "x").mkdir()
        self.tool("quern-archive", "extract", far, "local.qrn", "-C", "x")
        self.assertEqual((self.folder / "x/local.qrn").read_bytes(), self.bytes)
        self.assertIn("no member is called 'none'", self.tool("quern-info", far + ":none", exit=2).stderr)
        self.tool("quern-archive", "extract", self.server.url("/s.tar"), "-f", "-o", "again")
        for file in (self.folder / "again").iterdir():
            self.assertEqual(file.read_bytes(), (self.folder / "set" / file.name).read_bytes())
        self.tool("quern-archive", "list", self.server.url("/g.qrn"))

    def counts(self):
        """Bytes that were asked for since the last time, by request."""
        counts = []
        for one in ",".join(asked.split("=")[1] for asked in self.asked()).split(","):
            first, last = map(int, one.split("-"))
            counts.append(last - first + 1)
        return counts

    def test_damaged(self):
        sound = self.server.objects["/b.tar"]
        for at in (0, 3, 300, 600, 2000, len(sound) // 3, len(sound) - 2000, len(sound) - 1):
            self.server.objects["/b.tar"] = sound[:at] + bytes([sound[at] ^ 1]) + sound[at + 1:]
            self.assertIn("/b.tar", self.tool("quern-archive", "verify", self.server.url("/b.tar"), exit=3).stderr, at)
        for cut in (0, 100, 700, 70000, len(sound) // 2, len(sound) - 10000, len(sound) - 512):
            self.server.objects["/b.tar"] = sound[:cut]
            self.tool("quern-archive", "verify", self.server.url("/b.tar"), exit=3)
        self.server.objects["/b.tar"] = sound
        self.does.ranges = False
        self.assertIn("download it first", self.tool("quern-archive", "list", self.server.url("/b.tar"), exit=4).stderr)

    def test_one_range_at_a_time(self):
        for several, wrong in ((False, None), (True, (1, 1))):
            self.does.several, self.does.wrong_part = several, wrong
            self.tool("quern-archive", "list", self.server.url("/b.tar"))
            self.tool("quern-archive", "list", self.server.url("/s.tar"))
