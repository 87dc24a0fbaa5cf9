"""``python3 -m quern.test``: unittest runs, and takes its options."""

import sys
import unittest

import quern

print("quern %s, %s" % (quern.__version__, quern.__file__), file=sys.stderr)
unittest.main("quern.test")
