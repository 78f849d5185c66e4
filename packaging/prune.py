"""Takes what is never used out of this environment, after pip has filled it: resources/unused.txt says what, and why.

Run with the Python of that environment, as often as you like; with `--strip FOLDER`, debug information goes out of all
libraries of a folder, and nothing else.
"""

import sys
import sysconfig
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from desktop_app.unused_files import prune, read_list, strip_folder

if sys.argv[1:2] == ["--strip"]:
    print(f"  Debug      {strip_folder(Path(sys.argv[2])) / 1e6:,.0f} MB left out", file=sys.stderr)
else:
    freed = prune(Path(sysconfig.get_path("purelib")), read_list())
    print(f"  Unused     {freed / 1e6:,.0f} MB left out", file=sys.stderr)
