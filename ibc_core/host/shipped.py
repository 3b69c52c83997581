"""What this distribution ships and has reviewed: code that is spared what strangers' code is put through."""

from typing import Final, TypeVar

_MARK: Final = "_is_shipped"

_T = TypeVar("_T", bound=type)


def shipped(cls: _T) -> _T:
    """Marks a class of this distribution that was read for both of what the mark spares it.

    Its methods call no deeper than their code says, whatever a stranger sends: their depth is not counted
    (`ibc_core.host.depth`). And they keep to their part of a block, hand its context to nobody and keep
    nothing of it: an application or middleware of a shipped plugin is called with the block's own context
    (`ibc_core.host.confined`) and has the host's own bank and accounts.

    It holds for the class itself, not for those that derive from it.
    """
    setattr(cls, _MARK, True)
    return cls


def is_shipped(*code: object) -> bool:
    """Whether the class of each is marked itself.

    An application is asked for with the plugin that registers it: a stranger's plugin may have built a
    shipped class around code of its own.
    """
    # guard: h82-what-derives-from-a-shipped-class-has-the-block {_MARK in vars(type(each)) => hasattr(each,
    #   _MARK)} test_h82_a_class_that_derives_from_a_shipped_one_is_a_stranger_s
    return all(_MARK in vars(type(each)) for each in code)
