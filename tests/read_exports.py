"""Plain reading of an export, line by line."""

from pathlib import Path
from typing import NamedTuple

from pyibc.indexer.blocks.block import Block
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.blocks.line_files import read_lines
from pyibc.indexer.blocks.lines import content_digest, decode_line


class Export(NamedTuple):
    """Content of an export."""

    blocks: list[Block]  # in the order of files and lines
    heights: Heights
    incarnation: str  # "": no line names it


def read_export(folder: Path) -> Export:
    """Read an export of one chain whose lines are all intact, with each height once.

    Raises:
        MalformedLine: a line is damaged.
        AssertionError: a file has no lines, the lines are of several chains, or a height is there twice.
    """
    blocks, incarnations = list[Block](), set[str]()
    for path in sorted(folder.iterdir()):
        lines = list(read_lines(path))
        assert lines or path.stat().st_size == 0, f"{path} has no lines"
        for line in lines:
            head, block = line.head(), decode_line(line.data)
            assert head.digest == content_digest(block), f"{path} has another digest at byte {line.offset}"
            incarnations.add(head.incarnation)
            blocks.append(block)
    heights = Heights.of(block.height for block in blocks)
    assert heights.count == len(blocks), "a height is there twice"
    assert len({block.chain_id for block in blocks}) <= 1, "there are several chains"
    assert len(incarnations - {""}) <= 1, "there are several incarnations"
    return Export(blocks, heights, max(incarnations, default=""))
