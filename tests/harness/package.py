"""The Python package of this build, for tests; what it cannot be tested without is a reason to skip.

    from harness.package import needs, quern

    @needs("scipy.sparse")
    class Scipy(unittest.TestCase): ...
"""

import importlib
import importlib.util
import os
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
LIBRARIES = Path(os.environ["QUERN_BIN"]).parent / "lib"


def _missing():
    """Why the package cannot be loaded here; None if it can."""
    if "asan" in LIBRARIES.parts or "tsan" in LIBRARIES.parts:
        return "a sanitizer's library is not for an interpreter without it"
    if not (LIBRARIES / "libquern.so.0").exists():
        return "no shared library beside these tools"
    if importlib.util.find_spec("numpy") is None:
        return "no numpy"
    return None


MISSING = _missing()
if MISSING:
    quern = None
else:
    sys.path.insert(0, str(SOURCE / "python"))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(SOURCE / "python"), os.environ.get("PYTHONPATH", "")])
    os.environ["QUERN_PYTHON"] = sys.executable
    os.environ["QUERN_LIBRARY"] = str(LIBRARIES / "libquern.so.0")
    quern = importlib.import_module("quern")


def needs(*modules):
    """Skip a class unless the package and these modules are there. They are imported when it runs: what is installed may not
    fit the others."""
    absent = [module for module in modules if importlib.util.find_spec(module.split(".")[0]) is None]

    def decorate(kind):
        begin = kind.__dict__.get("setUpClass")

        def set_up(cls):
            for module in modules:
                try:
                    importlib.import_module(module)
                except ImportError as problem:
                    raise unittest.SkipTest(str(problem))
            if begin:
                begin.__get__(None, cls)()
            else:
                super(kind, cls).setUpClass()

        kind.setUpClass = classmethod(set_up)
        return unittest.skipIf(MISSING or absent, MISSING or "no " + ", ".join(absent))(kind)

    return decorate
