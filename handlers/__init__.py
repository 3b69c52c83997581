"""One file a message: `validate` reads and proves, `execute` writes.

`dispatch` is the only entry point.
"""

import pyibc  # noqa: F401 - its guard runs first

__distribution__ = "pyibc"
