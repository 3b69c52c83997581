"""Example of a light client: a fixed set of attestors signs a chain's roots (docs/light-clients.md)."""

from pyibc.examples.attestor.client import AttestorLightClient, AttestorPlugin
from pyibc.examples.attestor.driver import AttestorDriver

__all__ = ["AttestorDriver", "AttestorLightClient", "AttestorPlugin"]
