"""networkx with the backend of this build, for tests: `registered(folder)` before networkx is imported."""

import os
import sys
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])


def registered(folder):
    """Have Python find the backend in `folder` by its entry points, as where the package is installed; here and, by what it
    returns, the environment, in other processes."""
    sys.path.insert(0, str(SOURCE / "python/backend"))
    import quern_backend
    sys.path.pop(0)
    info = Path(folder) / "quern-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: quern\nVersion: 0\n")
    (info / "entry_points.txt").write_text(quern_backend.entry_points())
    sys.path.insert(0, str(folder))
    return dict(os.environ, PYTHONPATH=os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))
