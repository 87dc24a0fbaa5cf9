"""Two columns that are no edges: names beside what is said of them, and ids that a number does not keep. As odd_files.py."""

from readers.odd_files import reads, refuses

WAYS_OUT = "--columns=1,2 or --ids=strings"

# A name and a value
VALUES = {
    "whole": "5", "real": "0.5", "power": "1e-3", "percentage": "5%", "dollars": "$5.00", "euros": "7.5\u20ac", "date": "2020-01-31",
    "date-german": "31.12.2020", "date-american": "1/31/2020", "instant": "2020-01-31T10:00:00Z", "time": "10:30", "seconds": "10:30:05",
    "negative": "-3", "assignment": "age=5", "thousand": "1.5k", "month": "2020-01", "date-named": "31-Jan-2020", "truth": "true", "infinite": "inf",
}
SEPARATORS = {"csv": ",", "tsv": "\t", "txt": " "}


def beside(names, value, separator, swapped):
    rows = [(name, value) for name in names]
    return "".join(separator.join(row[::-1] if swapped else row) + "\n" for row in rows)


BESIDE = [refuses(f"{kind}-{place}.{ending}", beside(("gene1", "gene2", "gene3"), value, separator, place == "first"), ":1:")
          for kind, value in VALUES.items() for ending, separator in SEPARATORS.items() for place in ("first", "second")]
BESIDE += [refuses(f"{kind}-said.csv", beside(("ann", "bob"), value, ",", False), WAYS_OUT) for kind, value in VALUES.items()]
BESIDE += [reads(f"{kind}-chosen.csv", beside(("ann", "bob"), value, ",", False), f"ann {value}", f"bob {value}", options=option)
           for kind, value in VALUES.items() for option in ("--columns=1,2",)]
BESIDE += [reads(f"{kind}-strings.csv", beside(("ann", "bob"), value, ",", False), f"ann {value}", f"bob {value}", options="--ids=strings")
           for kind, value in VALUES.items()]
BESIDE += [reads(f"{kind}-headed.csv", "source,target\n" + beside(("ann", "bob"), value, ",", False), f"ann {value}", f"bob {value}")
           for kind, value in VALUES.items()]

# Values with a blank in them, where commas separate
BESIDE += [refuses(f"quantity-{i}.csv", beside(("v1", "v2", "v3"), value, ",", False), WAYS_OUT)
           for i, value in enumerate(("EUR 5.00", "10 kg", "50.1 8.2", "5 EUR", "1 January 2020"))]
BESIDE += [refuses(f"missing-{i}.csv", beside(("v1", "v2"), value, ",", False), "holds no value") for i, value in enumerate(("-", "NA", "?", "N/A"))]

TABLES = [
    reads("letters.csv", "a,no\nb,yes\nc,x\n", "a no", "b yes", "c x"),
    reads("header-in-a-comment.csv", "# target,source\n2,1\n3,2\n", "1 2", "2 3"),
    reads("header-in-a-comment.txt", "# made by a tool\n# target;source\n2;1\n3;2\n", "1 2", "2 3"),
    refuses("own-ranks.tsv", "alice\t0.0873\nbob\t0.12\n", WAYS_OUT),
    refuses("coordinates.csv", "a,50.1,8.2\nb,51.2,9.1\nc,49.9,7.7\n", WAYS_OUT),
    refuses("coordinates-joined.txt", "a 50.1,8.2\nb 51.2,9.1\n", WAYS_OUT),
    refuses("assignments.txt", "host=a port=1\nhost=b port=2\n", "holds only KEY=VALUE and column 1 does, too"),
    reads("assignments-alike.txt", "id=a id=b\nid=b id=c\n", "id=a id=b", "id=b id=c"),
    refuses("missing.txt", "ann 5\nbob NA\ncy -\n", "holds only numbers"),
    refuses("unknown-header.csv", "who,score\nann,31\nbob,29\n", WAYS_OUT),
    refuses("vertex-table.csv", "name,age\nAnn,31\nBob,29\n", "neither a source nor a destination"),
    refuses("vertex-words.csv", "name,label\nann,red\nbob,green\n", "neither a source nor a destination"),
    refuses("vertex-numbers.csv", "id,age\n1,31\n2,29\n", "neither a source nor a destination"),
    refuses("own-levels.csv", "vertex,level\n0,0\n1,1\n", "neither a source nor a destination"),
    reads("own-levels-chosen.csv", "vertex,level\n0,1\n1,2\n", "0 1", "1 2", options="--columns=vertex,level"),
    reads("tree.csv", "id,parent\nb,a\nc,a\n", "b a", "c a"),
    reads("bipartite-names.csv", "ann,5\nbob,7\n", "Lann R5", "Lbob R7", options="--bipartite=yes"),
    reads("one-name.txt", "ann 5\nbob cy\n", "ann 5", "bob cy"),
    reads("names-of-hosts.txt", "a.example 10.0.0.1\nb.example 10.0.0.2\n", "a.example 10.0.0.1", "b.example 10.0.0.2"),
    reads("versions.txt", "left-pad 1.2.3\nright-pad 4.5.6\n", "left-pad 1.2.3", "right-pad 4.5.6"),
    reads("quoted-names.csv", '"null","nan"\n"nan","true"\n', "null nan", "nan true"),
]

LGL = [
    refuses("weights-told.lgl", "# v0\nv1 0.5\nv2 0.25\n# v1\nv2 0.5\n", "--format=named-edges or --format=lgl"),
    refuses("sections.txt", "# math\nalice 0.5\n# physics\nbob 0.7\n", "--format=named-edges or --format=lgl"),
    refuses("two-comments.txt", "# ranks\n# 2020\nalice 0.5\n", "--format=named-edges or --format=lgl"),
    refuses("negative.lgl", "# scores\n1 -0.5\n2 -0.25\n", "found '-0.5'"),
    reads("comment-strings.txt", "# scores\nalice 0.5\n", "alice 0.5", options="--ids=strings"),
    reads("comment-columns.txt", "# scores\nalice 0.5\n", "alice 0.5", options="--columns=1,2"),
    refuses("comment-compact.txt", "# scores\nalice 0.5\n", "--ids=strings", options="--ids=compact"),
    refuses("one-comment.txt", "# scores\nalice 0.5\nbob 0.25\n", "--format=named-edges or --format=lgl"),
    refuses("numbers.lgl", "# 0\n1 5\n2 7\n# 1\n2 3\n", "--format=edges or --format=lgl"),
    refuses("behind-a-comment.lgl", "# made by a tool\n# v0\nv1\nv2\n# v1\nv2\n", "format lgl after comments"),
    refuses("behind-a-comment.txt", "# made by a tool\n# v0\nv1 0.5\nv2 0.25\n", "--format=named-edges or --format=lgl"),
    refuses("numbers-behind.txt", "# made by a tool\n# 0\n1 5\n2 7\n# 1\n2 3\n", "--format=edges or --format=lgl"),
    refuses("end-of-dos.lgl", "# v0\nv1\nv2\n\x1a", "end-of-dos.lgl:4:1"),
    reads("comment-of-one-word.txt", "# graph\n1 5\n2 7\n", "1 5", "2 7"),
    reads("comments-of-one-word.txt", "# one\n1 5\n# two\n2 7\n", "1 5", "2 7"),
]

# Ids with leading zeros
MANY = [f"{v} {v + 1}" for v in range(1, 30000)]
LINES = "".join(line + "\n" for line in MANY)
PADDED = [
    reads("postal.csv", "02134,2134\n2134,5\n", "02134 2134", "2134 5"),
    reads("postal-headed.csv", "src,dst\n1,2\n02134,2134\n", "1 2", "02134 2134"),
    reads("fixed-width.txt", "00 01\n01 02\n", "00 01", "01 02"),
    reads("as-numbers.txt", "00 01\n01 02\n", "0 1", "1 2", options="--ids=compact"),
    reads("zero.txt", "0 1\n1 0\n", "0 1", "1 0"),
    refuses("late.txt", LINES + "02134 2134\n", "late.txt:30000:1: vertex id '02134' has a leading zero"),
    refuses("late-second.csv", LINES.replace(" ", ",") + "7,08", "late-second.csv:30000:3: vertex id '08'"),
    refuses("late-weighted.tsv", "".join(f"{v}\t{v}\t0.5\n" for v in range(30000)) + "5\t05\t0.5\n", "vertex id '05'"),
    reads("late-asked.txt", LINES + "02134 2134\n", *MANY, "02134 2134", options="--ids=strings"),
    reads("late-dropped.txt", LINES + "02134 2134\n", *MANY, "2134 2134", options="--ids=compact"),
    reads("padded-weights.txt", LINES.replace("\n", " 007\n"), *(line + " 7" for line in MANY)),
]

PAJEK = "*Vertices 3\n1 \"a\"\n2 \"b\"\n3 \"c\"\n"

# What files say of themselves
SAID = [
    reads("sym.tsv", "% sym unweighted\n1 2\n2 3\n", "1 2", "2 3", undirected=True),
    reads("sym-names.tsv", "% sym weighted\nann bob 2\nbob cy 3\n", "ann bob 2", "bob cy 3", undirected=True),
    reads("sym-no-comment.txt", "% sym\nann bob\n", "% sym", "ann bob", options="--comments=# --ids=strings"),
    refuses("spaces.csv", ":START_ID(Person),:END_ID(City),:TYPE\n1,1,LIVES\n2,1,LIVES\n", "'(Person)' and '(City)'"),
    refuses("spaces-chosen.csv", "city:END_ID(City),:START_ID(Person)\n1,1\n1,2\n", "'(Person)' and '(City)'", options="--columns=2,1"),
    refuses("spaces-named.csv", ":START_ID(Person),:END_ID(City)\n1,1\n2,1\n", "'(Person)' and '(City)'",
            options="--columns=:START_ID(Person),:END_ID(City)"),
    reads("spaces-chosen-one.csv", ":START_ID(Person),:END_ID(City)\n1,1\n2,1\n", "1 1", "2 1", options="--columns=1,2 --bipartite=no"),
    reads("spaces-chosen-apart.csv", ":START_ID(Person),:END_ID(City)\n1,1\n2,1\n", "L1 R1", "L2 R1",
          options="--columns=1,2 --bipartite=yes"),
    reads("units.csv", "height (cm),width (mm)\n1,2\n", "1 2", options="--columns=1,2"),
    reads("spaces-apart.csv", ":START_ID(Person),:END_ID(City)\n1,1\n2,1\n", "L1 R1", "L2 R1", options="--bipartite=yes"),
    reads("spaces-one.csv", ":START_ID(Person),:END_ID(City)\n1,1\n2,1\n", "1 1", "2 1", options="--bipartite=no"),
    reads("empty-arcs.net", PAJEK + "*Arcs\n*Edges\n1 2 0.5\n2 3 0.25\n", "1 2 0.5", "2 3 0.25", undirected=True),
    reads("empty-edges.net", PAJEK + "*Arcs\n1 2\n*Edges\n", "1 2", vertices="3"),
    reads("no-edges.net", PAJEK + "*Edges\n", vertices="123", undirected=True),
    refuses("partition.clu", "*Vertices 3\n1\n2\n1\n", "partition (.clu)"),
    refuses("vector.vec", "*Vertices 3\n0.1\n0.2\n0.3\n", "vector of Pajek"),
    reads("escapes.nt", "<http://a/\\u00e9> <p> <b> .\n<http://a/\u00e9> <p> <c> .\n<http://a/\\U0001F600> <p> <b> .\n_:x <p> <\\u20AC\\u0041> .\n",
          "http://a/\u00e9 b", "http://a/\u00e9 c", "http://a/\U0001F600 b", "_:x \u20acA"),
    refuses("bad-escape.nt", "<http://a/\\n> <p> <b> .\n", "no escapes but"),
    refuses("surrogate.nt", "<http://a/\\uD800> <p> <b> .\n", "no escapes but"),
]

FILES = BESIDE + TABLES + LGL + PADDED + SAID
