"""State: each keeper is the only writer of its paths."""

import ibc_core  # noqa: F401 - its guard: whether all of our packages are ours, before any is used

__distribution__ = "pyibc"
