"""Pickles captures as the files that they are on disk."""

import tempfile
from pathlib import Path

from ._vclean import Capture


def files_of(capture: Capture) -> dict[str, bytes]:
    """Returns the files of a capture by name."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "capture"
        capture.save(folder)
        return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def capture_of(files: dict[str, bytes]) -> Capture:
    """Returns the capture that has these files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        return Capture.load(folder)
