"""Conversion between protobuf messages and the values of `pyibc.core`."""
