"""docs/algorithms.md lists the parameters that algorithms declare. `test_algorithms.py --write` writes the list."""
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("QUERN_SOURCE", Path(__file__).resolve().parents[2]))
PAGE = SOURCE / "docs/algorithms.md"
BETWEEN = re.compile(r"(?<=<!-- parameters: made by tests/docs/test_algorithms.py -->\n).*?(?=<!-- end -->)", re.S)


def default_of(parameter):
    value = parameter["default"]
    if parameter["type"] == "flag":
        return "yes" if value else "no"
    return "" if value is None else "%g" % value if isinstance(value, float) else str(value)


def values_of(parameter):
    if "choices" in parameter:
        return ", ".join("`%s`" % choice for choice in parameter["choices"])
    return parameter.get("range", "") + (", or `all`" if parameter.get("or_all") else "")


def table(algorithms):
    """A line for each parameter of each algorithm."""
    lines = ["| algorithm | parameter | default | values | meaning |", "|---|---|---|---|---|"]
    for algorithm in sorted(algorithms, key=lambda each: each["name"]):
        for parameter in algorithm["parameters"]:
            lines.append("| `%s` | `--%s` | %s | %s | %s |" % (algorithm["name"], parameter["name"], default_of(parameter),
                                                               values_of(parameter), parameter["help"]))
    return "\n".join(lines) + "\n"


def current_table():
    listed = subprocess.run(["quern-run", "--list", "--json"], stdout=subprocess.PIPE, check=True)
    return table(json.loads(listed.stdout)["algorithms"])


class Algorithms(unittest.TestCase):
    def test_parameters(self):
        self.assertEqual(BETWEEN.search(PAGE.read_text()).group(), current_table(),
                         "docs/algorithms.md: run tests/docs/test_algorithms.py --write")


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    made = current_table()
    PAGE.write_text(BETWEEN.sub(lambda found: made, PAGE.read_text()))
elif __name__ == "__main__":
    unittest.main()
