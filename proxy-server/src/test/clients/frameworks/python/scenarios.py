"""Runs scenarios and prints "ok NAME" or "failed NAME: reason" for each."""

import sys
import time

PATIENCE = 20


def equal(actual, expected):
    assert actual == expected, f"{actual!r} instead of {expected!r}"


def eventually(condition, what):
    """Waits until the condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"not in {PATIENCE} s: {what}"
        time.sleep(0.02)


def run(scenarios):
    """Returns True if all succeeded."""
    succeeded = True
    for scenario in scenarios:
        name = scenario.__name__.replace("_", "-")
        try:
            scenario()
            print("ok", name, flush=True)
        except Exception as e:  # continue with the next scenario
            succeeded = False
            print(f"failed {name}: {type(e).__name__}: {e}".replace("\n", " "), flush=True)
    return succeeded


def exit_with(succeeded):
    sys.exit(0 if succeeded else 1)
