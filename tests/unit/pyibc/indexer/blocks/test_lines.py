import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.indexer.blocks.block import Ack, Block, MessageFacts, Tx, TxContent
from pyibc.indexer.blocks.lines import (
    content_digest,
    decode_committed,
    decode_line,
    encode_committed,
    encode_line,
    parse_head,
)
from pyibc.indexer.errors import MalformedLine
from tests.sampling import rounds

_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_events = st.lists(
    st.tuples(_text, st.lists(st.tuples(_text, _text), max_size=3).map(tuple)), max_size=3
).map(tuple)
_contents = st.builds(
    TxContent,
    memo=_text,
    fee=st.lists(st.tuples(_text, _text), max_size=2).map(tuple),
    signer=_text,
    messages=st.lists(
        st.tuples(_text, _text, st.integers(0, 2**63 - 1)).map(
            lambda told: MessageFacts(told[0], client_id=told[1], height=told[2])
        ),
        max_size=3,
    ).map(tuple),
    problems=st.lists(_text, max_size=2).map(tuple),
)
_txs = st.lists(
    st.builds(
        Tx,
        hash=st.just("AB"),
        code=st.integers(0, 3),
        events=_events,
        gas_wanted=st.integers(0, 2**63 - 1),
        gas_used=st.integers(0, 2**63 - 1),
        raw=st.binary(max_size=8),
        log=_text,
        acks=st.just((Ack("transfer", "channel-0", 4, b"\x00\xff"),)) | st.just(()),
        signer=_text,
        content=st.none() | _contents,
    ),
    max_size=3,
).map(tuple)
_blocks = st.builds(
    Block,
    chain_id=st.sampled_from(["a-1", "cosmoshub-4", "é"]),
    height=st.integers(1, 2**63 - 1),
    time_ns=st.none() | st.integers(0, 2**63 - 1),
    txs=_txs,
    block_events=_events,
    app_hash=st.binary(max_size=32),
    origin=_text,
    partial=st.booleans(),
    incarnation=st.sampled_from(["", "0123456789abcdef"]),
)


_committed = st.builds(
    CommittedBlock,
    chain_id=st.sampled_from(["a-1", "cosmoshub-4", "é"]),
    height=st.integers(1, 2**63 - 1),
    time_ns=st.integers(0, 2**63 - 1),
    app_hash=st.binary(max_size=32),
    txs=st.lists(
        st.builds(
            TxOutcome,
            tx=st.binary(max_size=8),
            code=st.integers(0, 2**32 - 1),
            codespace=_text,
            events=_events,
            gas_wanted=st.integers(0, 2**63 - 1),
            gas_used=st.integers(0, 2**63 - 1),
            data=st.binary(max_size=8),
            log=_text,
        ),
        max_size=3,
    ).map(tuple),
    block_events=_events,
    hash=st.just(b""),
    parent=st.just(b""),
)


@settings(deadline=None, max_examples=rounds(15, 60))
@given(_committed)
def test_a_committed_block_crosses_as_a_line(block):
    line = encode_committed(block)
    assert decode_committed(line) == block
    with pytest.raises(MalformedLine, match="checksum"):
        decode_committed(line.replace(b'"height":', b'"height" :', 1))


@settings(deadline=None, max_examples=rounds(15, 60))
@given(_blocks)
def test_a_line_gives_its_block_back(block):
    line = encode_line(block)
    head = parse_head(line)
    assert line.count(b"\n") == 1
    assert (head.chain_id, head.height, head.partial) == (block.chain_id, block.height, block.partial)
    assert head.digest == content_digest(block)
    assert decode_line(line) == block


def test_every_cut_and_every_changed_byte_shows(block):
    line = encode_line(block(("send_packet", (("packet_sequence", "1"),))))
    for end in range(len(line)):
        with pytest.raises(MalformedLine):
            parse_head(line[:end])
    for place in range(len(line)):
        changed = bytearray(line)
        changed[place] ^= 1
        with pytest.raises(MalformedLine):
            parse_head(bytes(changed))


@pytest.mark.parametrize("chain", ["", "a b", "a\nb", " a", "x" * 129])
def test_a_chain_id_that_would_break_the_line_is_refused(block, chain):
    with pytest.raises(MalformedLine, match="chain id"):
        encode_line(block(chain=chain))


@pytest.mark.parametrize("height", [0, -1, 2**63])
def test_a_height_outside_the_range_is_refused(block, height):
    with pytest.raises(MalformedLine, match="outside"):
        encode_line(block(height=height))


@pytest.mark.parametrize("time_ns", [-1, 2**63])
def test_a_time_outside_the_range_is_refused(block, time_ns):
    with pytest.raises(MalformedLine, match="outside"):
        encode_line(block()._replace(time_ns=time_ns))


@pytest.mark.parametrize(
    ("odd", "named"),
    [
        ({"code": "0"}, "code"),
        ({"codespace": 5}, "codespace"),
        ({"log": None}, "log"),
        ({"events": (("e", (("k", 5),)),)}, "events"),
        ({"gas_used": -1}, "gas_used"),
        ({"gas_wanted": 2**63}, "gas_wanted"),
        ({"code": 2**32}, "code"),
        ({"signer": object()}, "object"),
    ],
)
def test_what_no_reader_would_take_is_not_written(block, odd, named):
    whole = block()
    with pytest.raises(MalformedLine, match=named):
        encode_line(whole._replace(txs=(whole.txs[0]._replace(**odd),)))


def test_failed_transactions_events_do_not_count_in_the_digest(block):
    assert content_digest(block(("x", ()), code=5)) == content_digest(block(code=5))
    assert content_digest(block(("x", ()))) != content_digest(block())


def test_a_body_that_is_no_block_is_a_typed_error():
    line = b"pyibc1 00000000 a-1 5 0123456789abcdef full "
    for body in (b"{}", b"[]", b"null", b"{", b'{"time_ns":1.5}', b"[" * 100_000):
        with pytest.raises(MalformedLine, match="not a block"):
            decode_line(line + body + b"\n")
