"""Export plugin: writes each block when the host commits it, and never stops the host."""

import contextlib
import logging
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from ibc_module import hookimpl
from pyibc.core.errors import IbcError
from pyibc.core.host.block import CommittedBlock
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.blocks.export import BlockExporter

FILLED_AT_ONCE = 20  # missing heights written per commit, to bound the delay of a block

log = logging.getLogger("pyibc.indexer.export")

Blocks = Callable[[int], CommittedBlock | None]


class ExportPlugin:
    """Plugin that exports the blocks of a chain to a folder for `pyibc index`.

    Errors such as a full disk, a missing folder or lines of another chain are logged and do not stop the
    chain; the block is missing then. Missing heights between the chain's first block and the last line, for
    example after a power failure, are written later if `blocks` provides them.
    """

    def __init__(
        self, folder: Path, blocks: Blocks | None = None, *, first_height: int = 1, sync: bool = False
    ) -> None:
        """Open the folder.

        Args:
            folder: created if absent.
            blocks: returns the committed block at a height from the host's block store, or None. After an
                OSError it is retried with the next block; other exceptions are logged, and no missing heights
                are written until the folder is reopened.
            first_height: height of the chain's first block.
            sync: whether to flush each line to the disk before the hook returns; for hosts without `blocks`.
        """
        self._folder = folder
        self._sync = sync
        self._blocks = blocks
        self._first = first_height
        self._exporter: BlockExporter | None = None
        self._missing: Heights | None = None  # None: not known, the folder was just opened
        self._failing = False
        self._waiting = False  # for `blocks`; the warning was logged
        try:
            self._opened()
        except (OSError, IbcError) as error:
            self._log_failure(f"{self._folder}: no block is exported: {error}")

    def fill_from(self, blocks: Blocks) -> None:
        """Set the source of missing blocks, for hosts that open their block store after their plugins."""
        self._blocks = blocks

    @hookimpl
    def chain_committed(self, block: CommittedBlock) -> None:
        """Append the block, unless the folder has it, and some of the missing blocks."""
        if not self._written(block):
            return
        if self._failing:
            log.warning("%s: export resumed at block %d", block.chain_id, block.height)
        self._failing = False
        if self._blocks is not None:
            self._fill(self._blocks)

    def close(self) -> None:
        """Close the file; a later block reopens it."""
        if self._exporter is not None:
            with contextlib.suppress(OSError):  # all lines are written already
                self._exporter.close()
        self._exporter = self._missing = None

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
            self._log_failure(f"{block.chain_id}: block {block.height} is not exported: {error}")
            self.close()  # reopening the folder finds what a failed write left
            return False
        except Exception:  # a bug must not stop the chain
            log.exception("%s: block %d is not exported", block.chain_id, block.height)
            self.close()
            return False
        if self._missing is not None and before:
            self._missing |= Heights.spanning([(before + 1, block.height - 1)])  # empty unless heights jump
        return True

    def _fill(self, blocks: Blocks) -> None:
        exporter = self._opened()
        if self._missing is None:
            # guard: h109-only-gaps-between-lines-are-filled {exporter.heights.lacking(self._first,
            #   exporter.last_height) => exporter.heights.gaps()}
            #   test_h109_lines_that_were_never_flushed_are_found_wherever_they_were
            self._missing = exporter.heights.lacking(self._first, exporter.last_height)
            if self._missing.ranges:
                log.warning("%s: blocks missing in the export: %s", exporter.chain_id, self._missing)
        for height in islice(self._missing, FILLED_AT_ONCE):
            self._missing = self._missing - Heights.of([height])
            try:
                block = blocks(height)
            except OSError as error:  # may be temporary, such as a node that is starting
                # guard: h196-a-node-that-starts-is-given-up drop
                #   test_h196_a_node_that_starts_is_asked_again_with_the_next_block
                self._missing |= Heights.of([height])
                log.log(
                    logging.DEBUG if self._waiting else logging.WARNING, "%s: %s", exporter.chain_id, error
                )
                self._waiting = True
                return
            except Exception:
                log.exception("%s: cannot read block %d from the host", exporter.chain_id, height)
                self._missing = Heights()
                return
            self._waiting = False
            if block is None:
                log.warning(
                    "%s: block %d stays missing, the host does not have it", exporter.chain_id, height
                )
            elif not self._written(block):
                return

    def _opened(self) -> BlockExporter:
        if self._exporter is None:
            # guard: h109-lines-are-not-flushed drop:sync
            #   test_plugin::test_h109_lines_of_a_host_without_blocks_are_on_the_disk_when_the_hook_returns
            self._exporter = BlockExporter(self._folder, sync=self._sync, first_height=self._first)
        return self._exporter

    def _log_failure(self, text: str) -> None:
        """Log a failure as an error, consecutive ones at debug level: a full disk fails at every block."""
        log.log(logging.DEBUG if self._failing else logging.ERROR, text)
        self._failing = True
