#!/usr/bin/env python3
"""Checks that Penstock's memory does not grow: sends as many requests of many kinds as fit in the time, and measures each minute.

Strings, counters, lists, sets, hashes, MSET and LRANGE; values of 3 B to 16 KiB; 50 connections, with and without
pipelining, and a new connection for each request. At each measurement the heap is the live data after a collection, direct
memory is what Netty's allocators hold, and connections are closed, so that all lines should be alike.

It needs redis-server and redis-benchmark and a built penstock.jar; other work on the machine only reduces the number of requests.
"""
import argparse
import datetime
import os
import re
import subprocess
import tempfile
import time
import urllib.request

import report
from processes import Processes, documented_flags, end_when_told, find_java, require_free, start_server
from start_and_memory import PORT, SERVER, Penstock

MANAGEMENT = 27045
LOADS = [
    ["-t", "set,get,incr,lpush,lpop,sadd,hset,spop", "-P", "16", "-n", "200000"],
    ["-t", "set,get,mset,lrange_100", "-n", "50000"],
    ["-t", "set,get", "-d", "16384", "-n", "20000"],
    ["-t", "get", "-k", "0", "-n", "3000"],
]


def load(until):
    """Runs the loads in turn until then."""
    while True:
        for options in LOADS:
            run = subprocess.run(["redis-benchmark", "-p", str(PORT), "-c", "50", "-r", "10000", "-q", *options],
                                 capture_output=True, text=True, timeout=300)
            if run.returncode != 0:
                raise SystemExit("redis-benchmark %s: %s" % (" ".join(options), run.stderr or run.stdout[-500:]))
            if time.monotonic() > until:
                return
        subprocess.run(["redis-cli", "-p", str(PORT), "DEL", "mylist", "myset", "myhash"], check=True, capture_output=True, timeout=30)


def look(options, pid):
    subprocess.run([os.path.join(os.path.dirname(options.java), "jcmd"), str(pid), "GC.run"], check=True, capture_output=True)
    with urllib.request.urlopen("http://127.0.0.1:%d/actuator/prometheus" % MANAGEMENT, timeout=10) as answer:
        metrics = answer.read().decode()

    def total(pattern):
        return sum(float(value) for value in re.findall(pattern + r".* (\S+)$", metrics, re.MULTILINE))

    with open("/proc/%d/status" % pid) as file:
        status = dict(line.split(":", 1) for line in file)
    return (total(r"^penstock_commands_total"),
            total(r'^jvm_memory_used_bytes{area="heap"') / 2**20,
            total(r'^netty_allocator_memory_used{.*memory_type="direct"') / 2**20,
            int(status["VmRSS"].split()[0]) / 1024,
            len(os.listdir("/proc/%d/fd" % pid)),
            int(status["Threads"]))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jar", default=os.path.join(report.ROOT, "proxy-server", "target", "penstock.jar"))
    parser.add_argument("--java", help="a java of JDK 25; else JAVA_HOME's, else one in /usr/lib/jvm")
    parser.add_argument("--minutes", type=int, default=20)
    parser.add_argument("--transport", default="auto")
    parser.add_argument("--dispatch", default="async")
    parser.add_argument("--out", required=True, help="Markdown file to write")
    return parser.parse_args()


def main():
    options = parse()
    options.java = find_java(options.java)
    end_when_told()
    require_free([SERVER, PORT, MANAGEMENT])
    settings = ["--penstock.transport=" + options.transport, "--penstock.dispatch=" + options.dispatch]
    looks = []
    with tempfile.TemporaryDirectory() as folder:
        processes = Processes(folder)
        try:
            start_server(processes, SERVER)
            processes.wait_for("redis-%d" % SERVER, SERVER)
            command = ["@" + os.path.join(report.ROOT, "config", "jvm.options"), "-jar", os.path.abspath(options.jar)]
            with Penstock(options, command, *settings, cwd=folder, management=MANAGEMENT) as penstock:
                began = time.monotonic()
                for minute in range(1, options.minutes + 1):
                    load(began + 60 * minute)
                    looks.append((minute, *look(options, penstock.process.pid)))
        finally:
            processes.stop()
    text = "# Memory over %d minutes of load, %s\n\n" % (options.minutes, datetime.date.today().isoformat())
    text += report.facts([
        *report.origin(options.java, documented_flags()),
        ("Penstock", " ".join("`%s`" % setting.removeprefix("--") for setting in settings)),
    ])
    text += "\n| Minute | Requests so far | Heap after a collection | Direct memory | Resident | File descriptors | Threads |\n"
    text += "|---:|---:|---:|---:|---:|---:|---:|\n"
    text += "".join("| %d | %.0f | %.1f MiB | %.1f MiB | %.0f MiB | %d | %d |\n" % row for row in looks)
    with open(options.out, "w") as file:
        file.write(text)
    print(text)


if __name__ == "__main__":
    main()
