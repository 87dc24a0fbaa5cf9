"""Readers that look at words where they lie see the same graph wherever the blocks end in which their input comes: those of a stream
end with the last line before 8 MiB, and of XML a parser gets 1 MiB at once."""

import resource
import unittest
from pathlib import Path

from harness.tools import run
from readers.test_odd_files import graph_of

BLOCK, PIECE = 8 << 20, 1 << 20
PADDING = 1023 * " " + "\n"

EDGES = [("ab", "c d", 1.5), ("c d", "ab", 20.25)]

JSON = """{"nodes": [
{
"id":
"ab"
}, {"id"
: "c d"}],
"links": [ {
"source":
"ab",
"target"
: "c d", "weight":
1.5
}
, {"source": "c d", "target": "ab",
"weight": 20.25}]
}
"""
GML = """graph [
directed
1
node [ id 1
] node
[ id 23 ]
edge [
source 1
target
23
weight 1.5
label "a
b" ]
edge [ source 23 target 1 weight
20.25
]
]
"""
DOT = """digraph
{
ab
->
"c d"
[
weight
=
1.5
]
"c d" -> ab /* a
comment */ [weight = # another
20.25];
}
"""
GRAPHML = """<graphml><key id="k" for="edge" attr.name="weight"/><graph edgedefault="directed">
<node id="ab"/><node id="c d"/><edge source="ab" target="c d"><data key="k"> 1.5 </data></edge>
<edge source="c d" target="ab"><data key="k">20<!-- and -->.25</data></edge></graph></graphml>
"""
GEXF = """<gexf><graph defaultedgetype="directed"><nodes><node id="ab"/><node id="c d"/></nodes><edges>
<edge source="ab" target="c d" weight="1.5"/><edge source="c d" target="ab" weight="20.25"/></edges></graph></gexf>
"""


def line_ends(text):
    return [at + 1 for at, c in enumerate(text) if c == "\n"]


class Borders(unittest.TestCase):
    tier, timeout = "medium", 300
    sanitized_tier = "long"

    def check(self, format, text, before, expected):
        """With so many bytes before the document."""
        Path("in.txt").write_text((PADDING * (before // len(PADDING) + 1))[-before:] + text)
        run("bash", "-c", f"quern-import - --format {format} -q -f -o out.qrn < in.txt")
        edges, _ = graph_of("out.qrn")
        self.assertEqual(edges, sorted(expected))

    def test_lines(self):
        numbered = [("1", "23", 1.5), ("23", "1", 20.25)]
        for format, text, expected in (("json", JSON, EDGES), ("gml", GML, numbered), ("dot", DOT, EDGES)):
            for at in line_ends(text):
                with self.subTest(format=format, at=at):
                    self.check(format, text, BLOCK - at, expected)

    def test_pieces_of_xml(self):
        for format, text in (("graphml", GRAPHML), ("gexf", GEXF)):
            for at in range(text.index("<edge "), len(text) - 30, 7):
                with self.subTest(format=format, at=at):
                    self.check(format, text, PIECE - at, EDGES)


class LongLines(unittest.TestCase):
    """What is refused takes as long as its bytes, not as their square."""

    timeout, sanitized_tier = 120, "long"

    def test_a_word_and_blanks_without_end(self):
        for name, text in (("word", b"1" * (24 << 20) + b"\n"), ("blanks", b"1 2\n3 4" + b" " * (65 << 20) + b"\n5 6\n")):
            Path("in.txt").write_bytes(text)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            run("quern-import", "in.txt", "-qo", "out.qrn", exit=3)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertLess(after.ru_utime - before.ru_utime, 1.5, name)
