"""State: each keeper is the only writer of its paths."""

import pyibc  # noqa: F401 - its guard runs first

__distribution__ = "pyibc"
