"""``python3 -m quern.test``: unittest runs, and takes its options."""

import sys
import unittest

import quern
from quern._known import __version__

print("quern %s, %s" % (__version__, quern.__file__), file=sys.stderr)
unittest.main("quern.test")
