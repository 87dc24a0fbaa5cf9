"""A graph as a page to look at: one HTML file with its figures drawn in it.

    quern.report.write("report.html", quern.open("web.qrn"))

or, from the command line, `quern-report web.qrn -o report.html`. Needs Jinja2.
"""

from ._page import write

__all__ = ["write"]
