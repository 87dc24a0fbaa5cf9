"""The test harness behind tests/run.py; see tests/README.md."""
