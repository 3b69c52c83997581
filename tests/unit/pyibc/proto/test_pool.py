import copy
import importlib.util
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import any_pb2 as default_any_pb2
from google.protobuf.descriptor_database import DescriptorDatabase
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import Default, DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from pyibc.proto import pool
from pyibc.proto.google.protobuf import any_pb2
from pyibc.proto.ibc.core.channel.v1 import channel_pb2, tx_pb2
from pyibc.proto.tendermint.abci import types_pb2

REPOSITORY = Path(__file__).resolve().parents[4]
CLASH = "ibc/core/client/v1/client.proto"


def clashing_file() -> FileDescriptorProto:
    """A file of the same name and message as ours, with other fields: as another package would bring it."""
    file = FileDescriptorProto(name=CLASH, package="ibc.core.client.v1", syntax="proto3")
    message = file.message_type.add(name="Height")
    message.field.add(
        name="elsewhere",
        number=9,
        type=FieldDescriptorProto.TYPE_STRING,
        label=FieldDescriptorProto.LABEL_OPTIONAL,
    )
    return file


def test_another_package_may_hold_the_same_files_in_the_default_pool():
    Default().AddSerializedFile(clashing_file().SerializeToString())
    theirs = GetMessageClass(Default().FindMessageTypeByName("ibc.core.client.v1.Height"))
    ours = pool.message_class("ibc.core.client.v1.Height")
    assert theirs(elsewhere="x").SerializeToString() == b"\x4a\x01x"
    assert ours(revision_height=5).SerializeToString() == b"\x10\x05"


def test_two_pools_of_ours_do_not_clash():
    other = pool.build(pool.DESCRIPTORS.read_bytes())
    descriptor = other.FindMessageTypeByName("ibc.core.client.v1.Height")
    assert descriptor is not pool.POOL.FindMessageTypeByName("ibc.core.client.v1.Height")
    assert GetMessageClass(descriptor)(revision_height=5).SerializeToString() == b"\x10\x05"


def test_one_pool_with_both_files_does_clash():
    crowded = DescriptorPool()
    crowded.AddSerializedFile(clashing_file().SerializeToString())
    own = next(
        file
        for file in FileDescriptorSet.FromString(pool.DESCRIPTORS.read_bytes()).file
        if file.name == CLASH
    )
    crowded.AddSerializedFile(default_any_pb2.DESCRIPTOR.serialized_pb)
    with pytest.raises(TypeError, match="duplicate"):
        crowded.AddSerializedFile(own.SerializeToString())


def test_importing_the_wire_leaves_the_default_pool_alone():
    code = (
        "import pyibc.core.wire.tx, pyibc.core.packet.messages\n"
        "from google.protobuf.descriptor_pool import Default\n"
        "try: Default().FindFileByName('ibc/core/channel/v1/tx.proto')\n"
        "except KeyError: print('untouched')\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "untouched\n"


class Asked(DescriptorDatabase):
    """A database that remembers which files a pool took from it."""

    def __init__(self):
        super().__init__()
        self.files = set()

    def FindFileByName(self, name):
        self.files.add(name)
        return super().FindFileByName(name)

    def FindFileContainingSymbol(self, symbol):
        file = super().FindFileContainingSymbol(symbol)
        self.files.add(file.name)
        return file


def test_a_file_is_loaded_when_it_is_asked_for(monkeypatch):
    asked = Asked()
    monkeypatch.setattr(pool, "DescriptorDatabase", lambda: asked)
    lazy = pool.build(pool.DESCRIPTORS.read_bytes())
    assert asked.files == set()
    lazy.FindFileByName("tendermint/abci/types.proto")
    assert {name.split("/")[0] for name in asked.files} == {"tendermint", "google"}
    lazy.FindMessageTypeByName("cosmos.tx.v1beta1.ModeInfo.Single")
    assert "cosmos/tx/v1beta1/tx.proto" in asked.files
    assert CLASH not in asked.files


def test_the_abci_server_loads_nothing_of_ibc():
    code = (
        "import sys, abci_server.server\n"
        "ours = [name for name in sys.modules if name.startswith('pyibc.proto.') and name.endswith('_pb2')]\n"
        "print(*sorted(ours))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == [
        "pyibc.proto.tendermint.abci.types_pb2",
        "pyibc.proto.tendermint.crypto.keys_pb2",
        "pyibc.proto.tendermint.types.params_pb2",
    ]


def test_messages_survive_pickle_and_copy():
    message = tx_pb2.MsgRecvPacket(packet=channel_pb2.Packet(sequence=3, data=b"x"), signer="a")
    for again in (pickle.loads(pickle.dumps(message)), copy.deepcopy(message), copy.copy(message)):
        assert again == message
        assert type(again) is tx_pb2.MsgRecvPacket


def test_nested_messages_survive_pickle():
    from pyibc.proto.cosmos.tx.v1beta1.tx_pb2 import ModeInfo

    single = ModeInfo.Single(mode=1)
    assert pickle.loads(pickle.dumps(single)) == single


def test_enums_and_their_values_stand_in_the_module():
    assert channel_pb2.Order.Name(2) == "ORDER_ORDERED"
    assert channel_pb2.STATE_CLOSED == 4
    assert types_pb2.ResponseProcessProposal.ACCEPT == 1


def test_any_is_of_our_pool_and_packs_without_a_host():
    message = tx_pb2.MsgChannelCloseInit(port_id="transfer")
    packed = any_pb2.Any()
    packed.Pack(message, type_url_prefix="/")
    assert packed.type_url == "/ibc.core.channel.v1.MsgChannelCloseInit"
    unpacked = tx_pb2.MsgChannelCloseInit()
    assert packed.Unpack(unpacked)
    assert unpacked == message


def test_an_unknown_message_is_a_key_error():
    with pytest.raises(KeyError):
        pool.message_class("ibc.core.client.v1.Nothing")


@pytest.mark.parametrize("backend", ["python", "cpp", ""])
def test_d26_other_backends_are_refused(backend):
    with pytest.raises(pool.UnsupportedProtobuf, match="upb"):
        pool.require_upb(backend)


def test_d26_the_pure_python_backend_stops_the_import():
    ran = subprocess.run(
        [sys.executable, "-c", "import pyibc.proto.pool"],
        cwd=REPOSITORY,
        env={"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert "UnsupportedProtobuf" in ran.stderr


def test_the_descriptors_are_what_proto_compiles_to():
    pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
    spec = importlib.util.spec_from_file_location("protos", REPOSITORY / "tools" / "protos.py")
    protos = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(protos)
    assert protos.main(["--check"]) == 0
