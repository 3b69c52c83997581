"""Guards against acknowledging what must fail: out of gas, an inactive client."""

from tools.guards.mutant import Mutant

MESSAGES = "tests/road/test_security_messages.py::"
COINS = "tests/road/test_security_transfers.py::"
CLIENT = "tests/unit/light_client/test_client.py::TestActive::"
READS = "tests/unit/handlers/test_reads.py::"
V2 = "tests/unit/handlers/packet_v2/test_security.py::"
APP_V2 = "tests/unit/ibc_module/apps/transfer/test_app_v2.py::"

H15 = (
    Mutant(
        "h15-ics20-answers-when-the-gas-is-gone",
        "ibc_module/apps/transfer/app.py",
        (("        except NO_VERDICT:\n            raise\n", ""),),
        (f"{COINS}test_h15_out_of_gas_inside_ics20_is_no_answer",),
    ),
    Mutant(
        "h15-ics20-v2-answers-when-the-gas-is-gone",
        "ibc_module/apps/transfer/app_v2.py",
        (("        except NO_VERDICT:\n            raise\n", ""),),
        (f"{APP_V2}test_h15_out_of_gas_is_no_answer",),
    ),
    Mutant(
        "h15-an-expired-client-carries-packets",
        "light_client/tendermint/store.py",
        (("    if status is not Status.ACTIVE or state is None", "    if state is None"),),
        (
            f"{MESSAGES}test_h15_a_client_that_is_not_active_carries_nothing",
            f"{CLIENT}test_h15_an_expired_one_proves_nothing",
        ),
    ),
    Mutant(
        "h15-a-frozen-client-carries-packets",
        "light_client/tendermint/store.py",
        (("    if state.frozen_height != ZERO_HEIGHT:", "    if False:"),),
        (
            f"{MESSAGES}test_h15_a_client_that_is_not_active_carries_nothing",
            f"{CLIENT}test_h15_a_frozen_one_proves_nothing",
        ),
    ),
    Mutant(
        "h15-a-client-of-another-type-proves-whatever-its-status",
        "light_client/interface.py",
        (("        if status is not Status.ACTIVE:", "        if False:"),),
        (
            f"{READS}test_h15_a_client_that_is_not_active_is_not_asked_for_its_proof",
            f"{V2}test_h15_no_packet_moves_over_a_client_that_is_not_active",
        ),
    ),
    Mutant(
        "h15-a-dead-client-is-updated",
        "keepers/client/keeper.py",
        (
            (
                "        raise ClientNotActive(client_id, status.value)\n    return found",
                "        pass\n    return found",
            ),
        ),
        (f"{MESSAGES}test_h15_a_client_that_is_not_active_carries_nothing",),
    ),
)
