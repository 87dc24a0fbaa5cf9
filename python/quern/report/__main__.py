"""quern-report: a graph as a page to look at."""

from __future__ import annotations

import argparse
import os
import sys
from typing import List, NoReturn, Optional

from .. import _errors, _words
from .._graph import open as open_graph
from .._known import __version__
from ._page import write


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _errors.UsageError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser("quern-report", description="Draw a graph as one HTML file: degrees, adjacency matrix, components, clustering, results, sizes.",
                     epilog="Exit status: 0; 2 for a wrong command line or if FILE exists; 3 for an invalid input; 5 if reading, writing or "
                            "memory fails.")
    parser.add_argument("graphs", nargs="+", metavar="GRAPH.qrn", help="a container; others are layouts of it, shown beside")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="write to FILE")
    parser.add_argument("--results", action="append", default=[], metavar="FILE", help="also values that quern-run -o wrote")
    parser.add_argument("--trace", action="append", default=[], metavar="FILE", help="also a timeline of quern-run --trace")
    parser.add_argument("-f", "--force", action="store_true", help="replace FILE")
    parser.add_argument("-V", "--version", action="version", version="quern-report (Quern) " + __version__)
    return parser


def main(arguments: Optional[List[str]] = None) -> int:
    _words.speak_python = False
    try:
        options = _parser().parse_args(arguments)
        if os.path.lexists(options.output) and not options.force:
            raise _errors.UsageError("the output exists; use --force to replace it", options.output)
        graphs = [open_graph(path, verify=True) for path in options.graphs]
        write(options.output, *graphs, results=options.results, traces=options.trace, force=options.force)
        return 0
    except _errors.QuernError as error:
        print("quern-report: %s" % error, file=sys.stderr)
        return error.exit_code
    except ImportError as problem:
        print("quern-report: %s" % problem, file=sys.stderr)
        return _errors.UnsupportedError.exit_code
    except (OSError, MemoryError) as problem:
        print("quern-report: %s" % problem, file=sys.stderr)
        return _errors.SystemFailure.exit_code
    except KeyboardInterrupt:
        return _errors.Cancelled.exit_code


if __name__ == "__main__":
    sys.exit(main())
