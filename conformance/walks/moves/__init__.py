"""The moves of a walk: one file per group of messages, one function per message.

A move inspects the chains and returns the messages of one transaction that should succeed, or None if it is
not possible.
"""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.walks.chain import WalkChain
from conformance.walks.world import World

Move = Callable[[World, WalkChain], Sequence[Any] | None]
"""Returns messages (values or Anys) and `Action`s for a chain's next block."""
