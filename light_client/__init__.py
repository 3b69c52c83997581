"""Light clients (ICS-2): is this header, this proof, true?"""

import pyibc  # noqa: F401 - its guard runs first

__distribution__ = "pyibc"
