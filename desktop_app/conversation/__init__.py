"""The domain model: immutable values, each a frozen struct with a JSON form. Imports no other package of ours."""
