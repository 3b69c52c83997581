"""Encodings, exact to the byte: protobuf as gogoproto reads it, Go's and CometBFT's JSON, Solidity's ABI.

Chains whose decoders differ end up with different state. Decoders therefore accept exactly the input that
the Go code accepts, and their work is proportional to the size of the input (`budget`).
"""
