"""What a request's address and headers may hold, on a `curl` command line: a real shell takes it for text."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec import Struct

from desktop_app.models.litellm_model import STAND_IN, curl_command

HOSTILE = (
    *(
        "a'b",
        'a"b',
        "$(touch made)`touch made`",
        "'$(touch made)'",
        '"$(touch made)"',
        "${HOME} \\ \\\\ \\$(touch made)",
    ),
    *("'; touch made; '", '"; touch made; "', "a\\", "-o made", "@made", "a\tb", "!!", "*", "~", "a & touch made"),
    *(
        "a\nJSON\ntouch made\n",
        "a # b",
        "<(touch made)",
        "\u202e",
        "世界",
        "a\\\ntouch made",
        "'\"'\"'; touch made; '\"'\"'",
    ),
)
RECORDER = """import json, sys
json.dump([sys.argv[1:], sys.stdin.read()], open("got", "w"))
"""


class Sent(Struct):
    """What httpx would have sent."""

    url: str
    headers: dict[str, str]
    content: bytes


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell here")
@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("key", ["", STAND_IN])
@pytest.mark.long
def test_a_shell_takes_all_of_it_for_text(tmp_path: Path, text: str, key: str) -> None:
    for shell in filter(shutil.which, ("sh", "bash", "zsh")):
        work = tmp_path / shell
        (work / "bin").mkdir(parents=True)
        (work / "bin" / "curl.py").write_text(RECORDER)
        (work / "bin" / "curl").write_text(
            f'#!/bin/sh\nexec "{shutil.which("python3")}" "$(dirname "$0")/curl.py" "$@"\n'
        )
        (work / "bin" / "curl").chmod(0o755)
        body = {"model": text, text: [text, {"text": text}]}
        sent = Sent(f"http://host/{text}{key}", {"x-a": text + key, "x-b": key}, json.dumps(body).encode())
        command = curl_command(sent, {STAND_IN: "A_KEY"})
        path = f"{work / 'bin'}:/usr/bin:/bin"
        subprocess.run([shell], input=command, cwd=work, env={"PATH": path, "A_KEY": "k'\"$"}, text=True, check=True)
        arguments, typed = json.loads((work / "got").read_text())
        told = "k'\"$" if key else ""
        assert arguments[1] == f"http://host/{text}{told}"
        assert [arguments[3], arguments[5]] == [f"x-a: {text}{told}", f"x-b: {told}"]
        assert json.loads(typed) == body
        assert sorted(one.name for one in work.iterdir()) == ["bin", "got"]
