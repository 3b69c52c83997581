"""Test kit of the queue protocol: a scripted application, two chains with queues."""
