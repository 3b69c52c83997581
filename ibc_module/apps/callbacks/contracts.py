"""The contracts of one chain, by address, as its plugins registered them."""

from collections.abc import Mapping
from typing import Final

from ibc_core.callbacks.contract import BoundContract, Contract, bind_contract
from ibc_core.host.confined import Grant
from ibc_core.host.shipped import is_shipped
from ibc_core.identifiers import is_blank
from ibc_module.pipeline import Pipeline
from ibc_module.wiring_error import WiringError, name_of

ANY_ADDRESS: Final = "*"
"""In place of an address: the contract of all addresses that nobody has, as of a virtual machine's."""


class Contracts:
    """Finds the contract of an address."""

    def __init__(self, bound: Mapping[str, BoundContract]) -> None:
        self._bound = dict(bound)
        self._any = self._bound.pop(ANY_ADDRESS, None)

    def at(self, address: str) -> BoundContract | None:
        """The contract of the address, None where there is none."""
        return self._bound.get(address, self._any)


def registered(pipeline: Pipeline) -> Contracts:
    """The contracts that the plugins of a pipeline register.

    Raises:
        WiringError: two register one address; an address is no text; a contract lacks something.
    """
    contracts = {}
    for address, (plugin, contract) in pipeline.registered("ibc_contracts", "contract").items():
        if type(address) is not str or is_blank(address):
            raise WiringError(f"{name_of(plugin)} registers a contract at {address!a}, which is no address")
        contracts[address] = _bound(pipeline, plugin, contract, address)
    return Contracts(contracts)


def _bound(pipeline: Pipeline, plugin: object, contract: Contract, address: str) -> BoundContract:
    # guard: h179-contracts-write-anywhere {pipeline.stores_of(plugin) => frozenset(['transfer'])}
    #   test_a_source_s_contract_hears_of_send_and_answer
    grant = None if is_shipped(plugin, contract) else Grant(pipeline.stores_of(plugin))
    try:
        return bind_contract(contract, f"{name_of(plugin)} for contract {address!a}", grant)
    except ValueError as error:
        raise WiringError(str(error)) from error
