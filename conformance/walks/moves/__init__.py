"""What a walk may do next: one file a group of messages, one function a message.

A move looks at the chains and answers with the messages of one transaction, which should succeed, or with
None where there is nothing to do.
"""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.walks.chain import WalkChain
from conformance.walks.world import World

Move = Callable[[World, WalkChain], Sequence[Any] | None]
"""Messages (values or Anys) and `Action`s for a chain's next block."""
