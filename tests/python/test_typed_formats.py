"""Typed graphs of every text format that keeps types, and of RDF, with hostile names and values: what goes in comes out."""

import os
import random
import unittest

from harness import chance
from harness.package import needs, quern
from harness.tools import run
from python.test_typed_tables import NAMES, Random, Scratch

try:
    from quern import _types
except ImportError:
    pass

TEXTS = [*NAMES, "", "a\"b\\c", "<x>&amp;", "a\tb", "two\nlines", "{}[]", "'", "#", "null", "true", "7", "\U0001f600"]


def edges_of(types, type):
    """The ends of each edge by their ids, and what it has beside, in any order."""
    graph, begins = types.edges(type), types.begins(type)
    ids = [list(map(str, types.vertices(end).ids.tolist())) for end in (type[0], type[2])]
    ends = [[ids[end][v - begins[end]] for v in rows.tolist()] for end, rows in enumerate((graph.sources(), graph.column_indices))]
    return sorted(zip(*ends, *(graph.edge_properties[name].tolist() for name in sorted(graph.edge_properties))))


def vertices_of(graph):
    columns = {name: graph.vertex_properties[name].tolist() for name in sorted(graph.vertex_properties)}
    return sorted(zip(map(str, graph.ids.tolist()), *([str(value) for value in column] for column in columns.values())))


@needs("numpy", "pyarrow")
class Formats(Scratch):
    def test_text(self):
        """Through one graph whose types are properties."""
        first = chance.seed()
        for seed in range(4):
            dice = random.Random(first + seed)
            graph = Random(dice)
            quern.from_types(*graph.given(False, False), "s", force=True)
            for format in "graphml", "gexf", "gml", "json":
                with self.subTest(seed=seed, format=format):
                    run("quern-export", "s", "--format", format, "-qfo", "file." + format)
                    run("quern-import", "file." + format, "--vertex-type-column", "LABEL", "--edge-type-column", "TYPE", "-qfo", "again")
                    self.compare(graph, _types.TypedSet("s"), _types.TypedSet("again"))

    def compare(self, graph, types, again):
        every = [str(id) for _, ids in graph.vertices.values() for id in ids]
        clash = len(set(every)) < len(every)  # then they are called by their types, too
        self.assertEqual(again.counts, types.counts)
        for name in types.counts:
            before = [(name + ":" + id if clash else id, *values) for id, *values in vertices_of(types.vertices(name))]
            self.assertEqual(vertices_of(again.vertices(name)), sorted(before))
        self.assertEqual(again.edge_types, [type for type in types.edge_types if graph.edges[type][0][0]])
        for type in again.edge_types:
            before = [(type[0] + ":" + source, type[2] + ":" + target, *values) if clash else (source, target, *values)
                      for source, target, *values in edges_of(types, type)]
            self.assertEqual(edges_of(again, type), sorted(before))


@needs("numpy")
class Tables(Scratch):
    def lines(self, file, separator, quote, head, rows):
        """A table whose values are in quotes, but for nulls."""
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "w", encoding="utf-8", newline="") as out:
            for row in [head, *rows]:
                out.write(separator.join("" if value is None else quote(value) for value in row) + "\n")

    def test_csv_and_snb(self):
        """Plain tables, and folders as LDBC SNB's generator in Spark writes them: two files of each type."""
        forms = {"csv": (",", lambda text: '"%s"' % text.replace('"', '""')),
                 "snb": ("|", lambda text: '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"'))}
        for seed, (form, (separator, quote)) in enumerate(list(forms.items()) * 2):
            dice = random.Random(chance.seed() + seed)
            texts = [text for text in TEXTS if form == "csv" or "\n" not in text]
            vertices = {name: [(str(id), dice.choice(texts), dice.choice([None, *texts])) for id in dice.sample(range(2**40), 9)] for name in ("Person", "Tag")}
            edges = {(a, name, b): [(dice.choice(vertices[a])[0], dice.choice(vertices[b])[0], dice.choice(texts)) for _ in range(20)]
                     for a, name, b in (("Person", "knows", "Person"), ("Person", "likes", "Tag"))}
            words = []
            for name, rows in vertices.items():
                for half in range(2):
                    file = "%s/dynamic/%s/part-%d.csv" % (form, name, half)
                    self.lines(file, separator, quote, ("id", "a name", "more"), rows[half::2])
                words += ["--vertex-table", "%s=%s" % (name, ",".join(file.replace("-1", "-%d" % half) for half in range(2)))]
            for (a, name, b), rows in edges.items():
                head = ("Person1Id", "Person2Id", "said") if a == b else (a + "Id", b + "Id", "said")
                self.lines("%s/dynamic/%s_%s_%s/part-0.csv" % (form, a, name, b), separator, quote, head, rows)
                words += ["--edge-table", "%s:%s:%s=%s/dynamic/%s_%s_%s/part-0.csv" % (name, a, b, form, a, name, b)]
            for given in [["--types", "snb"]] if form == "snb" else [[*words, "--columns", "1,2"], None]:
                if given is None:  # and once more from what Quern writes
                    run("quern-export", "s", "--format", "neo4j", "-qfo", "again")
                    given = ["--types", "again"]
                with self.subTest(seed=seed, given=given[:2]):
                    run("quern-import", *given, "-qfo", "s")
                    types = _types.TypedSet("s", verify=True)
                    for name, rows in vertices.items():
                        self.assertEqual(vertices_of(types.vertices(name)), sorted((id, str(text), str(more)) for id, text, more in rows))
                    for type, rows in edges.items():
                        self.assertEqual(edges_of(types, type), sorted(rows))


@needs("numpy")
class Rdf(Scratch):
    ESCAPES = {"\\": "\\\\", "\"": "\\\"", "\n": "\\n", "\r": "\\r"}

    def literal(self, text):
        return '"%s"' % "".join(self.ESCAPES.get(one, one) for one in text)

    def test_random_graphs(self):
        for seed in range(4):
            dice = random.Random(chance.seed() + seed)
            vertices = ["http://x/%s%d" % (name.replace(" ", "").replace("\"", ""), i) for i, name in enumerate(NAMES)] + ["_:b%d" % i for i in range(4)]
            edges = {(dice.choice(vertices), "http://p/%d" % dice.randint(1, 4), dice.choice(vertices)) for _ in range(40)}
            texts = {(vertex, "http://t/%d" % number): dice.choice(TEXTS) for vertex in vertices for number in range(3) if dice.random() < 0.6}
            numbers = {vertex: dice.randint(-9, 2**40) for vertex in vertices if dice.random() < 0.7}
            terms = {vertex: vertex if vertex.startswith("_:") else "<%s>" % vertex for vertex in vertices}
            lines = ["%s <%s> %s ." % (terms[source], predicate, terms[target]) for source, predicate, target in edges]
            lines += ["%s <%s> %s ." % (terms[vertex], key, self.literal(text)) for (vertex, key), text in texts.items()]
            lines += ["%s <http://n> \"%d\"^^<http://www.w3.org/2001/XMLSchema#integer> ." % (terms[vertex], n) for vertex, n in numbers.items()]
            dice.shuffle(lines)
            with open("x.nt", "w", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in lines))
            with self.subTest(seed=seed):
                run("quern-import", "--types", "x.nt", "-qfo", "s")
                types = _types.TypedSet("s", verify=True)
                graph = types.vertices("vertex")
                ids, found = graph.ids.tolist(), set()
                for type in types.edge_types:
                    of_type = types.edges(type)
                    found |= {(ids[u], type[1], ids[v]) for u, v in zip(of_type.sources().tolist(), of_type.column_indices.tolist())}
                self.assertEqual(found, edges)
                for number in range(3):
                    key = "http://t/%d" % number
                    of_key = {vertex: text for (vertex, other), text in texts.items() if other == key}
                    got = graph.vertex_properties[key] if of_key else []
                    self.assertEqual({vertex: text for vertex, text in zip(ids, got) if text is not None}, of_key)
                column = graph.vertex_properties["http://n"]
                values = column.filled(0).tolist() if hasattr(column, "filled") else column.tolist()
                self.assertEqual([values[ids.index(vertex)] for vertex in numbers], list(numbers.values()))
                run("quern-export", "s", "--strict", "-qfo", "y.nt")
                with open("y.nt", encoding="utf-8", newline="\n") as file:
                    self.assertEqual(sorted(file), sorted(line.replace("\t", "\\u0009").replace("\\n", "\\u000a") + "\n" for line in lines))


if __name__ == "__main__":
    unittest.main()
