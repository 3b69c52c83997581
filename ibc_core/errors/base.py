"""The root of the error tree."""

from dataclasses import dataclass, fields
from inspect import cleandoc
from typing import Any, ClassVar, dataclass_transform

_MOST_CODE = (1 << 32) - 1


@dataclass_transform(eq_default=False)
@dataclass(eq=False)
class IbcError(Exception):
    """Input that the protocol refuses: an ABCI (codespace, code), with the details as fields.

    A subclass is a dataclass without being decorated: it lists its fields and `text`, and is given its `code`
    and, where other texts or programs have the same error, its `source`. Both end its docstring. A code is 1
    to 2^32 - 1, which ABCI can carry: 0 would say that all is well.

    Exceptions compare by identity. They are pickled by their fields, so that Spark workers and test runners
    can pass them between processes.
    """

    codespace: ClassVar[str] = "ibc"
    code: ClassVar[int] = 1
    text: ClassVar[str] = "ibc error"

    def __init_subclass__(cls, *, code: int | None = None, source: str = "") -> None:
        super().__init_subclass__()
        if code is not None:
            if type(code) is not int or not 0 < code <= _MOST_CODE:
                raise ValueError(
                    f"{cls.__name__}: code {code!a} is impossible: 1 to 2^32 - 1, 0 says that all is well"
                )
            cls.code = code
        if source:
            cls.__doc__ = f"{cleandoc(cls.__doc__ or '')}\n\n`{cls.codespace}/{cls.code}`: {source}."
        dataclass(eq=False)(cls)

    def __str__(self) -> str:
        return self.text.format(**{f.name: getattr(self, f.name) for f in fields(self)})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))
