"""A reference host chain: consensus, nodes, networks of nodes, and the demo."""

import pyibc  # noqa: F401 - its guard runs first

__distribution__ = "pyibc"
