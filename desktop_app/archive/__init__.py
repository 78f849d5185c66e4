"""The archive: peewee and SQLite. Tables, rows to values and back, migrations, full-text search."""
