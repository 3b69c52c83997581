"""`@value`: an immutable record."""

import os
from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

_C = TypeVar("_C")

FROZEN_AT_RUN_TIME = os.environ.get("PYIBC_FROZEN_VALUES") == "1"
"""Values are frozen for the type checker always, at run time only in this mode: a frozen dataclass
costs four times as much to create, and each packet message creates several."""


@dataclass_transform(frozen_default=True)
def value(cls: type[_C]) -> type[_C]:
    """Makes `cls` a slotted, hashable record; the type checker refuses assignments to its fields."""
    return dataclass(slots=True, unsafe_hash=not FROZEN_AT_RUN_TIME, frozen=FROZEN_AT_RUN_TIME)(cls)
