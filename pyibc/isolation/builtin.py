"""Mark of classes of this distribution, which are exempt from parts of the isolation (docs/adr/0039)."""

from typing import Final, TypeVar

_MARK: Final = "_is_builtin"

_T = TypeVar("_T", bound=type)


def builtin(cls: _T) -> _T:
    """Mark a reviewed class of this distribution as exempt from two parts of the isolation.

    Its methods recurse no deeper than their code shows, whatever a packet contains, so their call depth is
    not counted (`isolation.call_depth`). They write only their own stores, and neither keep the context nor
    hand it on. So an application or middleware of a builtin plugin is called with the block's own context,
    and gets the host's own bank and accounts.

    The mark holds for the class itself, not for its subclasses.
    """
    setattr(cls, _MARK, True)
    return cls


def is_builtin(*code: object) -> bool:
    """Return whether the class of each object is marked itself.

    For an application, give the plugin that registers it, too: a plugin may have built a builtin class around
    code of its own.
    """
    # guard: h82-what-derives-from-a-shipped-class-has-the-block {_MARK in vars(type(each)) => hasattr(each,
    #   _MARK)} test_h82_a_class_that_derives_from_a_shipped_one_is_a_stranger_s
    return all(_MARK in vars(type(each)) for each in code)
