"""Heights of the two chains of a link: by their followers, or else by queries."""

from concurrent.futures import Future

from pyibc.relayer.blocks.checked import Cursor
from pyibc.relayer.blocks.feed import BlockFeed, Names, Passed
from pyibc.relayer.chain.endpoint import Heights
from pyibc.relayer.chain.values import Tip
from pyibc.relayer.paths.path import Side


class FollowedHeights:
    """Heights and blocks that a link need not query."""

    def __init__(self, feeds: tuple[BlockFeed, BlockFeed] | None) -> None:
        """Wait for nothing; `feeds` are of both chains, None: nobody follows them."""
        self._feeds = feeds
        self._known = [0, 0]  # last heights
        self._changes: list[Future[int] | None] = [None, None]  # futures of the next ones

    @property
    def changes(self) -> list[Future[int]]:
        """Futures that complete when the height of a followed chain changes."""
        return [each for each in self._changes if each is not None]

    def stop_waiting(self) -> None:
        """Wait for no height until the next query."""
        for change in self.changes:
            change.cancel()
        self._changes, self._known = [None, None], [0, 0]

    def followed(self, side: Side) -> int:
        """Return the height as the chain's follower knows it; 0: it is not followed now."""
        return self._feeds[side].height if self._feeds is not None else 0

    def of(self, side: Side, heights: Heights) -> int:
        """Return the chain's height: the last one that was waited for, or else by a query."""
        if self._feeds is None:
            return heights.last_height()
        change = self._changes[side]
        if change is not None and change.done():
            self._known[side] = 0 if change.exception() is not None else change.result()
            change = self._changes[side] = None
        if change is None:
            known = self._known[side] = self._known[side] or self.followed(side)
            # guard: a-chain-that-is-not-followed-is-not-asked drop
            #   test_what_goes_wrong_while_it_is_watched_is_met_by_the_round
            if not known:
                return heights.last_height()
            self._changes[side] = self._feeds[side].change(known)
        return self._known[side]

    def tip_above(self, side: Side, height: int) -> Tip | None:
        """Return the last block that the follower has read, if it is above `height`."""
        last = self._feeds[side].last if self._feeds is not None and self.followed(side) else None
        return (
            Tip(last.cursor.height, last.time_ns)
            if last is not None and last.cursor.height > height
            else None
        )

    def unrelated(self, side: Side, cursor: Cursor, names: Names) -> Passed | None:
        """Return the last block that need not be read (`BlockFeed.unrelated`)."""
        return None if self._feeds is None else self._feeds[side].unrelated(cursor, names)
