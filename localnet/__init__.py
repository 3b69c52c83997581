"""A reference host chain, its consensus, nodes, networks of them, the demo."""

import ibc_core  # noqa: F401 - its guard runs first

__distribution__ = "pyibc"
