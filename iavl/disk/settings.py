"""What the database is: the records that it begins with, and never changes."""

from collections.abc import Callable

from iavl.disk.blocks import version_key
from iavl.disk.seal import SIZE, sealed, unsealed
from iavl.errors import CorruptDatabase, StoreMismatch, UnsupportedFormat

DATABASE = "setting"
"""The name of `meta` in the seals of its records."""
_FORMAT, _INITIAL = b"format", b"initial version"
_PREFIX = b"iavl tree "
FORMAT = _PREFIX + b"2"
"""What this release reads and writes."""


def first_settings(initial_version: int) -> dict[bytes, bytes]:
    """The records of a new database."""
    return {
        _FORMAT: sealed(DATABASE, _FORMAT, FORMAT),
        _INITIAL: sealed(DATABASE, _INITIAL, version_key(initial_version)),
    }


def check_settings(
    path: str, read: Callable[[bytes], bytes | None], initial_version: int | None = None
) -> None:
    """Checks those records of an existing database, read by their keys; `initial_version` None takes any.

    Raises:
        CorruptDatabase: it holds something else.
        UnsupportedFormat: another release wrote it.
        StoreMismatch: it was made with another first version.
    """
    form, initial = read(_FORMAT), read(_INITIAL)  # before format 2 nothing had a seal
    if form is not None and form.startswith(_PREFIX) and len(form) < SIZE:
        raise UnsupportedFormat(path, form.decode(errors="replace"), FORMAT.decode())
    found = unsealed(path, DATABASE, _FORMAT, form)
    if found != FORMAT:
        if not found.startswith(_PREFIX):
            raise CorruptDatabase(path, f"format {found!r}")
        raise UnsupportedFormat(path, found.decode(errors="replace"), FORMAT.decode())
    first = unsealed(path, DATABASE, _INITIAL, initial)
    if initial_version is not None and first != version_key(initial_version):
        raise StoreMismatch(path, f"made with another initial version than {initial_version}")
