"""Server reflection: tools find every service that is served, and the files that define it."""

import pytest

pytest.importorskip("grpc_reflection", reason="grpcio-reflection is not installed (extra `node`)")

from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha import reflection_pb2 as pb

VERSIONS = ["v1", "v1alpha"]


@pytest.fixture
def reflect(client):
    def ask(version, *requests):
        path = f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"
        stream = client.channel.stream_stream(
            path, pb.ServerReflectionRequest.SerializeToString, pb.ServerReflectionResponse.FromString
        )
        return list(stream(iter(requests), timeout=10))

    return ask


def named(answer):
    return [service.name for service in answer.list_services_response.service]


@pytest.mark.parametrize("version", VERSIONS)
def test_services_are_listed_and_described(reflect, version):
    asked = pb.ServerReflectionRequest
    (listed,) = reflect(version, asked(list_services=""))
    services = named(listed)
    assert {"cosmos.tx.v1beta1.Service", "cosmos.bank.v1beta1.Query", "cosmos.auth.v1beta1.Query"} <= set(
        services
    )
    assert services == sorted(services)
    described = reflect(version, *[asked(file_containing_symbol=name) for name in services])
    for name, answer in zip(services, described, strict=True):
        raws = answer.file_descriptor_response.file_descriptor_proto
        files = [FileDescriptorProto.FromString(raw) for raw in raws]
        package, _, own = name.rpartition(".")
        assert any(own in [s.name for s in file.service] for file in files if file.package == package)


@pytest.mark.parametrize("version", VERSIONS)
def test_files_and_what_is_not_there(reflect, version):
    asked = pb.ServerReflectionRequest
    by_name, missing, nothing = reflect(
        version,
        asked(file_by_filename="cosmos/tx/v1beta1/service.proto"),
        asked(file_containing_symbol="a.b.C"),
        asked(),
    )
    first = FileDescriptorProto.FromString(by_name.file_descriptor_response.file_descriptor_proto[0])
    assert first.name == "cosmos/tx/v1beta1/service.proto"
    assert missing.error_response.error_code == 5
    assert nothing.error_response.error_code == 3


def test_streams_that_are_left_open_keep_no_call_waiting(client):
    path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
    from threading import Event

    go = Event()

    def silent():
        go.wait(10)
        yield from ()

    streams = [client.channel.stream_stream(path)(silent(), timeout=10) for _ in range(30)]
    assert client.raw("/cosmos.bank.v1beta1.Query/Params")[0]
    go.set()
    for stream in streams:
        assert list(stream) == []
