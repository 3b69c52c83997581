"""The index kept up to date: it runs whenever its inputs grow, serves metrics and a page, tells alarms."""
