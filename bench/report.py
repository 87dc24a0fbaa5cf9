#!/usr/bin/env python3
"""docs/performance.md, docs/papers.md, and the figures in the README, from bench/results.

    bench/report.py                                  write the pages
    bench/report.py --check                          do the pages say what bench/results gives?
    bench/report.py --machine NAME REPORT.json ...   merge what benchmarks have measured, and write the pages

NAME is a machine of bench/machines.json. A page's text is bench/pages/PAGE.md.in: a line `@table NAME` stands for a table, and
{table: row: column} or {table: graph: row: column} for one figure in the text; `@table NAME if measured` for one that may not have been
measured yet, as {table: row: column if measured}. {FIGURE over FIGURE} is a quotient, and {of FIGURE} says when it was measured.
`@include FILE` stands for a file beside it. In the README they stand between two comments, as bench/pages/headlines.md.in has them."""

import argparse
import json
import re
import sys
from pathlib import Path

import records

PAGES = [(records.ROOT / "docs" / (name + ".md"), records.ROOT / "bench/pages" / (name + ".md.in")) for name in ("performance", "papers")]
README, HEADLINES = records.ROOT / "README.md", records.ROOT / "bench/pages/headlines.md.in"
UNKNOWN = "not measured yet"
MACHINES = json.loads((records.ROOT / "bench/machines.json").read_text())


def number(value):
    """Three digits, or all of an integer."""
    return "{:,.0f}".format(value) if value >= 100 else "%.3g" % value


def figure(record, unit=True):
    text = number(record["value"]) + (" to " + number(record["to"]) if "to" in record else "")
    return text + (" " + record["unit"] if unit else "")


def unique(values):
    return list(dict.fromkeys(values))


def grid(title, cells):
    """One table. What has but one unit says so in its head: the table, a column, or each cell."""
    rows, columns = (unique(each[part] for each in cells) for part in ("row", "column"))
    at = {(each["row"], each["column"]): each for each in cells}
    units = {column: unique(each["unit"] for each in cells if each["column"] == column) for column in columns}
    common = unique(each["unit"] for each in cells)
    if len(common) == 1:
        lines = [[", ".join(filter(None, [title, common[0]]))] + columns]
    else:
        lines = [[title or ""] + [", ".join(filter(None, [column] + units[column] * (len(units[column]) == 1))) for column in columns]]
    for row in rows:
        lines.append([row] + [figure(at[row, column], len(units[column]) > 1) if (row, column) in at else ""
                              for column in columns])
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns) + 1)]
    lines.insert(1, ["-" * widths[0]] + ["-" * (width - 1) + ":" for width in widths[1:]])
    return ["| " + " | ".join([line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]) +
            " |" for line in lines]


def provenance(cells):
    """Where, when and at which commit it was measured, the latest first."""
    runs = {}
    for each in cells:
        runs.setdefault((each["machine"], each["date"]), set()).add(each["commit"])
    text = []
    for machine in unique(each["machine"] for each in cells):
        when = ["%s at %s" % (date, ", ".join(sorted(runs[machine, date])))
                for date in sorted((date for name, date in runs if name == machine), reverse=True)]
        text.append("%s, %s" % (MACHINES[machine], "; ".join(when)))
    return "*On %s.*" % "; on ".join(text)


def table(name, optional):
    cells = records.load(name)
    if not cells and optional:
        return "*%s.*" % UNKNOWN.capitalize()
    if not cells:
        sys.exit("report: no records of %s" % name)
    lines = []
    for graph in unique(each.get("graph") for each in cells):
        lines += grid(graph, [each for each in cells if each.get("graph") == graph]) + [""]
    return "\n".join(lines + [provenance(cells)])


def named(text):
    """The record of "table: row: column" or "table: graph: row: column"; None if there is none."""
    name, *cell = text.split(": ")
    key = ("graph", "row", "column")[-len(cell):]
    found = [each for each in records.load(name) if [each.get(part) for part in key] == cell]
    if len(found) > 1:
        sys.exit("report: {%s} names %d records" % (text, len(found)))
    return found[0] if found else None


CITED = r"\{([^{}]+: [^{}]+: [^{}]+)\}"


def told(match):
    """Of a cell that cites, what of it has been measured: its parts between semicolons."""
    parts = [part for part in match.group(0).split("; ")
             if not re.search(CITED, part) or any(cited(each) != UNKNOWN for each in re.finditer(CITED, part))]
    return "; ".join(parts) or UNKNOWN


def cited(match):
    text = match.group(1).removesuffix(" if measured")
    when = text.startswith("of ")
    found = [named(part) for part in text.removeprefix("of ").split(" over ")]
    if None in found and text == match.group(1):
        sys.exit("report: {%s} names no record" % text)
    if None in found:
        return UNKNOWN
    if when:
        return "%(date)s at %(commit)s" % found[0]
    if len(found) == 1:
        return figure(found[0])
    if found[0]["unit"] != found[1]["unit"]:
        sys.exit("report: {%s} compares %s with %s" % (match.group(1), found[0]["unit"], found[1]["unit"]))
    return number(found[0]["value"] / found[1]["value"])


def filled(path):
    text = re.sub(r"(?m)^@include (\S+)$", lambda match: filled(path.with_name(match.group(1))).rstrip("\n"), path.read_text())
    text = re.sub(r"(?m)^@table (\S+)( if measured)?$", lambda match: table(*match.groups()), text)
    text = re.sub(r"(?m)(?<=\| )[^|\n]*\{[^|\n]*(?= \|$)", told, text)
    return re.sub(CITED, cited, text)


def pages():
    """The text of each page that has measured figures."""
    headlines = re.compile(r"(?s)(<!-- figures[^\n]*-->\n).*?(<!-- end -->)")
    readme = headlines.sub(lambda match: match.group(1) + filled(HEADLINES) + match.group(2), README.read_text())
    return {**{page: filled(text) for page, text in PAGES}, README: readme}


def merge(path, machine, commit):
    report = json.loads(Path(path).read_text())
    stamp = {"machine": machine, "commit": commit or report["commit"], "date": report["date"]}
    if not stamp["commit"]:
        sys.exit("report: %s was measured outside a repository or with uncommitted changes; name the commit by --commit" % path)
    for name, measured in report["tables"].items():
        records.save(name, records.merge(records.load(name), [{**each, **stamp} for each in measured]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="*", metavar="REPORT", help="JSON that benchmarks wrote")
    parser.add_argument("--machine", choices=MACHINES, help="where they were made")
    parser.add_argument("--commit", help="what was measured, if a report does not say")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a page is another")
    options = parser.parse_args()
    if options.reports and not options.machine:
        parser.error("reports need --machine")
    for path in options.reports:
        merge(path, options.machine, options.commit)
    for path, text in pages().items():
        if not options.check:
            path.write_text(text)
        elif path.read_text() != text:
            sys.exit("report: %s is not what bench/results gives; run bench/report.py" % path)


if __name__ == "__main__":
    main()
