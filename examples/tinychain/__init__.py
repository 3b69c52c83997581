"""A second, tiny host of the IBC plugin: shares nothing with `localnet`, not even the transaction format.

Read `chain` first (the host), then `bank` (its coins as a plugin), `envelope` (its transactions),
`consensus` (its validators) and `endpoint` (how the stock relayer sees it).
"""

from examples.tinychain.bank import TinyBank
from examples.tinychain.chain import TinyChain
from examples.tinychain.endpoint import TinyEndpoint

__all__ = ["TinyBank", "TinyChain", "TinyEndpoint"]
