"""Odd files, as people and their tools write them, and what has to come of each: a graph with exactly these edges, or a refusal
whose message has this word in it."""

import bz2
import gzip
from dataclasses import dataclass


@dataclass(frozen=True)
class Odd:
    name: str             # of the file
    content: bytes
    edges: tuple = None   # (source, destination) or (source, destination, weight), ids as text; in any order
    refused: str = None   # what the message must have in it
    options: tuple = ()   # for quern-import
    undirected: bool = False
    vertices: tuple = ()  # beside those that have edges
    either: bool = False  # it may be refused as well


def reads(name, content, *edges, options="", undirected=False, vertices=()):
    """An edge is "a b" or "a b 0.5", or a tuple where names have blanks."""
    edges = tuple(tuple(edge.split()) if isinstance(edge, str) else edge for edge in edges)
    return Odd(name, bytes_of(content), edges=edges, options=tuple(options.split()), undirected=undirected,
               vertices=tuple(vertices))


def refuses(name, content, word, options=""):
    return Odd(name, bytes_of(content), refused=word, options=tuple(options.split()))


def bytes_of(content):
    return content.encode() if isinstance(content, str) else content


GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="edge" attr.name="weight" attr.type="double"/>
  <graph edgedefault="%s">
    <node id="a"/><node id="b &amp; c"/><node id="alone"/>
    <edge source="a" target="b &amp; c"><data key="d0"> 0.5 </data></edge>%s
  </graph>
</graphml>
"""
GEXF = """<gexf xmlns="http://gexf.net/1.3"><graph defaultedgetype="%s"><nodes><node id="1"/><node id="2"/><node id="3"/></nodes>
<edges><edge id="0" source="1" target="2" weight="2.0"/>%s</edges></graph></gexf>
"""

QUOTES = [
    reads("comma-in-quotes.csv", '"Smith, J","Doe, A"\n', ("Smith, J", "Doe, A")),
    reads("doubled-quotes.csv", '"the ""big"" one",b\nb,"""q"""\n', ('the "big" one', "b"), ("b", '"q"')),
    reads("only-quotes.csv", 'a,""""\n"""","b"\n', ("a", '"'), ('"', "b")),
    reads("quoted-numbers.csv", '"1","2"\n"2","3"\n', "1 2", "2 3"),
    reads("quoted-one-column.csv", '"1",2\n2,"3"\n', "1 2", "2 3"),
    reads("quoted-blanks-around.csv", ' "a b" , "c" \n', ("a b", "c")),
    reads("quoted-crlf.csv", '"a","b"\r\n"b","c"\r\n', "a b", "b c"),
    reads("quoted-no-last-newline.csv", '"a","b"\n"b","c"', "a b", "b c"),
    reads("break-in-unused-column.csv", 'source,target,note\n1,2,"two\nlines"\n2,3,"three\n\n lines, and ""more"""\n', "1 2", "2 3"),
    reads("break-in-header.csv", 'source,target,"a\nnote"\n1,2,x\n2,3,y\n', "1 2", "2 3"),
    reads("break-with-crlf.csv", 'source,target,note\r\n1,2,"two\r\nlines"\r\n2,3,x\r\n', "1 2", "2 3"),
    reads("delimiters-in-quotes.csv", 'source;target\n"a;b";"c,d|e"\n', ("a;b", "c,d|e")),
    reads("quoted-tabs.tsv", '"a"\t"b c"\n"b c"\t"d"\n', ("a", "b c"), ("b c", "d")),
    reads("quoted-words.txt", '"Ann Lee" "Bob"\n"Bob" "Cy"\n', ("Ann Lee", "Bob"), ("Bob", "Cy")),
    reads("quoted-null.csv", 'source,target\n"NULL",a\n', "NULL a"),
    reads("quoted-hash.csv", '"#tag","b"\n"b","#tag"\n', "#tag b", "b #tag"),
    reads("quotes-as-text.csv", 'a,5" disk\nb,c\n', ("a", '5" disk'), "b c", options="--quotes=no"),
    reads("inch-mark.tsv", 'a\t5" disk\nb\tc\n', ("a", '5" disk'), "b c"),
    reads("quoted-weights.csv", '"1","2","0.5"\n' * 99 + '"12345678","9","123.25"\n', *99 * ["1 2 0.5"], "12345678 9 123.25"),
    reads("quoted-weights-crlf.tsv", '"1"\t"2"\t"7"\r\n' * 99, *99 * ["1 2 7"]),
    reads("quoted-then-not.csv", '"1","2","0.5"\n' * 99 + '"3",4,"0.25"\n', *99 * ["1 2 0.5"], "3 4 0.25"),
    refuses("quoted-weight-open.csv", '"1","2","0.5"\n' * 99 + '"1","2",0.5"\n', "quoted-weight-open.csv:100"),
    refuses("quoted-weight-between.csv", '"1","2","0.5"\n' * 99 + '"1""2","0.5"\n', "quoted-weight-between.csv:100"),
    refuses("quoted-weight-more.csv", '"1","2","0.5"\n' * 99 + '"1","2","0.5","7"\n', "quoted-weight-more.csv:100"),
    refuses("open-quote.csv", '"a",b\n"c,d\ne,f\n', "not closed"),
    refuses("open-quote-last.csv", 'a,b\nc,"d', "not closed"),
    refuses("quote-then-text.csv", '"a",b\n"c"d,e\n', "follows the quote"),
    refuses("backslash-escape.csv", '"a","b"\n"c \\"d\\"","e"\n', "doubled"),
    refuses("stray-quote.csv", '"a","b"\nc"d,e\n', "not in quotes"),
    refuses("stray-quote-max-bad.csv", '"a","b"\nc"d,e\n', "not in quotes", options="--max-bad 5"),
    refuses("quoted-empty.csv", 'source,target\n"","b"\n', "found none"),
    refuses("quoted-empty-asked.csv", '"","b"\n', "name of a vertex", options="--ids=strings"),
    refuses("line-break-in-name.csv", '"a\nb","c"\n"c","d"\n', "without NUL, tab or line end"),
    refuses("tab-in-name.json", '[["a\\tb", "c"]]', "without tab or line end"),
    refuses("tab-in-name.graphml", GRAPHML.replace('id="alone"', 'id="a&#9;b"') % ("directed", ""), "without tab or line end"),
    refuses("quoted-id-letter.csv", '"1","2"\n"1","x"\n', "--ids=strings"),
]

COLUMNS = [
    refuses("decimal-comma.csv", "source;target;weight\n1;2;0,5\n", "--decimal=comma"),
    reads("decimal-comma-asked.csv", "source;target;weight\n1;2;0,5\n2;3;-1,25\n", "1 2 0.5", "2 3 -1.25", options="--decimal=comma"),
    refuses("decimal-comma-point.csv", "source;target;weight\n1;2;1.000\n", "has a point", options="--decimal=comma"),
    refuses("decimal-comma-headless.csv", "1;2;0,5\n3;4;1,5\n", "--decimal=comma"),
    refuses("thousands.tsv", "1\t2\t1,000\n", "--decimal=comma"),
    refuses("thousands-headed.tsv", "source\ttarget\tweight\n1\t2\t1,000\n", "1,000"),
    refuses("header-too-short.csv", "source,target\n1,2,3\n", "names 2 columns"),
    refuses("header-too-long.csv", "source,target,weight\n1,2\n", "names 3 columns"),
    refuses("row-names.csv", '"from","to","weight"\n"1",1,2,0.5\n"2",2,3,0.5\n', "names of rows"),
    reads("row-names-chosen.csv", '"from","to","weight"\n"1",1,2,0.5\n"2",2,3,0.5\n', "1 2 0.5", "2 3 0.5", options="--columns=2,3,4"),
    reads("semicolons.csv", "1;2\n2;3\n", "1 2", "2 3"),
    reads("bars.txt", "1|2|5\n2|3|7\n", "1 2 5", "2 3 7"),
    reads("bars-names.txt", "source|target\nann|bob\n", "ann bob"),
    reads("tabs.tsv", "1\t2\n2\t3\n", "1 2", "2 3"),
    reads("tabs-and-blanks.txt", "1\t2\n2 3\n", "1 2", "2 3"),
    reads("comma-and-blank.csv", "1, 2, 0.5\n2, 3, 1.5\n", "1 2 0.5", "2 3 1.5"),
    reads("blanks-at-line-ends.txt", "1 2 \n 2 3\t\n", "1 2", "2 3"),
    reads("tab-at-line-ends.tsv", "1\t2\t\n2\t3\t\n", "1 2", "2 3"),
    refuses("comma-at-line-ends.csv", "1,2,\n2,3,\n", "found none"),
    reads("commas-in-names.csv", "source;target\nSmith, J;Doe, A\nDoe, A;Roe, R\n", ("Smith, J", "Doe, A"), ("Doe, A", "Roe, R")),
    refuses("two-delimiters.csv", "Smith, J;Doe, A\nDoe, A;Roe, R\n", "--delimiter"),
    reads("two-delimiters-chosen.csv", "Smith, J;Doe, A\nDoe, A;Roe, R\n", ("Smith, J", "Doe, A"), ("Doe, A", "Roe, R"), options="--delimiter=semicolon"),
    refuses("other-delimiter-later.csv", "1,2\n2;3\n", "found only 1"),
    refuses("comma-for-a-tab.tsv", "1\t2\t3\n1\t2,3\n", "found only 2"),
    refuses("delimiter-wrong.csv", "1,2\n2,3\n", "found 1 column", options="--delimiter=tab"),
    refuses("one-more-column.csv", "1,2\n2,3,4\n", "one more"),
    reads("vertices-only.txt", "1\n2\n3\n", vertices="123"),
    refuses("one-column.txt", "ann\nbob\n", "found 1 column"),
    refuses("empty-id.csv", "source,target\n1,\n", "found none"),
    refuses("empty-first-id.csv", "source,target\n,1\n2,3\n", "found none"),
    refuses("empty-weight.csv", "source,target,weight\n1,2,0.5\n2,3,\n", "found none"),
    reads("empty-weight-dropped.csv", "source,target,weight\n1,2,0.5\n2,3,\n", "1 2", "2 3", options="--weights=none"),
    reads("empty-unused.csv", "source,target,label,weight\n1,2,,0.5\n2,3,x,1.5\n", "1 2 0.5", "2 3 1.5"),
    refuses("null-name.csv", "source,target\nann,NULL\n", "--ids=strings"),
    refuses("backslash-n.csv", "source,target\nann,\\N\nbob,ann\n", "there is none"),
    refuses("nan-name.csv", "source,target\nann,NaN\n", "there is none"),
    reads("null-name-asked.csv", "source,target\nann,NULL\n", "ann NULL", options="--ids=strings"),
    refuses("null-number.csv", "source,target\n1,NULL\n2,3\n", "NULL"),
    refuses("null-weight.csv", "source,target,weight\n1,2,NULL\n2,3,1\n", "NULL", options="--columns=source,target,weight"),
    refuses("nan-weight.csv", "source,target,weight\n1,2,nan\n", "finite"),
    reads("trailing-comments.txt", "1 2 # first\n2 3\t# second\n3 4\n", "1 2", "2 3", "3 4", options="--trailing-comments"),
    refuses("trailing-comments-not-asked.txt", "1 2 # first\n2 3 # second\n", "expected a weight"),
    reads("trailing-comment-in-quotes.csv", 'source,target\n"a #1",b # x\n', ("a #1", "b"), options="--trailing-comments"),
    reads("header-not-a-header.csv", "a,b\nb,c\n", "a b", "b c", options="--ids=strings"),
    reads("header-said.csv", "a,b\nb,c\n", "b c", options="--ids=strings --header=yes"),
    reads("header-denied.csv", "source,target\nb,c\n", "source target", "b c", options="--header=no"),
    reads("header-by-numbers-below.csv", "person,friend,since\nann,bob,3\nbob,cy,4\n", "ann bob 3", "bob cy 4"),
    refuses("triples.txt", "ann knows bob\nbob knows cy\n", "triples"),
    refuses("triples.tsv", "ann\tknows\tbob\nbob\tknows\tcy\n", "triples"),
    reads("triples-chosen.tsv", "ann\tknows\tbob\nbob\tknows\tcy\n", "ann bob", "bob cy", options="--columns=1,3"),
    refuses("sif.sif", "1 pp 2\n2 pp 3\n", "found 'pp'"),
    refuses("prose.txt", "the quick brown fox\njumps over lazy dogs\n", "third no weight"),
    refuses("prose-uneven.txt", "This is a file.\nIt holds a story, not edges.\n", "prose-uneven.txt:1"),
    refuses("number-and-name.csv", "1,ann\n2,bob\n", "--ids=strings"),
    reads("number-and-name-asked.csv", "1,ann\n2,bob\n", "1 ann", "2 bob", options="--ids=strings"),
    refuses("negative-id.csv", "source,target\n-1,2\n", "negative"),
    reads("addresses.txt", "0x1f 0x2a\n", "0x1f 0x2a"),
    refuses("plus-id.txt", "+1 2\n", "expected"),
]

TOOLS = [
    # pandas: an index column, whole ids as floats where a column had gaps
    reads("pandas-index.csv", ",source,target,weight\n0,10,20,0.5\n1,20,30,1.5\n", "10 20 0.5", "20 30 1.5"),
    reads("pandas-index-other-names.csv", ",a,b\n0,10,20\n1,20,30\n", "10 20", "20 30"),
    reads("pandas-unnamed.csv", "Unnamed: 0,source,target\n0,10,20\n1,20,30\n", "10 20", "20 30"),
    reads("pandas-floats.csv", "source,target\n1.0,2.0\n2.0,3.0\n", "1 2", "2 3"),
    reads("pandas-floats-headless.csv", "1.0,2.00\n2.,3\n", "1 2", "2 3"),
    refuses("pandas-floats-broken.csv", "source,target\n1.0,2.5\n", "2.5"),
    refuses("pandas-floats-large.csv", "source,target\n1.0,36028797018963968.0\n", "2^53"),
    # networkx: write_edgelist, with data and without
    reads("networkx.edgelist", "1 2 {}\n2 3 {}\n", "1 2", "2 3"),
    reads("networkx-weights.edgelist", "1 2 {'weight': 0.5}\n2 3 {'weight': 3, 'color': 'red'}\n", "1 2 0.5", "2 3 3"),
    reads("networkx-data.edgelist", "1 2 {'color': 'a, {b} \\'c', 'n': [1, 2]}\n", "1 2"),
    reads("networkx-names.edgelist", "ann bob {'color': 'red', 'weight': 2}\nbob cy {'weight': 1}\n", "ann bob 2", "bob cy 1"),
    reads("networkx-comma.edgelist", "1,2,{'a': 1, 'weight': 0.5}\n2,3,{'a': 2, 'weight': 1.5}\n", "1 2 0.5", "2 3 1.5"),
    refuses("networkx-mixed.edgelist", "1 2 {'weight': 0.5}\n2 3 {}\n", "key 'weight'"),
    refuses("networkx-late.edgelist", "1 2 {'color': 1}\n2 3 {'weight': 5}\n", "without the key 'weight'"),
    reads("networkx-late-dropped.edgelist", "1 2 {'color': 1}\n2 3 {'weight': 5}\n", "1 2", "2 3", options="--weights=none"),
    refuses("networkx-text-weight.edgelist", "1 2 {'weight': 'much'}\n", "expected a weight"),
    refuses("networkx-nan.edgelist", "1 2 {'weight': nan}\n", "finite"),
    refuses("networkx-cut.edgelist", "1 2 {'weight': 1}\n2 3 {'weight': 1\n", "found one more"),
    # igraph, cuGraph, Spark, DuckDB, SNAP, KONECT
    reads("igraph.ncol", "ann bob 0.5\nbob cy 1.5\n", "ann bob 0.5", "bob cy 1.5"),
    reads("igraph-data-frame.csv", '"from","to","weight"\n"a","b",1\n"b","c",2\n', "a b 1", "b c 2"),
    reads("cugraph.csv", "src,dst,wgt\n0,1,0.5\n1,2,1.5\n", "0 1 0.5", "1 2 1.5"),
    reads("spark.csv", "src,dst,relationship\na,b,friend\nb,c,follow\n", "a b", "b c"),
    reads("duckdb.csv", "from_id,to_id,created_at\n1,2,2020-01-01 00:00:00\n2,3,2020-01-02 00:00:00\n", "1 2", "2 3"),
    reads("snap.txt", "# Directed graph\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n", "0 1", "1 2"),
    reads("konect.tsv", "% asym weighted\n% 2 3 3\n1 2 0.5 1082040961\n2 3 1.5 1082040961\n", "1 2 0.5", "2 3 1.5"),
    reads("times.csv", "source,target,timestamp\n1,2,1600000000\n2,3,1600000001\n", "1 2", "2 3"),
    # Gephi
    reads("gephi.csv", "Source,Target,Type,Id,Label,timeset,Weight\n1,2,Directed,0,,,1.0\n2,3,Directed,1,,,2.0\n", "1 2 1", "2 3 2"),
    reads("gephi-undirected.csv", "Source,Target,Type,Id,Label,Weight\n1,2,Undirected,0,,1.0\n2,3,Undirected,1,,2.0\n", "1 2 1", "2 3 2",
          undirected=True),
    refuses("gephi-mixed.csv", "Source,Target,Type\n1,2,Undirected\n2,3,Directed\n", "one or the other"),
    reads("gephi-ids.csv", "Source,Target,Id\n1,2,7\n2,3,8\n", "1 2", "2 3"),
    # Neo4j
    reads("neo4j.csv", ":START_ID,weight:float,:END_ID,:TYPE\n1,0.5,2,KNOWS\n2,1.5,3,KNOWS\n", "1 2 0.5", "2 3 1.5"),
    reads("neo4j-names.csv", ':START_ID(P),:END_ID(P),:TYPE\n"Ann, A","Bob",KNOWS\n', ("Ann, A", "Bob")),
    # Byte order marks, line ends, emptiness
    reads("mark.csv", b"\xef\xbb\xbfsource,target\n1,2\n", "1 2"),
    reads("mark-quoted.csv", b'\xef\xbb\xbf"source","target"\n"a","b"\n', "a b"),
    reads("only-header.csv", "source,target\n"),
    reads("only-comments.txt", "# nothing\n% at all\n\n"),
]

OTHERS = [
    refuses("page.html", "<!DOCTYPE html>\n<html><body>404</body></html>\n", "HTML"),
    refuses("page-2.html", "\n<HTML>\n<head>\n", "HTML"),
    refuses("web.properties", "#BVGraph properties\nnodes=3\narcs=2\ngraphclass=it.unimi.dsi.webgraph.BVGraph\n",
            "NAME.graph"),
    refuses("feed.xml", '<?xml version="1.0"?>\n<rss><item/></rss>\n', "XML"),
    refuses("table.parquet", b"PAR1\x15\x04\x15\x10" + bytes(40) + b"PAR1", "Parquet"),
    refuses("table.arrow", b"ARROW1\0\0" + bytes(40), "Arrow"),
    refuses("table.feather", b"FEA1" + bytes(40), "Feather"),
    refuses("stream.arrow", b"\xff\xff\xff\xff\x70\0\0\0" + bytes(40), "Arrow"),
    refuses("table.avro", b"Obj\x01\x04\x14avro.codec\x08null", "Avro"),
    refuses("table.orc", b"ORC\x08\x03\x10", "ORC"),
    refuses("graph.sqlite", b"SQLite format 3\0" + bytes(84), "SQLite"),
    refuses("graph.dump", b"PGDMP\x01\x0e\0" + bytes(20), "PostgreSQL"),
    refuses("matrix.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + b" " * 86 + b"\0\1IM", "MATLAB"),
    refuses("graph.pickle", b"\x80\x04\x95\x10\0\0\0\0\0\0\0\x8c\x08networkx", "pickle"),
    refuses("graph.pt", b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "pickle"),
    refuses("workspace.rda", b"RDX3\nX\n\0\0\0\3", "workspace of R"),
    refuses("graph.gdf", "nodedef>name VARCHAR,label VARCHAR\na,A\nb,B\nedgedef>node1 VARCHAR,node2 VARCHAR\na,b\n", "GDF"),
    refuses("graph.dl", "dl n=3 format=edgelist1\nlabels:\na,b,c\ndata:\n1 2 1\n", "UCINET"),
    refuses("graph.vna", "*node data\nID\na\n*tie data\nfrom to\na b\n", "NetDraw"),
    refuses("graph.tlp", '(tlp "2.3"\n(nb_nodes 2)\n(edge 0 0 1)\n)\n', "Tulip"),
    refuses("graph.g6", ">>graph6<<DQc\n", "graph6"),
    refuses("graph.s6", ">>sparse6<<:Fa@x^\n", "sparse6"),
    refuses("graph.tgf", "1 First\n2 Second\n#\n1 2 edge\n", "--ids=strings"),
    refuses("graph.gfa", "H\tVN:Z:1.0\nS\t1\tACGT\nL\t1\t+\t2\t+\t0M\n", "graph.gfa:"),
    refuses("keys.yaml", "a: b\nb: c\n", "YAML"),
    reads("keys-asked.txt", "a: b\nb: c\n", "a: b", "b: c", options="--format=named-edges"),
    refuses("quoted-keys-alone.yaml", '"a": c\n\'d\': "e"\n', "YAML"),
    reads("colon-in-quotes.csv", '"to: ann","{\'weight\': 3}"\n' * 2, *2 * [("to: ann", "{'weight': 3}")], options="--ids=strings"),
    reads("colon-in-second.csv", 'a,b: c\nd,e: f\n', ("a", "b: c"), ("d", "e: f"), options="--delimiter=comma"),
    refuses("message.eml", "From: ann\nTo: bob\n", "keys and values"),
    reads("addresses-with-ports.txt", "a:80 b:81\nb:81 c:\n", "a:80 b:81", "b:81 c:"),
    refuses("script.sh", "#!/bin/sh\necho hello\n", "a script"),
    refuses("mesh.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", "mesh.ply:1"),
    refuses("tree.newick", "((A,B),C);\n", "tree.newick:1"),
    refuses("paper.pdf", b"%PDF-1.5\n%\xe2\xe3\n1 0 obj\n", "PDF"),
    refuses("figure.png", b"\x89PNG\r\n\x1a\n" + bytes(20), "picture"),
    refuses("photo.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF", "picture"),
    refuses("program", b"\x7fELF\2\1\1\0\n", "program"),
    refuses("sheet.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Office"),
    refuses("graph.7z", b"7z\xbc\xaf\x27\x1c\0\4", "7-Zip"),
    refuses("graph.rar", b"Rar!\x1a\7\1\0", "RAR"),
    refuses("pointer.txt", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "Git LFS"),
    refuses("tables.sql", "CREATE TABLE edges (a int, b int);\nINSERT INTO edges VALUES (1,2);\n", "SQL"),
    refuses("key.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n", "PEM"),
    refuses("utf-16.txt", "1 2\n2 3\n".encode("utf-16"), "UTF-16"),
    refuses("utf-16-big.txt", b"\xfe\xff" + "1 2\n".encode("utf-16-be"), "iconv -f UTF-16 "),
    refuses("utf-16-unmarked.txt", "source target\n1 2\n".encode("utf-16-le"), "iconv -f UTF-16LE"),
    refuses("utf-16-unmarked-big.txt", "source target\n1 2\n".encode("utf-16-be"), "iconv -f UTF-16BE"),
    refuses("utf-32.txt", "1 2\n2 3\n".encode("utf-32"), "UTF-32"),
    refuses("utf-32-big.txt", b"\0\0\xfe\xff" + "1 2\n".encode("utf-32-be"), "iconv -f UTF-32 "),
    refuses("utf-32-unmarked.txt", "source target\n1 2\n".encode("utf-32-le"), "iconv -f UTF-32LE"),
    refuses("utf-32-unmarked-big.csv", "a,b\n".encode("utf-32-be"), "iconv -f UTF-32BE", options="--ids=strings"),
    refuses("returns.txt", "1 2\r2 3\r3 4\r", "CR alone"),
    refuses("returns-names.csv", "a,b\rb,c\r", "CR alone"),
    refuses("empty.gz", gzip.compress(b"", mtime=0), "empty"),
    refuses("empty.bz2", bz2.compress(b""), "empty"),
    refuses("padded.gz", gzip.compress(b"1 2\n", mtime=0) + bytes(512), "zeros follow"),
    refuses("appended.gz", gzip.compress(b"1 2\n", mtime=0) + b"more of it", "something follows"),
    refuses("cut.gz", gzip.compress(b"1 2\n2 3\n" * 99, mtime=0)[:-9], "damaged"),
    refuses("rdf.ttl", "@prefix : <http://e.org/> .\n:a :b :c .\n", "Turtle"),
    refuses("nothing.txt", b"", "empty"),
    refuses("zeros.bin", bytes(100), "zeros.bin"),
]

NESTED = [
    reads("directed.graphml", GRAPHML % ("directed", ""), ("a", "b & c", "0.5"), vertices=["alone"]),
    reads("undirected.graphml", GRAPHML % ("undirected", ""), ("a", "b & c", "0.5"), vertices=["alone"], undirected=True),
    reads("default-weight.graphml", GRAPHML.replace("double\"/>", "double\"><default>2</default></key>") %
          ("directed", '<edge source="a" target="a"/>'), ("a", "b & c", "0.5"), ("a", "a", "2"), vertices=["alone"]),
    refuses("no-weight.graphml", GRAPHML % ("directed", '<edge source="a" target="a"/>'), "no weight"),
    refuses("mixed.graphml", GRAPHML % ("directed", '<edge source="a" target="a" directed="false"/>'), "one or the other"),
    refuses("hyper.graphml", GRAPHML % ("directed", '<hyperedge><endpoint node="a"/></hyperedge>'), "more than two ends"),
    refuses("cut.graphml", (GRAPHML % ("directed", ""))[:-30], "damaged XML"),
    refuses("no-source.graphml", GRAPHML % ("directed", '<edge target="a"/>'), "attribute source"),
    refuses("laughs.graphml", '<!DOCTYPE g [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>\n<graphml><graph edgedefault="directed">'
            '<node id="&b;"/></graph></graphml>\n', "entity"),
    refuses("deep.graphml", "<graphml>" + "<x>" * 300 + "</x>" * 300 + "</graphml>", "nested deeper"),
    refuses("two-weights.graphml", GRAPHML.replace("  <graph", '  <key id="d1" for="edge" attr.name="weight"/>\n  <graph') %
            ("directed", ""), "two-weights.graphml:4:47: a second key of edges is called 'weight', beside 'd0'"),
    refuses("weight-and-more.graphml", GRAPHML.replace(" 0.5 ", "1 2") % ("directed", ""), "expected one weight"),
    refuses("weight-and-element.graphml", GRAPHML.replace(" 0.5 ", "1<x/>2") % ("directed", ""), "found the element x"),
    refuses("weight-twice.graphml", GRAPHML.replace("</data>", '</data><data key="d0">2</data>') % ("directed", ""), "two weights"),
    refuses("word.graphml", GRAPHML.replace("0.5", "much") % ("directed", ""), "expected a weight"),
    reads("directed.gexf", GEXF % ("directed", ""), "1 2 2", vertices="3"),
    reads("undirected.gexf", GEXF % ("undirected", ""), "1 2 2", vertices="3", undirected=True),
    refuses("mutual.gexf", GEXF % ("mutual", ""), "mutual"),
    refuses("mixed.gexf", GEXF % ("directed", '<edge source="1" target="3" type="undirected" weight="1"/>'), "one or the other"),

    reads("networkx.gml", 'graph [\n  directed 1\n  node [\n    id 0\n    label "a ] [ b"\n  ]\n  node [\n    id 1\n  ]\n'
          '  edge [\n    source 0\n    target 1\n    weight 0.5\n  ]\n]\n', "0 1 0.5"),
    reads("newman.gml", 'Creator "Mark"\nGraph\n[\n  node\n  [\n    id 1\n  ]\n  node [ id 2 graphics [ x 1 y [ z 2 ] ] ]\n'
          '  edge\n  [\n    source 1\n    target 2\n    value 3\n  ]\n]\n', "1 2 3", undirected=True),
    refuses("open.gml", "graph [\n node [ id 1 ]\n", "brackets are closed"),
    refuses("string.gml", 'graph [ node [ id 1 label "x ] ]\n', "not closed"),
    refuses("no-target.gml", "graph [ node [ id 1 ] edge [ source 1 ] ]\n", "source and target"),
    refuses("source-twice.gml", 'graph [ node [ id 1 ] edge [ source 1 source 2 target 1 ] ]\n', "'source' is there twice"),
    refuses("weight-twice.gml", 'graph [ node [ id 1 ] edge [ source 1 target 1 weight 1 weight 2 ] ]\n', "'weight' is there twice"),
    reads("value-and-weight.gml", 'graph [ directed 1 edge [ source 1 target 2 value 3 weight 4 ] ]\n', "1 2 4"),
    refuses("directed-2.gml", 'graph [ directed 2 node [ id 5 ] ]\n', "found '2'"),
    refuses("edge-outside.gml", 'graph [ node [ id 1 ] ]\nedge [ source 1 target 1 ]\n', "'edge' is not in the graph"),
    refuses("directed-last.gml", 'graph [ edge [ source 1 target 1 ] directed 1 ]\n', "some edges are directed"),
    refuses("two-graphs.gml", 'graph [ node [ id 1 ] ]\ngraph [ node [ id 2 ] ]\n', "second graph"),
    refuses("deep.gml", "graph [ " + "x [ " * 100 + "] " * 100 + "]\n", "nested deeper"),

    reads("node-link.json", '{"directed": true, "multigraph": false, "graph": {"x": [1, {"y": "]}"}]}, "nodes": [{"id": "a"}, {"id": 7}], '
          '"links": [{"weight": 0.5, "source": "a", "target": 7}]}', "a 7 0.5"),
    reads("node-link-undirected.json", '{"directed": false, "nodes": [{"id": 0}, {"id": 1}, {"id": 2}], "edges": [{"source": 0, "target": 1}]}',
          "0 1", vertices="2", undirected=True),
    reads("d3.json", '{"nodes":[{"name":"x"},{"name":"y"}],"links":[{"source":1,"target":0,"value":3}]}', "1 0 3"),
    refuses("d3-indices.json", '{"nodes":[{"id":"x"},{"id":"y"}],"links":[{"source":1,"target":0}]}', "vertices of the list"),
    reads("lines.jsonl", '{"source":"a","target":"b \\u00e9","weight":1.5}\n{"source":"b \\u00e9","target":"a","weight":2}\n',
          ("a", "b \u00e9", "1.5"), ("b \u00e9", "a", "2")),
    reads("objects.json", '[\n{"src": 1, "dst": 2},\n{"src": 2, "dst": 3}\n]\n', "1 2", "2 3"),
    reads("pairs.json", '[["a", "b", 0.5], ["b", "c", 2]]', "a b 0.5", "b c 2"),
    reads("empty-list.json", "[]"),
    refuses("other.json", '{"name": "package", "version": 1}\n', "JSON"),
    refuses("no-edges.json", '{"nodes": [{"id": 1}]}\n', "links or edges"),
    refuses("cut.json", '{"directed": true, "nodes": [{"id": 1}], "links": [{"source": 1,', "ends in a value"),
    refuses("null-end.json", '[{"source": null, "target": 2}]', "source and target"),
    refuses("real-end.json", '[{"source": 1.5, "target": 2}]', "source and target"),
    refuses("late.json", '{"links": [{"source": 1, "target": 2}], "directed": false}', "before it is said"),
    refuses("deep.json", '{"graph": ' + "[" * 300 + "]" * 300 + ', "links": []}', "nested deeper"),
    refuses("numbers-as-strings.json", '[{"source": 1, "target": "1"}]', "would be one vertex"),
    refuses("numbers-as-strings.jsonl", '{"source": 1, "target": 2}\n{"source": "2", "target": 3}\n', "would be one vertex"),
    reads("numbers-as-strings-asked.jsonl", '{"source": 1, "target": 2}\n{"source": "2", "target": 3}\n', "1 2", "2 3", options="--ids=strings"),
    refuses("source-twice.json", '[{"source": 1, "source": 3, "target": 2}]', "not JSON"),
    refuses("half-a-pair.json", '[{"source": "\\ud83d", "target": "b"}]', "not JSON"),
    refuses("two-lists.json", '{"links": [], "edges": [{"source": 1, "target": 2}]}', "two-lists.json:1"),
    refuses("list-twice.json", '[{"source": 1, "target": 2}] [{"source": 3, "target": 4}]', "list-twice.json:1"),
    refuses("unlisted.json", '{"directed": true, "nodes": [{"id": "a"}], "links": [{"source": "a", "target": "b"}]}', "vertices of the list"),
    refuses("map.json", '{"a": ["b", "c"], "b": ["c"]}', "JSON"),
    reads("long-weight.json", '[{"source": 1, "target": 2, "weight": 0.' + 80 * "0" + '5}]', "1 2 5e-81"),
    refuses("long-weight-string.json", '[{"source": 1, "target": 2, "weight": "0.' + 80 * "0" + '5"}]', "less than 64"),
    # Words that are found fast
    reads("zeros.net", "*Vertices 12\n*Arcs\n01 002\n 0010\t0012\n", "1 2", "10 12", vertices=[str(v) for v in range(3, 13)]),
    reads("counted.net", "*Vertices 101\n*Edges\n9 10\n99 100\n100 101\n", "9 10", "99 100", "100 101", undirected=True,
          vertices=[str(v) for v in range(1, 102)]),
    reads("marked.net", b"\xef\xbb\xbf*Vertices 2\r\n*Arcs\r\n\t1 \t 2 \r\n", "1 2"),
    refuses("zero.net", "*Vertices 2\n*Arcs\n0 1\n", "zero.net:3"),
    refuses("zeros-only.net", "*Vertices 2\n*Arcs\n1 000\n", "zeros-only.net:3"),
    refuses("nine-digits.net", "*Vertices 2\n*Arcs\n1 100000001\n", "nine-digits.net:3"),
    refuses("sign.net", "*Vertices 2\n*Arcs\n1 +2\n", "sign.net:3"),
    refuses("digits-then.net", "*Vertices 2\n*Arcs\n1 2x\n", "digits-then.net:3"),
    refuses("list-beyond.net", "*Vertices 2\n*Arcslist\n1 2 3\n", "found '3'"),
    refuses("nul-weight.net", b"*Vertices 2\n*Arcs\n1 2 5\0x\n", "nul-weight.net:3"),
    refuses("nul-weight.lgl", b"# a\nb 5\0x\n", "nul-weight.lgl:2"),
    reads("quotes-behind-words.adjlist", 'a "b c" d\n"e" a\tf \r\n', ("a", "b c"), "a d", "e a", "e f", options="--format=neighbors"),
    reads("longest.adjlist", 65535 * "n" + " a " + 65535 * "m" + "\n", (65535 * "n", "a"), (65535 * "n", 65535 * "m"), options="--format=neighbors"),
    refuses("too-long.adjlist", "a " + 65536 * "n" + "\n", "65535", options="--format=neighbors"),
    refuses("nul.adjlist", b"a b\nc d\0e\n", "nul.adjlist:2", options="--format=neighbors"),
    reads("marked.adjlist", b"\xef\xbb\xbfa b\r\nb\r\n", "a b", options="--format=neighbors"),
    reads("hyper-bars.txt", "a b|c\n", ("E1", "Va b"), "E1 Vc", options="--format=hyperedges"),
    reads("lines-in-data.graphml", GRAPHML % ("directed", '<edge source="a" target="a"><desc>7</desc><data key="d0">\n1<!-- 3 -->2<![CDATA[.]]>&#53;\n</data>8</edge>9'),
          ("a", "b & c", "0.5"), ("a", "a", "12.5"), vertices=["alone"]),
    reads("longest.dot", "digraph { %s -> \"%s\" }" % (65535 * "n", 65535 * "m"), (65535 * "n", 65535 * "m")),
    refuses("too-long.dot", "digraph { a -> %s }" % (65536 * "n"), "too-long.dot:1:65551"),
    refuses("too-long-string.dot", 'digraph { a -> "%s" }' % (65536 * "n"), "too-long-string.dot:1:65552"),
    refuses("nul-word.dot", b"digraph { a -> b\0c }", "nul-word.dot:1"),
    refuses("nul-string.dot", b'digraph { a -> "b\0c" }', "NUL in it"),
    reads("escapes.dot", 'digraph { "a\\"b" -> "c\\\nd" -> "e\\f\ng" }'.replace("\ng", "g"), ('a"b', "cd"), ("cd", "e\\fg")),
    refuses("open-string.dot", 'digraph { a -> "b\\', "not closed"),
    refuses("open-string-quote.dot", 'digraph { a -> "b\\"', "not closed"),
    reads("capitals.dot", "DIGRAPH G { NODE [a=b]; Edge [c=d]; a -> B [WEIGHT=2]; nodes -> edger [weigh=3,Weight=4] }", "a B 2", "nodes edger 4"),
    reads("capitals.gml", "GRAPH [ Directed 1 NODE [ ID 1 ] Node [ iD 2 ] eDgE [ SOURCE 1 Target 2 wEIGHT 2.5 ] ]", "1 2 2.5"),
    reads("near-keys.gml", "graph [ directed 1 node [ id 1 i 7 idx 8 `d 9 ] edge [ source 1 target 1 weigh 3 weights 4 val 5 values 6 ] ]", "1 1"),
    refuses("too-long.gml", "graph [ node [ id 1 %s 2 ] ]" % (65536 * "k"), "longer than 65535"),
    refuses("nul-key.gml", b"graph [ no\0de [ id 1 ] ]", "NUL in it"),
    refuses("open-string.gml", 'graph [ node [ id 1 label "x ] ]', "not closed"),
    reads("crlf.gml", "graph\r\n[\r\ndirected 1\r\n# c\r\nnode [\r\nid 1 label \"\r\n]\" ]\r\nedge [ source 1 target 1 ]\r\n]\r\n", "1 1"),
    # What is read without a decoder, beside what is not
    reads("crlf.json", '{"nodes": [\r\n {"id": 1},\r\n {"id": 2}\r\n], "links": [\r\n {"source": 1,\r\n  "target": 2}\r\n]}\r\n', "1 2"),
    reads("marked.json", b'\xef\xbb\xbf{"links": [{"source": 1, "target": 2}]}', "1 2"),
    reads("unicode.json", '{"nodes": [{"id": "\u00e9"}, {"id": "\u20ac \U0001f600"}], "links": [{"source": "\u00e9", "target": "\u20ac \U0001f600"}]}',
          ("\u00e9", "\u20ac \U0001f600")),
    refuses("latin-1.json", b'[{"source": "\xe9", "target": "b"}]', "unable to decode"),
    refuses("long-form.json", b'[{"source": "\xc0\xaf", "target": "b"}]', "unable to decode"),
    refuses("surrogate.json", b'[{"source": "\xed\xa0\x80", "target": "b"}]', "unable to decode"),
    reads("escaped-key.json", '[{"s\\u006furce": "a", "target": "b"}, {"source": "b", "target": "a"}]', "a b", "b a"),
    refuses("escaped-key-twice.json", '[{"s\\u006furce": "a", "source": "c", "target": "b"}]', "not JSON"),
    refuses("node-id-twice.json", '{"nodes": [{"id": 1, "id": 2}], "links": []}', "not JSON"),
    refuses("node-id-null.json", '{"nodes": [{"id": null}], "links": []}', "whose id is"),
    reads("node-words.json", '{"nodes": [{"id": 1, "x": true, "y": null, "z": false}, {"key": 2}, {"key": 9, "id": 3}], "links": [{"source": 1, "target": 2}]}',
          "1 2", vertices="3"),
    refuses("weight-true.json", '[{"source": 1, "target": 2, "weight": true}]', "weight"),
    reads("weight-null.json", '[{"source": 1, "target": 2, "weight": null}, {"source": 2, "target": 1}]', "1 2", "2 1"),
    refuses("unlisted-usual.json", '{"nodes": [{"id": 1}],\n "links": [\n{"source": 1,  "target": 2}]}', "3:28: before this: expected an edge between vertices of the list; found '2'"),
    reads("longest.json", '{"nodes": [{"id": "%s"}], "links": [{"source": "%s", "target": "%s"}]}' % (3 * (65535 * "n",)), (65535 * "n", 65535 * "n")),
    refuses("too-long.json", '[{"source": "%s", "target": "b"}]' % (65536 * "n"), "65,535"),
    refuses("too-long-node.json", '{"nodes": [{"id": "%s"}], "links": []}' % (65536 * "n"), "whose id is"),
    refuses("too-long.jsonl", '{"source": "%s", "target": "b"}\n' % (65536 * "n"), "65535"),
    reads("many-members.json", '[{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "source": 7, "g": 8, "h": 9, "target": 8}]', "7 8"),
    refuses("many-members-twice.json", '[{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "source": 7, "g": 8, "a": 9, "target": 8}]', "not JSON"),
    reads("nested-member.json", '[{"source": 1, "x": {"target": 3, "y": ["}"]}, "target": 2}]', "1 2"),
    reads("nested-edge.json", '{"graph": {"source": 1, "target": 2}, "links": [{"source": 3, "target": 4}]}', "3 4"),
    refuses("line-of-a-graph.jsonl", '{"a": {"source": 1, "target": 2}, "source": 3}\n', "line-of-a-graph.jsonl"),
    reads("minus-zero.json", '[{"source": -0, "target": 1, "weight": 1.50}, {"source": 1, "target": -2, "weight": 1E1}]', "0 1 1.5", "1 -2 10"),
    refuses("broken.json", '[{"source": 1, "target": 2}, {"source": x}]', "not JSON"),

    reads("graph.dot", 'digraph G {\n  node [shape=box];\n  a -> b -> "c d" [label="x -> y"];\n  /* no */ subgraph s { e; }\n  b:port -> a // z\n}\n',
          "a b", ("b", "c d"), "b a", vertices="e"),
    reads("undirected.gv", 'strict graph "x" { a -- b [weight=2]; b -- c [weight=3] }', "a b 2", "b c 3", undirected=True),
    refuses("group-edge.dot", "digraph { a -> { b c } }", "groups"),
    refuses("mixed.dot", "digraph { a -- b }", "expected '->'"),
    refuses("html.dot", "digraph { a -> <b>x</b> }", "HTML"),
    refuses("strict-parallel.dot", "strict graph { a -- b; b -- a }", "more than once"),
    reads("strict-merged.dot", "strict graph { a -- b; b -- a }", "a b", options="--duplicates=remove", undirected=True),
    refuses("edge-defaults.dot", "digraph { edge [weight=5]; a -> b }", "for all edges to come"),
    reads("edge-defaults-dropped.dot", "digraph { edge [color=red, weight=5]; node [weight=1]; a -> b }", "a b", options="--weights=none"),
    reads("node-defaults.dot", "digraph { graph [weight=1]; node [weight=5]; a -> b }", "a b"),
    refuses("some-weights.dot", "digraph { a -> b [weight=1]; b -> c }", "has no weight"),
    refuses("two-graphs.dot", "digraph { a -> b } digraph { c -> d }", "one is read"),
    refuses("group-then-edge.dot", "digraph { subgraph s { a -> b } -> c }", "groups"),
    refuses("open.dot", "digraph { a -> b;\n", "ends before"),

    reads("arcs.net", '*Vertices 3\n1 "a" 0.1 0.2\n2 "b c"\n3 x\n*Arcs\n1 2 0.5\n2 1 1\n', "1 2 0.5", "2 1 1", vertices="3"),
    reads("edges.net", "% made by hand\n*Network x\n*vertices 2\n*edges\n1 2\n", "1 2", undirected=True),
    reads("lists.net", "*Vertices 3\n*Arcslist\n1 2 3\n", "1 2", "1 3"),
    refuses("both.net", "*Vertices 2\n*Arcs\n1 2\n*Edges\n1 2\n", "one or the other"),
    refuses("vertex-beyond.net", '*Vertices 3\n5 "x"\n*Arcs\n1 2\n', "vertex-beyond.net:2"),
    reads("relations.net", '*Vertices 2\n*Arcs :1 "a"\n1 2\n*Arcs :2 "b"\n2 1\n', "1 2", "2 1"),
    refuses("from-zero.net", "*Vertices 2\n*Arcs\n0 1\n", "from 1 to their number"),
    refuses("beyond.net", "*Vertices 2\n*Arcs\n1 3\n", "from 1 to their number"),
    refuses("huge.net", "*Vertices 4294967295\n*Arcs\n1 2\n", "2^24"),

    reads("graph.lgl", "# a\nb\nc\n# b\nc\n", "a b", "a c", "b c", undirected=True),
    reads("weights.lgl", "# a\nb 0.5\n# b\nc 1.5\n", "a b 0.5", "b c 1.5", options="--format=lgl", undirected=True),
    refuses("three.lgl", "# a\nb 1 2\n", "a neighbour", options="--format=lgl"),
    reads("graph.nt", '<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n_:x <http://e.org/p> <http://e.org/a> .\n# no\n'
          '<http://e.org/a> <http://e.org/name> "A b"@en .\n', "http://e.org/a http://e.org/b", "_:x http://e.org/a"),
    refuses("broken.nt", "<a> <p> <b> .\n<a> <p>\n", "<object>"),
    reads("graph.adjlist", "# networkx\na b c\nb c\nd\n", "a b", "a c", "b c", vertices="d", options="--format=neighbors"),
    reads("hyperedges.txt", "a b c\nb d\n", "E1 Va", "E1 Vb", "E1 Vc", "E2 Vb", "E2 Vd", options="--format=hyperedges"),
]

COMMENTS = [
    refuses("hash-name.csv", "source,target,weight\n#1,b,2\na,b,3\n", "hash-name.csv:2:1: this line begins as a comment"),
    reads("hash-name-taken.csv", "source,target,weight\n#1,b,2\na,b,3\n", "#1 b 2", "a b 3", options="--comments=none --ids=strings"),
    reads("hash-name-passed.csv", "source,target,weight\n#1,b,2\na,b,3\n", "a b 3", options="--comments=#%"),
    reads("percent-name-taken.csv", "source,target\n%x,b\n# c,d\na,b\n", "%x b", "a b", options="--comments=#"),
    refuses("percent-name.csv", "source;target\na;b\n% change;price\n", "--comments=none"),
    refuses("hash-number.csv", "1,2\n#1,2\n3,4\n", "hash-number.csv:2"),
    refuses("hash-numbers-first.csv", "#1,2\n3,4\n", "hash-numbers-first.csv:1"),
    refuses("hash-names-first.tsv", "#tag\tb\nc\td\n", "hash-names-first.tsv:1"),
    refuses("only-hash-names.csv", "#a,#b\n#b,#c\n", "only-hash-names.csv:1"),
    refuses("hash-under-header.csv", "source,target\n#a,b\n", "hash-under-header.csv:2"),
    refuses("hash-name.txt", "ann bob\n#tag bob\n", "hash-name.txt:2"),
    refuses("hash-quoted.csv", '"a","b"\n#c,"d\ne"\n', "hash-quoted.csv:2"),
    reads("hash-quoted-taken.csv", '"a","b"\n#c,"d"\n', "a b", "#c d", options="--comments=none"),
    reads("hash-name-allowed.csv", "a,b\n#c,d\n", "a b", options="--max-bad=1"),
    reads("comment-as-header.csv", "#source,target\n1,2\n", "1 2"),
    reads("comment-of-words.csv", "#gene_a,gene_b\n1,2\n", "1 2"),
    reads("comment-in-csv.csv", "source,target\n# a note\na,b\n#x\nb,c\n", "a b", "b c"),
    reads("comments-joined.tsv", "# FromNodeId\tToNodeId\n1\t2\n# FromNodeId\tToNodeId\n2\t3\n", "1 2", "2 3"),
    reads("comments-between.txt", "1 2\n#1 2\n% 3 4\n3 4\n", "1 2", "3 4"),
    reads("comment-of-counts.txt", "#nodes 3\nann bob\n# edges\nbob cy\n", "ann bob", "bob cy"),
    refuses("hash-list.adjlist", "a b c\n#b c\n", "--comments=none", options="--format=neighbors"),
    reads("hash-list-taken.adjlist", "a b c\n#b c\n", "a b", "a c", "#b c", options="--format=neighbors --comments=none"),
    reads("networkx-command.adjlist", "#make.py --all\n# GMT Tue Jan  1 00:00:00 2030\n#\na b\n", "a b", options="--format=neighbors"),
    refuses("hyper-empty.csv", "a,b,\nb,c\n", "and one is empty", options="--format=hyperedges"),
    refuses("hash-hyperedges.csv", "a,b\n#b,c\n", "--comments=none", options="--format=hyperedges"),
]

MARKET = "%%MatrixMarket matrix coordinate "


def npy(descr, shape, data, fortran=False):
    """A file of numpy.save."""
    header = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header.encode() + data


def numbers(width, *values, order="little"):
    return b"".join(value.to_bytes(width, order, signed=value < 0) for value in values)


HABITS = [
    # First lines that count, ids and weights as people write them
    refuses("counts-first.txt", "4 5\n0 1\n0 2\n1 2\n2 3\n3 0\n", "counts-first.txt:1:1: this line may say that 4 vertices and 5 edges"),
    refuses("counts-first.csv", "4,5\n1,2\n1,3\n2,3\n3,4\n4,1\n", "--header=yes"),
    reads("counts-passed.txt", "3 3\n0 1\n1 2\n2 0\n", "0 1", "1 2", "2 0", options="--header=yes"),
    reads("counts-edge.txt", "3 3\n0 1\n1 2\n2 0\n", "3 3", "0 1", "1 2", "2 0", options="--header=no"),
    reads("no-counts.txt", "4 5\n1 2\n1 3\n2 3\n3 4\n4 1\n5 2\n", "4 5", "1 2", "1 3", "2 3", "3 4", "4 1", "5 2"),
    refuses("counts-then-names.txt", "4 5\na b\na c\nb c\nc d\nd a\n", "counts-then-names.txt:1:1: this line may say", options="--ids=strings"),
    refuses("counts-as-names.txt", "3 3\n0 1\n1 2\n2 0\n", "3 vertices and 3 edges", options="--ids=strings"),
    reads("counts-of-other-names.txt", "1 3\na b\nc d\ne f\n", "1 3", "a b", "c d", "e f", options="--ids=strings"),
    reads("counts-as-names-taken.txt", "3 3\n0 1\n1 2\n2 0\n", "3 3", "0 1", "1 2", "2 0", options="--ids=strings --header=no"),
    refuses("counts-then-weights.txt", "4 2\n0 1 5\n1 2 6\n", "--header=yes --columns=1,2,3"),
    refuses("market-no-banner.txt", "4 4 3\n1 2 5\n2 3 6\n3 4 7\n", "4 vertices and 3 edges"),
    refuses("scientific-ids.csv", "source,target\n1e3,2\n2,3e0\n", "found '1e3'"),
    refuses("hexadecimal-later.txt", "1 2\n0x1 0x2\n", "--ids=strings"),
    reads("beyond-32-bits.txt", "4294967295 4294967296\n4294967296 1\n", "4294967295 4294967296", "4294967296 1"),
    reads("64-bits.txt", "18446744073709551615 1\n", "18446744073709551615 1"),
    refuses("beyond-64-bits.txt", "18446744073709551616 1\n", "2^64-1"),
    reads("beyond-64-bits-names.txt", "18446744073709551616 1\n", "18446744073709551616 1", options="--ids=strings"),
    reads("zeros-kept.csv", "source,target\n02138,10001\n", "02138 10001", options="--ids=strings"),
    reads("negative-names.txt", "-1 -2\n-3 4\n", "-1 -2", "-3 4", options="--ids=strings"),
    refuses("negative-quoted.csv", '"-1","2"\n', "negative"),
    reads("uuids.csv", "550e8400-e29b-41d4-a716-446655440000,650e8400-e29b-41d4-a716-446655440000\n",
          "550e8400-e29b-41d4-a716-446655440000 650e8400-e29b-41d4-a716-446655440000"),
    refuses("internet.txt", "10.0.0.1 10.0.0.2\n10.0.0.2 10.0.0.3\n", "--ids=strings"),
    reads("hashes.csv", "source,target\n0x1,0x2\n", "0x1 0x2"),
    refuses("dates-third.csv", "1,2,2020-01-01\n2,3,2020-01-02\n", "found '2020-01-01'"),
    reads("dates-headed.csv", "date,source,target\n2020-01-01,1,2\n2020-01-02,2,3\n", "1 2", "2 3"),
    refuses("dates-first.csv", "2020-01-01,1,2\n2020-01-02,2,3\n", "found '2020-01-01'"),
    refuses("infinite.csv", "1,2,0.5\n2,3,-Infinity\n", "finite"),
    refuses("too-large.csv", "1,2,1e400\n", "too large"),
    refuses("too-small.csv", "1,2,1e-400\n", "too small"),
    refuses("too-small-long.csv", "1,2,0." + 400 * "0" + "1\n", "too small"),
    reads("zero-weights.csv", "1,2,0e5\n2,3,0.000\n3,4,-0.0\n", "1 2 0", "2 3 0", "3 4 0"),
    reads("plus-weights.csv", "1,2,+5\n2,3,+0.5\n", "1 2 5", "2 3 0.5"),
    reads("subnormal.csv", "1,2,1e-310\n", "1 2 1e-310"),
    refuses("per-cent.csv", "source,target,weight\n1,2,50%\n", "found '50%'"),
    refuses("currency.csv", "source,target,weight\n1,2,$5\n", "found '$5'"),
    refuses("truths.csv", "1,2,True\n2,3,False\n", "found 'True'"),
    refuses("grouped.csv", "source;target;weight\n1;2;1.000.000\n", "found '1.000.000'"),
    refuses("grouped-quoted.csv", 'source,target,weight\n1,2,"1,000"\n', "found '1,000'"),
    refuses("grouped-ids.csv", "source;target\n1,000;2,000\n3,000;4,000\n", "found '1,000'"),
    reads("parallel-weights.txt", "1 2 3\n1 2 5\n", "1 2 3", "1 2 5"),
    reads("both-ways.txt", "1 2\n2 1\n", "1 2", "1 2", options="--undirected", undirected=True),
    reads("both-ways-once.txt", "1 2\n2 1\n", "1 2", options="--undirected --duplicates=remove", undirected=True),
    # Line ends and delimiters
    reads("delimiter-at-ends.csv", "source,target,\n1,2,\n2,3,\n", "1 2", "2 3"),
    reads("delimiter-at-ends-weights.csv", "source,target,weight,\n1,2,5,\n2,3,6,\n", "1 2 5", "2 3 6"),
    refuses("delimiter-at-one-end.csv", "1,2\n2,3,\n", "one more"),
    refuses("delimiter-at-begins.csv", ",1,2\n,2,3\n", "found none"),
    refuses("only-delimiters.csv", "1,2\n,\n2,3\n", "only-delimiters.csv:2"),
    refuses("markdown.txt", "| source | target |\n|---|---|\n| 1 | 2 |\n", "markdown.txt:2"),
    refuses("arrows.txt", "1 -> 2\n2 -> 3\n", "found '->'"),
    refuses("arrows-close.txt", "1->2\n2->3\n", "found 1 column"),
    refuses("tuples.txt", "(1, 2)\n(2, 3)\n", "found '(1'"),
    refuses("python.txt", "[(1, 2), (2, 3)]\n", "found '[(1'"),
    refuses("comma-tab.tsv", "1,\t2\n2,\t3\n", "found '1,'"),
    reads("comma-before-blank.txt", "1 ,2\n2 ,3\n", "1 2", "2 3"),
    reads("last-without-end.csv", "ann,bob", "ann bob"),
    reads("header-without-end.csv", "source,target,weight"),
    reads("ends-mixed.csv", "1,2\r\n2,3\n3,4\r\n", "1 2", "2 3", "3 4"),
    refuses("marked-twice.csv", b"\xef\xbb\xbf\xef\xbb\xbf1,2\n", "marked-twice.csv:1"),
    reads("marked-comment.txt", b"\xef\xbb\xbf# c\n1 2\n", "1 2"),
    refuses("nul.txt", b"1 2\n\x003 4\n", "nul.txt:2"),
    refuses("nul-in-name.csv", b"source,target\nbob,c\na\0b,c\n", "nul-in-name.csv:3", options="--ids=strings"),
    refuses("control-z.txt", b"1 2\r\n3 4\r\n\x1a", "control-z.txt:3"),
    refuses("form-feed.txt", "1 2\f\n3 4\n", "form-feed.txt:1"),
    refuses("no-break.txt", "1\u00a02\n2\u00a03\n", "found 1 column"),
    reads("latin-1.csv", "source,target\nJosé,Zoë\n".encode("latin-1"), ("Jos\udce9", "Zo\udceb")),
    refuses("digits-and-more.txt", "1 2\n" + 100000 * "3" + " 4\n", "2^64-1"),
    reads("blanks.txt", "1 2\n\n   \n\n", "1 2"),
    # Matrix Market
    reads("symmetric.mtx", MARKET + "real symmetric\n3 3 2\n1 1 1.5\n2 1 2.5\n", "1 1 1.5", "1 2 2.5", undirected=True, vertices="3"),
    reads("skew.mtx", MARKET + "real skew-symmetric\n3 3 1\n2 1 2.5\n", "2 1 2.5", "1 2 -2.5", vertices="3"),
    refuses("skew-loop.mtx", MARKET + "real skew-symmetric\n3 3 1\n2 2 2.5\n", "diagonal"),
    refuses("hermitian.mtx", MARKET + "complex hermitian\n2 2 1\n2 1 1 2\n", "complex"),
    refuses("array.mtx", "%%MatrixMarket matrix array real general\n2 2\n0\n1.5\n2.5\n0\n", "dense"),
    reads("integers.mtx", MARKET + "integer general\n2 2 2\n1 2 -5\n2 1 9999999999\n", "1 2 -5", "2 1 9999999999"),
    reads("rectangle.mtx", MARKET + "pattern general\n2 3 1\n1 3\n", "L1 R3", vertices=["L2", "R1", "R2"]),
    refuses("from-zero.mtx", MARKET + "pattern general\n2 2 1\n0 1\n", "from 1"),
    refuses("fewer.mtx", MARKET + "pattern general\n2 2 2\n1 2\n", "2 entries are announced"),
    refuses("more.mtx", MARKET + "pattern general\n2 2 1\n1 2\n2 1\n", "1 entries are announced"),
    refuses("more-columns.mtx", MARKET + "pattern general\n2 2 1\n1 2 7\n", "end of the line"),
    # NumPy
    reads("big-endian.npy", npy(">i4", (3, 2), numbers(4, 0, 1, 1, 2, 2, 0, order="big")), "0 1", "1 2", "2 0"),
    reads("bytes.npy", npy("|u1", (2, 3), bytes((0, 1, 2, 1, 2, 0))), "0 1", "1 2", "2 0"),
    reads("columns.npy", npy("<i8", (3, 2), numbers(8, 0, 1, 2, 1, 2, 0), True), "0 1", "1 2", "2 0"),
    reads("no-edges.npy", npy("<i8", (0, 2), b"")),
    refuses("negative.npy", npy("<i8", (1, 2), numbers(8, 0, -1)), "negative"),
    refuses("reals.npy", npy("<f8", (1, 2), bytes(16)), "integers"),
    refuses("truths.npy", npy("|b1", (1, 2), bytes(2)), "integers"),
    refuses("objects.npy", npy("|O", (1, 2), bytes(16)), "expected numbers"),
    refuses("square.npy", npy("<i8", (3, 3), bytes(72)), "two rows or two columns"),
    refuses("cube.npy", npy("<i8", (2, 2, 2), bytes(64)), "two dimensions"),
    # Packed twice
    reads("twice.gz", gzip.compress(gzip.compress(b"1 2\n", mtime=0), mtime=0), "1 2"),
    reads("members.gz", gzip.compress(b"1 2\n", mtime=0) + gzip.compress(b"2 3\n", mtime=0), "1 2", "2 3"),
    reads("bzip2-in-gzip.gz", gzip.compress(bz2.compress(b"1 2\n"), mtime=0), "1 2"),
]

K4 = ("1 2", "1 3", "1 4", "2 3", "2 4", "3 4")
FRIENDS = "Ann,Bob\nBob,Cid\nAnn,Cid\n"
FRIENDSHIPS = ("Ann Bob", "Bob Cid", "Ann Cid")


def adjacency(degree, *lists, fields=""):
    """METIS, as networkit writes it."""
    return "%d %d%s\n" % (len(lists), sum(len(entry.split()) // degree for entry in lists) // 2, fields) + "\n".join(lists) + "\n"


GATE = [
    # METIS whose lines are all alike, and lists of edges that look like it
    reads("k4.graph", adjacency(1, "2 3 4", "1 3 4", "1 2 4", "1 2 3", fields=" 0"), *K4, undirected=True),
    reads("cycle.graph", adjacency(1, "2 5", "1 3", "2 4", "3 5", "4 1"), "1 2", "2 3", "3 4", "4 5", "5 1", undirected=True),
    reads("matching.graph", adjacency(1, "2", "1", "4", "3"), "1 2", "3 4", undirected=True),
    reads("vertex-weights.graph", "4 4 10\n5 2 4\n6 1 3\n7 2 4\n8 1 3\n", "1 2", "2 3", "3 4", "4 1", undirected=True),
    reads("two-vertex-weights.graph", "4 4 10 2\n5 5 2 4\n6 6 1 3\n7 7 2 4\n8 8 1 3\n", "1 2", "2 3", "3 4", "4 1", undirected=True),
    reads("petersen.graph", "10 15 0\n" + "\n".join("%d %d %d" % ((v + 1) % 5 + 1, (v + 4) % 5 + 1, v + 6) for v in range(5)) + "\n"
          + "\n".join("%d %d %d" % ((v + 2) % 5 + 6, (v + 3) % 5 + 6, v + 1) for v in range(5)) + "\n",
          *("%d %d" % (v + 1, (v + 1) % 5 + 1) for v in range(5)), *("%d %d" % (v + 1, v + 6) for v in range(5)),
          *("%d %d" % (v + 6, (v + 2) % 5 + 6) for v in range(5)), undirected=True),
    refuses("isolated.graph", "3 0\n\n\n\n", "--format=edges or --format=metis"),
    reads("isolated-said.graph", "3 0\n\n\n\n", options="--format=metis", undirected=True, vertices="123"),
    reads("loop-with-tab.txt", "0\t0\n", "0 0"),
    refuses("loop-or-nothing.txt", "0 0\n", "--format=metis"),
    reads("isolated-denied.txt", "3 0\n\n\n\n", "3 0", options="--format=edges"),
    refuses("one-edge.graph", "2 1 11\n5 2 7\n6 1 7\n", "--format=metis"),
    refuses("one-edge-two-weights.graph", "2 1 11 2\n5 5 2 7\n6 6 1 7\n", "--format=metis"),
    refuses("triangle.graph", "3 3\n2 3\n1 3\n1 2\n", "--format=metis"),
    reads("no-metis.txt", "4 6 0\n2 3 4\n1 3 4\n1 2 4\n3 2 1\n1 1 1\n", "4 6 0", "2 3 4", "1 3 4", "1 2 4", "3 2 1", "1 1 1"),
    # Matrices, and tables of numbers
    *(refuses("matrix-%d.csv" % i, content, "adjacency matrix") for i, content in enumerate((
        ",A,B\nA,0,1\nB,1,0\n", ";A;B;C\nA;0;1;0\nB;1;0;1\nC;0;1;0\n", ",0,1,2\n0,0,1,0\n1,1,0,1\n2,0,1,0\n",
        "0,1,2\n0,1,0\n1,0,1\n0,1,0\n", "0 1 0\n1 0 1\n0 1 0\n", "0 5 7\n5 0 3\n7 3 0\n", "0 1 0 1\n1 0 1 1\n0 1 0 0\n1 1 0 0\n",
        "node,A,B\nA,0,0.5\nB,0.5,0\n", "1 2 3 4 5\n" * 5))),
    reads("matrix-taken.txt", "0 1 0\n1 0 1\n0 1 0\n", "0 1 0", "1 0 1", "0 1 0", options="--columns=1,2,3"),
    reads("no-matrix.txt", "1 2 3\n2 3 4\n3 1 2\n", "1 2 3", "2 3 4", "3 1 2"),
    reads("no-matrix-headed.csv", "source,target,weight\n0,1,1\n1,0,1\n0,0,1\n", "0 1 1", "1 0 1", "0 0 1"),
    refuses("many-numbers.txt", "1 2 3 4 5 6 7 8 9\n2 3 4 5 6 7 8 9 0\n", "9 columns of numbers"),
    refuses("measures.csv", "age,height,mass\n41,180,75\n42,170,65\n", "--columns=S,D"),
    refuses("matrix-named.csv", "A,B,C\n0,1,0\n1,0,1\n0,1,0\n", "--columns=S,D"),
    refuses("vertices.csv", "id,label,size\n1,2,3\n", "--columns=S,D"),
    reads("measures-chosen.csv", "age,height,mass\n1,2,3\n", "1 3", options="--columns=age,mass"),
    reads("two-words-and-weight.csv", "this,that,weight\n1,2,3\n", "1 2 3"),
    refuses("matrix.json", "[[0,1,0],[1,0,1],[0,1,0]]", "adjacency matrix"),
    reads("no-matrix.json", "[[0,1,5],[1,2,1],[2,0,1]]", "0 1 5", "1 2 1", "2 0 1"),
    # Words that name ends
    *(reads("header-%d.csv" % i, header + "\n" + FRIENDS, *FRIENDSHIPS) for i, header in enumerate((
        "person,friend", "from_node,to_node", "FromNode,ToNode", "follower,followee", "gene_a,gene_b", "Source Name,Target Name",
        "user_id,follower_id", "parent,child", "nodeA,nodeB", "protein1,protein2", "vertex_1,vertex_2", "srcId,dstId", "caller,callee"))),
    reads("header-backward.csv", "to_node,from_node\nBob,Ann\nCid,Bob\nCid,Ann\n", *FRIENDSHIPS),
    reads("header-behind.csv", "rank,from_node,to_node\n1,5,6\n2,6,7\n", "5 6", "6 7"),
    reads("header-unquoted.csv", 'a,b\n"Ann","Bob"\n"Bob","Cid"\n"Ann","Cid"\n', *FRIENDSHIPS),
    reads("header-no-header.csv", "parent,child\nchild,toy\n", "parent child", "child toy"),
    # Not text
    refuses("binary.bin", b"a\0 b\n", "NUL"),
    refuses("binary-comment.bin", b"# \0\1\2", "NUL"),
    # graphology, Gephi Lite
    reads("graphology.json", '{"options": {"type": "undirected", "multi": false}, "nodes": [{"key": "a"}, {"key": "b"}], '
          '"edges": [{"key": "0", "source": "a", "target": "b", "undirected": true}]}', "a b", undirected=True),
    reads("graphology-edges.json", '{"nodes": [{"key": "a"}, {"key": "b"}], '
          '"edges": [{"source": "a", "target": "b", "undirected": true}, {"source": "b", "target": "b", "undirected": true}]}',
          "a b", "b b", undirected=True),
    refuses("graphology-mixed.json", '{"edges": [{"source": "a", "target": "b", "undirected": true}, {"source": "b", "target": "a"}]}',
            "'undirected', as those before"),
    refuses("graphology-mixed-late.json", '{"edges": [{"source": "a", "target": "b"}, {"source": "b", "target": "a", "undirected": true}]}',
            "directed, as those before"),
    reads("graphology.jsonl", '{"source": "a", "target": "b", "undirected": true}\n{"source": "b", "target": "b", "undirected": true}\n',
          "a b", "b b", undirected=True),
    refuses("graphology-mixed.jsonl", '{"source": "a", "target": "b", "undirected": true}\n{"source": "b", "target": "a"}\n',
            "'undirected', as the first"),
    refuses("graphology-mixed-late.jsonl", '{"source": "a", "target": "b"}\n{"source": "b", "target": "a", "undirected": true}\n',
            "2:1: expected an edge that is directed"),
    refuses("weight.jsonl", '{"source": "a", "target": "b", "weight": false}\n', "weight.jsonl:1:1: expected a weight"),
    # Edges that look like METIS
    reads("descending.txt", "".join("%d %d\n" % (v, v) for v in range(10**5, 92000, -1)),
          *("%d %d" % (v, v) for v in range(10**5, 92000, -1))),
    reads("format.txt", "4 4 1\n9 10 5\n11 12 6\n13 14 7\n15 16 8\n", "4 4 1", "9 10 5", "11 12 6", "13 14 7", "15 16 8"),
    reads("two.txt", "1 1 1\n2 4 1\n", "1 1 1", "2 4 1"),
    reads("backslash.dot", 'digraph { "a\\\\" -> c }', ("a\\\\", "c")),
    refuses("graphology-types.json", '{"directed": true, "options": {"type": "undirected"}, "edges": []}', "one or the other"),
]

FILES = QUOTES + COLUMNS + COMMENTS + TOOLS + OTHERS + NESTED + HABITS + GATE
