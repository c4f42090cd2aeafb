#!/usr/bin/env python3
"""Measures how long Penstock takes to start and how much memory it holds.

Starts: from the start of java to the first +PONG, without and with an AOT cache (docs/how-to/start-fast.md), in turn. Memory:
resident, a minute after the start with 50 connections that send GET and SET all the time; and with many idle connections, each
of which has sent one GET, for every transport.

It needs redis-server and redis-benchmark, a built penstock.jar, and a machine that does nothing else meanwhile.
"""
import argparse
import datetime
import os
import resource
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

import report
from processes import Processes, documented_flags, end_when_told, find_java, require_free, start_server

SERVER, PORT, TRAINING, TRAINING_MANAGEMENT = 27041, 27042, 27043, 27044
PATIENCE_SECONDS = 60
TRIM_SECONDS = 7  # the flags have what is free given back every 5 s


class Penstock:
    """One that runs; ended by its process id."""

    def __init__(self, options, command, *settings, cwd=None, management=-1):
        self.log = tempfile.TemporaryFile()
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [options.java, *command, "--penstock.bind=127.0.0.1", "--penstock.port=%d" % PORT,
             "--management.server.port=%d" % management, "--penstock.max-clients=20000",
             "--penstock.transpond.local.resource=redis://127.0.0.1:%d" % SERVER, *settings],
            cwd=cwd, stdout=self.log, stderr=self.log)
        try:
            self.await_pong()
        except BaseException:
            self.__exit__()
            raise
        self.start_seconds = time.monotonic() - self.began

    def await_pong(self):
        while not pongs(PORT):
            if self.process.poll() is not None or time.monotonic() - self.began > PATIENCE_SECONDS:
                self.log.seek(0)
                raise SystemExit("Penstock does not start:\n" + self.log.read().decode()[-2000:])
            time.sleep(0.005)

    def resident_kib(self):
        with open("/proc/%d/status" % self.process.pid) as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)


def pongs(port):
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            connection.settimeout(1)
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def train(options, folder):
    """Makes an AOT cache beside the jar."""
    os.mkdir(folder)
    shutil.copy(options.jar, os.path.join(folder, "penstock.jar"))
    for name in ("config/jvm.options", "docker/train"):
        shutil.copy(os.path.join(report.ROOT, name), folder)
    environment = dict(os.environ, TRAINING_PORT=str(TRAINING), TRAINING_MANAGEMENT_PORT=str(TRAINING_MANAGEMENT),
                       PATH=os.path.dirname(options.java) + os.pathsep + os.environ["PATH"])
    done = subprocess.run(["./train", "@jvm.options"], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit("no AOT cache could be made:\n" + (done.stdout + done.stderr)[-2000:])


def starts(options, folder):
    ways = {
        "`java @config/jvm.options -jar penstock.jar`": ["@jvm.options", "-jar", "penstock.jar"],
        "with an AOT cache": ["-XX:AOTCache=penstock.aot", "@jvm.options", "-jar", "penstock.jar"],
    }
    seconds = {way: [] for way in ways}
    for turn in range(options.starts + 1):
        for way, command in ways.items():
            with Penstock(options, command, cwd=folder) as started:
                if turn > 0:  # the first fills the page cache
                    seconds[way].append(started.start_seconds)
    return [(way, "%.2f s (%.2f–%.2f)" % (statistics.median(all), min(all), max(all))) for way, all in seconds.items()]


def busy(options, folder):
    with Penstock(options, ["@jvm.options", "-jar", "penstock.jar"], cwd=folder) as started:
        load = subprocess.Popen(["redis-benchmark", "-p", str(PORT), "-c", "50", "-t", "get,set", "-n", "100000", "-r", "100000",
                                 "-l", "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(options.seconds)
            if load.poll() is not None:
                raise SystemExit("redis-benchmark ended early")
            return started.resident_kib() / 1024
        finally:
            load.kill()
            load.wait(10)


def idle(options, folder, transport):
    """KiB for each of many idle connections."""
    with Penstock(options, ["@jvm.options", "-jar", "penstock.jar"],
                  "--penstock.transport=" + transport, cwd=folder) as started:
        subprocess.run(["redis-benchmark", "-p", str(PORT), "-c", "50", "-t", "get,set", "-n", "200000", "-q"], check=True,
                       capture_output=True, timeout=120)
        time.sleep(TRIM_SECONDS)
        before, connections = started.resident_kib(), []
        try:
            for _ in range(options.connections):
                connection = socket.create_connection(("127.0.0.1", PORT), 5)
                connections.append(connection)
                connection.sendall(b"GET k\r\n")
                if not connection.recv(64).startswith(b"$"):
                    raise SystemExit("no reply to GET")
            time.sleep(TRIM_SECONDS)
            return (started.resident_kib() - before) / options.connections
        finally:
            for connection in connections:
                connection.close()


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jar", default=os.path.join(report.ROOT, "proxy-server", "target", "penstock.jar"))
    parser.add_argument("--java", help="a java of JDK 25; else JAVA_HOME's, else one in /usr/lib/jvm")
    parser.add_argument("--starts", type=int, default=7, help="that count, of each kind")
    parser.add_argument("--seconds", type=int, default=60, help="under load before memory is read")
    parser.add_argument("--connections", type=int, default=10_000, help="idle ones")
    parser.add_argument("--transports", default="epoll,io_uring")
    parser.add_argument("--out", required=True, help="Markdown file to write")
    return parser.parse_args()


def main():
    options = parse()
    options.java = find_java(options.java)
    end_when_told()
    require_free([SERVER, PORT, TRAINING, TRAINING_MANAGEMENT])
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    load_before = ", ".join("%.2f" % load for load in os.getloadavg())
    with tempfile.TemporaryDirectory() as folder:
        processes = Processes(folder)
        try:
            start_server(processes, SERVER)
            processes.wait_for("redis-%d" % SERVER, SERVER)
            train(options, os.path.join(folder, "penstock"))
            rows = starts(options, os.path.join(folder, "penstock"))
            memory = busy(options, os.path.join(folder, "penstock"))
            each = [(transport, idle(options, os.path.join(folder, "penstock"), transport))
                    for transport in options.transports.split(",")]
        finally:
            processes.stop()
    text = "# Start and memory, %s\n\n" % datetime.date.today().isoformat()
    text += report.facts([
        *report.origin(options.java, documented_flags()),
        ("Load average before", load_before + " (1, 5, 15 min)"),
    ])
    text += "\n| From java to the first +PONG | Median of %d (least–most) |\n|---|---:|\n" % options.starts
    text += "".join("| %s | %s |\n" % row for row in rows)
    text += "\n| Resident memory | |\n|---|---:|\n"
    text += "| %d s after the start, 50 busy connections | %.0f MiB |\n" % (options.seconds, memory)
    text += "".join("| for each of %d idle connections, %s | %.1f KiB |\n" % (options.connections, transport, kib)
                    for transport, kib in each)
    with open(options.out, "w") as file:
        file.write(text)
    print(text)


if __name__ == "__main__":
    main()
