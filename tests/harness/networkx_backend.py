"""networkx with the backend of this build, for tests: `registered()` before networkx is imported."""

import os
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
_FOLDER = tempfile.TemporaryDirectory()


def registered():
    """Have Python find the backend by its entry points, as where the package is installed; here and, by the environment that
    is returned, in other processes."""
    info = Path(_FOLDER.name) / "quern-0.dist-info"
    if not info.exists():
        sys.path.insert(0, str(SOURCE / "python/backend"))
        import quern_backend
        sys.path.pop(0)
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: quern\nVersion: 0\n")
        (info / "entry_points.txt").write_text(quern_backend.entry_points())
        sys.path.insert(0, _FOLDER.name)
    return dict(os.environ, PYTHONPATH=os.pathsep.join([_FOLDER.name, os.environ.get("PYTHONPATH", "")]))
