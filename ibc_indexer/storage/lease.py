"""One run at a time on results in a bucket, where a file system has a lock.

`.lock` is made with `If-None-Match`, and written again every few seconds with `If-Match` for as long as the
run lives. Who finds one waits: if it changes, its owner lives, and the newcomer is refused; if it stays as it
is for `DEAD_S`, its owner was killed, and it is taken over with `If-Match`, by one of all who wait. Clocks of
several machines are never compared. An owner that could not write its own for `LOST_S` changes nothing any
more, and the file that commits a run is replaced only if it still is the version that the run began with.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex

from ibc_indexer.errors import IndexBusy, ObjectChanged, StorageFault, StorageUnfit
from ibc_indexer.storage.client import Bucket, bucket
from ibc_indexer.storage.objects import ObjectPath

NAME = ".lock"
BEAT_S, LOST_S, DEAD_S, LOOK_S = 4.0, 12.0, 20.0, 1.0


class Lease:
    """The right to change what is in a folder."""

    def __init__(self, folder: ObjectPath, fenced: Iterable[str]) -> None:
        """`fenced`: names of files in it that are replaced only as they were when the lease was had."""
        self._folder, self._in = folder, bucket(folder.bucket)
        self._key = (folder / NAME).key
        self._owner, self._beats = token_hex(12), 0
        self._version, self._alive, self._ended = "", 0.0, threading.Event()
        self._fenced = [(folder / name).key for name in fenced]
        self._found: dict[str, str | None] = {}

    def take(self, tell: Callable[[str], None]) -> None:
        """Has the lease, maybe after a while.

        Raises:
            IndexBusy: another run lives.
            StorageFault: the store cannot be asked, or knows no conditional writes.
        """
        began = time.monotonic()
        if (version := self._made()) is None:
            tell(f"a run on {self._folder} was killed or is under way: looking for {DEAD_S:g} s")
            version, began = self._taken_over()
        self._version, self._alive = version, began
        self._probe()
        for key in self._fenced:
            self._found[key] = _version_of(self._in, key)

    def check(self) -> None:
        """Raises IndexBusy if the lease is not sure any more."""
        # guard: h216-a-lease-that-is-not-sure-is-believed drop
        #   test_h216_an_owner_that_slept_too_long_changes_nothing
        if time.monotonic() - self._alive > LOST_S:
            raise IndexBusy(str(self._folder))

    def replace(self, key: str, content: bytes) -> bool:
        """Replaces a fenced file; False: it is not fenced.

        Raises:
            IndexBusy: it is another one than when the lease was had.
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
        """Writes the lock again until the lease ends or is lost."""
        while not self._ended.wait(BEAT_S):
            began = time.monotonic()
            if began - self._alive > LOST_S:
                return
            with suppress(StorageFault):  # the next beat may reach it
                self._beat()
                self._alive = began

    def give_up(self) -> None:
        """Ends it: the next run need not wait."""
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
        """The version of the lock that was made; None if there is one."""
        try:
            return self._in.put_new(self._key, self._content())
        except ObjectChanged:
            return None

    def _taken_over(self) -> tuple[str, float]:
        """Waits for a sign of life.

        Raises:
            IndexBusy: there is one.
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
        """Whether the store keeps its word: the lock is there, so it cannot be made.

        Raises:
            StorageUnfit: it makes it.
        """
        with suppress(ObjectChanged):
            self._in.put_new(self._key, self._content())
            raise StorageUnfit(str(self._folder), "the store knows no conditional writes (If-None-Match)")


def _version_of(store: Bucket, key: str) -> str | None:
    try:
        return store.head(key).version
    except FileNotFoundError:
        return None


@contextmanager
def leased(folder: ObjectPath, fenced: Iterable[str], tell: Callable[[str], None]) -> Iterator[ObjectPath]:
    """The folder, which this run alone may change meanwhile; raises as `Lease.take` does."""
    lease = Lease(folder, fenced)
    lease.take(tell)
    thread = threading.Thread(target=lease.beat, name="lease", daemon=True)
    thread.start()
    try:
        yield folder.guarded(lease)
    finally:
        lease.give_up()
        thread.join(LOST_S)
