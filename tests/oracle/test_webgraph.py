"""BVGraph files of an encoder written from the public description of the format: every code, window, and least
length of intervals; files cut, changed, or described wrongly. And what quern-export writes, read by a decoder of the same
kind, beside an encoder that tries every reference."""

import itertools
import os
import random
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

CODES = {"OUTDEGREES": ("GAMMA", "DELTA"), "REFERENCES": ("UNARY", "GAMMA", "DELTA"),
         "BLOCK_COUNT": ("GAMMA", "UNARY", "DELTA"), "BLOCKS": ("GAMMA", "DELTA"),
         "RESIDUALS": ("ZETA", "GAMMA", "DELTA", "NIBBLE", "GOLOMB"), "OFFSETS": ("GAMMA", "DELTA")}
DEFAULTS = {"OUTDEGREES": "GAMMA", "REFERENCES": "UNARY", "BLOCK_COUNT": "GAMMA", "BLOCKS": "GAMMA",
            "RESIDUALS": "ZETA", "OFFSETS": "GAMMA"}


class Bits:
    """A stream of bits as text, the first one first."""

    def __init__(self):
        self.parts = []

    def add(self, value, count):
        if count:
            self.parts.append(format(value, "0%db" % count))

    def unary(self, n):
        self.parts.append("0" * n + "1")

    def gamma(self, n):
        log = (n + 1).bit_length() - 1
        self.unary(log)
        self.add(n + 1 - (1 << log), log)

    def delta(self, n):
        log = (n + 1).bit_length() - 1
        self.gamma(log)
        self.add(n + 1 - (1 << log), log)

    def zeta(self, n, k):
        n += 1
        h = (n.bit_length() - 1) // k
        left = 1 << h * k
        self.unary(h)
        if n - left < left:
            self.add(n - left, h * k + k - 1)
        else:
            self.add(n, h * k + k)

    def golomb(self, n, modulus):
        quotient, rest = divmod(n, modulus)
        log = modulus.bit_length() - 1
        short = (2 << log) - modulus
        self.unary(quotient)
        if rest < short:
            self.add(rest, log)
        else:
            self.add(rest + short, log + 1)

    def nibble(self, n):
        digits = [n & 7]
        while n > 7:
            n >>= 3
            digits.append(n & 7)
        for place in reversed(range(len(digits))):
            self.add((8 if place == 0 else 0) | digits[place], 4)

    def code(self, name, n, k):
        getattr(self, name.lower())(*(n, k) if name in ("ZETA", "GOLOMB") else (n,))

    def bytes(self):
        text = "".join(self.parts)
        text += "0" * (-len(text) % 8)
        return bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))


def fold(n):
    return 2 * n if n >= 0 else -2 * n - 1


def blocks_of(reference, successors):
    """Lengths of the parts of `reference` copied and skipped by turns, but for the last part: after an even number
    the rest is copied, after an odd one it is skipped."""
    wanted, blocks, copying = set(successors), [0], True
    for id_ in reference:
        if (id_ in wanted) != copying:
            blocks.append(0)
            copying = not copying
        blocks[-1] += 1
    return blocks[:-1]


def intervals_of(ids, least):
    """Runs of at least `least` consecutive ids, and the others."""
    runs, rest, at = [], [], 0
    while at < len(ids):
        end = at
        while end + 1 < len(ids) and ids[end + 1] == ids[end] + 1:
            end += 1
        if least and end - at + 1 >= least:
            runs.append((ids[at], end - at + 1))
        else:
            rest += ids[at:end + 1]
        at = end + 1
    return runs, rest


def put_list(bits, lists, node, back, window=7, least=4, k=3, codes=DEFAULTS):
    """Append the list of a node, by reference to that of the node `back` before it, or to none."""
    successors = extra = lists[node]
    bits.code(codes["OUTDEGREES"], len(successors), k)
    if not successors:
        return
    if window:
        bits.code(codes["REFERENCES"], back, k)
    if back:
        reference = lists[node - back]
        blocks = blocks_of(reference, successors)
        bits.code(codes["BLOCK_COUNT"], len(blocks), k)
        for index, length in enumerate(blocks):
            bits.code(codes["BLOCKS"], length - (index > 0), k)
        extra = sorted(set(successors) - set(reference))
    if not extra:
        return
    runs, rest = intervals_of(extra, least)
    if least:
        bits.gamma(len(runs))
        end = None
        for left, length in runs:
            bits.gamma(fold(left - node) if end is None else left - end - 1)
            bits.gamma(length - least)
            end = left + length
    for index, id_ in enumerate(rest):
        bits.code(codes["RESIDUALS"], fold(id_ - node) if index == 0 else id_ - rest[index - 1] - 1, k)


def encode(lists, window=7, least=4, k=3, codes=None, choose=random.Random(1), longest=None):
    """The bytes of .graph and of .offsets for the lists of successors, with references chosen at random."""
    codes = dict(DEFAULTS, **(codes or {}))
    bits, offsets, chains = Bits(), Bits(), []
    offsets.code(codes["OFFSETS"], 0, k)
    for node in range(len(lists)):
        back = choose.randint(0, min(window, node)) if window else 0
        if back and longest is not None and chains[node - back] >= longest:
            back = 0
        chains.append(chains[node - back] + 1 if back and lists[node] else 0)
        one = Bits()
        put_list(one, lists, node, back, window, least, k, codes)
        bits.parts += one.parts
        offsets.code(codes["OFFSETS"], sum(map(len, one.parts)), k)
    return bits.bytes(), offsets.bytes()


def encode_best(lists, window=7, longest_chain=3):
    """The bytes of .graph and .offsets with the best references: of those that make no longer chain, the one that takes
    fewest bits; the nearest of several."""
    bits, offsets, chains = Bits(), Bits(), []
    offsets.gamma(0)
    for node, successors in enumerate(lists):
        best = None
        for back in range(min(window, node) + 1 if successors else 1):
            if back and (chains[node - back] == longest_chain or not lists[node - back]):
                continue
            one = Bits()
            put_list(one, lists, node, back)
            text = "".join(one.parts)
            if best is None or len(text) < len(best[0]):
                best = text, chains[node - back] + 1 if back else 0
        bits.parts.append(best[0])
        offsets.gamma(len(best[0]))
        chains.append(best[1])
    return bits.bytes(), offsets.bytes()


class Reader:
    """Reads what Bits writes."""

    def __init__(self, data):
        self.text = "".join(format(byte, "08b") for byte in data)
        self.at = 0

    def number(self, count):
        self.at += count
        return int(self.text[self.at - count:self.at] or "0", 2)

    def unary(self):
        one = self.text.index("1", self.at)
        zeros, self.at = one - self.at, one + 1
        return zeros

    def gamma(self):
        log = self.unary()
        return (1 << log) + self.number(log) - 1

    def zeta3(self):
        h = self.unary()
        value, low = self.number(3 * h + 2), 1 << 3 * h
        return value + low - 1 if value < low else 2 * value + self.number(1) - 1


def unfold(n):
    return -(n + 1) // 2 if n % 2 else n // 2


def decode(data, nodes, least=4):
    """The lists of a BVGraph of default codes, the places where they begin and end, and how many references follow each
    other at most; by "How successor lists are coded" of WebGraph's documentation."""
    reader, lists, places, chains = Reader(data), [], [0], []
    for node in range(nodes):
        degree, back, copied, extra = reader.gamma(), 0, [], []
        if degree:
            back = reader.unary()
        if back:
            reference, at = lists[node - back], 0
            count = reader.gamma()
            blocks = [reader.gamma() + (index > 0) for index in range(count)]
            for index, length in enumerate(blocks + [len(reference)] * (count % 2 == 0)):
                copied += reference[at:at + length] if index % 2 == 0 else []
                at += length
        if len(copied) < degree:
            end = None
            for _ in range(reader.gamma()):
                left = node + unfold(reader.gamma()) if end is None else end + 1 + reader.gamma()
                end = left + reader.gamma() + least
                extra += range(left, end)
            last = None
            while len(copied) + len(extra) < degree:
                last = node + unfold(reader.zeta3()) if last is None else last + 1 + reader.zeta3()
                extra.append(last)
        lists.append(sorted(copied + extra))
        chains.append(chains[node - back] + 1 if back else 0)
        places.append(reader.at)
    return lists, places, max(chains, default=0)


def random_lists(nodes, choose):
    """Lists with what the format is made for: copies of those before, runs, and noise."""
    lists = []
    for node in range(nodes):
        successors = set()
        if node and choose.random() < 0.7:
            successors = {id_ for id_ in lists[node - choose.randint(1, min(node, 9))] if choose.random() < 0.8}
        if choose.random() < 0.5:
            left = choose.randrange(nodes)
            successors |= set(range(left, min(nodes, left + choose.randint(1, 20))))
        successors |= {choose.randrange(nodes) for _ in range(choose.choice((0, 0, 1, 5, 30)))}
        lists.append(sorted(successors))
    return lists


class WebGraph(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, data, **properties):
        (self.folder / "g.graph").write_bytes(data)
        text = {"graphclass": "it.unimi.dsi.webgraph.BVGraph", "version": 0, "compressionflags": "", "windowsize": 7,
                "minintervallength": 4, "zetak": 3, "maxrefcount": -1, **properties}
        lines = ["#BVGraph properties"] + ["%s=%s" % item for item in text.items() if item[1] is not None]
        (self.folder / "g.properties").write_text("\n".join(lines) + "\n")

    def write_lists(self, lists, window=7, least=4, k=3, codes=None, longest=None, offsets=False, **properties):
        data, lengths = encode(lists, window, least, k, codes, longest=longest)
        (self.folder / "g.offsets").unlink(missing_ok=True)
        if offsets:
            (self.folder / "g.offsets").write_bytes(lengths)
        flags = " | ".join("%s_%s" % item for item in (codes or {}).items())
        self.write(data, **{"nodes": len(lists), "arcs": sum(map(len, lists)), "windowsize": window,
                            "minintervallength": least, "zetak": k, "compressionflags": flags, **properties})
        return data

    def run_tool(self, *command):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True)

    def read(self, *options):
        done = self.run_tool("quern-import", "-q", "-f", "g.graph", "-o", "g.qrn", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_tool("quern-export", "-q", "g.qrn", "--format", "arcs", "-o", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, pattern, code=3):
        """By any number of threads, by the same words."""
        said = []
        for threads in ("1", "3"):
            done = self.run_tool("quern-import", "--format", "webgraph", "-T", threads, "g.graph", "-o", "refused.qrn")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertRegex(done.stderr, pattern)
            self.assertEqual(list(self.folder.glob("refused*")), [])
            said.append(done.stderr)
        self.assertEqual(said[0], said[1])


def arcs(lists):
    return "".join("%d\t%d\n" % (node, id_) for node, successors in enumerate(lists) for id_ in successors)


class TestCodes(WebGraph):
    tier = "medium"

    def test_every_choice(self):
        choose = random.Random(2)
        for turn in range(24):
            codes = {part: choose.choice(names) for part, names in CODES.items()} if turn else None
            window, least, k = choose.choice((0, 1, 3, 7, 40)), choose.choice((0, 1, 2, 4)), choose.randint(1, 7)
            lists = random_lists(choose.choice((1, 2, 50, 400)), choose)
            options = choose.choice(((), ("-T", "1"), ("-T", "3"), ("-T", "2", "--undirected", "--duplicates", "remove")))
            with self.subTest(codes=codes, window=window, least=least, k=k, turn=turn, options=options):
                self.write_lists(lists, window, least, k, codes, offsets=turn % 2 == 0)
                expected = lists
                if "--undirected" in options:
                    expected = [sorted(set(ids) | {node for node, others in enumerate(lists) if at in others})
                                for at, ids in enumerate(lists)]
                self.assertEqual(self.read(*options), arcs(expected))

    def test_every_combination(self):
        """Of the flags that WebGraph's documentation allows; the container has the rows as they are in memory."""
        choose = random.Random(14)
        lists = random_lists(23, choose)
        columns = [id_ for ids in lists for id_ in ids]
        offsets = list(itertools.accumulate(map(len, lists), initial=0))
        rows = struct.pack("<%dQ" % len(offsets), *offsets), struct.pack("<%dI" % len(columns), *columns)
        for number, names in enumerate(itertools.product(*CODES.values())):
            codes = dict(zip(CODES, names))
            self.write_lists(lists, choose.choice((1, 7)), choose.choice((0, 2, 4)), choose.randint(1, 4), codes, offsets=number % 3 != 0)
            done = self.run_tool("quern-import", "-q", "-f", "-T", str(1 + number % 2), "g.graph", "-o", "g.qrn")
            self.assertEqual(done.returncode, 0, (codes, done.stderr))
            data = (self.folder / "g.qrn").read_bytes()
            self.assertTrue(all(part in data for part in rows), codes)
        self.assertEqual(number, 359)

    def test_many_parts(self):
        """Lists that refer to others before the part in which they are, through chains of any length."""
        choose = random.Random(11)
        for longest, window in ((None, 7), (3, 7), (1, 30), (None, 1)):
            lists = random_lists(5000, choose)
            if window == 1:  # chains through all of the graph
                lists = [[0, 1 + node % 2, 5, 20, 21, 22, 23, 50 + node % 7, 15000] for node in range(20000)]
            self.write_lists(lists, window, longest=longest, offsets=True,
                             **({"maxrefcount": longest} if longest else {}))
            self.assertGreater((self.folder / "g.graph").stat().st_size, 10**5)
            for threads in ("2", "5", "1"):
                with self.subTest(longest=longest, window=window, threads=threads):
                    self.assertEqual(self.read("-T", threads), arcs(lists))
                    if threads == "5":
                        (self.folder / "g.offsets").unlink()
                        self.assertEqual(self.read("-T", threads), arcs(lists))

    def test_extremes(self):
        everything = [list(range(300))] * 300
        for name, lists in {"nothing": [], "no arcs": [[], [], []], "all arcs": everything, "loops": [[0], [1], [2]],
                            "far": [[2**20]] + [[]] * 2**20}.items():
            with self.subTest(name):
                self.write_lists(lists, offsets=True)
                if name == "nothing":  # no byte at all: an empty file holds no graph
                    self.write(b"\0", nodes=0, arcs=0)
                self.assertEqual(self.read(), arcs(lists))

    def test_defaults_and_spelling(self):
        lists = random_lists(60, random.Random(3))
        self.write_lists(lists, windowsize=None, minintervallength=None, zetak=None, version=None,
                         compressionflags=None)
        text = (self.folder / "g.properties").read_text()
        (self.folder / "g.properties").write_bytes(text.replace("=", " : ").replace("\n", "\r\n").encode())
        self.assertEqual(self.read(), arcs(lists))

    def test_inside_an_archive(self):
        lists = random_lists(60, random.Random(4))
        self.write_lists(lists)
        self.run_tool("tar", "cf", "all.tar", "g.graph", "g.properties")
        done = self.run_tool("quern-import", "all.tar:g.graph", "-o", "g.qrn")
        self.assertRegex(done.stderr, "tar, webgraph .*BVGraph, 60 nodes")


class TestDamage(WebGraph):
    tier = "medium"

    def test_cut_anywhere(self):
        lists = random_lists(40, random.Random(5))
        data = self.write_lists(lists)
        for length in range(1, len(data), 3):
            (self.folder / "g.graph").write_bytes(data[:length])
            self.refused(r"g\.graph: at byte \d+: node \d+: |too short")
        (self.folder / "g.graph").write_bytes(data + b"\1")
        self.refused("there is more after the last node")
        (self.folder / "g.graph").write_bytes(data + bytes(40))
        self.refused("there is more after the last node")
        (self.folder / "g.graph").write_bytes(data + bytes(7))
        self.assertEqual(self.read(), arcs(lists))

    def test_changed_anywhere(self):
        """There is no checksum in the format: what is read must still be a graph."""
        lists = random_lists(40, random.Random(6))
        data = self.write_lists(lists, codes={"RESIDUALS": "NIBBLE"})
        for place in range(0, len(data), 2):
            changed = bytearray(data)
            changed[place] ^= 1 << place % 8
            (self.folder / "g.graph").write_bytes(changed)
            done = self.run_tool("quern-import", "--format", "webgraph", "-q", "-f", "g.graph", "-o", "changed.qrn")
            self.assertIn(done.returncode, (0, 3), done.stderr)
            if done.returncode == 0:
                self.assertEqual(self.run_tool("quern-verify", "-q", "changed.qrn").returncode, 0)

    def test_noise(self):
        choose = random.Random(7)
        for _ in range(100):
            self.write(choose.randbytes(200), nodes=choose.choice((1, 20, 1600)), arcs=choose.choice((0, 100, 10**7)),
                       windowsize=choose.choice((0, 1, 7, 2**31 - 1)), zetak=choose.choice((1, 3, 63)),
                       minintervallength=choose.choice((0, 1, 4, 2**31 - 1)),
                       compressionflags="|".join("%s_%s" % (part, choose.choice(names)) for part, names in CODES.items()))
            done = self.run_tool("quern-import", "--format", "webgraph", "-q", "-f", "g.graph", "-o", "noise.qrn")
            self.assertIn(done.returncode, (0, 3), done.stderr)

    def test_lists_that_are_none(self):
        def of(write, **properties):
            bits = Bits()
            write(bits)
            self.write(bits.bytes() + bytes(4), **{"nodes": 4, "arcs": 9, **properties})

        of(lambda b: b.gamma(5))
        self.refused("node 0: it has more successors than there are nodes")
        of(lambda b: (b.gamma(2), b.unary(1)))
        self.refused("node 0: a reference goes back too far")
        of(lambda b: (b.gamma(1), b.unary(0), b.gamma(0), b.zeta(fold(4), 3)))
        self.refused("node 0: a successor is beyond the nodes")
        of(lambda b: (b.gamma(1), b.unary(0), b.gamma(0), b.zeta(fold(-1), 3)))
        self.refused("node 0: a successor is beyond the nodes")
        of(lambda b: (b.gamma(4), b.unary(0), b.gamma(1), b.gamma(fold(2)), b.gamma(0)))
        self.refused("node 0: an interval leads beyond the nodes")
        of(lambda b: (b.gamma(3), b.unary(0), b.gamma(1)))
        self.refused("node 0: more intervals than there are successors")
        of(lambda b: (b.gamma(1), b.unary(0), b.gamma(0), b.zeta(fold(1), 3), b.gamma(1), b.unary(1), b.gamma(1),
                      b.gamma(2)))
        self.refused("node 1: blocks are longer than the list")
        of(lambda b: (b.gamma(1), b.unary(0), b.gamma(0), b.zeta(fold(1), 3), b.gamma(2), b.unary(1), b.gamma(0),
                      b.gamma(0), b.zeta(fold(0), 3)))
        self.refused("node 1: a successor occurs twice")
        of(lambda b: b.parts.append("0" * 70 + "1" * 90))
        self.refused("node 0: a number is beyond 64 bits")

    def test_wrong_properties(self):
        lists = random_lists(40, random.Random(8))
        for pattern, code, properties in (
                ("announce [0-9]+ arcs, but there are", 3, {"arcs": sum(map(len, lists)) + 1}),
                ("more arcs than the properties announce", 3, {"arcs": sum(map(len, lists)) - 1}),
                ("node", 3, {"nodes": 20}),
                ("too short for as many nodes", 3, {"nodes": 2**32 - 1}),
                ("too short for as many arcs", 3, {"arcs": 2**50}),
                ("expected 'nodes' from 0 to 4294967295; found '4294967296'", 3, {"nodes": 2**32}),
                ("expected 'arcs'.*found '-1'", 3, {"arcs": -1}),
                ("expected 'zetak'", 3, {"zetak": 64}),
                ("expected 'zetak'", 3, {"zetak": 64, "compressionflags": "RESIDUALS_GOLOMB | BLOCKS_ZETA"}),
                ("expected 'windowsize'", 3, {"windowsize": "seven"}),
                ("graphclass", 3, {"graphclass": None}),
                ("only BVGraph is known", 4, {"graphclass": "it.unimi.dsi.webgraph.EFGraph"}),
                ("only big-endian", 4, {"endianness": "little"}),
                ("a compression flag is unknown; found 'RESIDUALS_SKEWED_GOLOMB'", 4,
                 {"compressionflags": "RESIDUALS_SKEWED_GOLOMB"}),
                ("expected 'maxrefcount' from 0 to 2147483647; found '-2'", 3, {"maxrefcount": -2}),
                ("node [0-9]+: references follow each other in a longer chain than maxrefcount", 3, {"maxrefcount": 1}),
                ("expected 'version'", 3, {"version": 1})):
            with self.subTest(pattern):
                self.write_lists(lists, **properties)
                self.refused(pattern, code)
        (self.folder / "g.properties").unlink()
        self.refused("g.graph: a WebGraph is described by g.properties, which is not there", 5)

    def test_wrong_offsets(self):
        lists = random_lists(300, random.Random(12))
        data = self.write_lists(lists, offsets=True)
        right = (self.folder / "g.offsets").read_bytes()
        other = encode(random_lists(300, random.Random(13)))[1]
        for pattern, offsets in (("g.offsets: at byte 0: the first offset is not 0", b"\0" + right),
                                 ("g.offsets: at byte [0-9]+: node [0-9]+: the file ends there", right[:-3]),
                                 ("g.offsets: at byte [0-9]+: there is more after", right + b"\x80"),
                                 ("g.graph: at byte [0-9]+: node [0-9]+: its list ends at bit [0-9]+, but by the offsets", other),
                                 ("g.offsets: the input is empty", b"")):
            with self.subTest(pattern):
                (self.folder / "g.offsets").write_bytes(offsets)
                self.refused(pattern)
        for place in range(0, len(right), 5):  # a length more or less, as the last but one
            changed = bytearray(right)
            changed[place] ^= 1 << place % 8
            (self.folder / "g.offsets").write_bytes(changed)
            self.refused("node [0-9]+|there is more|the first offset")
        (self.folder / "g.offsets").write_bytes(right)
        self.assertEqual(self.read(), arcs(lists))
        for length in range(5, len(data), 97):
            (self.folder / "g.graph").write_bytes(data[:length])
            self.refused(r"g\.graph: at byte \d+: node \d+: |too short")

    def test_metis_beside_properties_is_metis(self):
        self.write(b"3 2\n2\n1 3\n2\n", nodes=3, arcs=2)
        done = self.run_tool("quern-import", "g.graph", "-o", "g.qrn")
        self.assertRegex(done.stderr, "plain, metis")


def code_labels(labels, width=None):
    """The bytes of .labels and .labeloffsets, for the labels of each list: in gamma code, or of so many bits."""
    bits, offsets = Bits(), Bits()
    offsets.gamma(0)
    for numbers in labels:
        one = Bits()
        for number in numbers:
            one.gamma(number) if width is None else one.add(number, width)
        bits.parts += one.parts
        offsets.gamma(sum(map(len, one.parts)))
    return bits.bytes(), offsets.bytes()


class TestLabels(WebGraph):
    tier = "medium"

    def setUp(self):
        super().setUp()
        choose = random.Random(20)
        self.lists = random_lists(3000, choose)  # several parts of labels
        self.labels = [[choose.choice((0, 1, 7, 300, 2**31 - 1)) for _ in ids] for ids in self.lists]
        self.write_lists(self.lists, longest=3, maxrefcount=3)

    def write_labels(self, kind, width=None, offsets=True, labels=None, package="it.unimi.dsi.webgraph", **properties):
        data, lengths = code_labels(labels or self.labels, width)
        (self.folder / "l.labels").write_bytes(data)
        (self.folder / "l.labeloffsets").unlink(missing_ok=True)
        if offsets:
            (self.folder / "l.labeloffsets").write_bytes(lengths)
        text = {"graphclass": package + ".labelling.BitStreamArcLabelledImmutableGraph", "underlyinggraph": "g",
                "labelspec": "%s.labelling.%s(WEIGHT%s)" % (package, kind, "" if width is None else ",%d" % width), **properties}
        (self.folder / "l.properties").write_text("".join("%s = %s\n" % item for item in text.items()))
        return data, lengths

    def edges(self, *options):
        done = self.run_tool("quern-import", "-q", "-f", "l.labels", "-o", "l.qrn", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_tool("quern-export", "-q", "l.qrn", "--format", "edges", "-o", "-")
        return [tuple(map(int, line.split())) for line in done.stdout.splitlines()]

    def refused(self, pattern, code=3):
        said = set()
        for threads in ("1", "3"):
            done = self.run_tool("quern-import", "-T", threads, "-f", "l.labels", "-o", "refused.qrn")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertRegex(done.stderr, pattern)
            said.add(done.stderr)
        self.assertEqual(len(said), 1)

    def test_kinds(self):
        expected = [(node, id_, label) for node, ids in enumerate(self.lists) for id_, label in zip(ids, self.labels[node])]
        for kind, width in (("GammaCodedIntLabel", None), ("FixedWidthIntLabel", 31), ("FixedWidthLongLabel", 32),
                            ("FixedWidthLongLabel", 40)):
            for offsets, threads in ((True, "2"), (False, "3"), (True, "1")):
                with self.subTest(kind=kind, width=width, offsets=offsets):
                    self.write_labels(kind, width, offsets, package="it.unimi.dsi.big.webgraph" if width == 40 else "it.unimi.dsi.webgraph")
                    self.assertEqual(self.edges("-T", threads), expected)
        self.assertEqual(self.edges("--weights", "none"), [edge[:2] for edge in expected])
        wide = [[2**62 + number for number in numbers] for numbers in self.labels]
        self.write_labels("FixedWidthLongLabel", 63, labels=wide)
        self.assertEqual(self.edges(), [edge[:2] + (edge[2] + 2**62,) for edge in expected])
        done = self.run_tool("quern-import", "l.labels", "--undirected", "-o", "no.qrn")
        self.assertEqual(done.returncode, 4)
        self.write_labels("FixedWidthIntLabel", 31)
        loops = sum(node in ids for node, ids in enumerate(self.lists))
        self.assertEqual(len(self.edges("--self-loops", "remove")), len(expected) - loops)
        self.assertEqual(set(self.edges("--self-loops", "remove")), {edge for edge in expected if edge[0] != edge[1]})

    def test_refused(self):
        data, lengths = self.write_labels("FixedWidthIntListLabel", 5)
        self.refused("labels are read that are one number each.*FixedWidthIntListLabel", 4)
        self.write_labels("FixedWidthIntLabel", 31, labelspec="FixedWidthIntLabel(A,32)")
        self.refused("l.properties: expected a label of 0 to 31 bits")
        self.write_labels("GammaCodedIntLabel", underlyinggraph="none")
        self.refused("these are labels of none.graph, which is not there", 5)
        self.write_labels("GammaCodedIntLabel", underlyinggraph="../g")
        self.refused("expected 'underlyinggraph'")
        for offsets in (True, False):
            data, lengths = self.write_labels("GammaCodedIntLabel", offsets=offsets)
            (self.folder / "l.labels").write_bytes(data[:-40])
            self.refused("l.labels: at byte [0-9]+: node [0-9]+: the file ends there")
            (self.folder / "l.labels").write_bytes(data + b"\1")
            self.refused("there is more after the labels of the last node")
        (self.folder / "l.labels").write_bytes(data)
        for pattern, changed in (("the first offset is not 0", b"\0" + lengths), ("node [0-9]+: the file ends there", lengths[:-9]),
                                 ("there is more after the offset", lengths + b"\x80"),
                                 ("node [0-9]+: its labels end at bit [0-9]+, but by the offsets", lengths[:2000] + b"\xff" + lengths[2001:])):
            (self.folder / "l.labeloffsets").write_bytes(changed)
            self.refused(pattern)
        self.write_labels("GammaCodedIntLabel", labels=[[2**31 for _ in ids] for ids in self.lists])
        self.refused("node [0-9]+: a label is beyond")


class TestWritten(WebGraph):
    tier = "medium"

    def export(self, lists, *options, edges=None):
        """What is written of the lists, or of the edges that have them: .graph, .offsets, properties."""
        edges = edges or [(node, id_) for node, successors in enumerate(lists) for id_ in successors]
        (self.folder / "e.txt").write_text("".join(" ".join(map(str, edge)) + "\n" for edge in edges) or "\n")
        done = self.run_tool("quern-import", "-q", "-f", "e.txt", "--format", "edges", "-o", "g.qrn",
                             *(["--vertices", str(len(lists))] if lists else []))
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.written(*options)

    def written(self, *options):
        done = self.run_tool("quern-export", "g.qrn", "--format", "webgraph", "-f", "-o", "out", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = (self.folder / "out/out.properties").read_text().splitlines()
        return ((self.folder / "out/out.graph").read_bytes(), (self.folder / "out/out.offsets").read_bytes(),
                dict(line.split("=") for line in lines if not line.startswith("#")))

    def check(self, lists, **more):
        graph, offsets, properties = self.export(lists, **more)
        found, places, chain = decode(graph, len(lists))
        self.assertEqual(found, lists)
        self.assertLessEqual(chain, 3)
        self.assertEqual(len(graph), max(1, (places[-1] + 7) // 8))
        reader, place = Reader(offsets), 0
        for expected in places:
            place += reader.gamma()
            self.assertEqual(place, expected)
        self.assertEqual((properties["nodes"], properties["arcs"]), (str(len(lists)), str(sum(map(len, lists)))))
        self.assertEqual((graph, offsets), (encode_best(lists)[0] or b"\0", encode_best(lists)[1]))
        done = self.run_tool("quern-import", "-q", "-f", "out", "-o", "back.qrn")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.run_tool("quern-export", "-q", "back.qrn", "--format", "arcs", "-o", "-").stdout, arcs(lists))

    def test_best_references(self):
        choose = random.Random(9)
        for nodes in (1, 2, 8, 9, 60, 300, 700):
            with self.subTest(nodes=nodes):
                self.check(random_lists(nodes, choose))

    def test_extremes(self):
        everything = [list(range(200))] * 200
        other = [id_ for id_ in range(200) if id_ % 2]
        far = [[] for _ in range(2**17)]
        far[2**17 - 1], far[5] = [0, 2**17 - 1], list(range(0, 2**17, 999))
        for name, lists in {"nothing": [], "no arcs": [[], [], []], "all arcs": everything, "loops": [[0], [1], [2]], "far": far,
                            "by turns": [other if node % 2 else everything[0] for node in range(200)],
                            "runs": [list(range(node % 5, node % 5 + node % 9)) for node in range(200)]}.items():
            with self.subTest(name):
                self.check(lists)

    def test_parallel_edges(self):
        choose = random.Random(10)
        lists = random_lists(300, choose)
        edges = [(node, id_) for node, successors in enumerate(lists) for id_ in successors for _ in range(choose.randint(1, 3))]
        self.check(lists, edges=edges)
        done = self.run_tool("quern-export", "g.qrn", "--format", "webgraph", "-o", "strict", "--strict")
        self.assertEqual(done.returncode, 4)
        self.assertIn("%d parallel edges are not in the output" % (len(edges) - sum(map(len, lists))), done.stderr)

    def test_labels(self):
        """Weights are labels, in the shorter of two codes, the same by any number of threads; the folder keeps them."""
        choose = random.Random(22)
        lists = random_lists(400, choose) + [[]] * 3
        for kind, label, options in (("GammaCodedIntLabel(WEIGHT)", lambda: choose.choice((0, 1, 2, 900)), ()),
                                     ("FixedWidthIntLabel(WEIGHT,31)", lambda: choose.randrange(2**30, 2**31), ()),
                                     ("FixedWidthLongLabel(WEIGHT,32)", lambda: choose.choice((0, 2**32 - 1)), ()),
                                     ("FixedWidthLongLabel(WEIGHT,33)", lambda: choose.randrange(9), ("--weights", "i64")),
                                     ("FixedWidthLongLabel(WEIGHT,63)", lambda: choose.choice((0, 2**63 - 1)), ("--weights", "i64"))):
            edges = [(node, id_, label()) for node, ids in enumerate(lists) for id_ in ids]
            (self.folder / "e.txt").write_text("".join("%d %d %d\n" % edge for edge in edges))
            done = self.run_tool("quern-import", "-q", "-f", "e.txt", "--format", "edges", "--vertices", str(len(lists)), "-o", "g.qrn", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            with self.subTest(kind):
                one = self.written("-T", "1", "--strict")
                names = ["out/out-weights" + end for end in (".labels", ".labeloffsets", ".properties")]
                labels, offsets, properties = before = [(self.folder / name).read_bytes() for name in names]
                self.assertEqual(self.written("-T", "3"), one)
                self.assertEqual([(self.folder / name).read_bytes() for name in names], before)
                self.assertIn("labelspec=it.unimi.dsi.webgraph.labelling.%s\n" % kind, properties.decode())
                self.assertIn("underlyinggraph=out\n", properties.decode())
                width = None if kind.startswith("Gamma") else int(kind[:-1].split(",")[1])
                weights = iter([edge[2] for edge in edges])
                self.assertEqual((labels, offsets), code_labels([[next(weights) for _ in ids] for ids in lists], width))
                done = self.run_tool("quern-import", "-q", "-f", "out", "-o", "back.qrn")
                self.assertEqual(done.returncode, 0, done.stderr)
                back = [self.run_tool("quern-export", "-q", name, "--format", "edges", "--header", "-o", "-").stdout for name in ("g.qrn", "back.qrn")]
                self.assertEqual(*back)

    def test_labels_of_parallel_edges(self):
        self.export([[1, 1, 1], []], edges=[(0, 1, 7), (0, 1, 5), (1, 0, 9)])
        self.assertEqual(Reader((self.folder / "out/out-weights.labels").read_bytes()).number(8), 0b01111001)

    def test_what_is_lost(self):
        for weight, kind in (("-1", "i64"), ("0.5", "f32")):
            (self.folder / "e.txt").write_text("0 1 %s\n" % weight)
            self.run_tool("quern-import", "-q", "-f", "e.txt", "--weights", kind, "-o", "g.qrn")
            done = self.run_tool("quern-export", "g.qrn", "--format", "webgraph", "--strict", "-o", "none")
            self.assertEqual((done.returncode, (self.folder / "none").exists()), (4, False))
            self.assertIn("weights are not in the output, as labels are whole numbers from 0 on", done.stderr)
        (self.folder / "e.txt").write_text("a b 5\nb c 7\n")
        self.run_tool("quern-import", "-q", "-f", "e.txt", "--ids", "strings", "--undirected", "-o", "g.qrn")
        done = self.run_tool("quern-export", "g.qrn", "--format", "webgraph", "-o", "out")
        self.assertRegex(done.stderr, "numbered from 0[^\n]*\nnote: edges are written in both")
        self.assertEqual(decode((self.folder / "out/out.graph").read_bytes(), 3)[0], [[1], [0, 2], [1]])
        done = self.run_tool("quern-export", "g.qrn", "--format", "webgraph", "-o", "-")
        self.assertEqual(done.returncode, 2)

    def test_any_number_of_threads(self):
        """Several rounds, each of many parts."""
        self.run_tool("quern-generate", "rmat", "--scale", "17", "--seed", "5", "-q", "-o", "g.qrn")
        first = self.written("-T", "1")
        for threads in ("2", "3", "16"):
            self.assertEqual(self.written("-T", threads), first)
        done = self.run_tool("quern-import", "-q", "out", "-o", "back.qrn")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_tool("quern-generate", "rmat", "--scale", "17", "--seed", "5", "--duplicates", "remove", "-q", "-o", "simple.qrn")
        for graph in ("simple", "back"):
            self.run_tool("quern-export", "-q", graph + ".qrn", "--format", "pairs", "-o", graph)
        self.assertGreater((self.folder / "simple").stat().st_size, 10**7)
        self.assertTrue((self.folder / "simple").read_bytes() == (self.folder / "back").read_bytes())


class TestPublished(WebGraph):
    tier = "medium"

    def test_cnr_2000(self):
        """The published file was written with the default parameters: it is the same, bit for bit."""
        published = Path(os.environ["QUERN_TEST_GRAPHS"]) / "cnr-2000/cnr-2000.graph"
        if not published.exists():
            self.skipTest("there is no %s" % published)
        self.run_tool("quern-import", "-q", str(published), "-o", "g.qrn")
        done = self.run_tool("quern-export", "-q", "g.qrn", "--format", "webgraph", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        expected, found = published.read_bytes(), (self.folder / "out/out.graph").read_bytes()
        self.assertEqual(expected[:len(found)], found)
        self.assertEqual(expected[len(found):].strip(b"\0"), b"")
        text = (self.folder / "out/out.properties").read_text()
        for line in ("nodes=325557", "arcs=3216152", "bitsperlink=2.897", "avgref=1.311", "avgdist=1.640"):
            self.assertIn(line + "\n", text)
