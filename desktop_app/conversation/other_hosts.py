"""Detect paths that lead to another computer on Windows.

Access to such a path sends the user's name to that host, and a response that proves the password.
"""

from __future__ import annotations

import ntpath


def is_on_other_host(path: str) -> bool:
    """Return whether a path begins with two slashes of either kind, as in `\\\\host\\share` and `//host/share`.

    This includes devices (`\\\\.\\pipe`, `\\\\?\\UNC`). On other systems than Windows, two slashes are the same as one.
    """
    return path[:2].replace("/", "\\") == "\\\\"


def leads_to_other_host(path: str, folder: str) -> bool:
    """Return whether a path relative to the folder is on another host, and not on the share of the folder itself."""
    joined = ntpath.join(folder, path)
    share, own = (ntpath.normcase(ntpath.splitdrive(each)[0]) for each in (joined, folder))
    return is_on_other_host(joined) and share != own
