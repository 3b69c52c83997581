"""Mutations of messages: raw bytes, protobuf structure, field values."""
