"""State: each keeper is the only writer of its paths."""

import ibc_core  # noqa: F401 - its guard runs first

__distribution__ = "pyibc"
