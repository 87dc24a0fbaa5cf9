"""Manual pages from what the tools say with --help: python3 man_page.py [EMULATOR] TOOL >TOOL.1

The text of --help is the one source; here it only gets its typography.
"""

import os
import re
import subprocess
import sys

OPTION = re.compile(r"^ {2,6}(-\S.*?)(?: {2,}(\S.*))?$")
CONTINUATION = re.compile(r"^ {20,}(\S.*)$")
GROUP = re.compile(r"^ (\S.*):$")
HEADINGS = {"Exit status:": "EXIT STATUS", "Example:": "EXAMPLES", "Examples:": "EXAMPLES", "Formats:": "FORMATS"}


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def ask(command, option):
    environment = dict(os.environ, COLUMNS="80", LC_ALL="C.UTF-8")
    return subprocess.run([*command, option], env=environment, stdout=subprocess.PIPE, check=True,
                          universal_newlines=True).stdout


def usage(lines):
    """`Usage: NAME ...`, perhaps with lines `or: NAME ...`: -> what follows the names."""
    found = []
    while lines and re.match(r"^(Usage:|\s+or:)", lines[0]):
        found.append(re.sub(r"^(Usage:|\s+or:)\s+", "", lines.pop(0)))
    return found


def take_paragraph(lines):
    while lines and not lines[0].strip():
        lines.pop(0)
    taken = []
    while lines and lines[0].strip():
        taken.append(lines.pop(0))
    return taken


def options(lines):
    page = []
    while lines:
        line = re.sub(r"^(  -\w,) +(?=--)", r"\1 ", lines[0])
        option, more, group = OPTION.match(line), CONTINUATION.match(line), GROUP.match(line)
        if group:
            page.append('.SS "%s"' % escape(group.group(1)))
        elif option:
            page += [".TP", ".B " + escape(option.group(1))]
            if option.group(2):
                page.append(escape(option.group(2)))
        elif more:
            page.append(escape(more.group(1)))
        elif line.strip():
            break
        lines.pop(0)
    return page


def prose(lines):
    page = []
    while lines:
        paragraph = take_paragraph(lines)
        if not paragraph:
            continue
        for heading, title in HEADINGS.items():
            if paragraph[0].startswith(heading):
                page.append('.SH "%s"' % title)
                paragraph[0] = paragraph[0][len(heading):].lstrip()
                if not paragraph[0]:
                    paragraph.pop(0)
                break
        else:
            page.append(".PP")
        preformatted = False
        for line in paragraph:
            if line.startswith("  ") != preformatted:
                preformatted = not preformatted
                page.append(".nf" if preformatted else ".fi")
            page.append(escape(line.rstrip()))
        if preformatted:
            page.append(".fi")
    return page


def man_page(command):
    name = os.path.basename(command[-1])
    version = ask(command, "--version").split()[-1]
    lines = ask(command, "--help").split("\n")
    synopsis = usage(lines)
    described = [] if lines and OPTION.match(next(filter(None, lines), "")) else take_paragraph(lines)
    first = " ".join(described) or "tools for graphs on GPUs and CPUs"
    summary = re.split(r"[.:;](?:\s|$)", first)[0]
    page = ['.\\" made from `%s --help`' % name, '.TH %s 1 "" "Quern %s" "Quern"' % (escape(name.upper()), version),
            ".SH NAME", "%s \\- %s" % (escape(name), escape(summary[:1].lower() + summary[1:])), ".SH SYNOPSIS"]
    for line in synopsis:
        command, _, rest = line.partition(" ")
        page += [".B " + escape(command), escape(rest), ".br"]
    page += [".SH DESCRIPTION"] + [escape(line) for line in described]
    listed = options(lines)
    if listed:
        page += [".SH OPTIONS"] + listed
    rest = prose(lines)
    if rest and rest[0] == ".PP":
        rest[0] = ".SH NOTES"
    page += rest
    if name != "quern":
        page += ['.SH "SEE ALSO"', ".BR quern (1)"]
    return "\n".join(page) + "\n"


if __name__ == "__main__":
    sys.stdout.write(man_page(sys.argv[1:]))
