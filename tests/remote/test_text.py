"""Text from servers: as from files, whatever happens on the way, or refused."""

import bz2
import gzip
import io
import random
import tarfile

from harness.tools import run
from remote.scene import Scene

_chance = random.Random(34)
TEXT = "".join("%d %d\n" % (_chance.randrange(50000), _chance.randrange(50000)) for _ in range(300000)).encode()
LESS = TEXT[:len(TEXT) // 2 - 3]


def tar_of(**members):
    """A tar with these members."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as tar:
        for name, content in members.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            tar.addfile(about, io.BytesIO(content))
    return whole.getvalue()


class Bringing(Scene):
    objects = {"/x/e.txt": TEXT, "/x/e.txt.gz": gzip.compress(TEXT), "/x/e.txt.bz2": bz2.compress(TEXT[:100000]), "/x/empty": b"",
               "/x/two.tar": tar_of(a=b"1 2\n", b=b"2 3\n")}

    def bring(self, path, exit=0, user="", query="", **environment):
        """Import what is there; the container's bytes, or the message."""
        (self.folder / "out.qrn").unlink(missing_ok=True)
        done = self.tool("quern-import", self.server.url(path, user) + query, "-f", "-q", "-o", "out.qrn", exit=exit, **environment)
        if exit:
            self.assertFalse((self.folder / "out.qrn").exists())
            return done.stderr
        return (self.folder / "out.qrn").read_bytes()

    def right(self, path):
        """The container that the same file makes."""
        file = self.folder / path.rsplit("/", 1)[1]
        file.write_bytes(self.server.objects[path])
        run("quern-import", file, "-f", "-q", "-o", self.folder / "right.qrn")
        return (self.folder / "right.qrn").read_bytes()


class Text(Bringing):
    def test_the_same_bytes_as_from_a_file(self):
        for path in ("/x/e.txt", "/x/e.txt.gz", "/x/e.txt.bz2"):
            self.assertEqual(self.bring(path, 0, "me:secret@", "?X-Amz-Signature=secret#there"), self.right(path), path)
            self.assertEqual(len(self.asked()), 1)
        self.assertNotIn(b"secret", self.bring("/x/e.txt", 0, "me:secret@", "?token=secret"))
        self.assertIn("secret", self.server.log[-1][0])

    def test_every_format(self):
        """That quern-export writes to one file, as from that file."""
        formats = ("adjacency", "binsparse", "dimacs", "edges", "galois", "gapbs", "gexf", "gml", "graphml", "json", "matrix-market", "metis", "npy", "npz")
        graph = self.folder / "s.qrn"
        run("quern-generate", "rmat", "--scale", "5", "--undirected", "--duplicates", "remove", "--self-loops", "remove", "-q", "-f", "-o", graph)
        for name in formats:
            with self.subTest(name):
                file = self.folder / ("g." + name)
                run("quern-export", graph, "--format", name, "-q", "-f", "-o", file)
                self.server.objects["/x/g." + name] = file.read_bytes()
                made = []
                for source in (file, self.server.url("/x/g." + name)):
                    self.tool("quern-import", source, "--format", name, "-f", "-q", "-o", "out.qrn")
                    made.append((self.folder / "out.qrn").read_bytes())
                self.assertEqual(made[0], made[1])

    def test_names_from_a_server(self):
        self.server.objects.update({"/x/n-edges.txt.gz": gzip.compress(b"0\t1\n1\t2\n"),
                                    "/x/n-vertices.txt.gz": gzip.compress(b"0\torg.a\n1\torg.b\n2\torg.c\n")})
        self.tool("quern-import", self.server.url("/x/n-edges.txt.gz"), "--names", self.server.url("/x/n-vertices.txt.gz"), "-f", "-q", "-o", "out.qrn")
        self.assertEqual(self.tool("quern-info", "out.qrn", "--neighbors", "org.a").stdout, "org.b\n")

    def test_members_of_archives(self):
        self.bring("/x/two.tar:b")
        self.assertIn("no member", self.bring("/x/two.tar:c", exit=3))
        self.assertIn("two.tar", self.bring("/x/two.tar", exit=3))

    def test_goes_on_where_it_was_cut(self):
        for path in ("/x/e.txt", "/x/e.txt.gz"):
            self.does.cuts = [100000, 1]
            self.does.codes = [503]
            self.assertEqual(self.bring(path, QUERN_REMOTE_RETRIES="3"), self.right(path))
            ranges = self.asked()
            self.assertEqual((ranges[2], ranges[-1]), ("bytes=100000-", "bytes=100001-"))
        self.does.etags = False  # by dates, too
        self.does.cuts = [100000]
        self.assertEqual(self.bring("/x/e.txt"), self.right("/x/e.txt"))
        self.does.etags, self.does.ranges = True, False  # or from the beginning, of which the first is passed over
        self.does.cuts = [100000, 200000]
        self.assertEqual(self.bring("/x/e.txt"), self.right("/x/e.txt"))

    def test_gives_up(self):
        self.does.every_cut = 1000
        self.assertIn("/x/e.txt: ", self.bring("/x/e.txt", exit=5))
        self.assertEqual(len(self.asked()), 3)
        self.does.every_cut, self.does.codes = None, [503] * 9
        self.assertIn("answers with 503", self.bring("/x/e.txt", exit=5))
        self.does.codes = []
        self.assertIn("404: there is no such object", self.bring("/x/none", exit=5))
        self.assertIn("the input is empty", self.bring("/x/empty", exit=3))
        self.does.codes = [403]
        self.assertIn("403", self.bring("/x/e.txt", exit=5))


class OnTheWay(Bringing):
    def test_waits_for_who_is_slow_but_not_for_ever(self):
        self.does.stalls = [1.6]
        self.assertEqual(self.bring("/x/e.txt"), self.right("/x/e.txt"))
        self.does.stalls = [3, 3]
        self.assertIn("/x/e.txt: ", self.bring("/x/e.txt", exit=5, QUERN_REMOTE_RETRIES="1"))

    def test_never_takes_a_part_or_two_versions_for_all(self):
        self.does.cuts, self.does.replace_at = [100000], (1, LESS)
        self.assertIn("replaced while it was read", self.bring("/x/e.txt", exit=5))
        self.server.objects["/x/e.txt"], self.does.replace_at = TEXT, None
        self.does.cuts, self.does.etags, self.does.dates = [100000], False, False
        self.assertIn("cannot go on", self.bring("/x/e.txt", exit=5))
        self.does.cuts, self.does.etags, self.does.shift = [100000], True, 7
        self.assertIn("another range", self.bring("/x/e.txt", exit=5))
        self.does.shift, self.does.length = 0, False
        self.assertIn("does not say where the object ends", self.bring("/x/e.txt", exit=5))

    def test_redirects(self):
        self.does.redirects = {"/old": self.server.url("/x/e.txt"), "/round": "/round", "/file": "file:///etc/passwd"}
        self.bring("/old")
        self.assertIn("redirects", self.bring("/round", exit=5))
        self.assertIn("/file: ", self.bring("/file", exit=5))

    def test_malformed(self):
        for url, why in (("http://", "without a host"), ("http://a b/", "no spaces"), ("s3://bucket", "s3://BUCKET/KEY"),
                         ("s3://bu@cket/x", "s3://BUCKET/KEY")):
            self.assertIn(why, self.tool("quern-import", url, "-f", "-o", "out.qrn", exit=2).stderr)
        self.assertIn("inputs are read twice", self.tool("quern-import", self.server.url("/x/e.txt"), "--properties=all", "-f", "-o", "out.qrn", exit=2).stderr)
