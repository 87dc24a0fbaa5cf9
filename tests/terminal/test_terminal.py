"""What tools print to a terminal is shown, never obeyed; files and pipes get every byte as it is."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unittest
from pathlib import Path

# What a terminal would obey: colours, the clipboard (OSC 52), C1, a carriage return, reordering, no UTF-8.
HOSTILE = b"a\x1b[31mb\x1b]52;c;ZWNobw==\x07\xc2\x9b2J\r\xe2\x80\xaex\xe2\x80\x8by\xff"
SHOWN = r"a\x1b[31mb\x1b]52;c;ZWNobw==\x07\xc2\x9b2J\x0d\u202ex\u200by\xff"


def on_terminal(*words, stdin=None, stderr=None, env={}, columns=200):
    """What a terminal gets from a tool that has it as standard output, and as standard error unless that is another file."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    tool = subprocess.Popen(words, stdin=stdin or subprocess.DEVNULL, stdout=theirs, stderr=stderr or theirs, env=dict(os.environ, **env))
    os.close(theirs)
    got = []
    while True:
        try:
            got.append(os.read(ours, 65536))
        except OSError:  # the tool has ended
            break
        if not got[-1]:
            break
    os.close(ours)
    return tool.wait(), b"".join(got).replace(b"\r\n", b"\n")


class Terminal(unittest.TestCase):
    def check(self, text, what):
        self.assertNotRegex(text, rb"[\x00-\x08\x0b-\x1f\x7f]", what)
        self.assertNotRegex(text.decode(), "[\u0080-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]", what)

    def test_names_of_vertices(self):
        Path("in.csv").write_bytes(b"source,target\n" + HOSTILE.replace(b"\r", b"") + b",plain\nplain,end\n")
        shown = SHOWN.replace(r"\x0d", "")
        subprocess.run(["quern-import", "in.csv", "--ids", "strings", "-q", "-f", "-o", "g.qrn"], check=True)
        for words in (["quern-export", "g.qrn", "--format", "edges", "-o", "-"],
                      ["quern-run", "pagerank", "g.qrn", "-o", "-"], ["quern-run", "pagerank", "g.qrn", "--top", "3"],
                      ["quern-run", "bfs", "g.qrn", "--source", "plain", "--json"]):
            with self.subTest(words):
                code, text = on_terminal(*words)
                self.assertEqual(code, 0, text)
                self.check(text, words)
                if words[-1] == "-":
                    self.assertIn(shown.encode(), text)
        piped = subprocess.run(["quern-export", "g.qrn", "--format", "edges", "-o", "-"], capture_output=True, check=True)
        self.assertIn(HOSTILE.replace(b"\r", b""), piped.stdout)

    def test_names_of_files_and_metadata(self):
        name = HOSTILE.replace(b"\xff", b"").decode() + ".tsv"  # what provenance keeps as it is
        Path(name).write_text("0 1\n1 2\n")
        code, text = on_terminal("quern-import", name, "-f", "-o", "g.qrn")
        self.assertEqual(code, 0, text)
        self.check(text, "quern-import")
        self.assertIn(SHOWN.replace(r"\xff", "").encode(), text)
        for words in (["quern-info", "g.qrn"], ["quern-info", "g.qrn", "--json"], ["quern-verify", "g.qrn"],
                      ["quern-export", "g.qrn", "-f", "-o", "out.tsv"]):
            with self.subTest(words):
                code, text = on_terminal(*words)
                self.assertEqual(code, 0, text)
                self.check(text, words)

    def test_errors(self):
        Path("bad.mtx").write_bytes(b"%%MatrixMarket matrix " + HOSTILE + b" real general\n1 1 1\n1 1 1\n")
        for words in (["quern-import", "bad.mtx", "-o", "none.qrn"], ["quern-info", HOSTILE], ["quern-run", HOSTILE, "g.qrn"],
                      ["quern-verify", HOSTILE], ["quern-export", "--" + HOSTILE.decode("utf-8", "surrogateescape")],
                      ["quern-page", HOSTILE, "-o", "x"], ["quern-transform", HOSTILE, "--symmetrize", "-o", "x"]):
            with self.subTest(words):
                code, text = on_terminal(*words)
                self.assertNotEqual(code, 0)
                self.assertIn(b"\\x1b", text)
                self.check(text, words)

    def test_other_alphabets(self):
        Path("in.csv").write_text("source,target\nЖук,naïve\nnaïve,ジ\n")
        subprocess.run(["quern-import", "in.csv", "--ids", "strings", "-q", "-f", "-o", "g.qrn"], check=True)
        words = ["quern-export", "g.qrn", "--format", "edges", "-o", "-"]
        self.assertIn("Жук".encode(), on_terminal(*words)[1])
        self.assertIn(rb"na\xc3\xafve", on_terminal(*words, env={"LC_ALL": "C"})[1])

    def test_help(self):
        for words in (["quern-run", "--help"], ["quern-import", "--version"], ["quern-import", "--nothing"]):
            code, text = on_terminal(*words)
            self.assertEqual(code, 0 if words[1] != "--nothing" else 2)
            self.check(text, words)
            self.assertGreater(len(text), 10)


class Widths(unittest.TestCase):
    """Tables and figures fit a usual terminal and a narrow one."""

    def setUp(self):
        rows = "".join(f"a long name of a vertex {i},b{i % 7},0.5,{i},note\n" for i in range(60))
        Path("a_file_with_a_rather_long_name_of_its_own.csv").write_text("source,target,weight,since,what_somebody_has_noted_about_it\n" + rows)
        self.done("quern-import", "a_file_with_a_rather_long_name_of_its_own.csv", "--properties=all", "-o", "g.qrn")
        self.done("quern-shard", "g.qrn", "-o", "shard.qrn")
        self.done("quern-pack", "g.qrn", "-o", "pack.qrn")
        self.done("quern-archive", "create", "g.qrn", "-o", "g.qrnz")
        self.done("quern-transform", "g.qrn", "--parts=3", "-o", "set")

    def done(self, *words):
        subprocess.run([*words, "-q", "-f"], check=True)

    def test_widths(self):
        tables = [["quern-info", "g.qrn"], ["quern-info", "g.qrn", "--stats"], ["quern-info", "shard.qrn"], ["quern-info", "pack.qrn"],
                  ["quern-info", "g.qrnz"], ["quern-info", "set"], ["quern-run", "--list"], ["quern-import", "--formats"]]
        summaries = [["quern-import", "a_file_with_a_rather_long_name_of_its_own.csv", "-f", "-o", "u.qrn", "--undirected"],
                     ["quern-transform", "g.qrn", "--symmetrize", "-f", "-o", "t.qrn"], ["quern-archive", "list", "g.qrnz"],
                     ["quern-generate", "rmat", "--scale", "8", "-f", "-o", "r.qrn"], ["quern-run", "pagerank", "g.qrn"],
                     ["quern-run", "pagerank", "g.qrn", "--explain"], ["quern-run", "path", "g.qrn", "--source", "b0", "--target", "b1"],
                     ["quern-run", "bfs,cc,pagerank", "g.qrn", "--source", "b0"], ["quern-run", "cc", "set"], ["quern-run", "similarity", "g.qrn"]]
        for columns in (80, 40):
            for words in tables + summaries:
                code, text = on_terminal(*words, columns=columns)
                self.assertIn(code, (0, 1), text)
                lines = [re.sub(r"^.*\r\x1b\[K", "", line) for line in text.decode().splitlines()]
                self.assertGreater(len(lines), 5 if words in tables else 0)
                self.assertEqual([line for line in lines if len(line) > columns], [], (words, columns))

    def test_pipes_are_not_folded(self):
        words = ["quern-run", "pagerank", "t.qrn"]
        self.done("quern-transform", "g.qrn", "--symmetrize", "-o", "t.qrn")
        done = subprocess.run(words, env=dict(os.environ, COLUMNS="40"), capture_output=True, check=True, text=True)
        self.assertRegex(done.stdout, r"(?m)^seconds .{70,}\)$")
        with open("summary.txt", "wb") as summary:  # the values go to the terminal, the summary to a file
            code, text = on_terminal(*words, "-o", "-", stderr=summary, columns=40)
        self.assertEqual(code, 0)
        self.assertRegex(Path("summary.txt").read_text(), r"(?m)^seconds .{70,}\)$")

    def test_nothing_is_lost(self):
        """What is broken is all there."""
        wide, narrow = (on_terminal("quern-info", "shard.qrn", columns=columns)[1].split() for columns in (300, 40))
        self.assertEqual(sorted(b"".join(wide)), sorted(b"".join(narrow)))

    def test_names_in_rankings(self):
        code, text = on_terminal("quern-run", "pagerank", "g.qrn", columns=40)
        self.assertEqual(code, 0)
        self.assertRegex(text, rb"(?m)^ +1\. b\d {18} ")
