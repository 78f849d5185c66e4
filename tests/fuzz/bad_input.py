"""Tries targets with bad input, all of them by default, and prints what it finds:

    python tests/fuzz/bad_input.py [TARGET ...] [COUNT]
    python tests/fuzz/bad_input.py --guided TARGET [SECONDS]

With --guided coverage leads the changes, through atheris (pip install atheris), which is a tool for developers only.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path

import msgspec

sys.path[:0] = [str(Path(__file__).parents[1] / "support"), str(Path(__file__).parents[2])]


def main(*words: str) -> int:
    count = next((int(word) for word in words if word.isdigit()), 0)
    if "--guided" in words:
        return guided(words[words.index("--guided") + 1], count or 600)
    import trying

    names = [word for word in words if word in trying.TARGETS] or list(trying.TARGETS)
    failed = 0
    for name in names:
        tried = trying.try_out(name, range(count or 10_000))
        failed += len(tried.faults)
        print(msgspec.json.encode(tried).decode(), flush=True)
    return bool(failed)


def guided(name: str, seconds: int) -> int:
    """Try one target until something is found; the input is printed and written beside."""
    import atheris  # type: ignore[import-not-found]

    with atheris.instrument_imports(include=["desktop_app"]):
        import trying

    samples = Path(tempfile.mkdtemp(prefix=f"palimpsest-{name}-"))
    for number, sample in enumerate(trying.SAMPLES_OF[name]()):
        (samples / str(number)).write_bytes(sample)

    def one(data: bytes) -> None:
        if fault := trying.fault_of(name, data):
            raise RuntimeError(f"{fault}: {data.hex()}")

    logging.disable(logging.ERROR)
    atheris.Setup([name, f"-max_total_time={seconds}", "-max_len=20000", str(samples)], one)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
