"""Guards against acknowledging what must fail: out of gas, an inactive client."""

from tools.guards.mutant import Mutant

MESSAGES = "tests/road/test_security_messages.py::"
COINS = "tests/road/test_security_transfers.py::"
APP_V2 = "tests/unit/ibc_module/apps/transfer/test_app_v2.py::"

H15 = (
    Mutant(
        "h15-ics20-answers-when-the-gas-is-gone",
        "ibc_module/apps/transfer/app.py",
        (("        except (OutOfGas, LogicFault):\n            raise\n", ""),),
        (f"{COINS}test_h15_out_of_gas_inside_ics20_is_no_answer",),
    ),
    Mutant(
        "h15-ics20-v2-answers-when-the-gas-is-gone",
        "ibc_module/apps/transfer/app_v2.py",
        (("        except (OutOfGas, LogicFault):\n            raise\n", ""),),
        (f"{APP_V2}test_h15_out_of_gas_is_no_answer",),
    ),
    Mutant(
        "h15-a-dead-client-carries-packets",
        "keepers/client/keeper.py",
        (
            (
                "            raise ClientNotActive(client_id, status.value)\n        return found",
                "            pass\n        return found",
            ),
        ),
        (f"{MESSAGES}test_h15_a_client_that_is_not_active_carries_nothing",),
    ),
)
