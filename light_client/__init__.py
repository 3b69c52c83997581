"""Light clients (ICS-2): is this header, this proof, true?"""

import ibc_core  # noqa: F401 - its guard: whether all of our packages are ours, before any is used

__distribution__ = "pyibc"
