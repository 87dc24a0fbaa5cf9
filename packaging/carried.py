"""The libraries of Debian that a wheel carries: their packages, licences, and the bill of materials (CycloneDX)."""

import json
import os
import re
import subprocess
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

OF_EVERY_SYSTEM = ("libc6", "zlib1g")


class Package(NamedTuple):
    name: str
    version: str
    copyright: bytes


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def package_of(file):
    """Of Debian; its files may be known by their names before /usr was merged."""
    for path in (os.path.realpath(file), os.path.realpath(file).replace("/usr/", "/", 1)):
        found = subprocess.run(["dpkg", "-S", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if found.returncode == 0:
            return found.stdout.split(": ")[0].split(",")[0]
    raise SystemExit("packaging: no package has %s" % file)


def needed_by(library, compiler, found):
    """Adds the paths of all libraries that one needs, as the compiler for its machine knows them."""
    for name in re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", library)):
        file = output(*compiler, "-print-file-name=" + name).strip()
        if os.path.isabs(file) and file not in found:
            found.add(file)
            needed_by(file, compiler, found)
    return found


def packages(library, within, compiler):
    """Of the libraries that one needs, and of those that it has been linked with statically."""
    needed = needed_by(library, compiler, set())
    needed |= {output(*compiler, "-print-file-name=lib%s.a" % name).strip() for name in within}
    names = sorted({package_of(file) for file in needed})
    found = []
    for name in names:
        source, version = output("dpkg-query", "-W", "-f=${source:Package} ${Version}", name).split()
        plain = name.split(":")[0]
        if not plain.startswith(OF_EVERY_SYSTEM) and source not in [package.name for package in found]:
            found.append(Package(source, version, Path("/usr/share/doc", plain, "copyright").read_bytes()))
    return found


def sbom(name, version, packages, seconds):
    about = {"type": "library", "bom-ref": name, "name": name, "version": version,
             "licenses": [{"license": {"id": "BSD-2-Clause"}}], "purl": "pkg:pypi/%s@%s" % (name, version)}
    parts = [{"type": "library", "bom-ref": package.name, "name": package.name, "version": package.version,
              "purl": "pkg:deb/debian/%s@%s" % (package.name, quote(package.version))} for package in packages]
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "serialNumber": "urn:uuid:%s" % uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([about, parts])),
            "metadata": {"timestamp": datetime.fromtimestamp(seconds, timezone.utc).isoformat(), "component": about},
            "components": parts,
            "dependencies": [{"ref": name, "dependsOn": [part["bom-ref"] for part in parts]}]}
    return (json.dumps(bill, indent=1) + "\n").encode()
