"""Import of conversations from other programs' files: one module per format, one interface; see `formats.py`."""
