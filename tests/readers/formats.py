"""Writers of one small graph in each format that is read, from what the formats' authors say of them: the ground of odd_classes.py."""

import io
import json
import struct
import zipfile
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

# A path, a triangle and a tail: no vertex alone, no parallel edges, no loops
EDGES = [(1, 2, 5), (2, 3, 7), (3, 1, 9), (3, 4, 2), (4, 5, 6), (5, 6, 8), (6, 2, 3)]
VERTICES = 6


def lines(*rows):
    return "".join(row + "\n" for row in rows)


def delimited(separator, header=None, weighted=True):
    def write(edges):
        return lines(*([separator.join(header)] if header else []),
                     *(separator.join(map(str, edge if weighted else edge[:2])) for edge in edges))
    return write


def with_first_lines(write, *first):
    return lambda edges: lines(*first) + write(edges)


def neighbors_of(edges, both_ways):
    out = {v: [] for v in range(1, VERTICES + 1)}
    for u, v, w in edges:
        out[u].append((v, w))
        if both_ways:
            out[v].append((u, w))
    return out


def metis(weighted):
    def write(edges):
        rows = neighbors_of(edges, True)
        return lines("%d %d%s" % (VERTICES, len(edges), " 001" if weighted else ""),
                     *(" ".join("%d %d" % pair if weighted else str(pair[0]) for pair in rows[v]) for v in rows))
    return write


def matrix_market(field, symmetry):
    def write(edges):
        rows = [e[1::-1] + e[2:] if symmetry == "symmetric" and e[:2] != (3, 1) and e[:2] != (6, 2) else e for e in edges]
        return lines(f"%%MatrixMarket matrix coordinate {field} {symmetry}", "%d %d %d" % (VERTICES, VERTICES, len(rows)),
                     *(" ".join(map(str, row[:2] if field == "pattern" else row)) for row in rows))
    return write


def dimacs(kind):
    def write(edges):
        return lines("c a graph", "p %s %d %d" % (kind, VERTICES, len(edges)), *(["n 1 s", "n 6 t"] if kind == "max" else []),
                     *("e %s %s" % e[:2] if kind == "edge" else "a %s %s %s" % e for e in edges))
    return write


def pajek(section):
    return lambda edges: lines("*Vertices %d" % VERTICES, *('%d "v%d"' % (v, v) for v in range(1, VERTICES + 1)), section,
                               *("%s %s %s" % e for e in edges))


def pajek_matrix(edges):
    cells = {e[:2]: e[2] for e in edges}
    ids = range(1, VERTICES + 1)
    return lines("*Vertices %d" % VERTICES, "*Matrix", *(" ".join(str(cells.get((u, v), 0)) for v in ids) for u in ids))


def lgl(edges):
    rows = neighbors_of(edges, False)
    return "".join(lines("# v%d" % v, *("v%d" % u for u, _ in rows[v])) for v in rows if rows[v])


def graphml(edges):
    return lines('<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
                 '<key id="w" for="edge" attr.name="weight" attr.type="double"/>', '<graph edgedefault="directed">',
                 *("<node id=%s/>" % quoteattr(str(v)) for v in names_of(edges)),
                 *('<edge source=%s target=%s><data key="w">%s</data></edge>' % (quoteattr(str(u)), quoteattr(str(v)), w) for u, v, w in edges),
                 "</graph>", "</graphml>")


def gexf(edges):
    return lines('<gexf xmlns="http://gexf.net/1.3" version="1.3">', '<graph defaultedgetype="directed">', "<nodes>",
                 *("<node id=%s/>" % quoteattr(str(v)) for v in names_of(edges)), "</nodes>", "<edges>",
                 *('<edge source=%s target=%s weight="%s"/>' % (quoteattr(str(u)), quoteattr(str(v)), w) for u, v, w in edges),
                 "</edges>", "</graph>", "</gexf>")


def gml(edges):
    return lines("graph [", "directed 1", *("node [ id %d ]" % (v + 1) for v in range(VERTICES)),
                 *("edge [ source %s target %s weight %s ]" % e for e in edges), "]")


def dot_name(name):
    return '"%s"' % str(name).replace('"', '\\"')


def dot(edges):
    return lines("digraph g {", *("%s -> %s [weight=%s];" % (dot_name(u), dot_name(v), w) for u, v, w in edges), "}")


def names_of(edges):
    return sorted({v for e in edges for v in e[:2]}, key=str)


def node_link(edges):
    return json.dumps({"directed": True, "multigraph": False, "nodes": [{"id": v} for v in names_of(edges)],
                       "links": [{"source": u, "target": v, "weight": w} for u, v, w in edges]}, ensure_ascii=False) + "\n"


def json_list(edges):
    return json.dumps([list(e) for e in edges], ensure_ascii=False) + "\n"


def json_lines(edges):
    return lines(*(json.dumps({"source": u, "target": v, "weight": w}, ensure_ascii=False) for u, v, w in edges))


def json_graph(edges):
    return json.dumps({"graph": {"directed": True, "nodes": {str(v): {} for v in names_of(edges)},
                                 "edges": [{"source": str(u), "target": str(v), "weight": w} for u, v, w in edges]}}, ensure_ascii=False) + "\n"


def cytoscape(edges):
    return json.dumps({"elements": {"nodes": [{"data": {"id": str(v)}} for v in names_of(edges)],
                                    "edges": [{"data": {"source": str(u), "target": str(v), "weight": w}} for u, v, w in edges]}},
                      ensure_ascii=False) + "\n"


def n_triples(edges):
    return lines(*("<http://x/%s> <http://x/p> <http://x/%s> ." % e[:2] for e in edges))


def adjacency(edges):
    rows = neighbors_of([(u, v, w) for u, v, w in edges], False)
    offsets, columns, weights = [], [], []
    for v in rows:
        offsets.append(len(columns))
        columns += [u - 1 for u, _ in sorted(rows[v])]
        weights += [w for _, w in sorted(rows[v])]
    return lines("WeightedAdjacencyGraph", str(VERTICES), str(len(columns)), *map(str, offsets + columns + weights))


def csv_value(name, separator=","):
    text = str(name)
    return '"%s"' % text.replace('"', '""') if any(c in text for c in ('"', separator, "#", "%", " ", "{", "[", "<")) or text in WORDS else text


WORDS = ("null", "NaN", "true", "NA", "-")


def quoted(separator):
    return lambda edges: lines(separator.join(("source", "target", "weight")),
                               *(separator.join((csv_value(u, separator), csv_value(v, separator), str(w))) for u, v, w in edges))


def rows_of(edges):
    rows = neighbors_of(edges, False)
    offsets, columns, weights = [0], [], []
    for v in rows:
        columns += [u - 1 for u, _ in sorted(rows[v])]
        weights += [w for _, w in sorted(rows[v])]
        offsets.append(len(columns))
    return offsets, columns, weights


def gapbs(edges):
    (offsets, columns, weights), (in_offsets, in_columns, in_weights) = rows_of(edges), rows_of([(v, u, w) for u, v, w in edges])
    def side(offsets, columns, weights):
        return struct.pack("<%dq" % len(offsets), *offsets) + b"".join(struct.pack("<2i", *pair) for pair in zip(columns, weights))
    return struct.pack("<?2q", True, len(columns), VERTICES) + side(offsets, columns, weights) + side(in_offsets, in_columns, in_weights)


def galois(edges):
    offsets, columns, weights = rows_of(edges)
    padding = b"\0" * (4 * (len(columns) % 2))
    return (struct.pack("<4Q", 1, 4, VERTICES, len(columns)) + struct.pack("<%dQ" % VERTICES, *offsets[1:]) +
            struct.pack("<%dI" % len(columns), *columns) + padding + struct.pack("<%dI" % len(columns), *weights))


def npy_of(type, shape, content):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (type, shape)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode() + content


def npy(edges):
    return npy_of("<i8", (len(edges), 2), b"".join(struct.pack("<2q", *e[:2]) for e in edges))


def npz(edges):
    offsets, columns, weights = rows_of(edges)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, array in (("indices", npy_of("<i4", (len(columns),), struct.pack("<%di" % len(columns), *columns))),
                            ("indptr", npy_of("<i4", (len(offsets),), struct.pack("<%di" % len(offsets), *offsets))),
                            ("format", npy_of("|S3", (), b"csr")), ("shape", npy_of("<i8", (2,), struct.pack("<2q", VERTICES, VERTICES))),
                            ("data", npy_of("<i4", (len(weights),), struct.pack("<%di" % len(weights), *weights)))):
            archive.writestr(name + ".npy", array)
    return packed.getvalue()


@dataclass(frozen=True)
class Format:
    name: str
    ending: str
    write: object            # edges to text or bytes
    weighted: bool = True
    undirected: bool = False
    called: str = "%s"       # ids
    from_zero: bool = False  # vertex 1 is called 0
    counted: bool = False    # says how much there is, or where it ends: what is cut is told
    named: object = None     # writes names of any characters
    joins: bool = False      # two files in one are a file
    options: str = ""

    def content(self, edges=EDGES):
        content = self.write(edges)
        return content.encode() if isinstance(content, str) else content

    def graph(self, edges=EDGES):
        """As Odd has it."""
        return tuple((self.id(u), self.id(v)) + ((str(w),) if self.weighted else ()) for u, v, w in edges)

    def id(self, vertex):
        return str(vertex - 1) if self.from_zero else self.called % vertex


FORMATS = [
    Format("pairs", "txt", delimited(" ", weighted=False), weighted=False, joins=True),
    Format("weights", "txt", delimited(" "), joins=True),
    Format("tabs", "tsv", delimited("\t"), joins=True),
    Format("commas", "csv", delimited(","), joins=True),
    Format("semicolons", "csv", delimited(";"), joins=True),
    Format("headed", "csv", delimited(",", ("source", "target", "weight")), named=quoted(",")),
    Format("headed-tabs", "tsv", delimited("\t", ("from", "to", "weight")), named=quoted("\t")),
    Format("snap", "txt", with_first_lines(delimited("\t", weighted=False), "# Directed graph", "# FromNodeId\tToNodeId"), weighted=False,
           joins=True),
    Format("konect", "tsv", with_first_lines(delimited(" "), "% asym weighted", "% 7 6 6"), joins=True),
    Format("neo4j", "csv", with_first_lines(lambda edges: delimited(",")([(u, w, v) for u, v, w in edges]), ":START_ID,weight:float,:END_ID")),
    Format("gephi", "csv", with_first_lines(lambda edges: lines(*("%s,%s,Directed,%s" % e for e in edges)), "Source,Target,Type,Weight")),
    Format("networkx", "edgelist", lambda edges: lines(*("%s %s {'weight': %s}" % e for e in edges)), joins=True),
    Format("real", "mtx", matrix_market("real", "general"), counted=True),
    Format("pattern", "mtx", matrix_market("pattern", "general"), weighted=False, counted=True),
    Format("symmetric", "mtx", matrix_market("integer", "symmetric"), undirected=True, counted=True),
    Format("metis", "graph", metis(False), weighted=False, undirected=True, counted=True),
    Format("metis-weights", "graph", metis(True), undirected=True, counted=True),
    Format("shortest-paths", "gr", dimacs("sp"), counted=True),
    Format("coloring", "col", dimacs("edge"), weighted=False, undirected=True, counted=True),
    Format("flow", "max", dimacs("max"), counted=True),
    Format("arcs", "net", pajek("*Arcs")),
    Format("edges", "net", pajek("*Edges"), undirected=True),
    Format("matrix", "net", pajek_matrix, counted=True),
    Format("lgl", "lgl", lgl, weighted=False, undirected=True, called="v%s", joins=True),
    Format("graphml", "graphml", graphml, counted=True, named=graphml),
    Format("gexf", "gexf", gexf, counted=True, named=gexf),
    Format("gml", "gml", gml, counted=True),
    Format("dot", "dot", dot, counted=True, named=dot),
    Format("node-link", "json", node_link, counted=True, named=node_link),
    Format("json-list", "json", json_list, counted=True, named=json_list),
    Format("json-lines", "jsonl", json_lines, named=json_lines, joins=True),
    Format("json-graph", "json", json_graph, counted=True, named=json_graph),
    Format("cytoscape", "cyjs", cytoscape, counted=True, named=cytoscape),
    Format("n-triples", "nt", n_triples, weighted=False, called="http://x/%s", joins=True),
    Format("adjacency", "adj", adjacency, from_zero=True, counted=True),
    Format("gapbs", "wsg", gapbs, from_zero=True, counted=True),
    Format("galois", "gr", galois, from_zero=True, counted=True),
    Format("npy", "npy", npy, weighted=False, counted=True),
    Format("npz", "npz", npz, from_zero=True, counted=True),
]
