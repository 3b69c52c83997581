"""Test kit of the queue protocol: a scripted application, and two chains with queues."""
