"""Containers on servers: what is needed comes, nothing is used that is not what was written, and what came is kept."""

import json
import os
import subprocess
import threading

from harness.tools import run, values
from remote.scene import Scene

MIB = 1 << 20


class Containers(Scene):
    def url(self):
        return self.server.url("/g.qrn")

    def files(self):
        """Of the cache."""
        return sorted((self.cache / "quern").glob("*"))

    def run_algorithm(self, source, *options, **environment):
        self.tool("quern-run", "bfs", source, "--source", "0", "-q", "-f", "-o", "out.tsv", *options, **environment)
        return values(self.folder / "out.tsv")

    def test_only_what_is_needed_comes(self):
        shown = json.loads(self.tool("quern-info", "--json", self.url()).stdout)
        self.assertEqual(shown["identity"], json.loads(run("quern-info", "--json", self.local).stdout)["identity"])
        self.assertEqual(len(self.asked()), 2)
        self.assertEqual(self.run_algorithm(self.url()), self.run_algorithm(self.local))
        sections = {section["name"]: section for section in shown["sections"]}
        self.assertLess(len(self.asked()), 8)
        stored = sum(file.stat().st_blocks * 512 for file in self.files())
        weights = sum(section["stored_bytes"] for name, section in sections.items() if name.endswith("weights"))
        self.assertLess(stored, len(self.bytes) - weights + MIB)

    def test_neighbours_of_one_vertex(self):
        far, near = (self.tool("quern-info", name, "--neighbors", "77").stdout for name in (self.url(), self.local))
        self.assertEqual(far, near)
        self.assertLessEqual(len(self.asked()), 5)

    def test_every_tool(self):
        self.server.objects["/g.qra"] = self.archive()
        self.tool("quern-verify", self.url())
        for words in (("quern-export", self.url(), "--format", "edges"), ("quern-pack", self.url()), ("quern-page", self.url()),
                      ("quern-transform", "--egonet", "5", self.url()), ("quern-archive", "create", self.url()),
                      ("quern-archive", "extract", self.server.url("/g.qra"))):
            local = [str(self.local) if word == self.url() else str(self.folder / "g.qra") if str(word).endswith(".qra") else word for word in words]
            self.tool(*words, "-q", "-f", "-o", "far")
            self.tool(*local, "-q", "-f", "-o", "near")
            self.assertEqual((self.folder / "far").read_bytes(), (self.folder / "near").read_bytes(), words)
        self.tool("quern-verify", self.server.url("/g.qra"))
        self.assertEqual(self.run_algorithm(self.url(), "--trust"), self.run_algorithm(self.local))

    def archive(self):
        run("quern-archive", "create", self.local, "-f", "-q", "-o", self.folder / "g.qra")
        return (self.folder / "g.qra").read_bytes()

    def test_what_came_is_kept_and_never_believed(self):
        self.tool("quern-verify", self.url())
        self.asked()
        self.tool("quern-verify", self.url())
        self.assertEqual(len(self.asked()), 2)
        (file,) = self.files()
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        with open(file, "r+b") as damaged:  # two chunks, which one request brings
            for at in (len(self.bytes) // 2, len(self.bytes) // 4):
                damaged.seek(at)
                damaged.write(b"not what was written")
        self.tool("quern-verify", self.url())
        self.assertEqual(len(self.asked()), 3)
        self.assertEqual(file.read_bytes(), self.bytes)
        os.truncate(file, 5 * MIB)
        self.tool("quern-verify", self.url())
        self.assertEqual(file.read_bytes(), self.bytes)

    def test_whose_cache_it_is(self):
        self.tool("quern-verify", self.url())
        (file,) = self.files()
        others = (lambda: os.chown(file, 65534, -1), lambda: os.chown(file.parent, 65534, -1)) if os.geteuid() == 0 else ()
        for refuse in (lambda: file.chmod(0o666), lambda: file.parent.chmod(0o777), lambda: os.link(file, self.cache / "other"), *others):
            refuse()
            self.asked()
            self.tool("quern-verify", self.url())  # from the server, without the cache
            self.assertGreater(len(self.asked()), 2)
            for path, mode in ((file, 0o600), (file.parent, 0o700)):
                path.chmod(mode)
                os.chown(path, os.geteuid(), -1)
        file.unlink()
        file.symlink_to(self.cache / "other")
        self.tool("quern-verify", self.url())
        self.assertGreater(len(self.asked()), 2)
        self.tool("quern-verify", self.url(), XDG_CACHE_HOME="/proc/none")

    def test_how_much_is_kept(self):
        self.tool("quern-verify", self.url(), QUERN_CACHE_SIZE="0")
        self.assertEqual(self.files(), [])
        self.tool("quern-verify", self.url(), QUERN_CACHE_SIZE="1M")  # as long as it is used
        self.assertEqual(self.files(), [])
        run("quern-generate", "rmat", "--scale", 10, "-f", "-q", "-o", self.folder / "small.qrn")
        self.server.objects["/small.qrn"] = (self.folder / "small.qrn").read_bytes()
        self.tool("quern-verify", self.server.url("/small.qrn"))
        self.tool("quern-verify", self.url())
        self.tool("quern-verify", self.server.url("/small.qrn"), QUERN_CACHE_SIZE="2M")  # what was used last stays
        self.assertEqual([file.stat().st_size for file in self.files()], [len(self.server.objects["/small.qrn"])])

    def test_two_at_once(self):
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.cache)}
        both = [subprocess.Popen(["quern-verify", "-q", self.url()], env=environment) for _ in range(2)]
        self.assertEqual([one.wait(60) for one in both], [0, 0])

    def test_damaged_at_the_server(self):
        for at in range(100, len(self.bytes), len(self.bytes) // 7):
            damaged = bytearray(self.bytes)
            damaged[at] ^= 4
            self.server.objects["/bad.qrn"] = bytes(damaged)
            error = self.tool("quern-verify", self.server.url("/bad.qrn"), exit=3).stderr
            self.assertRegex(error, "/bad.qrn: .*C-[0-9]+")
        for cut in (0, 5, 3000, 70000, len(self.bytes) - 1):
            self.server.objects["/bad.qrn"] = self.bytes[:cut]
            self.tool("quern-verify", self.server.url("/bad.qrn"), exit=3)
        self.server.objects["/bad.qrn"] = b"<html>"
        self.assertIn("not a Quern container", self.tool("quern-info", self.server.url("/bad.qrn"), exit=3).stderr)


class Faults(Scene):
    """Of the way there and of the server."""

    def verify(self, exit=0, **environment):
        return self.tool("quern-verify", self.server.url("/g.qrn"), exit=exit, **environment).stderr

    def test_cut_connections(self):
        self.does.every_cut = 1500000  # a request of 8 MiB goes on five times
        self.verify()
        self.does.every_cut, self.does.cuts = None, [1000, 0, None, 100]
        self.verify(QUERN_CACHE_SIZE="0")

    def test_busy_servers(self):
        self.does.codes, self.does.retry_after = [503, 429, None, 500], "1"
        self.verify()
        self.does.codes = [503] * 9
        self.assertIn("answers with 503", self.verify(exit=5))
        self.does.codes = [404]
        self.assertIn("there is no such object", self.verify(exit=5))

    def test_other_ranges_than_asked_for(self):
        self.does.shift = 3
        self.assertIn("another range", self.verify(exit=5))
        self.assertEqual(len(self.asked()), 1)

    def test_changed_objects(self):
        other = bytearray(self.bytes)
        other[len(other) // 2] ^= 1
        for etags, dates in ((True, True), (False, True)):
            self.does.etags, self.does.dates = etags, dates
            self.does.replace_at = (len(self.server.log) + 2, bytes(other[:-1]))
            self.assertIn("replaced while it was read", self.verify(exit=5, QUERN_CACHE_SIZE="0"))
            self.does.replace_at = None
            self.server.objects["/g.qrn"] = self.bytes
        self.does.replace_at = (len(self.server.log) + 2, self.bytes[:100])  # beyond which nothing is
        self.assertIn("replaced while it was read", self.verify(exit=5, QUERN_CACHE_SIZE="0"))

    def test_servers_without_ranges(self):
        self.does.ranges = False
        self.verify()
        self.assertEqual(len(self.asked()), 2)
        self.server.objects["/g.qrn"] = self.bytes[:-70000]
        self.verify(exit=3)

    def test_slow_and_silent_servers(self):
        self.does.stalls = [None, 1.6]
        self.verify()
        self.does.stalls = [3] * 4
        self.assertIn("/g.qrn: ", self.verify(exit=5))

    def test_nobody_there(self):
        self.server.close()
        self.assertIn("/g.qrn: ", self.verify(exit=5))
        self.server = type(self.server)({})

    def test_interrupted(self):
        self.does.rate = 100000
        waiting = subprocess.Popen(["quern-verify", self.server.url("/g.qrn")], stderr=subprocess.DEVNULL,
                                   env={**os.environ, "XDG_CACHE_HOME": str(self.cache)})
        threading.Timer(0.7, waiting.terminate).start()
        self.assertIn(waiting.wait(20), (130, -15, 143))
