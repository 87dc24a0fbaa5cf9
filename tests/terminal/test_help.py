"""Every help text, of tools and of algorithms, is laid out in its columns and fits the terminal."""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from harness.tools import run
from terminal.test_terminal import on_terminal

TOOLS = sorted(path.name for path in Path(os.environ["QUERN_BIN"]).glob("quern-*"))


def help_texts():
    """The words of each command that has a help text."""
    kernels = json.loads(run("quern-run", "--list", "--json").stdout)["kernels"]
    return [["quern"], *([tool] for tool in TOOLS), *(["quern-run", name] for name in sorted({kernel["algorithm"] for kernel in kernels}))]


def said(words, columns):
    return subprocess.run(words, env=dict(os.environ, COLUMNS=str(columns)), stdout=subprocess.PIPE, check=True, text=True).stdout


class Help(unittest.TestCase):
    def test_columns(self):
        """A description begins in its column, beside the option or below it, and goes on there."""
        self.assertGreater(len(TOOLS), 12)
        for words in help_texts()[1:]:
            for columns, column in ((80, 29), (140, 29), (40, 8)):
                with self.subTest(words, columns=columns):
                    lines = said([*words, "--help"], columns).splitlines()
                    first = next(i for i, line in enumerate(lines) if re.match(r" {2,6}-", line))
                    last = max(i for i, line in enumerate(lines) if "Show the version" in line)
                    for line in lines[first:last + 1]:
                        option = re.match(r"  (-\w|-\w, --[a-z]\S*|    --[a-z]\S*)(?: +(\S)|$)", line)
                        if option and option.group(2):
                            self.assertEqual(option.start(2), column, line)
                        elif not option:
                            self.assertRegex(line, r"^$|^ \S|^ {%d}\S" % column)

    def test_width(self):
        for words in help_texts():
            for columns in (40, 80, 140):
                with self.subTest(words, columns=columns):
                    lines = said([*words, "--help"], columns).splitlines()
                    self.assertEqual([line for line in lines if len(line) >= columns], [])
                    self.assertTrue(columns == 140 or any(len(line) > columns * 3 // 4 for line in lines))

    def test_usage(self):
        for words in help_texts()[1:]:
            usage = said([*words, "--usage"], 80)
            self.assertTrue(usage.startswith("Usage: %s [--" % words[0]), usage)
            self.assertEqual([line for line in usage.splitlines() if len(line) > 79], [])

    def test_nothing_is_lost(self):
        """All widths say the same."""
        for words in help_texts():
            texts = {re.sub(r"\s", "", said([*words, "--help"], columns)) for columns in (40, 80, 1000)}
            self.assertEqual(len(texts), 1, words)

    def test_its_names(self):
        for words in help_texts()[1:]:
            texts = [said([*words, option], 80) for option in ("--help", "-h", "-?")]
            self.assertEqual(texts[1:], texts[:1] * 2)
            for option in ("-v", "-V", "--version"):
                self.assertRegex(said([*words, option], 80), r"^%s \(Quern\) \d" % words[0])

    def test_on_a_terminal(self):
        code, text = on_terminal("quern-run", "--help", columns=100)
        lines = text.decode().splitlines()
        self.assertEqual((code, [line for line in lines if len(line) > 99]), (0, []))
        self.assertGreater(sum(len(line) > 85 for line in lines), 9)


if __name__ == "__main__":
    unittest.main()
