"""The real graphs with known answers, and the layouts that must give them.

One line here is one more graph or one more layout in test_truth.py.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

GRAPHS = Path(os.environ["QUERN_TEST_GRAPHS"])


@dataclass(frozen=True)
class Dataset:
    name: str
    input: str            # below GRAPHS
    truth: str            # below GRAPHS
    key: str = ""         # of the object in the truth file, where it holds several
    options: tuple = ()   # for quern-import
    tier: str = "short"
    bipartite: bool = False  # the two columns number different things: named L1, R1 in the truth

    def present(self):
        return (GRAPHS / self.input).exists() and (GRAPHS / self.truth).exists()

    def told_apart(self, path):
        """Write a bipartite edge list with the sides named L and R; gives `path`."""
        with open(GRAPHS / self.input) as lines, open(path, "w") as out:
            out.writelines("L%s R%s\n" % tuple(line.split()[:2]) for line in lines if not line.startswith("%"))
        return path

    def known(self):
        truth = json.loads((GRAPHS / self.truth).read_text())
        return truth[self.key] if self.key else truth


def of_folder(folder, file, *options, tier="short", bipartite=False):
    return Dataset(folder, "%s/%s" % (folder, file), folder + "/truth.json", options=options, tier=tier,
                   bipartite=bipartite)


def of_set(folder, file, *options, key="", tier="short"):
    return Dataset("%s/%s" % (folder, file), "%s/%s" % (folder, file), folder + "/truth.json", key=key or file,
                   options=options, tier=tier)


DATASETS = [
    of_folder("wiki-Vote", "wiki-Vote.txt"),
    of_folder("p2p-Gnutella31", "p2p-Gnutella31.txt"),
    of_folder("soc-Slashdot0902", "soc-Slashdot0902.txt.gz", tier="medium"),
    of_folder("email-Enron", "email-Enron.txt.gz"),
    of_folder("email-Eu-core", "email-Eu-core.txt.gz"),
    of_folder("facebook_combined", "facebook_combined.txt.gz"),
    of_folder("web-Stanford", "derived/web-Stanford.txt.gz", tier="medium"),
    of_folder("cnr-2000", "derived/cnr-2000.txt.gz", tier="medium"),
    of_folder("cnr-2000", "cnr-2000.graph", tier="medium"),
    of_folder("sx-askubuntu", "derived/sx-askubuntu.txt.gz", tier="medium"),
    of_folder("sx-askubuntu", "sx-askubuntuSparse.npz", "--weights", "none", tier="medium"),
    of_folder("delaunay_n16", "delaunay_n16.mtx.gz"),
    of_folder("citeseer", "citeseer.cites", "--ids", "strings"),
    of_folder("USA-road-NY", "USA-road-d.NY.gr.gz", tier="medium"),
    of_folder("moreno_crime", "out.moreno_crime_crime", "--ids", "strings", bipartite=True),
    of_set("networkit-misc", "4elt.graph"),
    of_set("networkit-misc", "lesmis.graph"),
    of_set("networkit-misc", "celegans_metabolic.graph"),
    of_set("networkit-misc", "power.graph"),
    of_set("networkit-misc", "polblogs.graph"),
    of_set("networkit-misc", "PGPgiantcompo.graph"),
    of_set("networkit-misc", "hep-th.graph"),
    of_set("networkit-misc", "astro-ph.graph.gz", key="astro-ph.graph"),
    of_set("networkit-misc", "wing.graph.gz", key="wing.graph"),
    of_set("networkit-misc", "foodweb-baydry.konect"),
    of_set("networkit-misc", "MIT8.edgelist.gz", key="MIT8.edgelist"),
    of_folder("cal-road", "cal.cedge", "--columns", "2,3,4"),
    of_folder("USA-road-NY", "USA-road-d.NY.gr.gz", tier="medium"),
    of_set("networkit-misc", "astro-ph.graph.gz", key="astro-ph.graph"),
    of_set("networkit-misc", "wing.graph.gz", key="wing.graph"),
] + [of_set("networkit-misc", name + ".graph") for name in (
    "PGPgiantcompo", "hep-th", "power", "celegans_metabolic", "lesmis", "4elt", "polblogs")
] + [of_set("lagraph-small", name + ".mtx") for name in (
    "karate", "jagmesh7", "cryg2500", "olm1000", "zenios", "west0067", "test_FW_2003", "test_FW_1000",
    "A", "LFAT5", "ldbc-directed-example", "ldbc-undirected-example", "ldbc-wcc-example")] + [
    of_set("lagraph-small", "bcsstk13.mtx", "--narrow-weights"),
]


@dataclass(frozen=True)
class Layout:
    name: str             # as quern-info names it
    command: tuple = ()   # makes it: command, then the graph container, -o, the output

    def tool(self):
        return self.command[0] if self.command else "quern-import"


GRAPH = Layout("graph")
LAYOUTS = [
    Layout("blocked-csr", ("quern-block",)),
    Layout("edge-partitions", ("quern-partition",)),
    Layout("slotted-pages", ("quern-page",)),
    Layout("shards", ("quern-shard",)),
    Layout("hybrid", ("quern-hybrid",)),
    Layout("packed", ("quern-pack",)),
]
