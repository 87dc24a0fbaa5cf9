"""Formats whose vertices have names, of several batches (converters/elements/naming.c): the same bytes, and the same first
error, whatever the threads."""

import json
import unittest
from pathlib import Path
from xml.sax.saxutils import quoteattr

from harness.tools import run
from readers.test_odd_files import graph_of

# Names that lie in their slots, that just do not, that begin alike, that no batch has room for many of.
NAMES = ["a", "b", "ab", "abcdefgh", "abcdefghi", "abcdefgh0", "é", "\U0001f600\U0001f600", "\U0001f600\U0001f600x", "00", "0", "x" * 17]
LONG = ["L" * 60000, "M" * 65534]
EDGES = 20000
THREADS = 1, 2, 4


def named_edges(names):
    for i in range(EDGES):
        if 9000 <= i < 9012:
            yield LONG[i % 2], LONG[i // 2 % 2]
        else:
            yield names[i * 7919 % len(names)], names[(i * i + 13) % len(names)]


WORDS = NAMES + ["v%d" % i for i in range(3000)]
PHRASES = WORDS + ["x y", "<&>", "'", "//#", " padded "]


def lines_of(write, edges):
    return "".join(write(a, b) + "\n" for a, b in edges)


def listed(edges):
    return sorted({name for edge in edges for name in edge})


def node_link(edges):
    return named_json([json.dumps({"source": a, "target": b}) for a, b in edges], listed(edges))


def xml(element, head, tail, edges):
    body = lines_of(lambda a, b: "<edge source=%s target=%s/>" % (quoteattr(a), quoteattr(b)), edges)
    return "<%s>%s%s%s</%s>" % (element, head, body, tail, element)


FORMATS = {
    "csv": (PHRASES, lambda edges: "source,target\n" + lines_of(lambda a, b: '"%s","%s"' % (a, b), edges),
            ["--format=named-edges", "--ids=strings"]),
    "json": (PHRASES, node_link, ["--ids=strings"]),
    "jsonl": (PHRASES, lambda edges: lines_of(lambda a, b: json.dumps({"source": a, "target": b}), edges), ["--ids=strings"]),
    "graphml": (PHRASES, lambda edges: xml("graphml", '<graph edgedefault="directed">\n', "</graph>", edges), []),
    "gexf": (PHRASES, lambda edges: xml("gexf", '<graph defaultedgetype="directed">\n<edges>', "</edges></graph>", edges), []),
    "dot": (PHRASES, lambda edges: "digraph {\n%s}" % lines_of('"{}" -> "{}";'.format, edges), []),
    "nt": (WORDS, lambda edges: lines_of("<{}> <p> <{}> .".format, edges), []),
    "neighbors": (WORDS, lambda edges: lines_of("{} {}".format, edges), ["--format=neighbors"]),
}
OTHERS = {
    "hyperedges": (lambda edges: lines_of("{} {}".format, edges), ["--format=hyperedges"]),
    "lgl": (lambda edges: lines_of("# {}\n{}".format, edges), []),
}


def named_json(edges, vertices):
    nodes = ", ".join(json.dumps({"id": name}) for name in vertices)
    return '{"directed": true, "nodes": [%s], "links": [\n%s\n]}' % (nodes, ",\n".join(edges))


def outcome(path, threads, *options):
    """What an import says and writes."""
    Path("out.qrn").unlink(missing_ok=True)
    done = run("quern-import", path, "-T", threads, "-qo", "out.qrn", *options, exit=(0, 3))
    return done.returncode, done.stderr, Path("out.qrn").read_bytes() if Path("out.qrn").exists() else None


class ManyBatches(unittest.TestCase):
    tier = "medium"

    def outcome(self, path, *options):
        """The same on any number of threads."""
        first = outcome(path, THREADS[0], *options)
        for threads in THREADS[1:]:
            other = outcome(path, threads, *options)
            self.assertEqual(first[:2], other[:2], path)
            self.assertTrue(first[2] == other[2], "%s: other bytes on %d threads" % (path, threads))
        return first

    def test_bytes(self):
        for ending, (names, write, options) in FORMATS.items():
            with self.subTest(format=ending):
                edges = list(named_edges(names))
                Path("g." + ending).write_text(write(edges), encoding="utf-8")
                self.assertEqual(self.outcome("g." + ending, *options)[0], 0)
                self.assertEqual(graph_of("out.qrn")[0], sorted(edges))

    def test_bytes_of_both_ways(self):
        for ending, (write, options) in OTHERS.items():
            with self.subTest(format=ending):
                edges = list(named_edges(WORDS))
                loops = sum(a == b for a, b in edges) if ending == "lgl" else 0
                Path("g." + ending).write_text(write(edges), encoding="utf-8")
                self.assertEqual(self.outcome("g." + ending, *options)[0], 0)
                self.assertEqual(len(graph_of("out.qrn")[0]), 2 * EDGES - loops)

    def test_weights(self):
        weights = "1", "0.5", "5000000000", "1e300"
        lines = ["<edge source='v%d' target='v%d'><data key='w'>%s</data></edge>" % (i % 997, i % 991, weights[i * 4 // EDGES])
                 for i in range(EDGES)]
        Path("w.graphml").write_text("<graphml><key id='w' for='edge' attr.name='weight'/><graph edgedefault='directed'>%s"
                                     "</graph></graphml>" % "\n".join(lines))
        self.assertEqual(self.outcome("w.graphml")[0], 0)
        self.assertEqual(sorted({edge[2] for edge in graph_of("out.qrn")[0]}), sorted(map(float, weights)))

    def test_errors_have_their_places(self):
        pajek = "*Vertices 9\n*Arcs\n" + "1 2\n" * (EDGES - 1)
        Path("bad.net").write_text(pajek + "1 10\n" + "1 2\n" * EDGES)
        self.assertRegex(self.outcome("bad.net")[1], r"bad\.net:%d:1: expected two vertices" % (EDGES + 2))
        dot = "digraph {\n" + "a -> b;\n" * EDGES
        Path("bad.dot").write_text(dot + "a -> <b>;\n" + "a -> b;\n" * EDGES + "}")
        self.assertRegex(self.outcome("bad.dot")[1], r"bad\.dot:%d:6: names in HTML" % (EDGES + 2))

    def test_the_first_error_counts(self):
        good, unknown, broken = '{"source": "a", "target": "b"}', '{"source": "a", "target": "zz"}', '{"source" "a"}'
        for bad, message in (((unknown, broken), "vertices of the list; found 'zz'"), ((broken, unknown), "not JSON"),
                             ((unknown,), "vertices of the list; found 'zz'")):
            for before in 0, 31, 32, EDGES:
                Path("bad.json").write_text(named_json([good] * before + list(bad) + [good] * EDGES, "ab"))
                code, said, _ = self.outcome("bad.json")
                self.assertEqual(code, 3)
                self.assertRegex(said, r"bad\.json:%d:\d+: .*%s" % (before + 2, message))
