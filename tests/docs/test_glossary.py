"""Pages, messages, help, public headers and names keep to docs/glossary.md."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
GLOSSARY = SOURCE / "docs/glossary.md"
CODE = (".c", ".h", ".cu", ".cuh")
# What others have written, or what says how it was: changes, and the glossary itself.
EXCEPT = ("CHANGELOG.md", "docs/glossary.md")


def files():
    """What git tracks; without a repository, what lies in the folders of the project."""
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    names = listed.stdout.decode().split("\0")[:-1] if listed.returncode == 0 else [
        str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*") if path.is_file() and "build" not in path.parts]
    return [name for name in names if (SOURCE / name).is_file()]


def tables():
    """The last column of each table of the glossary, by the table's first header: the cells."""
    found, header = {}, None
    for line in GLOSSARY.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else None
        if cells is None:
            header = None
        elif header is None:
            header = cells[0]
        elif not line.startswith("|---"):
            found.setdefault(header, []).append(cells[-1].rstrip(" |"))
    return found


def phrases():
    cells = [cell for name, column in tables().items() if name != "name" for cell in column]
    return [phrase for cell in cells for phrase in re.findall(r'"([^"]+)"', cell)]


def names():
    return [name.rstrip("/") for cell in tables()["name"] for name in re.findall(r"`([^`]+)`", cell)]


def said(name):
    """What a file says to those who use Quern."""
    text = (SOURCE / name).read_text(encoding="utf-8", errors="replace")
    if name.endswith(".md"):
        return text
    if name.startswith("include/"):
        return re.sub(r"\n \*|\s+", " ", text)
    if name.endswith(CODE):  # literals, those that the compiler joins as one
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        return "\n".join("".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', run[0]))
                         for run in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\n]|\\.)*")*', text))
    return text  # Python: messages and docstrings


class Words(unittest.TestCase):
    def test_phrases(self):
        avoided = phrases()
        self.assertGreater(len(avoided), 30)
        pattern = re.compile(r"\b(?:%s)\b" % "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in avoided), re.I)
        for name in files():
            is_read = name.endswith((".md", *CODE)) or (name.endswith(".py") and name.startswith("python/"))
            if is_read and name not in EXCEPT and not name.startswith(("tests/", "bench/")):
                found = [match[0] for match in pattern.finditer(said(name))]
                with self.subTest(name):
                    self.assertEqual(found, [], "docs/glossary.md says what to write instead")


class Names(unittest.TestCase):
    def test_names(self):
        avoided = names()
        self.assertGreater(len(avoided), 10)
        pattern = re.compile(r"\b(?:%s)\b" % "|".join(re.escape(name) for name in avoided if name != "cuts"))  # a word, too
        for name in files():
            if name.endswith((*CODE, "SConscript", "arrows.txt")):
                with self.subTest(name):
                    parts = {part.split(".")[0] for part in Path(name).parts}
                    self.assertEqual(sorted(parts & set(avoided)), [], "docs/glossary.md says what to call it")
                    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", (SOURCE / name).read_text(), flags=re.S)
                    self.assertEqual(sorted(set(pattern.findall(re.sub(r'"[^"\n]*"', "", code)))), [])


if __name__ == "__main__":
    sys.exit(unittest.main())
