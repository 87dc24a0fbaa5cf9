"""What quern-info --croissant, --ro-crate and --datacite print is taken by who reads such things: mlcroissant, rocrate, and the schema
that the package datacite has."""

import hashlib
import json
import os
import tempfile
import unittest
from pathlib import Path

from harness.tools import run

SOURCE = Path(os.environ["QUERN_SOURCE"])
SAMPLE = SOURCE / "specs/vectors/properties-sample.qrn"


class Descriptions(unittest.TestCase):
    tier = "medium"
    timeout = 120

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.graph = self.folder / "a graph ä.qrn"
        (self.folder / "e.csv").write_text("source,target,weight,since,label\n1,2,0.5,2024-01-02,x\n2,3,1.5,,y\n")
        run("quern-import", self.folder / "e.csv", "--properties", "all", "-q", "-o", self.folder / "first.qrn")
        run("quern-transform", self.folder / "first.qrn", "--symmetrize", "-q", "-o", self.graph)
        recipe = {"quern_recipe": 1, "name": "small", "title": "A small graph", "description": "Made for a test", "homepage": "https://example.org/",
                  "license": "https://creativecommons.org/publicdomain/zero/1.0/", "citation": ["A. Author. A small graph, 2026"],
                  "creators": ["A. Author", "B. Author"], "publisher": "Example", "year": 2026, "files": [],
                  "steps": [{"tool": "quern-generate", "options": {"model": "grid", "scale": 2}}]}
        (self.folder / "r.json").write_text(json.dumps(recipe))
        self.sum = hashlib.sha256(self.graph.read_bytes()).hexdigest()

    def described(self, form, *words, file=None):
        return json.loads(run("quern-info", file or self.graph, form, *words).stdout)

    def test_croissant(self):
        about = self.described("--croissant", "--about", self.folder / "r.json")
        file, = about["distribution"]
        self.assertEqual((file["sha256"], file["contentUrl"], about["license"], about["citeAs"]),
                         (self.sum, "a%20graph%20%C3%A4.qrn", "https://creativecommons.org/publicdomain/zero/1.0/", "A. Author. A small graph, 2026"))
        fields = {field["@id"]: field["dataType"] for records in about["recordSet"] for field in records["field"]}
        self.assertEqual((fields["edges/weight"], fields["edges/label"], fields["vertices/id"]), ("sc:Float", "sc:Text", "sc:Text"))

    def test_mlcroissant(self):
        try:
            import mlcroissant
        except ImportError:
            self.skipTest("mlcroissant is not installed")
        for words, file in ((("--about", self.folder / "r.json"), None), ((), None), ((), SAMPLE)):
            (self.folder / "c.json").write_text(json.dumps(self.described("--croissant", *words, file=file)))
            metadata = mlcroissant.Dataset(jsonld=str(self.folder / "c.json")).metadata  # it raises what is wrong
            self.assertEqual(set(metadata.ctx.issues.errors), set())
            self.assertEqual(len(metadata.record_sets), 2)

    def test_ro_crate(self):
        crate = self.described("--ro-crate", "--about", self.folder / "r.json")
        self.assertEqual(crate["@context"], "https://w3id.org/ro/crate/1.1/context")
        entities = {entity["@id"]: entity for entity in crate["@graph"]}
        self.assertEqual(len(entities), len(crate["@graph"]))
        root = entities["./"]
        self.assertEqual((entities["ro-crate-metadata.json"]["about"], root["datePublished"], root["name"]), ({"@id": "./"}, "2026", "A small graph"))
        file = entities[root["hasPart"][0]["@id"]]
        self.assertEqual((file["sha256"], file["contentSize"]), (self.sum, str(self.graph.stat().st_size)))
        steps = [entity for entity in crate["@graph"] if entity["@type"] == "CreateAction"]
        self.assertEqual((len(steps), steps[-1]["result"]["@id"], steps[0]["object"][0]["@id"]), (2, file["@id"], "#e.csv"))

        def references(value):
            if isinstance(value, dict) and list(value) == ["@id"]:
                yield value["@id"]
            elif isinstance(value, (dict, list)):
                for inner in value.values() if isinstance(value, dict) else value:
                    yield from references(inner)

        self.assertEqual(set(references(crate["@graph"])) - set(entities) - {"https://w3id.org/ro/crate/1.1"}, set())
        self.assertNotIn("#quern", str(self.described("--ro-crate", file=SAMPLE)))

    def test_reader_of_ro_crates(self):
        try:
            from rocrate.rocrate import ROCrate
        except ImportError:
            self.skipTest("the package rocrate is not installed")
        for words in (("--about", self.folder / "r.json"), ()):
            (self.folder / "ro-crate-metadata.json").write_text(json.dumps(self.described("--ro-crate", *words)))
            crate = ROCrate(str(self.folder))
            file, = crate.root_dataset["hasPart"]
            self.assertEqual((file["sha256"], crate.name), (self.sum, "A small graph" if words else "a_graph___"))
            self.assertEqual(len(crate.get_by_type("CreateAction")), 2)

    def test_datacite(self):
        self.assertIn("'creators' is missing", run("quern-info", self.graph, "--datacite", exit=2).stderr)
        about = self.described("--datacite", "--about", self.folder / "r.json")
        for key in ("creators", "titles", "publisher", "publicationYear", "types", "schemaVersion"):
            self.assertTrue(about[key], key)
        self.assertEqual([name["name"] for name in about["creators"]], ["A. Author", "B. Author"])
        try:
            from datacite import schema45
        except ImportError:
            self.skipTest("the package datacite is not installed")
        self.assertEqual([problem.message for problem in schema45.validator.iter_errors(about)], [])

    def test_refused(self):
        for words, why in ((("--croissant", "--ro-crate"), "one description"), (("--about", "x.json"), "--about is for"), (("--recipe", "--about", "x.json"), "--about is for")):
            self.assertIn(why, run("quern-info", self.graph, *words, exit=2).stderr)
        self.assertIn("no recipe tells", run("quern-info", SAMPLE, "--recipe", exit=4).stderr)
