"""Entry point: `python -m conformance.soak`."""

from conformance.soak.command import command

if __name__ == "__main__":
    command()
