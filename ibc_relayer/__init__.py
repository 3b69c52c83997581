"""Relays packets between chains that it reads as any outsider does (ICS-18)."""

import ibc_core  # noqa: F401 - its guard runs first

__distribution__ = "pyibc-relayer"
