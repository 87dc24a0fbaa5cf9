#!/usr/bin/env python3
"""The dependency graph of Debian's packages, as apt knows them: apt-cache dumpavail | packages.py > packages.tsv

An edge A -> B says that package A needs package B (Depends, Pre-Depends; every alternative of `B | C`). Where B is a
virtual package (a name that others provide), edges lead on from it to its providers.
"""

import re
import sys

NEEDS = ("Depends:", "Pre-Depends:")
NAME = re.compile(r"\s*([a-z0-9][a-z0-9+.-]*)")


def names(field):
    """The package names in a dependency field, without versions and architectures."""
    return [match.group(1) for item in re.split(r"[,|]", field) for match in [NAME.match(item)] if match]


def read(listing):
    """The lines of the listing -> ({package: names it needs}, {virtual name: its providers})."""
    needs, provided, package = {}, {}, None
    for line in listing:
        field, _, content = line.partition(" ")
        if field == "Package:":
            package = content.strip()
            needs.setdefault(package, [])
        elif field in NEEDS:
            needs[package] += names(content)
        elif field == "Provides:":
            for name in names(content):
                provided.setdefault(name, []).append(package)
    return needs, {name: packages for name, packages in provided.items() if name not in needs}


def edges(needs, provided):
    """Every edge once per mention: the import removes the duplicates."""
    wanted = set()
    for package, others in needs.items():
        wanted.update(others)
        for other in others:
            yield package, other
    for name in sorted(wanted & provided.keys()):
        for provider in provided[name]:
            yield name, provider


def write(out, needs, provided):
    """One `A<TAB>B` a line; the number of lines."""
    count = 0
    for package, other in edges(needs, provided):
        out.write("%s\t%s\n" % (package, other))
        count += 1
    return count


if __name__ == "__main__":
    write(sys.stdout, *read(sys.stdin))
