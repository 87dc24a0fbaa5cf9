"""Neighbourhoods, egonets, induced subgraphs and cross-edges against plain Python and networkx, by original ids."""

import collections
import itertools
import json
import math
import unittest
from pathlib import Path

from harness.tools import run, values
from oracle import naive
from oracle.graphs import RandomGraph

try:
    import networkx
except ImportError:
    networkx = None

KINDS = [(ids, weights, directed) for ids in ("sparse", "strings") for weights in ("none", "u32", "f32")
         for directed in (True, False)]


def edges_of(container):
    """Every stored edge by original ids, as often as it is there."""
    lines = run("quern-export", container, "-q", "--both-directions", "-o", "-").stdout.splitlines()
    return [tuple(line.split("\t")) for line in lines if not line.startswith("#")]


class _Subgraphs(unittest.TestCase):
    def graphs(self):
        """(ids, container, its edges by ids, is it directed?); numbered at random, so that ids do not ascend, or as given."""
        for seed, (ids, weights, directed) in enumerate(KINDS):
            with self.subTest(seed=seed, ids=ids, weights=weights, directed=directed):
                graph = RandomGraph(seed, 20 + 12 * seed, 60 + 60 * seed, weights, ids)
                graph.write("in.txt")
                words = ["--ids", "strings"] if ids == "strings" else []
                words += ["--undirected"] if not directed else ["--transpose", "also"] if seed % 4 == 0 else []
                run("quern-import", "in.txt", "-q", "-f", "-o", "plain.qrn", "--weights", weights, *words)
                run("quern-transform", "plain.qrn", "-q", "-f", "-o", "g.qrn", "--relabel", "random", "--seed", seed)
                container = ("plain.qrn", "g.qrn")[seed % 3 > 0]
                yield graph.ids, container, edges_of(container), directed

    def assertPart(self, container, expected_ids, expected_edges, whole):
        run("quern-verify", "-q", container)
        self.assertEqual(sorted(edges_of(container)), sorted(expected_edges))
        # Vertices without edges are there, too: degrees come by original ids.
        run("quern-run", "degree", container, "-q", "-f", "-o", "degree.tsv")
        self.assertEqual(set(values("degree.tsv")), set(expected_ids))
        info, of = (json.loads(run("quern-info", "--json", name).stdout) for name in (container, whole))
        for key in ("directedness", "weights"):
            self.assertEqual(info[key], of[key])
        ledger = info["metadata"]["ledger"]
        self.assertEqual(ledger["records"], of["edges"])
        self.assertEqual(ledger.get("edges_left_out", 0), of["edges"] - info["edges"])


def reached(ids, edges, center, hops, along):
    position = {name: place for place, name in enumerate(ids)}
    pairs = [(position[edge[0]], position[edge[1]], 1) for edge in edges]
    turned = [(destination, source, 1) for source, destination, _ in pairs]
    followed = {"out": pairs, "in": turned, "both": pairs + turned}[along]
    found = naive.neighborhood(len(ids), followed, position[center], hops)
    return {name: found[place] for name, place in position.items()}


class Egonets(_Subgraphs):
    def test_neighborhood(self):
        for ids, container, edges, _ in self.graphs():
            for hops in (0, 1, 2, 5):
                expected = reached(ids, edges, ids[len(ids) // 2], hops, "out")
                run("quern-run", "neighborhood", container, "--source", ids[len(ids) // 2], "--hops", hops, "-q", "-f",
                    "-o", "n.tsv")
                got = {name: math.inf if value == "inf" else int(value) for name, value in values("n.tsv").items()}
                self.assertEqual(got, expected)

    def test_egonet(self):
        for ids, container, edges, _ in self.graphs():
            for hops, along in itertools.product((0, 1, 3), ("out", "in", "both")):
                inside = {name for name, at in reached(ids, edges, ids[3], hops, along).items() if at < math.inf}
                run("quern-transform", container, "--egonet", ids[3], "--hops", hops, "--along", along, "-q", "-f", "-o",
                    "e.qrn")
                self.assertPart("e.qrn", inside, [edge for edge in edges if set(edge[:2]) <= inside], container)

    @unittest.skipUnless(networkx, "networkx is not installed")
    def test_networkx(self):
        for ids, container, edges, directed in self.graphs():
            other = networkx.MultiDiGraph()
            other.add_nodes_from(ids)
            other.add_edges_from(edge[:2] for edge in edges)
            for hops, along in ((1, "out"), (2, "out"), (2, "both")):
                part = networkx.ego_graph(other, ids[0], radius=hops, undirected=along == "both")
                run("quern-transform", container, "--egonet", ids[0], "--hops", hops, "--along", along, "-q", "-f", "-o",
                    "e.qrn")
                self.assertPart("e.qrn", set(part.nodes), [edge for edge in edges if set(edge[:2]) <= set(part.nodes)],
                                container)
                self.assertEqual(part.number_of_edges(), len(edges_of("e.qrn")))


class Parts(_Subgraphs):
    def test_induced(self):
        for ids, container, edges, _ in self.graphs():
            for chosen in (ids[::2], ids[:1], ids):
                Path("list.txt").write_text("# chosen\n\n" + "".join("%s\n" % name for name in reversed(chosen)))
                run("quern-transform", container, "--induced", "list.txt", "-q", "-f", "-o", "i.qrn")
                self.assertPart("i.qrn", chosen, [edge for edge in edges if set(edge[:2]) <= set(chosen)], container)

    def test_cross_edges(self):
        for ids, container, edges, _ in self.graphs():
            group = {name: "g%d" % (place % 3) for place, name in enumerate(ids) if place % 5}
            Path("groups.tsv").write_text("".join("%s\t%s\tmore\n" % line for line in group.items()))
            crossing = [edge for edge in edges
                        if edge[0] in group and edge[1] in group and group[edge[0]] != group[edge[1]]]
            run("quern-transform", container, "--cross-edges", "groups.tsv", "-q", "-f", "-o", "c.qrn")
            self.assertPart("c.qrn", set(group), crossing, container)
            run("quern-page", container, "-q", "-f", "-o", "pages.qrn")
            expected = collections.Counter(edge[0] for edge in crossing)
            for path in (container, "pages.qrn"):
                run("quern-run", "cross-edges", path, "--groups", "groups.tsv", "-q", "-f", "-o", "c.tsv")
                self.assertEqual({name: int(value) for name, value in values("c.tsv").items()},
                                 {name: expected[name] for name in ids})
                run("quern-run", "cross-edges", path, "-q", "-f", "-o", "c.tsv")
                alone = collections.Counter(edge[0] for edge in edges if edge[0] != edge[1])
                self.assertEqual({name: int(value) for name, value in values("c.tsv").items()},
                                 {name: alone[name] for name in ids})

    def test_core(self):
        """Take out whoever has too few edges as long as there is one; it is whom quern-run kcore gives as much."""
        for ids, container, edges, directed in self.graphs():
            run("quern-run", "kcore", container, "--device=cpu", "-qfo", "core.tsv")
            cores = {name: int(value) for name, value in values("core.tsv").items()}
            for core in (0, 2, 4, max(cores.values()), max(cores.values()) + 1):
                kept = set(ids)
                while True:
                    degrees = collections.Counter(end for edge in edges if set(edge[:2]) <= kept
                                                  for end in (set(edge[:2]) if directed else edge[:1]))
                    few = {name for name in kept if degrees[name] < core}
                    if not few:
                        break
                    kept -= few
                self.assertEqual(kept, {name for name, value in cores.items() if value >= core})
                run("quern-transform", container, "--kcore", core, "-qfo", "k.qrn")
                self.assertPart("k.qrn", kept, [edge for edge in edges if set(edge[:2]) <= kept], container)

    def assertSums(self, container, expected):
        """Weights of f32 are exported as the shortest numbers that give them back."""
        found = edges_of(container)
        self.assertEqual(sorted(edge[:2] for edge in found), sorted(expected))
        for source, destination, weight in found:
            self.assertAlmostEqual(float(weight), expected[source, destination], delta=1e-6 * expected[source, destination])

    def test_contract(self):
        """A vertex of each group, called after its first; edges between two add up, those within become a loop, once each."""
        for ids, container, edges, directed in self.graphs():
            group = {name: "g%d" % (place * place % 7) for place, name in enumerate(ids) if place % 5}
            Path("groups.tsv").write_text("".join("%s\t%s\n" % line for line in group.items()))
            first = {}
            for name in ids:
                if name in group:
                    first.setdefault(group[name], name)
            sums = collections.defaultdict(float)
            place = {name: number for number, name in enumerate(ids)}
            for source, destination, *weight in edges:
                if source not in group or destination not in group:
                    continue
                ends = first[group[source]], first[group[destination]]
                if directed or ends[0] != ends[1] or place[source] <= place[destination]:
                    sums[ends] += float(weight[0]) if weight else 1
            run("quern-transform", container, "--contract", "groups.tsv", "-q", "-f", "-o", "q.qrn")
            run("quern-verify", "-q", "q.qrn")
            self.assertSums("q.qrn", sums)
            info = json.loads(run("quern-info", "--json", "q.qrn").stdout)
            self.assertEqual((info["vertices"], info["directedness"]), (len(first), "directed" if directed else "undirected"))
            self.assertEqual(info["weights"], "f64" if len(edges[0]) == 3 and "." in "".join(edge[2] for edge in edges) else "u32")
            run("quern-transform", container, "--contract", "groups.tsv", "--remove-self-loops", "-q", "-f", "-o", "q.qrn")
            self.assertSums("q.qrn", {ends: weight for ends, weight in sums.items() if ends[0] != ends[1]})

    def test_sums_of_contracted_weights(self):
        for text, kind, total in (("0 1 4294967295\n0 2 4294967295\n", "i64", "8589934590"), ("0 1 -3\n0 2 1\n", "i64", "-2"),
                                  ("0 1 0.5\n0 2 0.25\n", "f64", "0.75"), ("0 1\n0 2\n", "u32", "2")):
            run("quern-import", "-", "-qfo", "g.qrn", input=text)
            Path("groups").write_text("0 a\n1 b\n2 b\n")
            run("quern-transform", "g.qrn", "--contract", "groups", "-qfo", "q.qrn")
            self.assertEqual(json.loads(run("quern-info", "--json", "q.qrn").stdout)["weights"], kind)
            self.assertEqual(edges_of("q.qrn"), [("0", "1", total)])
        # 0.6, and in the order of the other row 0.6000000000000001
        run("quern-import", "-", "-qfo", "g.qrn", "--undirected", "--weights", "f64", input="0 4 0.3\n1 2 0.2\n1 3 0.1\n")
        Path("groups").write_text("0 a\n1 a\n2 b\n3 b\n4 b\n")
        run("quern-transform", "g.qrn", "--contract", "groups", "-qfo", "q.qrn")
        run("quern-verify", "-q", "q.qrn")
        Path("groups").write_text("0 a\n1 b\n2 b\n")
        run("quern-import", "-", "-qfo", "g.qrn", input="0 1 9223372036854775807\n0 2 9223372036854775807\n")
        done = run("quern-transform", "g.qrn", "--contract", "groups", "-fo", "q.qrn", exit=4)
        self.assertIn("leaves i64", done.stderr)

    def test_further_steps(self):
        """The part is made first; what else is asked for happens to it."""
        for ids, container, edges, _ in self.graphs():
            Path("list.txt").write_text("\n".join(ids[: len(ids) // 2]))
            inside = set(ids[: len(ids) // 2])
            run("quern-transform", container, "--induced", "list.txt", "--transpose", "--relabel", "degree", "-q", "-f", "-o",
                "t.qrn")
            self.assertPart("t.qrn", inside, [(edge[1], edge[0], *edge[2:]) for edge in edges if set(edge[:2]) <= inside],
                            container)
