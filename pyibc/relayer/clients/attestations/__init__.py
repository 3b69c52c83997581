"""Relaying over clients of type `attestations`, with signatures from attestors, which are HTTP services.

service  HTTP client and JSON protocol of an attestor
quorum   collection of signatures from several attestors, up to the threshold
driver   client driver: creation, updates, proofs, and misbehaviour detection
"""
