"""A second, tiny host of the IBC plugin: shares nothing with `localnet`, not even the transaction format.

Read `chain` first (the host), then `bank` (its coins as a plugin), `envelope` (its transactions),
`consensus` (its validators). The stock relayer sees it by `endpoint`, the one module that needs
`pyibc[relayer]`.
"""

from examples.tinychain.bank import TinyBank
from examples.tinychain.chain import TinyChain

__all__ = ["TinyBank", "TinyChain"]
