#!/usr/bin/env python3
"""Measures what listeners without clients cost: one Penstock with one listener, and one with many, each with an upstream of its own.

All upstreams are one server. Heap (live data after a collection), direct and resident memory, threads, files, connections to the
server and CPU time: without clients, and with one client of each listener, which has sent one GET.

It needs redis-server and redis-cli and a built penstock.jar, and for the CPU time a machine that does nothing else meanwhile.
"""
import argparse
import datetime
import os
import re
import socket
import subprocess
import tempfile
import time
import urllib.request

import report
from processes import Processes, documented_flags, end_when_told, find_java, require_free, start_server

PATIENCE_SECONDS = 60
TRIM_SECONDS = 7  # the flags have what is free given back every 5 s


def settings(options, listeners):
    names = ["l%02d" % i for i in range(listeners)]
    url = "redis://127.0.0.1:%d" % options.port
    return (["--penstock.listeners.%s.port=%d" % (name, options.port + 2 + i) for i, name in enumerate(names)]
            + ["--penstock.listeners.%s.upstream=%s" % (name, name) for name in names]
            + ["--penstock.listeners.%s.bind=127.0.0.1" % name for name in names]
            + ["--penstock.upstreams.%s=%s" % (name, url) for name in names]
            + ["--penstock.max-clients=100", "--management.server.port=%d" % (options.port + 1), "--server.address=127.0.0.1"])


def ready(options):
    try:
        with urllib.request.urlopen("http://127.0.0.1:%d/actuator/health/readiness" % (options.port + 1), timeout=10) as answer:
            return answer.status == 200
    except OSError:
        return False


def connections(options):
    """Connections to the server, without that of redis-cli."""
    listed = report.output("redis-cli", "-p", str(options.port), "CLIENT", "LIST")
    return sum(line.startswith("id=") for line in listed.splitlines()) - 1


def cpu_seconds(pid):
    with open("/proc/%d/stat" % pid) as file:
        fields = file.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def look(options, pid):
    """Heap, direct and resident memory in MiB, threads, files, connections, CPU in per cent of one core."""
    before = cpu_seconds(pid)
    time.sleep(options.seconds)
    cpu = 100 * (cpu_seconds(pid) - before) / options.seconds
    jcmd = os.path.join(os.path.dirname(options.java), "jcmd")
    for _ in range(2):
        subprocess.run([jcmd, str(pid), "GC.run"], check=True, capture_output=True)
    heap = sum(int(used) for used in re.findall(r"^ *(?:DefNew|Tenured) .*used (\d+)K", report.output(jcmd, str(pid), "GC.heap_info"), re.MULTILINE))
    with urllib.request.urlopen("http://127.0.0.1:%d/actuator/prometheus" % (options.port + 1), timeout=30) as answer:
        metrics = answer.read().decode()

    def total(pattern):
        return sum(float(value) for value in re.findall(pattern + r".* (\S+)$", metrics, re.MULTILINE))

    time.sleep(TRIM_SECONDS)
    with open("/proc/%d/status" % pid) as file:
        status = dict(line.split(":", 1) for line in file)
    return (heap / 2**10,
            total(r'^netty_allocator_memory_used{.*memory_type="direct"') / 2**20,
            int(status["VmRSS"].split()[0]) / 1024,
            int(status["Threads"]),
            len(os.listdir("/proc/%d/fd" % pid)),
            connections(options),
            cpu)


def measure(options, folder, listeners):
    command = [options.java, "@" + os.path.join(report.ROOT, "config", "jvm.options"), "-jar", os.path.abspath(options.jar)]
    with open(os.path.join(folder, "penstock-%d.log" % listeners), "w+") as log:
        began = time.monotonic()
        penstock = subprocess.Popen([*command, *settings(options, listeners)], cwd=folder, stdout=log, stderr=log)
        clients = []
        try:
            while not ready(options):
                if penstock.poll() is not None or time.monotonic() - began > PATIENCE_SECONDS:
                    log.seek(0)
                    raise SystemExit("Penstock does not start:\n" + log.read()[-2000:])
                time.sleep(0.1)
            time.sleep(10)  # what the start still does
            rows = [("%d, no client" % listeners, *look(options, penstock.pid))]
            for i in range(listeners):
                client = socket.create_connection(("127.0.0.1", options.port + 2 + i), 5)
                clients.append(client)
                client.sendall(b"GET k\r\n")
                if not client.recv(64).startswith(b"$"):
                    raise SystemExit("no reply to GET")
            time.sleep(5)
            rows.append(("%d, one client each" % listeners, *look(options, penstock.pid)))
            return rows
        finally:
            for client in clients:
                client.close()
            penstock.terminate()
            try:
                penstock.wait(20)
            except subprocess.TimeoutExpired:
                penstock.kill()
                penstock.wait(10)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jar", default=os.path.join(report.ROOT, "proxy-server", "target", "penstock.jar"))
    parser.add_argument("--java", help="a java of JDK 25; else JAVA_HOME's, else one in /usr/lib/jvm")
    parser.add_argument("--listeners", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=30, help="for the CPU time")
    parser.add_argument("--port", type=int, default=27100, help="of the server; the next ones are Penstock's")
    parser.add_argument("--out", required=True, help="Markdown file to write")
    return parser.parse_args()


def main():
    options = parse()
    options.java = find_java(options.java)
    end_when_told()
    require_free(range(options.port, options.port + 2 + options.listeners))
    load_before = ", ".join("%.2f" % load for load in os.getloadavg())
    with tempfile.TemporaryDirectory() as folder:
        processes = Processes(folder)
        try:
            start_server(processes, options.port)
            processes.wait_for("redis-%d" % options.port, options.port)
            rows = [row for listeners in (1, options.listeners) for row in measure(options, folder, listeners)]
        finally:
            processes.stop()
    text = "# Listeners without clients, %s\n\n" % datetime.date.today().isoformat()
    text += report.facts([
        *report.origin(options.java, documented_flags()),
        ("Penstock", "transport `auto`, dispatch `async`, %d event loops" % os.cpu_count()),
        ("Load average before", load_before + " (1, 5, 15 min)"),
    ])
    text += "\nEach listener has an upstream of its own; all upstreams are one server.\n\n"
    text += "| Listeners | Heap | Direct memory | Resident | Threads | Files | Connections to the server | CPU (one core) |\n"
    text += "|---|---:|---:|---:|---:|---:|---:|---:|\n"
    text += "".join("| %s | %.1f MiB | %.1f MiB | %.0f MiB | %d | %d | %d | %.1f %% |\n" % row for row in rows)
    with open(options.out, "w") as file:
        file.write(text)
    print(text)


if __name__ == "__main__":
    main()
