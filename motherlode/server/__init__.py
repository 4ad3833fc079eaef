"""The parlour's server: `app` (routes), `table` (the only code that changes a sitting), `storage` (all the SQL), `wire`.

It imports no numba: starting compiles nothing.
"""
