"""Judging through a provider's batch interface: requests gathered, sent together, and answered hours later.

Nothing above this package knows: a metric awaits its verdict as always. What it waits for is a request that
is kept until no further one will come, sent with the others, and answered from the results.
"""
