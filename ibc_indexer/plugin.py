"""The exporter as a plugin: writes each block as the host commits it, and never stops the host."""

import contextlib
import logging
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from ibc_core.errors import IbcError
from ibc_core.host.block import CommittedBlock
from ibc_indexer.coverage import Heights
from ibc_indexer.export import BlockExporter
from ibc_module import hookimpl

FILLED_AT_ONCE = 20  # heights that are filled in after a commit: a block must not wait for thousands

log = logging.getLogger("ibc_indexer.export")

Blocks = Callable[[int], CommittedBlock | None]


class ExportPlugin:
    """Exports one chain's blocks to a folder that `pyibc index` reads.

    A full disk, a folder that is gone, another chain's lines in it: the chain goes on, the log says it, and
    the block lacks. The heights that lack between the chain's first block and the last line are written later
    if `blocks` gives them: also those that a power cut took.
    """

    def __init__(
        self, folder: Path, blocks: Blocks | None = None, *, first_height: int = 1, sync: bool = False
    ) -> None:
        """Opens the folder.

        Args:
            folder: made if absent.
            blocks: the committed block of a height, out of the host's block store; None if it is not there.
                After an OSError it is asked again with the next block; whatever else it raises is logged,
                and nothing is filled in until the folder is opened again.
            first_height: of the chain's first block.
            sync: whether each line is on the disk before the hook returns: for hosts without `blocks`.
        """
        self._folder = folder
        self._sync = sync
        self._blocks = blocks
        self._first = first_height
        self._exporter: BlockExporter | None = None
        self._lacks: Heights | None = None  # None: not known, the folder was opened just now
        self._failing = False
        self._waiting = False  # for `blocks`, and said so
        self._opened_or_told()

    def fill_from(self, blocks: Blocks) -> None:
        """Takes lacking blocks from `blocks`: for hosts that open their store after their plugins."""
        self._blocks = blocks

    @hookimpl
    def chain_committed(self, block: CommittedBlock) -> None:
        """Appends the block, unless it is there already, and some of those that lack."""
        if not self._written(block):
            return
        if self._failing:
            log.warning("%s: blocks are exported again, from %d", block.chain_id, block.height)
        self._failing = False
        if self._blocks is not None:
            self._fill(self._blocks)

    def close(self) -> None:
        """Closes the file; a later block opens it again."""
        if self._exporter is not None:
            with contextlib.suppress(OSError):  # every line was written by then
                self._exporter.close()
        self._exporter = self._lacks = None

    def _written(self, block: CommittedBlock) -> bool:
        try:
            exporter = self._opened()
            before = exporter.last_height
            exporter.write(block)
        # guard: h92-a-full-disk-stops-the-chain drop:OSError
        #   test_h92_a_full_disk_is_told_once_and_leaves_no_gap
        # guard: h92-another-chain-s-lines-stop-the-chain drop:IbcError
        #   test_h92_another_history_is_told_and_changes_nothing
        except (OSError, IbcError) as error:
            self._told(f"{block.chain_id}: block {block.height} is not exported: {error}")
            self.close()  # what a failed write left is found when the folder is opened again
            return False
        except Exception:  # a bug, which is no reason to stop a chain
            log.exception("%s: block %d is not exported", block.chain_id, block.height)
            self.close()
            return False
        if self._lacks is not None and before:
            self._lacks |= Heights.spanning([(before + 1, block.height - 1)])  # empty, but after a jump
        return True

    def _fill(self, blocks: Blocks) -> None:
        exporter = self._opened()
        if self._lacks is None:
            # guard: h109-only-gaps-between-lines-are-filled {exporter.heights.lacking(self._first,
            #   exporter.last_height) => exporter.heights.gaps()}
            #   test_h109_lines_that_were_never_flushed_are_found_wherever_they_were
            self._lacks = exporter.heights.lacking(self._first, exporter.last_height)
            if self._lacks.ranges:
                log.warning("%s: the export lacks %s", exporter.chain_id, self._lacks)
        for height in islice(self._lacks, FILLED_AT_ONCE):
            self._lacks = self._lacks - Heights.of([height])
            try:
                block = blocks(height)
            except OSError as error:  # a node that starts, a disk: it may give them with the next block
                # guard: h196-a-node-that-starts-is-given-up drop
                #   test_h196_a_node_that_starts_is_asked_again_with_the_next_block
                self._lacks |= Heights.of([height])
                log.log(
                    logging.DEBUG if self._waiting else logging.WARNING, "%s: %s", exporter.chain_id, error
                )
                self._waiting = True
                return
            except Exception:
                log.exception("%s: the host's block %d cannot be read", exporter.chain_id, height)
                self._lacks = Heights()
                return
            self._waiting = False
            if block is None:
                log.warning("%s: the host has no block %d, the export lacks it", exporter.chain_id, height)
            elif not self._written(block):
                return

    def _opened(self) -> BlockExporter:
        if self._exporter is None:
            # guard: h109-lines-are-not-flushed drop:sync
            #   test_plugin::test_h109_lines_of_a_host_without_blocks_are_on_the_disk_when_the_hook_returns
            self._exporter = BlockExporter(self._folder, sync=self._sync, first_height=self._first)
        return self._exporter

    def _opened_or_told(self) -> None:
        try:
            self._opened()
        except (OSError, IbcError) as error:
            self._told(f"{self._folder}: no block is exported: {error}")

    def _told(self, what: str) -> None:
        """Logs the first failure of a row: a full disk fails at every block."""
        log.log(logging.DEBUG if self._failing else logging.ERROR, what)
        self._failing = True
