"""Odd files by classes: each format by each defect of its header, its end, its name, its packing, its counts, ids, weights and names.

Of each it is known which graph it holds, if any: that is read, or the file is refused; nothing else."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile

from readers.formats import EDGES, FORMATS, WORDS
from readers.odd_files import Odd

ANY = ""  # refused with any words


class Corpus(list):
    def add(self, format, defect, content, edges=None, ending=None, vertices=(), packing="", exactly=False):
        """`edges` None: no graph is in it."""
        name = "%s@%s.%s%s" % (format.name, defect, format.ending if ending is None else ending, packing)
        graph = None if edges is None else format.graph(edges)
        self.append(Odd(name.rstrip("."), content, edges=graph, refused=ANY if edges is None else None, undirected=format.undirected,
                        vertices=tuple(vertices), either=not exactly))


def is_text(format):
    return not isinstance(format.write(EDGES), bytes)


TEXTS = [format for format in FORMATS if is_text(format)]
LISTS = ("pairs", "weights", "tabs", "commas", "semicolons", "networkx", "json-lines", "n-triples")  # without a first line of another kind
WITH_COMMENTS = ("snap", "konect")
COMMENTED = ("real", "pattern", "symmetric", "shortest-paths", "coloring", "flow")  # the same line again is a comment
HEADED = ("headed", "headed-tabs", "graphml")


def headers():
    corpus = Corpus()
    for format in TEXTS:
        content = format.content()
        first, rest = content.split(b"\n", 1)
        corpus.add(format, "hash", b"# made by a tool\n" + content, EDGES)
        corpus.add(format, "percent", b"% made by a tool\n" + content, EDGES)
        corpus.add(format, "blank-line", b"\n" + content, EDGES)
        corpus.add(format, "blank-lines", b"\r\n \n\n" + content, EDGES)
        corpus.add(format, "indented", b"  " + content.replace(b"\n", b"\n  ").rstrip(b" "), EDGES)
        corpus.add(format, "mark", b"\xef\xbb\xbf" + content, EDGES)
        corpus.add(format, "two-marks", b"\xef\xbb\xbf\xef\xbb\xbf" + content, EDGES)
        if format.name not in ("lgl", "n-triples"):  # which would have other names
            corpus.add(format, "capitals", first.upper() + b"\n" + rest, None if format.name == "networkx" else EDGES)
        twice = EDGES + EDGES[:1] if format.name in LISTS else EDGES if format.name in WITH_COMMENTS + ("lgl",) + COMMENTED else None
        corpus.add(format, "first-line-twice", first + b"\n" + content, twice)
        if format.name not in ("neo4j", "json-list", "node-link", "json-graph", "cytoscape"):  # nothing else, or nothing tells columns
            less = EDGES[1:] if format.name in LISTS else EDGES if format.name in WITH_COMMENTS + COMMENTED[3:] + HEADED else None
            corpus.add(format, "no-first-line", rest, less)
    return corpus


def ends():
    corpus = Corpus()
    for format in TEXTS:
        content = format.content()
        corpus.add(format, "no-newline", content[:-1], EDGES, exactly=True)
        corpus.add(format, "crlf", content.replace(b"\n", b"\r\n"), EDGES, exactly=True)
        corpus.add(format, "cr", content.replace(b"\n", b"\r"), EDGES)
        corpus.add(format, "blank-lines", content + b"\n\n\n", EDGES)
        corpus.add(format, "blanks", content.replace(b"\n", b" \t\n"), EDGES)
        corpus.add(format, "form-feed", content + b"\f\n", EDGES)
        corpus.add(format, "control-z", content + b"\x1a", EDGES)
        corpus.add(format, "nul", content + b"\0", EDGES)
        corpus.add(format, "joined", content + content, EDGES + EDGES if format.joins else None)
        if format.name != "lgl":  # whose neighbours these are
            corpus.add(format, "words", content + b"???\n", None)
            corpus.add(format, "number", content + b"1\n", None)
    for format in FORMATS:
        content = format.content()
        corpus.add(format, "empty", b"", None if format.counted else ())
        if is_text(format):
            corpus.add(format, "utf-16", content.decode().encode("utf-16"), None)
            corpus.add(format, "utf-16-unmarked", content.decode().encode("utf-16-le"), None)
        else:
            is_zip = format.name == "npz"  # of which the directory at the end counts
            corpus.add(format, "mark", b"\xef\xbb\xbf" + content, EDGES if is_zip else None)
            corpus.add(format, "longer", content + b"\0" * 8, EDGES)
            corpus.add(format, "joined", content + content, EDGES if is_zip else None)
        if format.counted:
            for part in (0.1, 0.3, 0.5, 0.7, 0.9):
                corpus.add(format, "cut-%d" % (100 * part), content[:int(part * len(content))], None)
            corpus.add(format, "cut-2", content[:-2], None)
    return corpus


OTHER_ENDINGS = ("txt", "csv", "tsv", "mtx", "graph", "json", "xml", "gr", "net", "lgl", "adj", "bin", "npy", "gml", "dot", "el", "sg", "dat", "")


def names():
    corpus = Corpus()
    for i, format in enumerate(FORMATS):
        for k in range(6):
            ending = OTHER_ENDINGS[(6 * i + k) % len(OTHER_ENDINGS)]
            if ending != format.ending:
                corpus.add(format, "called", format.content(), EDGES, ending=ending)
    return corpus


def zipped(name, content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return packed.getvalue()


def tarred(name, content):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo("folder/" + name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def packings():
    corpus = Corpus()
    for format in FORMATS:
        content, name = format.content(), "graph." + format.ending
        packed = gzip.compress(content, mtime=0)
        corpus.add(format, "bzip2", bz2.compress(content), EDGES, packing=".bz2")
        corpus.add(format, "xz", lzma.compress(content), EDGES, packing=".xz")
        corpus.add(format, "tar", tarred(name, content), EDGES, packing=".tar.gz")
        corpus.add(format, "gzip-in-zip", zipped(name + ".gz", packed), EDGES, packing=".zip")
        corpus.add(format, "unpacked", content, EDGES, packing=".gz")
        corpus.add(format, "packed", packed, EDGES)
        corpus.add(format, "cut", packed[:-9], None, packing=".gz")
        corpus.add(format, "wrong-sum", packed[:-8] + struct.pack("<I", 7) + packed[-4:], None, packing=".gz")
        corpus.add(format, "followed", packed + b"something", EDGES, packing=".gz")
    return corpus


COUNTED = {  # a format's line of counts, with what may stand for each of them
    "real": ("%s %s 7", "6 6 %s"), "pattern": ("%s %s 7", "6 6 %s"), "symmetric": ("%s %s 7", "6 6 %s"), "metis": ("%s 7", "6 %s"),
    "metis-weights": ("%s 7 001", "6 %s 001"), "shortest-paths": ("p sp %s 7", "p sp 6 %s"), "coloring": ("p edge %s 7", "p edge 6 %s"),
    "flow": ("p max %s 7", "p max 6 %s"), "arcs": ("*Vertices %s",), "edges": ("*Vertices %s",), "matrix": ("*Vertices %s",),
    "adjacency": ("WeightedAdjacencyGraph\n%s\n7", "WeightedAdjacencyGraph\n6\n%s"),
}
NUMBERS = ("0", "1", "5", "8", "-1", "4294967296", "18446744073709551616", "99999999999999999999999", "x", "1.5", "")


def counts():
    corpus = Corpus()
    for format in FORMATS:
        for place, line in enumerate(COUNTED.get(format.name, ())):
            right = line.replace("%s", "76"[place == 0])
            for number in NUMBERS + ("7" if place == 0 else "6",):
                alone = format.name in ("real", "pattern", "symmetric", "shortest-paths", "coloring", "flow", "arcs", "edges")
                more = place == 0 and alone and number in ("7", "8")  # vertices without edges
                content = format.content().decode()
                assert right in content, (right, content)
                corpus.add(format, "count-%d-%s" % (place, number or "none"), content.replace(right, line.replace("%s", number), 1).encode(),
                           EDGES if more else None, vertices="78"[:int(number) - 6] if more else ())
    return corpus


IDS = ("0", "-1", "99", "x", "1.5", "4294967296", "18446744073709551616", "1e3", "0x5", "\u0663", "+2", "1_000", "02", "2.0", "NaN", "")
BOUNDED = ("real", "pattern", "symmetric", "shortest-paths", "coloring", "flow", "arcs", "edges", "gml")
BY_NAME = ("graphml", "gexf", "dot", "node-link", "json-list", "json-lines", "json-graph", "cytoscape", "n-triples")


def ids():
    """The first edge goes from such a vertex."""
    corpus = Corpus()
    for format in TEXTS:
        if format.name in ("metis", "metis-weights", "matrix", "lgl", "adjacency"):
            continue
        for id in IDS:
            edges = [(id,) + EDGES[0][1:]] + EDGES[1:]
            means = id
            if format.name in BOUNDED:
                means = {"+2": "2", "02": "2", "2.0": "2"}.get(id)
            elif format.name not in BY_NAME:
                means = {"x": None, "\u0663": None, "-1": None, "1.5": None, "1e3": None, "0x5": None, "+2": None, "1_000": None, "": None,
                         "NaN": None, "18446744073709551616": None, "2.0": "2"}.get(id, id)
            elif id == "" and format.name != "n-triples":
                means = None
            corpus.add(format, "id-" + (id or "none"), format.content(edges), None if means is None else [(means,) + EDGES[0][1:]] + EDGES[1:])
    return corpus


WEIGHTS = ("x", "nan", "inf", "-inf", "", "1e999", "0x5", "1,5", "5%", "--1", "1e", "1.2.3", "1_0", "null", "true")


def weights():
    """The first edge has such a weight, which is none."""
    corpus = Corpus()
    for format in TEXTS:
        if not format.weighted or format.name in ("metis-weights", "matrix", "adjacency"):
            continue
        for weight in WEIGHTS:
            corpus.add(format, "weight-" + (weight or "none"), format.content([EDGES[0][:2] + (weight,)] + EDGES[1:]), None)
    return corpus


NAMES = ("a b", 'say "x"', "com,ma", "semi;colon", "back\\slash", "a&b", "<a>", "a]]>b", "\u00e9t\u00e9", "\u65e5\u672c", "\U0001F600", "#tag", "%x",
         "{brace}", "[list]", "it's", "007", "1e5", "-", "a:b", "a|b", "x" * 3000, " edge ", "a\u00a0b") + WORDS[:4]


def escapes():
    """Names of all characters, written as the format has them."""
    corpus = Corpus()
    for format in FORMATS:
        if not format.named:
            continue
        for i, name in enumerate(NAMES):
            edges = [tuple(name if v == 1 else "v%d" % v for v in e[:2]) + e[2:] for e in EDGES]
            content = format.named(edges)
            corpus.add(format, "name-%d" % i, content.encode(), edges)
    return corpus


BROKEN = {
    "graphml": (("<node", "<nod"), ("</graph>", ""), ('target="2"', 'target="2" target="3"'), ('"2"', '"&x;"'), ('"2"', '"&#0;"'), ('"2"', '"a&b"'),
                ('"2"', '"\udcff"'), ('target="2"', ""), ('source="1"', 'source="none"'), (">5<", "><"), ("<edge", "<hyperedge"),
                ("directed", "sideways"), ("</edge>", "<port/></edge")),
    "gexf": (("<node ", "<nod "), ("</edges>", ""), ('target="2"', 'target="2" target="3"'), ('"2"', '"&x;"'), ('"2"', '"a&b"'), ('"2"', '"\udcff"'),
             ('target="2"', ""), ('weight="5"', 'weight=""'), ("directed", "sideways"), ('weight="5"/>', 'weight="5"><')),
    "gml": (("]", ""), ("edge [", "edge"), ("target 2", ""), ("target 2", "target 2 target 3"), ("directed 1", "directed 7"), ("target 2", "target x"),
            ("source 1", "source 77"), ("[", "]"), ("weight 5", 'weight "5')),
    "dot": (("}", ""), ("->", "--"), (";", " -> ;"), ("[weight", "weight"), ("=5]", "=5"), ('"2"', '"2'), ("digraph", "graph"),
            ("{", ""), ("=5", "=")),
    "node-link": (('"links"', '"link"'), ("},", "}"), ("]", ""), ('"target": 2', '"target": [2]'), ('"target": 2', '"target": null'), ('"target": 2', '"aim": 2'),
                  ('"target": 2', '"target": 77'), ('"target": 2', '"target": "2"'), ("{", "{{"), ('"target": 2', '"target": "\udcff"'), ("\n", "x"), ("5", "NaN"),
                  ('"target": 2', "'target': 2"), ('"target": 2', '"target": "\\x"')),
    "json-list": (("[1", "1"), ("[1,", "["), ("[1, 2, 5]", "[1, 2, 5, 6]"), ("[1, 2, 5]", "{}"), ("[1, 2, 5]", "null"), ("]]", "]"), ("]]", "],]"),
                  ("1", "1.5"), ("1", "[1]"), ("1", '"1"')),
    "json-lines": (("}", ""), ('"target": 2', '"aim": 2'), ('"target": 2', '"target": null'), ('"target": 2', '"target": 2.5'), ("{", ""), ("{", "["),
                   ('"target": 2', '"target": "\\ud800"'), ('"target": 2', '"target": "\udcff"')),
    "n-triples": ((" .", ""), ("> <", " <"), ("<http://x/1>", "http://x/1"), ("<http://x/1>", "<http://x/\\n>"), ("<http://x/p>", ""), ("<http://x/1>", '"1"'),
                  (" .", " . .")),
    "adjacency": (("Weighted", "weighted"), ("WeightedAdjacencyGraph", "AdjacencyGraph"), ("\n0\n", "\n1\n"), ("\n0\n", "\n-1\n"), ("\n0\n", "\n9\n")),
}


def broken():
    corpus = Corpus()
    for format in FORMATS:
        for i, (old, new) in enumerate(BROKEN.get(format.name, ())):
            content = format.content().decode()
            assert old in content, (format.name, old)
            corpus.add(format, "broken-%d" % i, content.replace(old, new, 1).encode(errors="surrogateescape"), None)
    return corpus


CLASSES = {"headers": headers, "ends": ends, "names": names, "packings": packings, "counts": counts, "ids": ids, "weights": weights, "escapes": escapes,
           "broken": broken}
