"""One file a message: `validate` reads and proves, `execute` writes. `dispatch` is the only way in."""
