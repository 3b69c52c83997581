"""Strangers at the application's port while a real CometBFT is at work on it."""

import socket

import pytest

pytestmark = pytest.mark.interop

NONSENSE = [
    b"\xff" * 100,
    b"GET / HTTP/1.1\r\n\r\n" + bytes(200),
    b"\x03\xff\xff\xff",
    b"\x00",
    b"\x80\x80\x80\x10half",
]


def test_nonsense_and_silence_do_not_touch_a_node(make_node):
    node = make_node()
    node.start()
    node.wait_height(2)
    strangers = []
    for number in range(300):
        stranger = socket.socket(socket.AF_UNIX)
        stranger.connect(str(node.home / "app.sock"))
        if number % 2:
            try:
                stranger.sendall(NONSENSE[number // 2 % len(NONSENSE)])
            except OSError:
                stranger.close()  # turned away already
                continue
        strangers.append(stranger)
    height = node.height
    node.wait_height(height + 3)
    told = node.commit_tx(b"still=here")
    assert told["tx_result"]["code"] == 0
    for stranger in strangers:
        stranger.close()
    assert node.processes["app"].poll() is None
    warned = [line for line in node.log("app").splitlines() if " WARNING " in line]
    assert warned
    assert len(warned) == len({line.split(" WARNING ")[1].split(" of ")[0] for line in warned}) <= 5
