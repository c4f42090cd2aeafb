"""The jobs of rq_suite.py, as workers import them."""

import os

import redis


def add(a, b):
    return a + b


def fail():
    raise ValueError("as told")


def note(key, text):
    """Appends to a list, so that the order of jobs is seen."""
    redis.Redis(host=os.environ["SUITE_HOST"], port=int(os.environ["SUITE_PORT"])).rpush(key, text)


def fail_twice(key):
    attempts = redis.Redis(host=os.environ["SUITE_HOST"], port=int(os.environ["SUITE_PORT"])).incr(key)
    if attempts < 3:
        raise ValueError(f"attempt {attempts}")
    return attempts
