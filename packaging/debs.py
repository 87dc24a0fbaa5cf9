"""Makes Debian's packages of what scons has built: debs.py OUTPUT STAGE [cuda]

packaging/debian is a debian/ as any other; here it is called in a tree of links to this one, with what is staged.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python/backend"))
import quern_backend as backend

ENTRY = """quern (%s) unstable; urgency=medium

  * Built from the source of this version, which CHANGELOG.md describes.

 -- %s  %s
"""


def maintainer():
    control = (ROOT / "packaging/debian/control").read_text()
    return next(line for line in control.splitlines() if line.startswith("Maintainer: ")).split(": ", 1)[1]


def lay_out(tree, stage, date):
    """The tree that the packages are made in."""
    if tree.exists():
        shutil.rmtree(tree)  # removes links, and follows none
    tree.mkdir(parents=True)
    for path in ROOT.iterdir():
        if path.name not in (".git", "debian"):
            (tree / path.name).symlink_to(path)
    shutil.copytree(ROOT / "packaging/debian", tree / "debian")
    stamp = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(date))
    (tree / "debian/changelog").write_text(ENTRY % (backend.version(), maintainer(), stamp))
    (tree / "debian/stage").symlink_to(stage)


def main(output, stage, *with_cuda):
    date = backend.timestamp()
    tree = ROOT / "build/debian/quern"
    lay_out(tree, Path(stage).resolve(), date)
    environment = dict(os.environ, SOURCE_DATE_EPOCH=str(date), SCONS="true", LC_ALL="C.UTF-8",
                       DEB_BUILD_OPTIONS="nocheck noautodbgsym", DEB_BUILD_PROFILES="pkg.quern.cuda" if with_cuda else "")
    log = tree.parent / "log"
    with open(log, "w") as file:
        done = subprocess.run(["dpkg-buildpackage", "-b", "-us", "-uc", "-nc", *(["-d"] if with_cuda else [])], cwd=tree,
                              env=environment, stdout=file, stderr=subprocess.STDOUT)
    if done.returncode:
        raise SystemExit("%s\nscons: dpkg-buildpackage failed (%s)" % ("\n".join(log.read_text().splitlines()[-20:]), log))
    for path in sorted(tree.parent.glob("*_%s_*.*deb" % backend.version())):
        print(shutil.move(path, Path(output) / path.name))


if __name__ == "__main__":
    main(*sys.argv[1:])
