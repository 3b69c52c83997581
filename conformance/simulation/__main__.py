"""Entry point: python -m conformance.simulation [--seeds N] [--seed N --only STEPS]."""

from conformance.simulation.command import command

if __name__ == "__main__":
    command()
