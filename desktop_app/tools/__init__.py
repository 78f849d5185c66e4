"""What a model may call: files, commands, search, the web; and where the whole of long outputs is kept."""
