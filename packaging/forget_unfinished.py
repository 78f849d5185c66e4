"""Forgets packages whose installation was cut short, or of which more is wanted now than prune.py left.

pip installs them again then, instead of taking them for whole.
Run with the Python of the environment that is to be mended.
"""

import shutil
import sys
import sysconfig
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from desktop_app.unused_files import is_as_listed, read_list

LIST = read_list()
SITE_PACKAGES = Path(sysconfig.get_path("purelib"))


def is_whole(package: Distribution) -> bool:
    """Whether every file that the package's RECORD names is there in its size."""
    if package.read_text("RECORD") is None:  # pip writes it last
        return False
    for file in package.files or ():
        path = Path(str(file.locate()))
        if path.suffix == ".pyc":  # compiled anew at will
            continue
        if not path.is_file() or (file.size is not None and path.stat().st_size != file.size):
            return False
    return True


for info in SITE_PACKAGES.glob("*.dist-info"):
    if not is_whole(PathDistribution(info)) or not is_as_listed(info, LIST):
        print(f"  Mending    {info.name.removesuffix('.dist-info')}")
        shutil.rmtree(info)
