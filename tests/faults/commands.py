"""What is done to the tools here is done to these commands: every tool, on small inputs."""

import json
import re
import shutil
import subprocess
from pathlib import Path

from harness.tools import run
from remote.server import Server

# name: (words, what they write: a file, a folder, or None). INPUTS stands for the folder of make_inputs; commands run in
# a folder of their own.
COMMANDS = {
    "import-text": ("quern-import INPUTS/edges.txt -o out.qrn", "out.qrn"),
    "import-names": ("quern-import INPUTS/names.csv --ids strings -o out.qrn", "out.qrn"),
    "import-gzip": ("quern-import INPUTS/edges.txt.gz --undirected -o out.qrn", "out.qrn"),
    "import-zip": ("quern-import INPUTS/edges.zip -o out.qrn", "out.qrn"),
    "import-npz": ("quern-import INPUTS/graph.npz -o out.qrn", "out.qrn"),
    "import-pairs": ("quern-import INPUTS/graph.bin --format pairs --record u32,u32 --duplicates remove -o out.qrn", "out.qrn"),
    "import-parts": ("quern-import INPUTS/parts -o out.qrn", "out.qrn"),
    "import-web": ("quern-import INPUTS/web -o out.qrn", "out.qrn"),
    "import-set": ("quern-import INPUTS/edges.txt --parts 2 -o out", "out"),
    "import-dated-set": ("quern-import INPUTS/dated.csv --properties all --parts 2 -o out", "out"),
    "import-types": ("quern-import --vertex-table P=INPUTS/people.csv,INPUTS/more.csv --edge-table k:P:P=INPUTS/knows.csv "
                     "--edge-table l:P:Q=INPUTS/likes.csv -o out", "out"),
    "project": ("quern-transform INPUTS/typed --edge-types k,l -o out.qrn", "out.qrn"),
    "export-types": ("quern-export INPUTS/typed --format neo4j -o out", "out"),
    "export-rdf": ("quern-export INPUTS/typed --format n-triples --base http://x/ -o out.nt", "out.nt"),
    "run-types": ("quern-run pagerank INPUTS/typed --device cpu --iterations 3 -o out.tsv", "out.tsv"),
    "arrays": ("quern-transform INPUTS/graph.qrn --vertex-array x=INPUTS/degrees.npy -o out.qrn", "out.qrn"),
    "import-spilled": ("quern-import INPUTS/many.txt --memory 12M -o out.qrn", "out.qrn"),
    "generate": ("quern-generate rmat --scale 6 --weights 1,9 --seed 2 -o out.qrn", "out.qrn"),
    "generate-piped": ("quern-generate rmat --scale 6 -o -", None),
    "fetch": ("quern-fetch INPUTS/recipe.json --offline --from INPUTS -o out.qrn", "out.qrn"),
    "remake": ("quern-remake INPUTS/fetched.qrn --offline --from INPUTS -o out.qrn", "out.qrn"),
    "transform": ("quern-transform INPUTS/graph.qrn --symmetrize --relabel degree -o out.qrn", "out.qrn"),
    "generate-blocks": ("quern-generate uniform --scale 4 --degree 3 --block-vertices 8 -o out", "out"),
    "divide": ("quern-transform INPUTS/dated.qrn --partition 3 --by ldg -o out.qrn", "out.qrn"),
    "divide-edges": ("quern-transform INPUTS/dated.qrn --partition 3 --by 2psl -o out.qrn", "out.qrn"),
    "generate-packed": ("quern-generate uniform --scale 4 --degree 3 --block-vertices 8 --layout packed -o out", "out"),
    "divide-set": ("quern-transform INPUTS/dated.qrn --partition 3 --parts-by part -o out", "out"),
    "split": ("quern-transform INPUTS/dated.qrn --parts 2 -o out", "out"),
    "cut": ("quern-transform INPUTS/dated.qrn --block-vertices 12 -o out", "out"),
    "unite": ("quern-transform INPUTS/set -o out.qrn", "out.qrn"),
    "compact": ("quern-transform INPUTS/changed --compact -o out.qrn", "out.qrn"),
    "verify-changed": ("quern-verify INPUTS/changed", None),
    "stripe": ("quern-transform INPUTS/shards.qrn --stripe . --stripe . -o out.qrn", "out.qrn"),
    "export-set": ("quern-export INPUTS/set --format csv -o out.csv", "out.csv"),
    "verify-set": ("quern-verify INPUTS/set", None),
    "run-several-blocks": ("quern-run lcc,cdlp,scc,cross-edges INPUTS/blocks --device cpu --host-memory 1K -o out", "out"),
    "run-blocks": ("quern-run bfs INPUTS/blocks --device cpu --host-memory 1K -o out.tsv", "out.tsv"),
    "run-set": ("quern-run pagerank INPUTS/set --device cpu --iterations 3 -o out.tsv", "out.tsv"),
    "pack-set": ("quern-pack INPUTS/set -o out", "out"),
    "block": ("quern-block INPUTS/graph.qrn -d both --out-edges -o out.qrn", "out.qrn"),
    "pack": ("quern-pack INPUTS/graph.qrn -o out.qrn", "out.qrn"),
    "hybrid": ("quern-hybrid INPUTS/graph.qrn --direction both -o out.qrn", "out.qrn"),
    "page": ("quern-page INPUTS/graph.qrn -o out.qrn", "out.qrn"),
    "partition": ("quern-partition INPUTS/graph.qrn -o out.qrn", "out.qrn"),
    "shard": ("quern-shard INPUTS/graph.qrn -o out.qrn", "out.qrn"),
    "export-edges": ("quern-export INPUTS/graph.qrn --format edges -o out.txt", "out.txt"),
    "export-npz": ("quern-export INPUTS/graph.qrn --format npz -o out.npz", "out.npz"),
    "export-parts": ("quern-export INPUTS/graph.qrn --format edges --parts 3 -o out", "out"),
    "export-webgraph": ("quern-export INPUTS/graph.qrn --format webgraph -o out", "out"),
    "archive": ("quern-archive create INPUTS/graph.qrn -o out.qra", "out.qra"),
    "bundle": ("quern-archive create INPUTS/graph.qrn INPUTS/shards.qrn -o out.tar", "out.tar"),
    "extract": ("quern-archive extract INPUTS/graph.qra -o out.qrn", "out.qrn"),
    "extract-member": ("quern-archive extract INPUTS/bundle.tar graph.qrn", "graph.qrn"),
    "list": ("quern-archive list INPUTS/bundle.tar", None),
    "info": ("quern-info INPUTS/graph.qrn --json", None),
    "verify": ("quern-verify INPUTS/graph.qrn INPUTS/shards.qrn INPUTS/graph.qra", None),
    "compare": ("quern-verify INPUTS/values.tsv --against INPUTS/values.tsv", None),
    "run-bfs": ("quern-run bfs INPUTS/graph.qrn --source 1 --device cpu -o out.tsv", "out.tsv"),
    "run-several": ("quern-run degree,cc INPUTS/graph.qrn --device cpu -o out", "out"),
    "run-parents": ("quern-run sssp INPUTS/graph.qrn --source 1 --device cpu --parents out.tsv", "out.tsv"),
    "tree": ("quern-verify --tree INPUTS/graph.qrn INPUTS/parents.tsv", None),
    "run-scc": ("quern-run scc INPUTS/graph.qrn --device cpu -o out.tsv", "out.tsv"),
    "run-cdlp": ("quern-run cdlp INPUTS/graph.qrn --device cpu --iterations 3 -o out.tsv", "out.tsv"),
    "run-lcc": ("quern-run lcc INPUTS/graph.qrn --device cpu -o out.tsv", "out.tsv"),
    "run-leiden": ("quern-run leiden INPUTS/undirected.qrn --device cpu -o out.tsv", "out.tsv"),
    "run-mis": ("quern-run mis INPUTS/undirected.qrn --device cpu -o out.tsv", "out.tsv"),
    "run-coloring": ("quern-run coloring INPUTS/undirected.qrn --device cpu -o out.tsv", "out.tsv"),
    "run-hits": ("quern-run hits INPUTS/graph.qrn --device cpu -o out.tsv", "out.tsv"),
    "run-closeness": ("quern-run closeness INPUTS/graph.qrn --device cpu --samples 70 -o out.tsv", "out.tsv"),
    "run-pagerank": ("quern-run pagerank INPUTS/shards.qrn --device cpu --iterations 5 -o out.tsv", "out.tsv"),
}

# The same of files on a server, SERVER, which serves the folder.
FAR = {
    "far-info": ("quern-info SERVER/graph.qrn --json", None),
    "far-neighbors": ("quern-info SERVER/fetched.qrn --neighbors 5", None),
    "far-verify": ("quern-verify SERVER/graph.qrn SERVER/graph.qra", None),
    "far-set": ("quern-verify SERVER/set/", None),
    "far-bundle": ("quern-archive extract SERVER/bundle.tar graph.qrn", "graph.qrn"),
    "far-run": ("quern-run bfs SERVER/graph.qrn --source 1 --device cpu -o out.tsv", "out.tsv"),
    "far-run-set": ("quern-run pagerank SERVER/set/set.json --device cpu --iterations 3 -o out.tsv", "out.tsv"),
    "far-export": ("quern-export SERVER/graph.qrn --format edges -o out.txt", "out.txt"),
    "far-transform": ("quern-transform SERVER/graph.qrn --egonet 5 -o out.qrn", "out.qrn"),
    "far-import": ("quern-import SERVER/edges.txt.gz -o out.qrn", "out.qrn"),
    "far-columns": ("quern-import SERVER/names.csv --ids strings -o out.qrn", "out.qrn"),
    "far-fetch": ("quern-fetch SERVER/far.json -o out.qrn", "out.qrn"),
}
ALL = {**COMMANDS, **FAR}


def make_inputs(folder):
    """Fill the folder with what the commands read."""
    folder = Path(folder)
    graph, many = folder / "graph.qrn", folder / "many.qrn"
    run("quern-generate", "rmat", "--scale", "6", "--weights", "1,9", "--seed", "1", "-q", "-o", graph)
    run("quern-generate", "rmat", "--scale", "15", "--seed", "3", "-q", "-o", many)
    run("quern-export", many, "--format", "edges", "-q", "-o", folder / "many.txt")
    many.unlink()
    for name, form in (("edges.txt", "edges"), ("graph.npz", "npz"), ("graph.bin", "pairs")):
        run("quern-export", graph, "--format", form, "-q", "-o", folder / name)
    run("quern-export", graph, "--format", "edges", "--parts", "3", "-q", "-o", folder / "parts")
    run("quern-export", graph, "--format", "webgraph", "-q", "-o", folder / "web")
    (folder / "web/_manifest.json").unlink()
    (folder / "web/web-vertices.txt").write_text("".join("%d\torg.w%02d\n" % (i, i) for i in range(64)))
    dated = folder / "dated.qrn"
    (folder / "dated.csv").write_text("src,dst,since,note\n" + "".join("%d,%d,%d,n%d\n" % (i % 17, i * i % 23, i, i) for i in range(200)))
    run("quern-import", folder / "dated.csv", "--properties", "all", "-q", "-o", dated)
    run("quern-transform", dated, "--parts", "2", "-q", "-o", folder / "set")
    run("quern-generate", "uniform", "--scale", "4", "--degree", "3", "--block-vertices", "8", "--layout", "packed", "-q", "-o", folder / "blocks")
    (folder / "late.csv").write_text("src,dst,since,note\n3,5,7,x\n90,4,8,y\n")
    run("quern-transform", dated, "--append", folder / "late.csv", "-q", "-o", folder / "changed")
    run("quern-transform", folder / "changed", "--remove", folder / "late.csv", "-q", "-o", folder / "changed")
    (folder / "people.csv").write_text("id,name\n1,Ann\n2,Bob\n")
    (folder / "more.csv").write_text("3,Cid\n")
    (folder / "knows.csv").write_text("src,dst,weight,since\n1,2,5,1999\n2,3,6,\n")
    (folder / "likes.csv").write_text("src,dst\n1,1\n3,1\n")
    words = COMMANDS["import-types"][0].replace("INPUTS", str(folder)).split()
    run(*words[:-1], folder / "typed", "-q")
    run("quern-run", "degree", graph, "--device", "cpu", "-q", "-o", folder / "degrees.npy")
    run("gzip", "-kn", folder / "edges.txt")
    (folder / "recipe.json").write_text(json.dumps({"quern_recipe": 1, "name": "r", "files": [{"name": "edges.txt"}], "steps": [
        {"tool": "quern-import", "inputs": ["edges.txt"]}, {"tool": "quern-transform", "options": {"symmetrize": True}}]}))
    run("quern-fetch", folder / "recipe.json", "--offline", "--from", folder, "-q", "-o", folder / "fetched.qrn")
    shutil.make_archive(folder / "edges", "zip", folder, "edges.txt")
    (folder / "names.csv").write_text("source,target\n" + "".join(
        "person %d,person %d\n" % (i % 17, i * i % 23) for i in range(200)))
    run("quern-transform", graph, "--symmetrize", "-q", "-o", folder / "undirected.qrn")
    run("quern-shard", graph, "-q", "-o", folder / "shards.qrn")
    run("quern-archive", "create", graph, "-q", "-o", folder / "graph.qra")
    run("quern-archive", "create", graph, folder / "shards.qrn", "-q", "-o", folder / "bundle.tar")
    run("quern-run", "bfs", graph, "--source", "1", "-q", "--device", "cpu", "-o", folder / "values.tsv", "--parents",
        folder / "parents.tsv")


def serve(inputs):
    """A server of the folder, with a recipe of what is on it."""
    served = {"/" + str(file.relative_to(inputs)): file.read_bytes() for file in sorted(Path(inputs).rglob("*")) if file.is_file()}
    server = Server(served)
    recipe = served["/recipe.json"].replace(b'"edges.txt"}]', b'"edges.txt", "urls": ["%s"]}]' % server.url("/edges.txt").encode())
    server.objects["/far.json"] = recipe
    return server


def make_scene(folder):
    """A new folder, the inputs in it, and their server."""
    folder = Path(folder).resolve()
    inputs = folder / "inputs"
    inputs.mkdir(parents=True)
    make_inputs(inputs)
    return folder, inputs, serve(inputs)


def words_of(name, inputs, *more, server="SERVER"):
    """The command as a list; on two threads, and quiet if its output is a file."""
    words, output = ALL[name]
    return words.replace("INPUTS", str(inputs)).replace("SERVER", server).split() + ["-T2", *more] + (["-q"] if output else [])


def contents(path):
    """What is at a path: {name: bytes}, {} if nothing is, {"": bytes} of a file. Names that a tool may not leave behind
    are found by looking at its whole folder with this."""
    path = Path(path)
    if path.is_dir():
        return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}
    return {"": path.read_bytes()} if path.exists() else {}


def timeless(printed):
    """What was printed, without the time it took."""
    return re.sub(rb"\d+\.\d{3} s\b|^(seconds|edges/s) .*$", b"", printed, flags=re.MULTILINE)


class Reference:
    """What a command gives when nothing fails: the files in its folder, and what it prints."""

    def __init__(self, name, inputs, folder, server="SERVER"):
        self.name = name
        Path(folder).mkdir()
        finished = subprocess.run(words_of(name, inputs, server=server), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if finished.returncode != 0:
            raise AssertionError("%s: %s" % (name, finished.stderr.decode(errors="replace")))
        self.files, self.stdout = contents(folder), finished.stdout
        self.output = ALL[name][1]
        if not (self.files if self.output else self.stdout):
            raise AssertionError("%s gives nothing" % name)
