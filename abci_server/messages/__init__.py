"""ABCI requests and responses as dataclasses, and their conversion to protobuf."""
