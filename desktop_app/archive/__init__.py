"""The archive, with peewee and SQLite: tables, conversion between rows and values, migrations, full-text search."""
