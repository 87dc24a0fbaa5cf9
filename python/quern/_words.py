"""Messages of the library in Python's words. It says what to type as the tools have it: ``--force``, ``quern-transform
--symmetrize``. Here that is ``force=True`` and ``graph.transform(symmetrize=True)``."""

from __future__ import annotations

import re

_CALLS = {"import": "quern.read", "transform": "graph.transform", "run": "graph.run", "export": "graph.export",
          "generate": "quern.generate"}
_SWITCHES = {"all-devices", "both-directions", "bundle", "explain", "force", "narrow-weights", "no-ids", "out-edges", "parents",
             "remove-duplicates", "remove-self-loops", "resume", "rows", "strict", "symmetrize", "trailing-comments", "transpose",
             "unweighted", "weighted"}
_OTHERS = {"undirected": "directed=False", "directed": "directed=True"}

_OPTION = r"--([a-z][a-z-]*[a-z])(?:=('[^']*'|[A-Z][A-Z,:.\[\]]*[A-Z.\]]|[^\s,;:()'\"]*(?:,\d+)*)| (?=[0-9])([0-9]+))?"
_PLAIN = re.compile(r"(?<![\w-])" + _OPTION)
_CALL = re.compile(r"\bquern-(%s)((?: --[a-z][\w=-]*(?:,\d+)*)*)( -o FILE)?" % "|".join(_CALLS))
speak_python = True
"""The tools that this package has turn it off."""


def _argument(match: "re.Match[str]") -> str:
    option, value = match[1], match[2] or match[3]
    name = option.replace("-", "_")
    if not value:
        return _OTHERS.get(option) or name + ("=True" if option in _SWITCHES else "=")
    if value.endswith(",..."):
        return '%s=["%s", ...]' % (name, value[:-len(",...")])
    if re.fullmatch(r"\d+(,\d+)+", value):
        return "%s=(%s)" % (name, value.replace(",", ", "))
    return "%s=%s" % (name, value if value[0] == "'" or value.isdigit() else '"%s"' % value)


def _call(match: "re.Match[str]") -> str:
    arguments = [_argument(one) for one in _PLAIN.finditer(match[2])]
    return "%s(%s)" % (_CALLS[match[1]], ", ".join([*arguments, *(['path="FILE"'] if match[3] else [])]))


def in_python(text: str) -> str:
    """A message as this package says it."""
    return _PLAIN.sub(_argument, _CALL.sub(_call, text)) if speak_python else text
