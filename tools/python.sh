#!/bin/sh
# Prints a Python of version 3.11 or newer; one sentence and exit 1 where there is none.
for name in python3.13 python3.12 python3.11 python3 python; do
  path=$(command -v "$name" 2>/dev/null) || continue
  if "$path" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "$path"
    exit 0
  fi
done
echo "pyibc needs Python 3.11 or newer with its venv module: install python3 (Debian: python3 and python3-venv)." >&2
exit 1
