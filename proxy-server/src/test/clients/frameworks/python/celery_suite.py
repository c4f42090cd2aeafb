"""Celery through Penstock as broker and as result backend, without any option for a cluster: celery_suite.py HOST PORT.
../../frameworks.txt describes the scenarios."""

import os
import subprocess
import sys
import tempfile

os.environ.update(SUITE_HOST=sys.argv[1], SUITE_PORT=sys.argv[2])

from celery import chain, chord, group

from celery_tasks import add, app, fail, fail_twice, lose_worker, note, r, second_delivery, total
from scenarios import PATIENCE, equal, eventually, exit_with, run

LOG = tempfile.TemporaryFile("w+")


def result():
    job = add.delay(1, 2)
    equal((job.get(timeout=PATIENCE), job.state), (3, "SUCCESS"))
    job.forget()
    equal(app.AsyncResult(job.id).state, "PENDING")


def several_queues():
    jobs = [add.apply_async((i, i), queue=queue) for i, queue in enumerate(["slow", "fast"] * 5)]
    equal([job.get(timeout=PATIENCE) for job in jobs], [2 * i for i in range(10)])


def failure():
    try:
        fail.delay().get(timeout=PATIENCE)
    except ValueError as e:
        equal(str(e), "as told")
        return
    raise AssertionError("no error")


def retry():
    equal(fail_twice.delay("attempts").get(timeout=PATIENCE), 3)


def groups():
    equal(group(add.s(i, i) for i in range(10))().get(timeout=PATIENCE), [2 * i for i in range(10)])


def chords():
    equal(chord((add.s(i, i) for i in range(10)), total.s())().get(timeout=PATIENCE), 90)
    equal(chord([add.s(1, 1), chain(add.s(2, 2), add.s(3))], total.s())().get(timeout=PATIENCE), 9)


def chains():
    equal(chain(add.s(1, 2), add.s(4), add.s(5))().get(timeout=PATIENCE), 12)


def countdown():
    equal(add.apply_async((4, 5), countdown=0.5).get(timeout=PATIENCE), 9)


def late_acknowledgement():
    equal(second_delivery.delay("deliveries").get(timeout=PATIENCE), True)
    equal(lose_worker.delay("lost").get(timeout=PATIENCE), 2)
    eventually(lambda: r().exists("unacked", "unacked_index") == 0, "everything is acknowledged")


def remote_control():
    replies = app.control.ping(timeout=PATIENCE, limit=1)
    equal([list(reply.values()) for reply in replies], [[{"ok": "pong"}]])
    workers = app.control.inspect(timeout=PATIENCE, limit=1).active_queues()
    equal([sorted(q["name"] for q in queues) for queues in workers.values()], [["fast", "slow"]])


def priorities():
    """Stops the worker, so it is the last."""
    stop()
    for text, priority in [("low", 9), ("middle", 3), ("high", 0)]:
        note.apply_async(("order", text), queue="slow", priority=priority)
    start("--concurrency", "1")
    eventually(lambda: r().llen("order") == 3, "three tasks")
    equal(r().lrange("order", 0, -1), [b"high", b"middle", b"low"])


worker = None


def start(*arguments):
    global worker
    worker = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "celery_tasks", "worker", "--loglevel", "WARNING", *arguments],
        stdout=LOG,
        stderr=LOG,
    )


def stop():
    worker.terminate()
    try:
        equal(worker.wait(20), 0)
    finally:
        worker.kill()


start("--concurrency", "2")
try:
    succeeded = run(
        [
            result, several_queues, failure, retry, groups, chords, chains, countdown, late_acknowledgement,
            remote_control, priorities,
        ]
    )
finally:
    worker.terminate()
    try:
        worker.wait(10)
    except subprocess.TimeoutExpired:
        worker.kill()
if not succeeded:  # what the worker said
    LOG.seek(0)
    print(LOG.read()[-5000:], file=sys.stderr)
exit_with(succeeded)
