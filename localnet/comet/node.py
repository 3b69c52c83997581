"""Supervises one chain's validators: `python -m localnet.comet.node HOME`.

Each validator has two processes, which are restarted when they exit. Exit codes: 0 stopped by SIGTERM or
SIGINT, 1 an application failed on its first start, 2 invalid settings.
"""

import logging
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Event

from localnet.comet.homes import cometbft, validator_homes
from localnet.comet.validator import ValidatorProcesses
from localnet.errors import LocalnetError, ValidatorFailed
from localnet.process.startup import cannot_start, run_at_home, run_locked
from localnet.settings import NODE_FILE, read_node

log = logging.getLogger("localnet")

_LOOK_S = 0.2


def main(arguments: Sequence[str]) -> int:
    """Run the supervisor of a chain's validators; return the exit code."""
    return run_at_home("localnet.comet.node", arguments, lambda home: run_locked(home, _run))


def stopped_by_signals() -> Event:
    """Return an event that SIGTERM and SIGINT set."""
    stopping = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    return stopping


def _run(home: Path) -> int:
    stopping = stopped_by_signals()
    try:
        settings, binary = read_node(home), cometbft()
    except LocalnetError as error:
        return cannot_start(error)
    except (OSError, ValueError) as error:
        return cannot_start(f"{home / NODE_FILE}: {error}")
    code = keep_running(
        [ValidatorProcesses(each, binary) for each in validator_homes(home, settings)], stopping
    )
    log.info("%s stopped", settings.chain_id)
    return code


def keep_running(validators: Sequence[ValidatorProcesses], stopping: Event) -> int:
    """Run validators until `stopping` is set, then stop them; return the exit code."""
    try:
        return supervise(validators, stopping)
    finally:
        for each in validators:
            each.terminate_comet()
        for each in validators:
            each.stop()


def supervise(validators: Sequence[ValidatorProcesses], stopping: Event) -> int:
    """Start validators and restart them until `stopping` is set; return the exit code."""
    try:
        for each in validators:
            each.launch()
        for each in validators:
            _start(each)
        log.info("%d validators are running", len(validators))
        while not stopping.wait(_LOOK_S):
            for each in validators:
                each.restart_exited()
    except (LocalnetError, OSError) as error:
        log.error("%s", error)  # noqa: TRY400 - the application's log has the details
        return 1
    return 0


def _start(validator: ValidatorProcesses) -> None:
    """Start a validator. Invalid settings raise at once; a process killed by a signal is restarted later."""
    try:
        validator.start()
    except ValidatorFailed as error:
        if error.code is None or error.code >= 0:
            raise
        validator.delay_restart(error)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
