"""One file a message: `validate` reads and proves, `execute` writes.

`dispatch` is the only way in.
"""

import ibc_core  # noqa: F401 - its guard runs first

__distribution__ = "pyibc"
