"""The root of the error tree."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(eq_default=False)
@dataclass(eq=False)
class IbcError(Exception):
    """Input that the protocol refuses: an ABCI (codespace, code), with the details as fields.

    A subclass is a dataclass without being decorated: it lists its fields, and states `code` and `text`.
    Exceptions compare by identity. They are pickled by their fields, so that Spark workers and test runners
    can pass them between processes.
    """

    codespace: ClassVar[str] = "ibc"
    code: ClassVar[int] = 1
    text: ClassVar[str] = "ibc error"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(eq=False)(cls)

    def __str__(self) -> str:
        return self.text.format(**{f.name: getattr(self, f.name) for f in fields(self)})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))
