"""The root of the error tree."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar


@dataclass(eq=False)
class IbcError(Exception):
    """A refusal that the protocol knows: (codespace, code), with its facts as fields.

    Subclasses are dataclasses with `eq=False` (identity, as exceptions need) and are rebuilt from
    their fields, so that they cross process borders (Spark workers, test runners).
    """

    codespace: ClassVar[str] = "ibc"
    code: ClassVar[int] = 1
    text: ClassVar[str] = "ibc error"

    def __str__(self) -> str:
        return self.text.format(**{f.name: getattr(self, f.name) for f in fields(self)})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))
