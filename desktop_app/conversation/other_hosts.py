"""Paths that lead to another computer, as Windows reads them: whoever looks at one sends that host the user's name, and
an answer that proves the password."""

from __future__ import annotations

import ntpath


def is_on_other_host(path: str) -> bool:
    """Return whether a path begins with two slashes of either kind, as in `\\\\host\\share` and `//host/share`.

    Also those of devices (`\\\\.\\pipe`, `\\\\?\\UNC`); elsewhere than on Windows two slashes mean no more than one.
    """
    return path[:2].replace("/", "\\") == "\\\\"


def leads_to_other_host(path: str, folder: str) -> bool:
    """Return whether a path that is read in that folder begins so, unless it is on the share of the folder itself."""
    joined = ntpath.join(folder, path)
    share, own = (ntpath.normcase(ntpath.splitdrive(each)[0]) for each in (joined, folder))
    return is_on_other_host(joined) and share != own
