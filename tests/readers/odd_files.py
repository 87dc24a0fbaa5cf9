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


def reads(name, content, *edges, options="", undirected=False, vertices=()):
    """An edge is "a b" or "a b 0.5", or a tuple where names have blanks."""
    edges = tuple(tuple(edge.split()) if isinstance(edge, str) else edge for edge in edges)
    return Odd(name, bytes_of(content), edges=edges, options=tuple(options.split()), undirected=undirected,
               vertices=tuple(vertices))


def refuses(name, content, word, options=""):
    return Odd(name, bytes_of(content), refused=word, options=tuple(options.split()))


def bytes_of(content):
    return content.encode() if isinstance(content, str) else content


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
    refuses("open-quote.csv", '"a",b\n"c,d\ne,f\n', "not closed"),
    refuses("open-quote-last.csv", 'a,b\nc,"d', "not closed"),
    refuses("quote-then-text.csv", '"a",b\n"c"d,e\n', "follows the quote"),
    refuses("backslash-escape.csv", '"a","b"\n"c \\"d\\"","e"\n', "doubled"),
    refuses("stray-quote.csv", '"a","b"\nc"d,e\n', "not in quotes"),
    refuses("stray-quote-max-bad.csv", '"a","b"\nc"d,e\n', "not in quotes", options="--max-bad 5"),
    refuses("quoted-empty.csv", 'source,target\n"","b"\n', "found none"),
    reads("quoted-empty-asked.csv", '"","b"\n', ("", "b"), options="--ids=strings"),
    reads("line-break-in-name.csv", '"a\nb","c"\n"c","d\te"\n', ("a\nb", "c"), ("c", "d\te")),
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
    refuses("utf-16-big.txt", b"\xfe\xff" + "1 2\n".encode("utf-16-be"), "UTF-16"),
    refuses("utf-16-unmarked.txt", "source target\n1 2\n".encode("utf-16-le"), "UTF-16"),
    refuses("utf-16-unmarked-big.txt", "source target\n1 2\n".encode("utf-16-be"), "UTF-16"),
    refuses("utf-32.txt", "1 2\n2 3\n".encode("utf-32"), "UTF-32"),
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

FILES = QUOTES + COLUMNS + TOOLS + OTHERS
