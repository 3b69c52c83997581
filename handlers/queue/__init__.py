"""Messages of the queue protocol (000, 001, 002, 004), one a file."""
