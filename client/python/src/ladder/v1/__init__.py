"""The messages of ladder.v1, generated from proto/ladder/v1 when the package is built."""
