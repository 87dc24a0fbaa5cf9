"""python/quern/_algorithms.py has a method for each algorithm, with the parameters that it declares.
`test_algorithms.py --write` writes the file, with the tools on the PATH."""

import json
import os
import re
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("QUERN_SOURCE", Path(__file__).resolve().parents[2]))
FILE = SOURCE / "python/quern/_algorithms.py"

# Names that a graph has for something else.
METHODS = {"path": "shortest_path", "degree": "count_out_edges", "indegree": "count_in_edges"}
INPUTS = {"source": "Union[Id, Sequence[Id]]", "sources": "Union[PathLike, Sequence[Id]]", "target": "Id", "pairs": "PathLike",
          "groups": "PathLike", "vector": "PathLike"}
HEAD = '''"""Every algorithm as a method. Written by tests/python/test_algorithms.py from what algorithms declare."""

from __future__ import annotations

import os
from typing import Any, Literal, Optional, Sequence, Union

from ._calls import ProgressOption
from ._results import Result

Id = Union[int, str]
PathLike = Union[str, "os.PathLike[str]"]


class Algorithms:
    """Methods of what has :meth:`run`; ``quern.pagerank(graph)`` is ``graph.pagerank()``. ``device``, ``threads`` and
    ``progress`` are those of :meth:`Graph.run`, which takes further options: checkpoints, several devices, a program of your
    own."""

    def _run(self, algorithm: str, **options: Any) -> Result:
        raise NotImplementedError
'''


def type_of(parameter):
    kind = parameter["type"]
    if kind == "flag":
        return "bool"
    if kind == "choice":
        return "Literal[%s]" % ", ".join('"%s"' % word for word in parameter["choices"])
    if kind == "list":
        return 'Sequence[Union[int, Literal["all"]]]'
    number = "float" if kind == "real" else "int"
    if parameter.get("or_all"):
        number = 'Union[%s, Literal["all"]]' % number
    return number if parameter["default"] is not None else "Optional[%s]" % number


def value_of(parameter):
    if parameter["type"] == "list":
        return "(%s)" % ", ".join(parameter["default"].split(","))
    return '"%s"' % parameter["default"] if isinstance(parameter["default"], str) else repr(parameter["default"])


def arguments_of(algorithm):
    """-> (name, type, default or None, help), those without a default first."""
    found = [(each["name"], INPUTS[each["name"]] if each["required"] else "Optional[%s]" % INPUTS[each["name"]],
              None if each["required"] and each["name"] != "sources" else "None", each["help"])
             for each in algorithm["inputs"]]
    if any(name == "source" and default is None for name, _, default, _ in found):
        found = [(name, "Optional[%s]" % INPUTS[name] if name in ("source", "sources") and algorithm["shape"] == "sample" else kind,
                  "None" if name == "source" and algorithm["shape"] == "sample" else default, text)
                 for name, kind, default, text in found if name != "sources" or algorithm["shape"] == "sample"]
    found += [(each["name"], type_of(each), value_of(each),
               each["help"] + (": " + each["range"] if "range" in each and each["type"] != "list" else ""))
              for each in algorithm["parameters"]]
    return sorted(found, key=lambda each: each[2] is not None)


def fill(text, indent):
    return textwrap.fill(text, 124, initial_indent=indent, subsequent_indent=indent + "    ", break_on_hyphens=False)


def method(algorithm):
    name = METHODS.get(algorithm["name"], algorithm["name"].replace("-", "_"))
    arguments = arguments_of(algorithm)
    said = {each: "%s: %s%s" % (each, kind, "" if default is None else " = " + default) for each, kind, default, _ in arguments}
    ends = [said.pop(each) for each in ("source", "target") if each in said]  # those that need no name
    said = [*ends, "*", *said.values()]
    said += ["device: Optional[str] = None", "threads: Optional[int] = None", "progress: ProgressOption = None"]
    lines = ["", "    def %s(" % name, "        self,"] + ["        %s," % each for each in said] + ["    ) -> Result:"]
    title = algorithm["title"].replace("--", "")
    lines.append(fill('"""%s.' % (title[:1].upper() + title[1:]), "        "))
    lines += [""] if arguments else []
    for each, _, default, text in arguments:
        text = re.sub(r"--(\w+)", r"``\1``", text) + ("" if default in (None, "None") else "; default %s" % default)
        lines.append(fill("``%s``: %s." % (each, text), "        "))
    lines.append('        """')
    passed = ", ".join("%s=%s" % (each, each) for each in [each for each, _, _, _ in arguments] + ["device", "threads", "progress"])
    lines.append(textwrap.fill('return self._run("%s", %s)' % (algorithm["name"], passed), 124, initial_indent="        ",
                               subsequent_indent=" " * 25))
    return "\n".join(lines)


def current_text():
    listed = subprocess.run(["quern-run", "--list", "--json"], stdout=subprocess.PIPE, check=True)
    algorithms = sorted(json.loads(listed.stdout)["algorithms"], key=lambda each: each["name"])
    names = sorted(METHODS.get(each["name"], each["name"].replace("-", "_")) for each in algorithms)
    listed = textwrap.fill("__all__ = [%s]" % ", ".join('"%s"' % name for name in names), 124, subsequent_indent=" " * 11)
    functions = "\n".join("%s = Algorithms.%s" % (name, name) for name in names)
    return HEAD + "\n".join(method(algorithm) for algorithm in algorithms) + "\n\n\n" + listed + "\n\n" + functions + "\n"


class Methods(unittest.TestCase):
    def test_every_algorithm_has_one(self):
        self.assertEqual(FILE.read_text(), current_text(), "run tests/python/test_algorithms.py --write")


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    FILE.write_text(current_text())
elif __name__ == "__main__":
    unittest.main()
