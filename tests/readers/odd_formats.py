"""What a file says of itself, by its name, its header or its first words, is believed, or refused with what it is and what to
do: famous files and their kin, described here."""

import struct

from readers.odd_files import reads, refuses

YED = """<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
<key for="node" id="d6" yfiles.type="nodegraphics"/><graph edgedefault="%s" id="G"><node id="n0"/><node id="n1" yfiles.foldertype="group">
<data key="d6"><y:ProxyAutoBoundsNode/></data><graph edgedefault="%s" id="n1:"><node id="n1::n0"/><node id="n1::n1"/>
<edge source="n1::n0" target="n1::n1"/></graph></node><edge source="n0" target="n1::n0"/></graph>%s</graphml>
"""
GROUP_DATA = """<graphml><key id="d" for="node" attr.name="label" attr.type="string"/><graph edgedefault="directed"><node id="a">%s
<graph edgedefault="directed"><node id="b"/></graph>%s</node><edge source="a" target="b"/></graph></graphml>
"""
GEXF = """<gexf xmlns="%s"><graph defaultedgetype="%s"><nodes><node id="0"/><node id="1"/><node id="2"/></nodes>
<edges><edge source="0" target="1"%s/><edge source="1" target="2"%s/></edges></graph></gexf>
"""
DRAFT, FINAL = "http://www.gexf.net/1.2draft", "http://gexf.net/1.3"

NAMES = [
    refuses("pairs.mtx", "1 2\n2 3\n3 3\n3 1\n9 2\n", "suggests the format matrix-market", options="--strict"),
    refuses("pairs.net", "a b\nb c\n", "suggests the format pajek", options="--strict"),
    reads("pairs.gml", "1 2\n2 7\n", "1 2", "2 7"),
    reads("pairs-said.mtx", "1 2\n2 3\n", "1 2", "2 3", options="--strict --format=edges"),
    reads("pairs.unknown", "1 2\n2 3\n", "1 2", "2 3", options="--strict"),
]

XML = [
    # LesMiserables.gexf leaves weights out where they are 1
    reads("miserables.gexf", GEXF % (DRAFT, "undirected", "", ' weight="8.0"'), "0 1 1", "1 2 8", undirected=True),
    reads("miserables-late.gexf", GEXF % (FINAL, "directed", ' weight="0.5"', ""), "0 1 0.5", "1 2 1"),
    reads("unweighted.gexf", GEXF % (FINAL, "directed", "", ""), "0 1", "1 2"),
    reads("weights-none.gexf", GEXF % (FINAL, "directed", ' weight="0.5"', ""), "0 1", "1 2", options="--weights=none"),
    refuses("weight-text.gexf", GEXF % (FINAL, "directed", ' weight="much"', ""), "expected a weight"),
    reads("yed.graphml", YED % ("directed", "directed", ""), "n1::n0 n1::n1", "n0 n1::n0", vertices=["n1"]),
    reads("yed-undirected.graphml", YED % ("undirected", "undirected", ""), "n1::n0 n1::n1", "n0 n1::n0", vertices=["n1"],
          undirected=True),
    refuses("yed-mixed.graphml", YED % ("directed", "undirected", ""), "some edges are directed and some are not"),
    refuses("in-an-edge.graphml", """<graphml><graph edgedefault="directed"><node id="a"/><node id="b"/><edge source="a" target="b">
            <graph edgedefault="directed"><node id="c"/></graph></edge></graph></graphml>""", "a graph in an edge"),
    reads("yed-data.graphml", GROUP_DATA % ('<data key="d">x</data>', ""), "a b", options="--properties=all"),
    refuses("yed-data-behind.graphml", GROUP_DATA % ("", '<data key="d">x</data>'), "follow the graph nested in it", options="--properties=all"),
    refuses("two-graphs.graphml", YED % ("directed", "directed", '<graph edgedefault="directed"/>'), "a second graph is in the file"),
]

JGF = '{"graph": {"directed": %s, "nodes": %s, "edges": [{"source": "a", "target": "b", "relation": "r"%s}]}}'
CYTOSCAPE = """{"format_version": "1.0", "data": {"name": "x", "selected": true}, "elements": {"nodes": [
  {"data": {"id": "a", "name": "A"}, "position": {"x": 1, "y": 2}, "selected": false}, {"data": {"id": "b"}}],
  "edges": [{"data": {"id": "e0", "source": "a", "target": "b"%s}, "selected": false}]}}
"""
JSON = [
    reads("jgf.json", JGF % ("true", '{"a": {"label": "A"}, "b": {}, "c": {}}', ""), "a b", vertices=["c"]),
    reads("jgf-list.json", JGF % ("true", '[{"id": "a"}, {"id": "b", "metadata": {"x": 1}}]', ""), "a b"),
    reads("jgf-undirected.json", JGF % ("false", '{"a": {}, "b": {}}', ', "directed": false'), "a b", undirected=True),
    refuses("jgf-both.json", JGF % ("false", '{"a": {}, "b": {}}', ', "directed": true'), "some edges are directed and some are not"),
    refuses("jgf-unknown.json", JGF % ("true", '{"a": {}}', ""), "expected an edge between vertices of the list"),
    refuses("jgf-several.json", '{"graphs": [{"nodes": {}, "edges": []}]}', "several graphs"),
    refuses("jgf-hyper.json", '{"graph": {"nodes": {"a": {}}, "hyperedges": [{"nodes": ["a"]}], "edges": []}}', "more than two ends"),
    refuses("jgf-empty.json", '{"graph": {"nodes": {"a": {}}}}', "no list called links or edges"),
    reads("cytoscape.cyjs", CYTOSCAPE % "", "a b"),
    reads("cytoscape-weights.cyjs", CYTOSCAPE % ', "weight": 2.5', "a b 2.5"),
    reads("cytoscape-empty.json", '{"elements": {"nodes": [{"data": {"id": "a"}}], "edges": []}}', vertices=["a"]),
    refuses("cytoscape-flat.json", '{"elements": [{"data": {"id": "a"}}, {"data": {"source": "a", "target": "a"}}], "nodes": 0}',
            "one list"),
    refuses("cytoscape-bare.json", '{"elements": {"nodes": [{"id": "a"}], "edges": []}}', "with 'data'"),
    reads("networkx-data.json", '{"directed": true, "graph": {"name": "g"}, "nodes": [{"id": "a"}], "links": [{"source": "a", "target": "a"}]}',
          "a a"),
    reads("networkx-names.json", '{"graph": {"nodes": 5, "edges": 7, "directed": "yes", "options": 1}, "nodes": [{"id": "a"}], "links": []}',
          vertices=["a"]),
    refuses("two-lists-of-vertices.json", '{"graph": {"nodes": ["x"]}, "nodes": [{"id": "a"}], "links": []}', "a second list of vertices"),
    reads("networkx-list.json", '{"directed": true, "graph": [["name", "g"]], "nodes": [{"id": "a"}], "links": []}', vertices=["a"]),
    reads("pretty.json", '{\n  "source": "a",\n  "target": "b"\n}\n{\n  "source": "b",\n  "target": "c"\n}\n', "a b", "b c"),
    refuses("pretty-cut.json", '{\n  "source": "a",\n  "target": "b"\n}\n{\n  "source": "b",\n', "pretty-cut.json:7"),
    refuses("names-and-values.json", '[["ann", 5], ["bob", 7]]', "--ids=strings"),
    refuses("values-first.json", '[[5, "ann"], [7, "bob"]]', "--ids=strings"),
    reads("names-and-values-said.json", '[["ann", 5], ["bob", 7]]', "ann 5", "bob 7", options="--ids=strings"),
    reads("names-and-numbers.json", '[["ann", 5], ["bob", "ann"]]', "ann 5", "bob ann"),
    reads("numbers-declared.json", '{"nodes": [{"id": "ann"}, {"id": 5}], "links": [["ann", 5]]}', "ann 5"),
    refuses("adjacency.json", '{\n  "a": ["b", "c"],\n  "b": ["c"]\n}\n', "JSON of another kind"),
]

PAJEK = [
    # USAir97.net has empty *Arcs beside its *Edges
    reads("usair.net", '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Arcs\n*Edges\n1 2 .25\n2 3 .5\n', "1 2 .25", "2 3 .5",
          undirected=True),
    reads("matrix.net", "*Vertices 3\n*Matrix\n0 1.5 0\n2 0 0.0\n0 1 3\n", "1 2 1.5", "2 1 2", "3 2 1", "3 3 3"),
    reads("matrix-zeros.net", "*Vertices 2\n*Matrix\n-0.0 +0\n.5 0.00\n", "2 1 .5"),
    refuses("matrix-points.net", "*Vertices 2\n*Matrix\n0 .\n1 0\n", "expected a weight"),
    reads("matrix-plain.net", "*Vertices 2\r\n*matrix\r\n0 1\r\n1 0\r\n", "1 2", "2 1"),
    refuses("matrix-short.net", "*Vertices 2\n*Matrix\n0 1\n", "expected 2 rows of the matrix; found 1"),
    refuses("matrix-long.net", "*Vertices 1\n*Matrix\n0\n1\n", "matrix-long.net:4:1: expected no more rows"),
    refuses("matrix-narrow.net", "*Vertices 2\n*Matrix\n0 1\n1\n", "matrix-narrow.net:4:1: expected a number for each"),
    refuses("matrix-wide.net", "*Vertices 2\n*Matrix\n0 1 1\n1 0\n", "matrix-wide.net:3:1: expected a number for each"),
    refuses("matrix-text.net", "*Vertices 2\n*Matrix\n0 x\n1 0\n", "matrix-text.net:3:1: expected a weight"),
    refuses("matrix-and-edges.net", "*Vertices 2\n*Matrix\n0 1\n1 0\n*Edges\n1 2\n", "a matrix alone"),
    reads("modes.net", "*Vertices 5 2\n*Edges\n1 3\n2 5 4\n".replace(" 4\n", "\n"), "1 3", "2 5", vertices=["4"], undirected=True),
    reads("modes-matrix.net", "*Vertices 5 2\n*Matrix\n0 1 1\n1 0 1\n", "1 4", "1 5", "2 3", "2 5", undirected=True),
    refuses("modes-within.net", "*Vertices 4 2\n*Arcs\n1 2\n", "modes-within.net:3:1: expected an edge between the two modes"),
    refuses("modes-lists.net", "*Vertices 4 2\n*Arcslist\n1 3 2\n", "between the two modes"),
    refuses("modes-large.net", "*Vertices 4 5\n*Arcs\n1 2\n", "that of the first mode"),
    refuses("parts.clu", "*Vertices 3\n1\n1\n2\n", ".clu"),
    refuses("values.vec", "*Vertices 2\n0.1\n0.2\n", "vector of Pajek"),
]

DIMACS = [
    # queen5_5.col, myciel3.col and flows
    reads("myciel.col", "c x\np edge 3 2\ne 1 2\ne 2 3\n", "1 2", "2 3", undirected=True),
    reads("col.col", "p col 3 1\nn 1 5\ne 1 2\n", "1 2", undirected=True, vertices=["3"]),
    reads("queen.col", "p edge 2 2\ne 1 2\ne 2 1\n", "1 2", undirected=True, options="--duplicates=remove"),
    refuses("queen-strict.col", "p edge 2 2\ne 1 2\ne 2 1\n", "parallel-edges", options="--strict"),
    refuses("few.col", "p edge 3 3\ne 1 2\ne 2 3\n", "3 edges"),
    refuses("above.col", "p edge 3 1\ne 1 4\n", "above.col:2:5: expected a vertex from 1 to 3"),
    refuses("arc.col", "p edge 3 1\na 1 2 3\n", "arc.col:2:1: expected 'e A B'"),
    reads("flow.max", "c x\np max 4 3\nn 1 s\nn 4 t\na 1 2 5\na 2 3 4\na 3 4 9\n", "1 2 5", "2 3 4", "3 4 9"),
    refuses("flow-bad.max", "p max 4 1\nn 9 s\na 1 2 5\n", "flow-bad.max:2:3: expected a vertex"),
    refuses("cost.min", "p min 4 1\na 1 2 0 5 1\n", "'p sp VERTICES ARCS', or max or edge", options="--format=dimacs"),
]

KONECT = [
    reads("out.asym", "% asym positive\n1 2 3\n2 3 1\n", "1 2 3", "2 3 1"),
    reads("out.signed", "% sym signed\n1 2 -1\n2 3 1\n", "1 2 -1", "2 3 1", undirected=True),
    refuses("out.both", "% sym unweighted\n1 2\n2 1\n", "parallel-edges", options="--strict"),
    reads("out.both-once", "% sym unweighted\n1 2\n2 1\n", "1 2", undirected=True, options="--duplicates=remove"),
    refuses("out.dynamic", "% sym dynamic\n1 2 1 100\n1 2 -1 200\n", "edges come and go"),
    reads("out.events", "% asym dynamic\n1 2 1 100\n2 3 -1 200\n", "1 2 1", "2 3 -1", options="--columns=1,2,3"),
    refuses("out.names-dynamic", "% asym dynamic\na b 1\n", "edges come and go"),
    reads("out.comment", "% dynamic is the web\n1 2\n", "1 2"),
    refuses("meta.network", "name: X\ncode: X\ncategory: Social\nurl: http://x\n", "name the file of its edges, out.NAME"),
]

COUNTS = [
    # Matrix Market without its banner
    refuses("nnm.mtx", "4 4 3\n1 2\n2 3\n3 4\n", "--header=yes --columns=1,2 passes over it"),
    refuses("nm-weights.txt", "4 3\n1 2 0.5\n2 3 1\n3 4 2\n", "--header=yes --columns=1,2,3 passes over it"),
    reads("nnm-header.mtx", "4 4 3\n1 2\n2 3\n3 4\n", "1 2", "2 3", "3 4", options="--header=yes --columns=1,2"),
    reads("nm-header.txt", "4 3\n1 2 0.5\n2 3 1\n3 4 2\n", "1 2 0.5", "2 3 1", "3 4 2", options="--header=yes --columns=1,2,3"),
    refuses("other-count.txt", "4 4 7\n1 2\n2 3\n3 4\n", "expected 3 columns, as in line 1; found only 2"),
    refuses("other-vertex.txt", "4 4 3\n1 2\n2 3\n3 5\n", "found only 2"),
]

OTHERS = [
    refuses("persons.csv", ":ID(Person),name,:LABEL\nann,Ann,Person\nbob,Bob,Person\n", "--vertices"),
    refuses("movies.csv", "movieId:ID,title\n1,One\n2,Two\n", "--vertices"),
    reads("id-of-edges.csv", ":START_ID,:END_ID,id\n1,2,7\n2,3,8\n", "1 2", "2 3"),
    reads("quads.nq", "<a:x> <a:p> <a:y> <a:g> .\n<a:y> <a:p> <a:z> _:g .\n<a:y> <a:p> \"text\" <a:g> .\n<a:z> <a:p> <a:x> .\n",
          "a:x a:y", "a:y a:z", "a:z a:x"),
    refuses("quints.nq", "<a:x> <a:p> <a:y> .\n<a:x> <a:p> <a:y> <a:g> <a:h> .\n", "quints.nq:2:1: expected <subject>"),
    refuses("no-stop.nt", "<http://a> <http://p> <http://b>\n<http://b> <http://p> <http://c>\n", "full stop"),
    refuses("bare.g6", "DQc\nDQo\n", "this is graph6"),
    refuses("long.g6", "DQc\n" * 20000, "this is graph6"),
    refuses("elements.xml", "<a:b> <c:d/></a:b>\n", "XML"),
    refuses("bare.s6", ":Fa@x^\n", "this is sparse6"),
    refuses("bare.d6", "&BP_\n", "this is digraph6"),
    refuses("names.list", "DQd\nabc\n", "found 1 column"),
    refuses("graph.nkb", b"nkbg003" + bytes(72), "NetworKit"),
    refuses("pairs.bin", struct.pack("<8I", 1, 2, 2, 3, 3, 4, 4, 1), "--format=pairs --record=u32"),
    refuses("pairs-big.bin", struct.pack(">8I", 1, 2, 2, 3, 3, 4, 4, 1), "--format=pairs --record=u32"),
    reads("pairs-said.bin", struct.pack("<8I", 1, 2, 2, 3, 3, 4, 4, 1), "1 2", "2 3", "3 4", "4 1",
          options="--format=pairs --record=u32 --ids=compact"),
    refuses("neighbours.adjlist", "0 1 2\n1 2 0\n2 0 1\n", "--format=edges or --format=neighbors"),
    refuses("networkx.adjlist", "#write.py\n# GMT Tue Jan  1 00:00:00 2030\n#\n0 1 2\n1 2\n2\n", "--format=neighbors"),
    refuses("text.bin", "1 2\n2 3\n", "--format=edges or --format=pairs"),
    reads("colons.txt", "0: 1 2\n1: 2\n2:\n", "0 1", "0 2", "1 2", options="--format=neighbors"),
    refuses("colons-some.txt", "0: 1 2\n1 2\n", "colons-some.txt:2:1: expected a vertex with a colon", options="--format=neighbors"),
    refuses("colons-asked-not.txt", "0: 1 2\n1: 2\n", "colons-asked-not.txt:1:1"),
    refuses("neighbours-behind.txt", "# a list\n1 2\n4 5 6\n", "--format=neighbors"),
    refuses("neighbours-named.txt", "# a list\na b c\nb c\nc\n", "--format=neighbors"),
    refuses("sets-named.txt", "a b c\nd e\nf g h i\n", "--format=hyperedges"),
    refuses("metis-behind.graph", "# c\n4 3\n2\n1 3\n2 4\n3\n", "format metis after comments"),
    refuses("metis-weights-behind.txt", "# by hand\n4 3 1\n2 5\n1 5 3 6\n2 6 4 7\n3 7\n", "format metis after comments"),
    refuses("metis-or-edges.graph", "# by hand\n3 3\n2 3\n1 3\n1 2\n", "--format=edges or --format=metis"),
    refuses("only-vertices.txt", "6\n7\n0\n1\n", "only-vertices", options="--strict"),
    reads("only-vertices-said.txt", "6\n7\n", vertices="67", options="--strict --format=vertices"),
    refuses("bracket.dot", 'digraph { a -> b [weight=5;\nb -> c [weight=7];\n}', "bracket.dot:2"),
    refuses("comma.dot", "digraph { a -> b [weight=1,5]; }", "NAME=VALUE"),
    refuses("percent.dot", "digraph { a -> b [weight=5%]; }", "NAME=VALUE"),
    reads("quoted-key.dot", 'digraph { a -> b ["weight"="5", label="x" + "y"; color=red] }', "a b 5"),
    refuses("sets.txt", "1 2 3\n4 5\n6 7 8 9\n", "--format=hyperedges"),
    refuses("neighbours.txt", "1 2\n4 5 6\n", "--format=neighbors"),
]

NAMED = '# quern {"ids":"names","labels":"names"}\n'
GML = [
    reads("labels.gml", "graph [\n" + NAMED + 'directed 1 node [ id 7 label "ann &#38; co" ] node [ id 0 label "7" ] '
          "edge [ source 7 target 0 ] edge [ source 0 target 0 ] ]", ("ann & co", "7"), "7 7"),
    reads("labels-weighted.gml", "graph [\n" + NAMED + 'directed 0 node [ label "b" id 0 x "y" ] node [ id 1 label "a" ] '
          "edge [ source 0 target 1 weight 2.5 ] ]", "b a 2.5", undirected=True),
    refuses("label-twice.gml", "graph [\n" + NAMED + 'node [ id 0 label "a" ] node [ id 1 label "a" ] ]', "a second vertex has the label 'a'"),
    refuses("id-twice.gml", "graph [\n" + NAMED + 'node [ id 0 label "a" ] node [ id 0 label "b" ] ]', "a second vertex has the id '0'"),
    refuses("labels-in-one.gml", "graph [\n" + NAMED + 'node [ id 0 label "a" label "b" ] ]', "'label' is there twice"),
    refuses("no-label.gml", "graph [\n" + NAMED + "node [ id 0 ] ]", "expected a label"),
    refuses("empty-label.gml", "graph [\n" + NAMED + 'node [ id 0 label "" ] ]', "empty-label.gml:3"),
    reads("empty-first.gml", 'graph [ directed 1 node [ id 0 label "" ] edge [ source 0 target 0 ] ]', "0 0", options="--properties all"),
    refuses("unknown-end.gml", "graph [\n" + NAMED + 'node [ id 0 label "a" ] edge [ source 0 target 1 ] ]', "found '1'"),
]

FILES = NAMES + GML + XML + JSON + PAJEK + DIMACS + KONECT + COUNTS + OTHERS
