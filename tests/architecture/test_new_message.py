"""A new message costs four files written by hand: proto file, floor file, handler, a line of dispatch.

One that keeps something new costs two more: its key, and a method of the keeper that writes there.

One is planted into a copy of the tree, compiled, and sent through everything that knows messages.
"""

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

from pyibc.installation import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (*PACKAGES, "conformance", "proto", "tools")
GENERATED = "pyibc/proto/"
DISPATCH = "pyibc/queues/handlers/dispatch.py"
KEEPER = "pyibc/queues/keepers.py"

PROTO = """
message MsgPing {
  string note = 1;
  uint64 count = 2;
  ibc.core.client.v1.Height seen_height = 3;
  string signer = 4;
}

message MsgPingResponse {
  uint64 count = 1;
}
"""

FLOOR = '''"""MsgPing: says that somebody is there."""

from typing import Annotated

from pyibc.core.checking import HasAddresses
from pyibc.core.errors import InvalidRequest
from pyibc.core.height import Height
from pyibc.core.value import value
from pyibc.core.wire.message import Msg, message, response
from pyibc.core.wire.columns import Signer, Wire
from pyibc.proto.pyibc.queue.v1 import tx_pb2


@message(tx_pb2.MsgPing, response(tx_pb2.MsgPingResponse, "count"))
@value
class MsgPing(Msg):
    """Says that somebody is there."""

    note: str
    count: int
    height: Annotated[Height, Wire("seen_height")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Raises InvalidAddress, InvalidRequest."""
        chain.addresses.decode(self.signer, "signer")
        if not self.note:
            raise InvalidRequest("no note")
'''

HANDLER = '''"""Notes that somebody is there."""

from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.queues.ping import MsgPing
from pyibc.queues.keepers import QueueKeepers


def validate(keepers: QueueKeepers, ctx: ReadContext, msg: MsgPing) -> MsgPing:
    """Nothing to prove."""
    return msg


def execute(keepers: QueueKeepers, ctx: WriteContext, msg: MsgPing) -> int:
    """Runs on: either chain. Proves: nothing. Writes: ping. Emits: nothing."""
    keepers.queues.set_note(ctx, msg.note)
    return msg.count + 1
'''

KEY = """

def note_key() -> bytes:
    return b"ping"
"""

WRITER = """    def set_note(self, ctx: WriteContext, note: str) -> None:
        ctx.store(STORE_NAME).set(note_key(), note.encode())


"""

TRIAL = """
import pyibc.core
assert pyibc.core.__file__.startswith(ROOT), pyibc.core.__file__

from types import SimpleNamespace

from conformance.kit.known import MESSAGES
from conformance.memory import MemoryStore
from conformance.walks.mutations import semantic
from handlers.dispatch import routes
from pyibc.queues.handlers.dispatch import HANDLERS
from pyibc.core.address import AddressCodec
from pyibc.core.errors import InvalidAddress, InvalidRequest, TxDecode
from pyibc.core.height import Height
from pyibc.core.host.overlay import BlockContext
from pyibc.queues.ping import MsgPing
from pyibc.codec.anys import BUILTIN
from pyibc.core.wire.message import decode_msg, encode_msg, pack_msg, read_msg_json, write_msg_json
from pyibc.proto.pyibc.queue.v1 import tx_pb2
from pyibc.queues.keepers import QueueKeeper

addresses = AddressCodec("cosmos")
signer = addresses.encode(b"s" * 20).text
ping = MsgPing("hello", 2**64 - 2, Height(1, 7), signer)
wire = tx_pb2.MsgPing.FromString(encode_msg(ping))
assert (wire.note, wire.count, wire.signer) == ("hello", 2**64 - 2, signer)
assert wire.seen_height.revision_height == 7
assert decode_msg(MsgPing, encode_msg(ping)) == ping
assert read_msg_json(write_msg_json(ping), MESSAGES) == ping

clients = SimpleNamespace(registry=SimpleNamespace(known=BUILTIN))
keepers = SimpleNamespace(addresses=addresses, clients=clients, queues=QueueKeeper())
route = routes(keepers, HANDLERS)["/pyibc.queue.v1.MsgPing"]
assert route.decode(encode_msg(ping)) == ping
assert route.signers(ping) == (b"s" * 20,)
ctx = BlockContext("a-1", 5, 10**18, {"ibc": MemoryStore(), "queue": MemoryStore()})
assert tx_pb2.MsgPingResponse.FromString(route.deliver(ctx, ping)).count == 2**64 - 1
assert ctx.store("queue").get(b"ping") == b"hello"
for bad, error in (
    (b"\\xff", TxDecode),
    (encode_msg(MsgPing("", 0, Height(0, 0), signer)), InvalidRequest),
    (encode_msg(MsgPing("", 0, Height(0, 0), "nobody")), InvalidAddress),
):
    try:
        route.decode(bad)
    except error:
        continue
    raise AssertionError(bad)

class Choices:
    def pick(self, among):
        return among[-1]

    def chance(self, percent):
        return False

world = SimpleNamespace(choices=Choices(), people={})
for way, field in ((semantic._signer, "signer"), (semantic._height, "seen_height")):
    opened = semantic.unpacked(pack_msg(ping))
    assert way(world, opened)
    names = ("note", "count", "seen_height", "signer")
    assert [name for name in names if getattr(opened, name) != getattr(wire, name)] == [field]
print("known")
"""


def hashes(root):
    return {
        path.relative_to(root).as_posix(): sha256(path.read_bytes()).digest()
        for folder in FOLDERS
        for path in (root / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def plant(root, path, text, *, before=None):
    file = root / path
    if before is None:
        file.write_text((file.read_text() if file.exists() else "") + text)
        return
    content = file.read_text()
    assert content.count(before) == 1
    file.write_text(content.replace(before, text + before))


def plant_all(root):
    plant(root, "proto/pyibc/queue/v1/tx.proto", PROTO)
    plant(root, "pyibc/queues/ping.py", FLOOR)
    plant(root, "pyibc/queues/handlers/ping.py", HANDLER)
    plant(
        root,
        DISPATCH,
        "from pyibc.queues.handlers import ping\n",
        before="from pyibc.core.wire.message import",
    )
    plant(root, DISPATCH, "ping, ", before="register, send, receive")
    plant(root, "pyibc/queues/types.py", KEY)
    plant(root, KEEPER, "    note_key,\n", before="    tail_key,\n")
    plant(root, KEEPER, WRITER, before="def _bound(")


def test_a_new_message_is_four_files_by_hand_and_two_where_it_keeps_something(tmp_path):
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    before = hashes(tmp_path)
    plant_all(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def run(*arguments):
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, check=False, cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    compiled = run("tools/protos.py")
    assert compiled.returncode == 0, compiled.stderr
    tried = run("-c", f"ROOT = {str(tmp_path)!r}\n{TRIAL}")
    assert (tried.returncode, tried.stdout) == (0, "known\n"), tried.stderr
    after = hashes(tmp_path)
    touched = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    by_hand = {name for name in touched if not name.startswith(GENERATED)}
    assert by_hand == {
        "proto/pyibc/queue/v1/tx.proto",
        "pyibc/queues/ping.py",
        "pyibc/queues/handlers/ping.py",
        DISPATCH,
        "pyibc/queues/types.py",
        KEEPER,
    }
    assert touched - by_hand
