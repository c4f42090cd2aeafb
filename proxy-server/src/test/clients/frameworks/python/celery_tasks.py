"""The application of celery_suite.py, as workers import it. Two queues; those with a higher priority are read first."""

import os

import redis
from celery import Celery
from celery.exceptions import Reject
from kombu import Exchange, Queue

URL = f"redis://{os.environ['SUITE_HOST']}:{os.environ['SUITE_PORT']}/0"
app = Celery("suite", broker=URL, backend=URL)
app.conf.update(
    task_queues=[Queue(name, Exchange(name), routing_key=name) for name in ("fast", "slow")],
    task_default_queue="fast",
    task_default_priority=6,
    broker_transport_options={"queue_order_strategy": "priority", "priority_steps": [0, 3, 6, 9]},
    broker_connection_retry_on_startup=True,
    worker_prefetch_multiplier=1,
    result_expires=600,
)


def r():
    return redis.Redis.from_url(URL)


@app.task
def add(a, b):
    return a + b


@app.task
def total(numbers):
    return sum(numbers)


@app.task
def fail():
    raise ValueError("as told")


@app.task
def note(key, text):
    r().rpush(key, text)


@app.task(bind=True, max_retries=3)
def fail_twice(self, key):
    attempts = r().incr(key)
    if attempts < 3:
        raise self.retry(countdown=0)
    return attempts


@app.task(bind=True, acks_late=True)
def second_delivery(self, key):
    """Is put back by the first worker that gets it."""
    if r().incr(key) == 1:
        raise Reject("as told", requeue=True)
    return self.request.delivery_info["redelivered"]


@app.task(acks_late=True, reject_on_worker_lost=True)
def lose_worker(key):
    """Ends the process of the first worker that gets it, before it acknowledges."""
    deliveries = r().incr(key)
    if deliveries == 1:
        os._exit(1)
    return deliveries
