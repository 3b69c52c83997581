"""Signed headers that come with the height: who watches a chain asks for the next one in the same request.

A light client's update needs the header that has just been made, and a question for it after the height would
cost another way to the node and back. Until the block is there the node refuses, in a few bytes.
"""

from collections.abc import Callable, Sequence

from ibc_core.comet_json.fields import Json
from ibc_relayer.errors import MalformedAnswer, RelayerError
from ibc_relayer.rpc_calls import Call
from ibc_relayer.rpc_read import signed_questions
from ibc_relayer.seldom import Seldom

LASTING = 8
"""Blocks after the last one of which somebody had the header, in which more are asked for."""


class LightAhead:
    """The next block's header of one chain. For any thread: at worst one is asked for in vain, or later."""

    def __init__(self, keep: Callable[[int, Json, Json], bool]) -> None:
        """`keep` takes a height and the answers to both questions; False where they are not all of it.

        It raises MalformedAnswer where they are no header of that height.
        """
        self._keep = keep
        self._questions = Seldom()
        self._wanted = self.known = 0
        """The last block whose header is there: it may not be executed yet."""

    def wanted(self, height: int) -> None:
        """Somebody has needed, and was given, the header of a block."""
        self._wanted = max(self._wanted, height)

    def forget(self) -> None:
        """What was wanted may have been another chain's."""
        self._wanted = self.known = 0

    def questions(self, height: int) -> list[Call]:
        """What to ask, with the height, about the block `height`, which may not be there yet."""
        # guard: headers-are-asked-for-for-ever {0 < self._wanted <= height <= self._wanted + LASTING => 0 <
        #   self._wanted <= height} test_after_some_blocks_without_need_none_is_asked_for
        if height <= self.known or not 0 < self._wanted <= height <= self._wanted + LASTING:
            return []
        # guard: headers-of-no-use-are-asked-for-with-each-height always:asks
        #   test_what_was_of_no_use_is_not_asked_for_with_each_height
        return signed_questions(height) if self._questions.asks() else []

    def take(self, height: int, answers: Sequence[Json | RelayerError]) -> None:
        """The answers; what is no header, or not all of it, is left to whoever asks for it."""
        found = [each for each in answers if not isinstance(each, RelayerError)]
        if len(found) < len(answers):
            return
        try:
            is_whole = self._keep(height, *found)
        except MalformedAnswer:
            self._questions.refused(is_unknown=False)
            return
        if is_whole:
            self.known = height
        else:  # as with every later block
            self._questions.refused()
