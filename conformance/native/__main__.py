"""Entry point: `python -m conformance.native`."""

from conformance.native.command import command

if __name__ == "__main__":
    command()
