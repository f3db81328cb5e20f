"""What the tests of judged runs share: a judge on this machine, and an environment without keys."""

from tests.judges.conftest import no_keys, server

__all__ = ["no_keys", "server"]
