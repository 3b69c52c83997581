"""A daemon's day in minutes: real chains and workers in one process, in a time of their own."""
