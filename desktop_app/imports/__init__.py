"""Files of other programs: what they hold, as conversations. A file a format, over one interface; see `formats.py`."""
