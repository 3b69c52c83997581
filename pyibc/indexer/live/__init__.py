"""Live index: reruns when the inputs change, serves metrics and the report, and sends alerts."""
