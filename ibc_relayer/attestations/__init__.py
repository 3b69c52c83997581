"""Relays over clients of type `attestations`: gathers signatures from attestors, which are HTTP services.

service  what attestors are asked and answer, in JSON, and asking one
quorum   signatures of one attestation, until enough have signed
driver   creates, updates and watches such clients, and proves to them
"""
