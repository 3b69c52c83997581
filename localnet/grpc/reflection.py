"""Server reflection, v1 and v1alpha (same encoding, two names), from our own descriptors (docs/adr/0003)."""

from typing import Any

import grpc
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.reflection import aio

from ibc_proto.pool import POOL

SERVICES = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")


def reflection_handlers(services: frozenset[str]) -> list[Any]:
    """Reflection handlers for those of `services` that have a descriptor."""
    servicer = aio.ReflectionServicer(sorted(filter(_is_known, services)), pool=POOL)
    method = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    methods = {"ServerReflectionInfo": method}
    return [grpc.method_handlers_generic_handler(service, methods) for service in SERVICES]


def _is_known(service: str) -> bool:
    try:
        POOL.FindServiceByName(service)
    except KeyError:
        return False
    return True
