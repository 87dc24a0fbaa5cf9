"""The shared library's interface is the one that abi.txt lists: symbols, and sizes and offsets of structs.

What is listed stays for as long as the library is libquern.so.0; what is new is added by
`tests/build/test_abi.py --write`, and the change is reviewed. What the suite's own tools, modules and programs use besides is
exported, too, but to those of the very same version."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LISTED = Path(__file__).with_name("abi.txt")
SOURCE = Path(os.environ.get("QUERN_SOURCE", LISTED.parents[2]))
BIN = Path(os.environ.get("QUERN_BIN", SOURCE / "build/bin"))
LIBRARY = BIN.parent / "lib/libquern.so.0"
HEADERS = SOURCE / "include/quern"
# The headers of the stable interface; those of views and containers follow the format.
STABLE = re.findall(r"#include <quern/(\w+\.h)>", (HEADERS / "quern.h").read_text())


def without_comments(header):
    return re.sub(r"(?s)/\*.*?\*/", "", (HEADERS / header).read_text())


def functions(header):
    text = re.sub(r"(?s)static inline .*?\n}\n", "", without_comments(header))
    text = re.sub(r"(?m)^\s*#.*(?:\\\n.*)*", "", text)
    return set(re.findall(r"\b(qn_\w+)\s*\((?!\*)[^;{}]*\)\s*(?:__attribute__\(\(.*?\)\))?\s*;", text))


def exported():
    """NAME@VERSION of each symbol."""
    listed = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", LIBRARY], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    return sorted(line.split()[-1].replace("@@", "@") for line in listed.splitlines()
                  if " A " not in line)


def stable():
    return [symbol for symbol in exported() if symbol.endswith("@QUERN_0")]


def structs():
    """struct NAME: the fields of each, in order."""
    for header in STABLE:
        for name, body in re.findall(r"(?s)struct (\w+) \{(.*?)\n\};", without_comments(header)):
            fields = re.findall(r"(?:\(\*(\w+)\)\([^;]*\)|(\w+)(?:\[\w+\])?);", body)
            yield name, [callback or field for callback, field in fields]


def enums():
    for header in STABLE:
        for body in re.findall(r"(?s)enum \w+ \{(.*?)\};", without_comments(header)):
            yield from re.findall(r"\b(QN_\w+)\b(?=\s*[=,])", body)


def layout():
    """What a compiler makes of them."""
    lines = ["#include <stddef.h>", "#include <stdio.h>", "#include <quern/quern.h>", "int main(void) {"]
    for name, fields in structs():
        lines.append('printf("struct %s %%zu\\n", sizeof(struct %s));' % (name, name))
        lines += ['printf("  %s %%zu\\n", offsetof(struct %s, %s));' % (field, name, field) for field in fields]
    lines += ['printf("%s %%d\\n", (int)%s);' % (name, name) for name in enums()]
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "layout.c", Path(folder) / "layout"
        source.write_text("\n".join([*lines, "return 0;", "}"]))
        subprocess.run(["cc", "-I", SOURCE / "include", source, "-o", program], check=True)
        return subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def interface():
    return "".join(line + "\n" for line in [*stable(), *layout()])


class Abi(unittest.TestCase):
    sanitized_tier = "long"

    @classmethod
    def setUpClass(cls):
        if not LIBRARY.exists() or "asan" in str(BIN) or not shutil.which("nm") or not shutil.which("cc"):
            raise unittest.SkipTest("no shared library beside these tools, or no nm or compiler")
        if os.uname().machine != "x86_64":
            raise unittest.SkipTest("abi.txt is for x86_64")

    def test_it_is_as_listed(self):
        self.assertEqual(interface().splitlines(), LISTED.read_text().splitlines(),
                         "is it wanted? then tests/build/test_abi.py --write")

    def test_every_function_has_an_example(self):
        """In the programs of docs/library.md, which tests/install compiles and runs."""
        page = (SOURCE / "docs/library.md").read_text()
        programs = "".join(re.findall(r"(?ms)^```c\n(.*?)^```$", page))
        for header in set(STABLE) - {"error.h"}:  # those who call need qn_error_text alone
            for name in functions(header):
                self.assertIn(name + "(", programs)

    def test_every_stable_function_is_exported_and_nothing_else(self):
        declared = set().union(*(functions(header) for header in STABLE))
        names = {symbol.split("@")[0] for symbol in stable()}
        self.assertEqual(declared - names, set(), "add it to QUERN_0 of library/exports.map.in")
        self.assertEqual(names - declared, set(), "no header that quern.h includes declares it")

    def test_the_rest_is_of_this_very_version(self):
        version = re.search(r'QN_VERSION "(.*)"', (SOURCE / "support/tool.h").read_text()).group(1)
        private = {name for name, node in (symbol.split("@") for symbol in exported()) if node == "QUERN_PRIVATE_" + version}
        self.assertEqual(len(private) + len(stable()), len(exported()))
        declared = set().union(*(functions(path.name) for path in HEADERS.glob("*.h") if path.name not in STABLE))
        self.assertEqual(declared - private, set())

    def test_what_it_needs(self):
        said = subprocess.run(["readelf", "-dW", LIBRARY], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertIn("Library soname: [libquern.so.0]", said)
        self.assertRegex(said, "NODELETE")
        self.assertNotRegex(said, r"NEEDED.*(hdf5|cuda|mpi)")  # these are modules


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        LISTED.write_text(interface())
    else:
        unittest.main()
