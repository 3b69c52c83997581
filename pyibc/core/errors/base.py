"""Base class of errors."""

from dataclasses import dataclass, fields
from inspect import cleandoc
from typing import Any, ClassVar, Self, dataclass_transform

_MOST_CODE = (1 << 32) - 1
_PANIC = "_is_panic"


@dataclass_transform(eq_default=False)
@dataclass(eq=False)
class IbcError(Exception):
    """Base class of protocol errors, with an ABCI codespace and code, and details as fields.

    A subclass automatically is a dataclass. It declares its fields and `text`, a `code` and, if another
    text or program has the same error, its `source`; code and source are appended to its docstring. A code
    is 1 to 2^32 - 1, the range of ABCI, where 0 means success.

    Errors compare by identity. They are pickled by their fields, so that Spark workers and test runners can
    pass them between processes.
    """

    codespace: ClassVar[str] = "ibc"
    code: ClassVar[int] = 1
    text: ClassVar[str] = "ibc error"

    def __init_subclass__(cls, *, code: int | None = None, source: str = "") -> None:
        super().__init_subclass__()
        if code is not None:
            if type(code) is not int or not 0 < code <= _MOST_CODE:
                raise ValueError(f"{cls.__name__}: code {code!a} is not in 1 to 2^32 - 1")
            cls.code = code
        if source:
            cls.__doc__ = f"{cleandoc(cls.__doc__ or '')}\n\n`{cls.codespace}/{cls.code}`: {source}."
        dataclass(eq=False)(cls)

    def as_panic(self) -> Self:
        """Mark this error as one at which ibc-go panics, and return it.

        If the refused message is executed by another message, the whole transaction then fails without a
        response, as for a broken invariant. The mark is not pickled.
        """
        vars(self)[_PANIC] = True
        return self

    @property
    def is_panic(self) -> bool:
        """True if ibc-go panics at this error."""
        return _PANIC in vars(self)

    def __str__(self) -> str:
        return self.text.format(**{f.name: getattr(self, f.name) for f in fields(self)})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))
