"""Guards at the border around applications: what they raise, swallow, and how deep they go."""

from tools.guards.mutant import Mutant

BORDER = "tests/unit/ibc_module/test_border.py::"
DEPTH = "tests/unit/ibc_core/test_depth.py::"
HERE, COUNT = "ibc_module/border.py", "ibc_core/host/depth.py"

D39 = (
    Mutant(
        "d39-an-exception-halts-the-chain",
        HERE,
        (("    return raised if is_sound(raised) else place.failed(raised)\n", "    return raised\n"),),
        (f"{BORDER}test_d39_an_application_s_error_is_one_code_and_says_nothing",),
    ),
    Mutant(
        "d39-the-machine-decides",
        HERE,
        (
            (
                "    if behind is not None:\n        return crossing.stops(behind)\n    if fault",
                "    if fault",
            ),
        ),
        (f"{BORDER}test_d39_the_machine_s_errors_stop_the_node",),
    ),
    Mutant(
        "d39-a-cause-is-not-looked-at",
        "ibc_core/host/machine.py",
        (("        pending += (each.__context__, each.__cause__)\n", ""),),
        (f"{BORDER}test_d39_the_machine_s_error_stops_the_node_whatever_is_made_of_it",),
    ),
    Mutant(
        "d39-swallowed-gas-is-free",
        HERE,
        (("    if meter is not None and meter.used > meter.limit:\n", "    if False:\n"),),
        (f"{BORDER}test_d39_gas_that_ran_out_is_remembered",),
    ),
    Mutant(
        "d39-the-collector-counts",
        "ibc_core/host/between.py",
        (("THREAD.crossing.collecting or frame", "frame"),),
        (f"{DEPTH}test_d39_what_the_collector_calls_does_not_count",),
    ),
    Mutant(
        "d39-signals-count",
        "ibc_core/host/between.py",
        ((" or _handles_signal(frame, base)", ""),),
        (f"{DEPTH}test_d39_handlers_of_signals_do_not_count",),
    ),
    Mutant(
        "d39-a-swallowed-disk-is-forgotten",
        "ibc_core/host/overlay.py",
        (("    if type(key) is bytes:\n        remember()\n", "    return\n"),),
        (f"{BORDER}test_d39_a_store_that_failed_is_remembered",),
    ),
    Mutant(
        "d39-depth-is-python-s",
        COUNT,
        (("depth[0] > MAX_FRAMES or depth[1] > MAX_ALL_FRAMES or ", ""),),
        (f"{DEPTH}test_d39_the_limit_is_exact_and_remembered",),
    ),
    Mutant(
        "d39-json-recurses",
        COUNT,
        ((" or _reads_deep_json(frame)", ""),),
        (f"{DEPTH}test_d39_python_s_json_reader_is_stopped_before_it_recurses",),
    ),
)
H226 = (
    Mutant(
        "h226-the-inner-border-forgets-for-all",
        "ibc_core/host/machine.py",
        (("self.fault = error if self.borders > 1 else None", "self.fault = None"),),
        (
            f"{BORDER}test_h226_what_a_store_raised_stops_the_node_behind_any_number_of_borders",
            "tests/unit/localnet/test_rot.py::test_h226_a_rotten_balance_stops_the_node_within_a_message",
        ),
    ),
    Mutant(
        "h226-the-last-border-remembers",
        "ibc_core/host/machine.py",
        (("self.fault = error if self.borders > 1 else None", "self.fault = error"),),
        (f"{BORDER}test_h226_the_next_transaction_is_not_blamed_for_it",),
    ),
    Mutant(
        "h226-a-message-is-no-border",
        HERE,
        (
            (
                "BlockContext else 0\n        crossing.borders += 1\n",
                "BlockContext else 0\n        crossing.borders += 0\n",
            ),
            (
                "borders -= 1\n        return answer\n\n    return cross\n\n\ndef _check_response",
                "borders -= 0\n        return answer\n\n    return cross\n\n\ndef _check_response",
            ),
        ),
        (f"{BORDER}test_h226_what_a_store_raised_stops_the_node_behind_any_number_of_borders",),
    ),
)
