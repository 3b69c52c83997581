"""Events: tuples of text, as relayers and indexers read them.

An event is `(type, ((key, value), ...))`. Tuples because a received packet emits fourteen of them.
"""

Attribute = tuple[str, str]
Event = tuple[str, tuple[Attribute, ...]]
"""Type and attributes, as a transaction's result has them."""
