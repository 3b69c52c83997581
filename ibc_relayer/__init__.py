"""Relays packets between chains that it reads as any outsider does (ICS-18)."""

import ibc_core  # noqa: F401 - its guard: whether all of our packages are ours, before any is used

__distribution__ = "pyibc"
