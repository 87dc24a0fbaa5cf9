"""What algorithms find, as arrays that know the ids; algorithms as functions; messages in Python's words."""

import inspect
import unittest

from harness.package import needs, quern

try:
    import numpy as np
except ImportError:
    np = None


@needs()
class Results(unittest.TestCase):
    sanitized_tier = "long"

    def setUp(self):
        self.graph = quern.from_arrays(["ann", "bob", "cid", "dan"], ["bob", "cid", "bob", "eve"])

    def test_an_array_that_knows_the_ids(self):
        hops = self.graph.bfs("ann")
        self.assertIs(type(np.asarray(hops)), np.ndarray)
        self.assertEqual(np.asarray(hops)[:3].tolist(), [0, 1, 2])
        self.assertEqual(np.asarray(hops, "f8").dtype, "f8")
        self.assertTrue(np.shares_memory(np.asarray(hops), hops.values))
        self.assertEqual((len(hops), list(hops)), (5, hops.values.tolist()))
        self.assertEqual((hops["cid"], hops[["bob", "ann"]].tolist()), (2, [1, 0]))
        self.assertEqual(hops.to_dict(), {"ann": 0, "bob": 1, "cid": 2})
        self.assertEqual(hops.top(2), [("cid", 2), ("bob", 1)])
        self.assertTrue(hops)
        with self.assertRaisesRegex(quern.UsageError, "no vertex has the id 'zoe'"):
            hops["zoe"]

    def test_what_is_shown(self):
        self.assertEqual(repr(self.graph.bfs("ann", device="cpu")).splitlines()[1:4], [" id         bfs", "ann           0", "bob           1"])
        ranks = quern.pagerank(quern.from_arrays(np.arange(20), (np.arange(20) + 1) % 20), damping=0.5)
        self.assertIn("... and 15 more", repr(ranks))
        self.assertIn("and 10 more", ranks._repr_html_())
        self.assertRegex(repr(self.graph.transform(symmetrize=True).tc()), r"^<quern.Result tc on cpu.*: 0>$")
        odd = quern.from_arrays(["<b>"], ["&"])
        self.assertIn("&lt;b&gt;", odd.cc()._repr_html_())
        self.assertEqual(repr(quern.from_arrays([], []).cc()).splitlines()[-1].split(), ["id", "cc"])

    def test_other_shapes(self):
        path = self.graph.shortest_path("ann", "cid")
        self.assertEqual(path.ids.tolist(), ["ann", "bob", "cid"])
        self.assertIn("cid", repr(path))
        for call in path.to_dict, path.top, lambda: path["ann"], self.graph.walk(length=2).to_dict:
            with self.assertRaisesRegex(quern.UsageError, "has no value for each vertex"):
                call()
        self.assertIn("sample", repr(self.graph.sample("ann", fanouts=(2, 2))))
        self.assertEqual(quern.hits(self.graph)["ann"], self.graph.hits().columns["hub"][0])

    def test_functions_are_methods(self):
        for name in quern._algorithms.__all__:
            with self.subTest(name):
                self.assertIs(getattr(quern, name), getattr(quern.Graph, name))
                self.assertEqual(list(inspect.signature(getattr(quern, name)).parameters)[0], "self")
        self.assertIn("default 0.85", quern.pagerank.__doc__)
        self.assertIn("at least 0 and below 1", quern.pagerank.__doc__)
        self.assertEqual(quern.bfs(self.graph, "ann")["cid"], 2)


@needs()
class Words(unittest.TestCase):
    """The library says what to type as the tools have it."""

    sanitized_tier = "long"

    def test_messages_are_python(self):
        for said, here in (("the output exists; use --force to replace it", "the output exists; use force=True to replace it"),
                           ("--damping: it must be", "damping=: it must be"), ("(--weights=none drops all)", '(weights="none" drops all)'),
                           ("use --ids=compact, or --vertices=12", 'use ids="compact", or vertices=12'),
                           ("--comments='#' passes over them", "comments='#' passes over them"),
                           ("--properties=NAME,... chooses some", 'properties=["NAME", ...] chooses some'),
                           ("more is needed: --memory 1234 or more", "more is needed: memory=1234 or more"),
                           ("--undirected says it, --directed not", "directed=False says it, directed=True not"),
                           ("quern-transform --symmetrize adds them", "graph.transform(symmetrize=True) adds them"),
                           ("quern-import --weights=none, quern-transform --random-weights=1,1,0",
                            'quern.read(weights="none"), graph.transform(random_weights=(1, 1, 0))'),
                           ("--columns=S,D[,W] does", 'columns="S,D[,W]" does'), ("(--properties=NAME:TYPE says)", '(properties="NAME:TYPE" says)'),
                           ("quern-transform -o FILE would", 'graph.transform(path="FILE") would'),
                           ("a--b and -- and x --", "a--b and -- and x --")):
            with self.subTest(said):
                self.assertEqual(quern._words.in_python(said), here)

    def test_what_is_raised_and_warned_of(self):
        graph = quern.from_arrays([0, 1], [1, 0])
        with self.assertRaisesRegex(quern.UsageError, "damping=: it must be at least 0"):
            graph.pagerank(damping=2)
        with self.assertWarnsRegex(quern.QuernWarning, 'duplicates="remove" leaves one'):
            quern.from_arrays([0, 1], [1, 0], directed=False)
