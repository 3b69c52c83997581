"""What an application reads from its home before CometBFT connects."""

import pytest

from pyibc.chain import open_app
from pyibc.chain.comet.settings import (
    APP_FILE,
    GENESIS_FILE,
    WrongGenesis,
    WrongSettings,
    app_state,
    read_rules,
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "does not exist"),
        ("", "truncated"),
        ("{}", "prefix"),
        ('{"prefix": "a", "odd": 1}', "odd"),
        (b"\xff", "malformed"),
        ("[" * 100_000, "Expected"),
    ],
)
def test_settings_that_cannot_be_read_are_named_and_no_state_is_made(tmp_path, text, said):
    if text is not None:
        (tmp_path / APP_FILE).write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(WrongSettings, match=said) as caught:
        open_app(tmp_path)
    assert caught.value.path == str(tmp_path / APP_FILE)
    assert [path.name for path in tmp_path.iterdir()] == ([APP_FILE] if text is not None else [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"chain_id": "c", "initial_height": "x"}',
        '{"chain_id": "c", "initial_height": "-1"}',
        '{"chain_id": "c", "consensus_params": 1}',
        "[" * 100_000,
    ],
)
def test_a_genesis_that_cannot_be_read_is_named(tmp_path, text):
    (tmp_path / GENESIS_FILE).parent.mkdir()
    (tmp_path / GENESIS_FILE).write_text(text)
    with pytest.raises(WrongGenesis):
        read_rules(tmp_path)


def test_defaults_of_a_genesis_are_cometbfts(tmp_path):
    (tmp_path / GENESIS_FILE).parent.mkdir()
    (tmp_path / GENESIS_FILE).write_text('{"chain_id": "c"}')
    assert read_rules(tmp_path) == ("c", 1, 4_194_304, 10_000_000)
    assert app_state(b"") == {}


def test_a_genesis_that_is_not_there_is_named_with_what_to_do(tmp_path):
    with pytest.raises(WrongGenesis) as caught:
        read_rules(tmp_path)
    assert str(caught.value).startswith(
        f"genesis: {tmp_path / GENESIS_FILE} does not exist: copy the network's"
    )
