"""`python -m ibc_module`: the command `pyibc`."""

from ibc_module.cli import main

main()
