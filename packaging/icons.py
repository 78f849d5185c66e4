"""Draws the icon in the sizes of desktops: icons.py FOLDER makes FOLDER/48x48/apps/palimpsest.png and others."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

ICON = Path(__file__).resolve().parent.parent / "resources" / "icons" / "palimpsest.svg"
SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)


def draw(size: int) -> QImage:
    """Return the icon as a square of so many pixels."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(ICON)).render(painter)
    painter.end()
    return image


def main() -> None:
    """Write all sizes below the folder of the arguments."""
    for size in SIZES:
        file = Path(sys.argv[1]) / f"{size}x{size}" / "apps" / f"{ICON.stem}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        if not draw(size).save(str(file)):
            sys.exit(f"{file} could not be written")


if __name__ == "__main__":
    main()
