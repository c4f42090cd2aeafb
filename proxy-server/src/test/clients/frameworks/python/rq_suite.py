"""rq through Penstock, without any option for a cluster: rq_suite.py HOST PORT. ../../frameworks.txt describes the scenarios."""

import logging
import os
import signal
import subprocess
import sys
from datetime import timedelta

import redis
from rq import Queue, Retry, Worker
from rq.exceptions import DuplicateJobError
from rq.job import Job
from rq.registry import FailedJobRegistry, FinishedJobRegistry, ScheduledJobRegistry

import rq_jobs
from scenarios import equal, eventually, exit_with, run

HOST, PORT = sys.argv[1], sys.argv[2]
os.environ.update(SUITE_HOST=HOST, SUITE_PORT=PORT)
logging.getLogger("rq").setLevel(logging.CRITICAL)
r = redis.Redis(host=HOST, port=int(PORT), socket_timeout=20)


def queue(name):
    return Queue(name, connection=r)


def burst(*queues):
    Worker(list(queues), connection=r).work(burst=True, logging_level="CRITICAL")


def worker(*arguments):
    """Starts "rq worker" as an operator does."""
    return subprocess.Popen(
        [sys.executable, "-m", "rq.cli", "worker", "--url", f"redis://{HOST}:{PORT}", "--quiet", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def ended(process):
    try:
        equal(process.wait(30), 0)
    finally:
        process.kill()


def status(job):
    return job.get_status(refresh=True).value


def result():
    q = queue("one")
    job = q.enqueue(rq_jobs.add, 1, 2)
    equal(status(job), "queued")
    burst(q)
    equal(status(job), "finished")
    equal(job.latest_result().return_value, 3)
    assert job.id in FinishedJobRegistry(queue=q)
    equal(len(q), 0)


def several_queues():
    high, middle, low = queue("high"), queue("middle"), queue("low")
    low.enqueue(rq_jobs.note, "order", "low")
    middle.enqueue(rq_jobs.note, "order", "middle")
    high.enqueue(rq_jobs.note, "order", "high")
    burst(high, middle, low)
    equal(r.lrange("order", 0, -1), [b"high", b"middle", b"low"])


def waiting_worker():
    process = worker("--max-jobs", "2", "empty", "later")
    try:
        eventually(lambda: any(w.get_state() == "idle" for w in Worker.all(r)), "an idle worker")
        first = queue("later").enqueue(rq_jobs.add, 2, 3)
        eventually(lambda: status(first) == "finished", "the first job")
        second = queue("empty").enqueue(rq_jobs.add, 3, 4)
        eventually(lambda: status(second) == "finished", "the second job")
        equal([first.latest_result().return_value, second.latest_result().return_value], [5, 7])
    except Exception:
        process.send_signal(signal.SIGKILL)
        raise
    ended(process)
    eventually(lambda: Worker.count(r) == 0, "the worker is gone")


def failure():
    q = queue("fails")
    job = q.enqueue(rq_jobs.fail)
    burst(q)
    equal(status(job), "failed")
    failed = FailedJobRegistry(queue=q)
    equal(failed.get_job_ids(), [job.id])
    assert "as told" in job.latest_result().exc_string
    failed.requeue(job.id)
    equal((q.job_ids, failed.get_job_ids()), ([job.id], []))


def retry():
    q = queue("retried")
    job = q.enqueue(rq_jobs.fail_twice, "attempts", retry=Retry(max=3))
    burst(q)
    equal(status(job), "finished")
    equal(job.latest_result().return_value, 3)


def scheduled():
    q = queue("timed")
    job = q.enqueue_in(timedelta(seconds=1), rq_jobs.add, 4, 5)
    equal((status(job), job.id in ScheduledJobRegistry(queue=q), len(q)), ("scheduled", True, 0))
    process = worker("--with-scheduler", "--max-jobs", "1", "timed", "other")
    try:
        eventually(lambda: status(job) == "finished", "the scheduled job")
    except Exception:
        process.send_signal(signal.SIGINT)
        raise
    ended(process)
    equal(job.latest_result().return_value, 9)


def dependency():
    q = queue("chained")
    first = q.enqueue(rq_jobs.note, "chain", "first")
    second = q.enqueue(rq_jobs.note, "chain", "second", depends_on=first)
    third = q.enqueue(rq_jobs.note, "chain", "third", depends_on=[first, second])
    equal((status(second), status(third)), ("deferred", "deferred"))
    burst(q)
    equal(r.lrange("chain", 0, -1), [b"first", b"second", b"third"])
    equal(status(third), "finished")


def cancel():
    q = queue("cancelled")
    kept, dropped = q.enqueue(rq_jobs.add, 1, 1), q.enqueue(rq_jobs.add, 2, 2)
    dropped.cancel()
    burst(q)
    equal((status(kept), status(dropped)), ("finished", "canceled"))
    dropped.delete()
    equal(Job.exists(dropped.id, r), False)


def several_jobs():
    q = queue("many")
    jobs = q.enqueue_many([Queue.prepare_data(rq_jobs.add, (i, i)) for i in range(5)])
    burst(q)
    equal([job.latest_result().return_value for job in jobs], [0, 2, 4, 6, 8])


def empty():
    q = queue("emptied")
    job = q.enqueue(rq_jobs.add, 1, 2)
    q.empty()
    equal((len(q), Job.exists(job.id, r)), (0, False))


def unique():
    q = queue("unique")
    q.enqueue(rq_jobs.add, 1, 2, job_id="once", unique=True)
    try:
        q.enqueue(rq_jobs.add, 1, 2, job_id="once", unique=True)
    except DuplicateJobError:
        return
    raise AssertionError("enqueued twice")


exit_with(
    run(
        [
            result, several_queues, waiting_worker, failure, retry, scheduled, dependency, cancel, several_jobs, empty,
            unique,
        ]
    )
)
