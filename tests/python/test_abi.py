"""The structs and functions of python/quern/_library.py are those of include/quern."""

import ctypes
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness.package import SOURCE, needs, quern

HEADERS = ("error", "job", "session", "lookup", "import", "build", "changes", "run", "placement", "sample", "features", "parts", "export")


@needs()
class Abi(unittest.TestCase):
    sanitized_tier = "long"

    @unittest.skipUnless(shutil.which("cc"), "no compiler")
    def test_structs(self):
        from quern import _library
        lines = []
        for name, struct in _library.STRUCTS.items():
            lines.append('printf("%s %%zu\\n", sizeof(struct %s));' % (name, name))
            for field in struct._fields_:
                lines.append('printf("%s.%s %%zu %%zu\\n", offsetof(struct %s, %s), sizeof((struct %s *)0)->%s);'
                             .replace("sizeof((struct %s *)0)->%s", "sizeof(((struct %s *)0)->%s)")
                             % (name, field[0], name, field[0], name, field[0]))
        program = '#include <quern/quern.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n%s\n}\n' % "\n".join(lines)
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "structs.c"
            source.write_text(program)
            subprocess.run(["cc", "-I", SOURCE / "include", source, "-o", source.with_suffix("")], check=True)
            printed = subprocess.run([source.with_suffix("")], stdout=subprocess.PIPE, text=True, check=True).stdout
        expected = []
        for name, struct in _library.STRUCTS.items():
            expected.append("%s %d" % (name, ctypes.sizeof(struct)))
            expected += ["%s.%s %d %d" % (name, field[0], getattr(struct, field[0]).offset, getattr(struct, field[0]).size)
                         for field in struct._fields_]
        self.assertEqual(printed.splitlines(), expected)

    def test_functions(self):
        """Each that is bound is declared, with as many arguments; each of the stable interface that is not bound is named
        here."""
        from quern import _library
        text = "".join((SOURCE / "include/quern" / (name + ".h")).read_text() for name in HEADERS)
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        declared = {}
        for name, arguments in re.findall(r"\b(qn_\w+)\(([^()]*)\)(?: *__attribute__.*?)?;", text):
            declared[name] = 0 if arguments.strip() == "void" else arguments.count(",") + 1
        bound = {name: len(arguments) for name, arguments in _library.FUNCTIONS.items()}
        bound.update((name, len(arguments)) for name, (arguments, _) in _library.PLAIN_FUNCTIONS.items())
        self.assertEqual({name: declared.get(name) for name in bound}, bound)
        unbound = {name for name in declared if name not in bound and not name.startswith(("qn_error_", "qn_fail"))}
        self.assertEqual(unbound, {"qn_type_bytes", "qn_session_section_named", "qn_result_copy"})

    def test_the_version_is_the_header_s(self):
        self.assertIn('"%s"' % quern.__version__, (SOURCE / "support/tool.h").read_text())
