"""Runs one class of a Python test file and prints TAP: python3 -m harness.python_runner FILE CLASS.

A class may say `tier = "medium"`, `timeout = 600`, and `sanitized_tier = "long"` if it is worth little under the
sanitizers. A subTest that fails is a failure of its own.
"""

import importlib.util
import sys
import unittest

from harness.python_tests import DEFAULT_TIMEOUT


def load(path):
    spec = importlib.util.spec_from_file_location("quern_test", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["quern_test"] = module
    spec.loader.exec_module(module)
    return module


def test_classes(module):
    return {name: value for name, value in vars(module).items()
            if isinstance(value, type) and issubclass(value, unittest.TestCase)
            and value.__module__ == "quern_test" and not name.startswith("_")
            and unittest.defaultTestLoader.getTestCaseNames(value)}


class TapResult(unittest.TestResult):
    """Prints each result as it comes, and the plan at the end."""

    count = 0

    def point(self, verdict, title, comment=""):
        self.count += 1
        print("%s %d - %s" % (verdict, self.count, title))
        for line in comment.splitlines():
            print("# " + line)
        sys.stdout.flush()

    def title(self, test):
        return getattr(test, "_testMethodName", None) or str(test).split(" ")[0]

    def addSuccess(self, test):
        self.point("ok", self.title(test))

    def addFailure(self, test, err):
        self.point("not ok", self.title(test), self._exc_info_to_string(err, test))

    addError = addFailure

    def addSkip(self, test, reason):
        self.point("ok", "%s # SKIP %s" % (self.title(test), reason))

    def addExpectedFailure(self, test, err):
        self.point("not ok", self.title(test), "expected failures are not used here: mend it or remove it")

    def addUnexpectedSuccess(self, test):
        self.point("not ok", self.title(test), "it was expected to fail")

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.point("not ok", "%s %s" % (self.title(test), subtest._subDescription()),
                       self._exc_info_to_string(err, test))


def main():
    if sys.argv[1] == "--list":
        for name, value in test_classes(load(sys.argv[2])).items():
            tier = getattr(value, "tier", "short")
            print(name, tier, getattr(value, "sanitized_tier", tier), getattr(value, "timeout", DEFAULT_TIMEOUT))
        return
    tests = test_classes(load(sys.argv[1]))[sys.argv[2]]
    result = TapResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(tests).run(result)
    print("1..%d" % result.count)


if __name__ == "__main__":
    main()
