"""Second, tiny host of the IBC plugin: shares nothing with `localnet`, not even the transaction format.

Read `chain` first (the host), then `bank` (coins as a plugin), `envelope` (transactions), `consensus`
(validators). The stock relayer uses `endpoint`, the only module that needs `pyibc[relayer]`.
"""

from pyibc.examples.tinychain.bank import TinyBank
from pyibc.examples.tinychain.chain import TinyChain

__all__ = ["TinyBank", "TinyChain"]
