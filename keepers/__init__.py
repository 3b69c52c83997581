"""State: each keeper is the only writer of its paths."""
