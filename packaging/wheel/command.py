#!python
# TOOL, which is in the package: pip puts this where commands are.
import importlib.util
import os
import sys

package = os.path.dirname(importlib.util.find_spec("quern").origin)  # nothing is imported, which would take its time
os.environ.setdefault("QUERN_PYTHON", sys.executable)
os.execv(os.path.join(package, "bin", "TOOL"), sys.argv)
