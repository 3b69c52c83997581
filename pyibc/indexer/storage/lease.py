"""Lease for one run at a time on results in a bucket, in place of a file lock.

The run creates `.lock` with `If-None-Match` and renews it every few seconds with `If-Match`. Another run that
finds the object waits: if it changes, its owner is alive and the new run is refused; if it does not change
for `DEAD_S` seconds, its owner was killed and one of the waiting runs takes it over with `If-Match`. Clocks
of different machines are never compared. An owner that could not renew its lease for `LOST_S` seconds makes
no further changes, and the file that commits a run is replaced only if it still has the version that the run
began with.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex

from pyibc.indexer.errors import IndexBusy, ObjectChanged, StorageFault, StorageUnfit
from pyibc.indexer.storage.client import Bucket, bucket
from pyibc.indexer.storage.objects import ObjectPath

NAME = ".lock"
BEAT_S, LOST_S, DEAD_S, LOOK_S = 4.0, 12.0, 20.0, 1.0


class Lease:
    """Exclusive right to change the objects in a folder."""

    def __init__(self, folder: ObjectPath, fenced: Iterable[str]) -> None:
        """Create a lease; `fenced` files are replaced only if unchanged since the lease was acquired."""
        self._folder, self._in = folder, bucket(folder.bucket)
        self._key = (folder / NAME).key
        self._owner, self._beats = token_hex(12), 0
        self._version, self._alive, self._ended = "", 0.0, threading.Event()
        self._fenced = [(folder / name).key for name in fenced]
        self._found: dict[str, str | None] = {}

    def take(self, tell: Callable[[str], None]) -> None:
        """Acquire the lease, possibly after waiting.

        Raises:
            IndexBusy: another run is alive.
            StorageFault: the store failed, or does not support conditional writes.
        """
        began = time.monotonic()
        if (version := self._made()) is None:
            tell(f"{self._folder} is locked by a run that is active or was killed: waiting {DEAD_S:g} s")
            version, began = self._taken_over()
        self._version, self._alive = version, began
        self._probe()
        for key in self._fenced:
            self._found[key] = _version_of(self._in, key)

    def check(self) -> None:
        """Check that the lease was renewed recently.

        Raises:
            IndexBusy: the lease may be lost.
        """
        # guard: h216-a-lease-that-is-not-sure-is-believed drop
        #   test_h216_an_owner_that_slept_too_long_changes_nothing
        if time.monotonic() - self._alive > LOST_S:
            raise IndexBusy(str(self._folder))

    def replace(self, key: str, content: bytes) -> bool:
        """Replace a fenced file; return False if the file is not fenced.

        Raises:
            IndexBusy: the file has changed since the lease was acquired.
        """
        if key not in self._found:
            return False
        self.check()
        before = self._found[key]
        try:
            self._found[key] = (
                self._in.put_new(key, content)
                if before is None
                else self._in.put_instead(key, content, before)
            )
        except ObjectChanged:
            raise IndexBusy(str(self._folder)) from None
        return True

    def beat(self) -> None:
        """Renew the lease until it ends or is lost."""
        while not self._ended.wait(BEAT_S):
            began = time.monotonic()
            if began - self._alive > LOST_S:
                return
            with suppress(StorageFault):  # the next renewal may succeed
                self._beat()
                self._alive = began

    def give_up(self) -> None:
        """Release the lease, so that the next run does not wait."""
        self._ended.set()
        with suppress(StorageFault, IndexBusy):
            self.check()
            self._in.delete(self._key)

    def _beat(self) -> None:
        try:
            self._version = self._in.put_instead(self._key, self._content(), self._version)
        except ObjectChanged:
            self._ended.set()
            self._alive = float("-inf")
            raise

    def _content(self) -> bytes:
        self._beats += 1
        return b'{"owner":"%s","beat":%d}\n' % (self._owner.encode(), self._beats)

    def _made(self) -> str | None:
        """Create the lock; return its version, or None if a lock exists."""
        try:
            return self._in.put_new(self._key, self._content())
        except ObjectChanged:
            return None

    def _taken_over(self) -> tuple[str, float]:
        """Wait for a renewal by the owner, and take the lease over if there is none.

        Raises:
            IndexBusy: the owner is alive.
        """
        seen, since = _version_of(self._in, self._key), time.monotonic()
        while time.monotonic() - since < DEAD_S:
            if seen is None or _version_of(self._in, self._key) != seen:
                raise IndexBusy(str(self._folder))
            time.sleep(LOOK_S)
        began, content = time.monotonic(), self._content()
        try:
            return self._in.put_instead(self._key, content, str(seen)), began
        except ObjectChanged:
            raise IndexBusy(str(self._folder)) from None

    def _probe(self) -> None:
        """Check that the store supports conditional writes, by a creation of the existing lock.

        Raises:
            StorageUnfit: the creation succeeded.
        """
        with suppress(ObjectChanged):
            self._in.put_new(self._key, self._content())
            raise StorageUnfit(
                str(self._folder), "the store does not support conditional writes (If-None-Match)"
            )


def _version_of(store: Bucket, key: str) -> str | None:
    try:
        return store.head(key).version
    except FileNotFoundError:
        return None


@contextmanager
def leased(folder: ObjectPath, fenced: Iterable[str], tell: Callable[[str], None]) -> Iterator[ObjectPath]:
    """Lock `folder` for this run, and yield it as a guarded path; raise the errors of `Lease.take`."""
    lease = Lease(folder, fenced)
    lease.take(tell)
    thread = threading.Thread(target=lease.beat, name="lease", daemon=True)
    thread.start()
    try:
        yield folder.guarded(lease)
    finally:
        lease.give_up()
        thread.join(LOST_S)
