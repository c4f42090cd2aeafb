#!/usr/bin/env python3
"""Compares Penstock with nutcracker: the same load on both in turn, on one machine, in one run.

Starts on loopback a Redis Cluster of three masters (17001-17003), three standalone servers (27011-27013) with nutcracker in
front of them (27021, ../../../peers/nutcracker.yml), and one Penstock for each transport (27031 on) with one event loop, or as
many as follow a colon: epoll,io_uring,io_uring:2.
Warms every proxy with more than a million requests, runs sidebyside_harness.py and writes its output, with commit,
machine and flags, into ../../../results/. Always stops what it started, by process id.

    ./mvnw -DskipTests package
    proxy-bench/src/main/scripts/side_by_side.py --transports epoll,io_uring

Another harness (--harness) takes -r ROUNDS --warm ROUNDS -w WORKLOADS NAME=PORT:PID … and prints a table for each workload. It needs redis-server,
redis-cli, redis-benchmark, nutcracker, a JDK 25. The machine must do nothing else meanwhile.
"""
import argparse
import datetime
import hashlib
import os
import shlex
import shutil
import string
import subprocess
import sys
import tempfile
import time

import report
from processes import START_SECONDS, Processes, documented_flags, end_when_told, find_java, require_free, start_server

BENCH = os.path.join(report.ROOT, "proxy-bench")
HARNESS = os.path.join(BENCH, "src", "main", "scripts", "sidebyside_harness.py")
MASTERS = [17001, 17002, 17003]  # their bus ports, 10000 above, stay below the ephemeral ones
SERVERS = [27011, 27012, 27013]
NUTCRACKER, NUTCRACKER_STATS = 27021, 27022
PENSTOCK = 27031
ALONE = "server-alone"


def cli(port, *command):
    done = subprocess.run(["redis-cli", "-p", str(port), *command], capture_output=True, text=True, timeout=30)
    return done.stdout.strip()


def start_cluster(processes):
    for i, port in enumerate(MASTERS):
        start_server(processes, port, "--cluster-enabled", "yes")
        wait_until(lambda: cli(port, "PING") == "PONG", "server %d" % port)
        first, last = 16384 * i // 3, 16384 * (i + 1) // 3 - 1
        cli(port, "CLUSTER", "ADDSLOTSRANGE", str(first), str(last))
        cli(port, "CLUSTER", "SET-CONFIG-EPOCH", str(i + 1))
        cli(port, "CLUSTER", "MEET", "127.0.0.1", str(MASTERS[0]))
    for port in MASTERS:
        wait_until(lambda: "cluster_state:ok" in cli(port, "CLUSTER", "INFO")
                   and cli(port, "CLUSTER", "SHARDS").count("master") == 3, "the cluster")


def wait_until(condition, what):
    deadline = time.monotonic() + START_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit("%s is not ready after %d s" % (what, START_SECONDS))
        time.sleep(0.2)


def start_nutcracker(processes):
    for port in SERVERS:
        start_server(processes, port)
        processes.wait_for("redis-%d" % port, port)
    addresses = {"server_%d" % (i + 1): "127.0.0.1:%d" % port for i, port in enumerate(SERVERS)}
    with open(os.path.join(BENCH, "peers", "nutcracker.yml")) as template:
        filled = string.Template(template.read()).substitute(addresses, listen="127.0.0.1:%d" % NUTCRACKER)
    configuration = os.path.join(processes.folder, "nutcracker.yml")
    with open(configuration, "w") as file:
        file.write(filled)
    pid = processes.start("nutcracker", ["nutcracker", "-c", configuration, "-s", str(NUTCRACKER_STATS), "-a", "127.0.0.1"])
    processes.wait_for("nutcracker", NUTCRACKER)
    return "nutcracker", NUTCRACKER, pid


def start_penstock(processes, options, java, way, port):
    transport, _, loops = way.partition(":")
    name = "penstock-" + way.replace(":", "-")
    resource = "redis-cluster://" + ",".join("127.0.0.1:%d" % master for master in MASTERS)
    pid = processes.start(name, [java, *shlex.split(options.jvm_flags), "-jar", options.jar,
                                 "--penstock.bind=127.0.0.1", "--penstock.port=%d" % port,
                                 "--penstock.event-loops=" + (loops or "1"), "--penstock.transport=" + transport,
                                 "--penstock.transpond.local.resource=" + resource, "--management.server.port=-1",
                                 *("--" + setting for setting in options.property)])
    processes.wait_for(name, port)
    return name, port, pid


def warm(port, requests):
    """Three quarters of them pipelined; the keys of the load exist afterwards."""
    for depth, share in (("16", 3), ("1", 1)):
        done = subprocess.run(["redis-benchmark", "-p", str(port), "-t", "set,get", "-c", "50", "-P", depth, "-r", "100000",
                               "-q", "-n", str(max(1, requests * share // 8))],
                              capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            raise SystemExit("warming port %d failed: %s" % (port, (done.stdout + done.stderr)[-500:]))


def measure(options, targets):
    command = [sys.executable, options.harness, "-r", str(options.rounds), "--warm", str(options.warm_rounds),
               "-w", options.workloads, *(address(target, options.harness == HARNESS) for target in targets)]
    print("+ " + " ".join(command), file=sys.stderr)
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired as late:
        raise SystemExit("the harness took longer than %d s. It had printed:\n%s" % (options.timeout, (late.stdout or b"").decode()))
    if done.returncode != 0:
        raise SystemExit("the harness ended with %d:\n%s" % (done.returncode, done.stdout))
    return done.stdout


def address(target, with_servers):
    """A target as a harness takes it."""
    name, port, pid = target
    servers = {"nutcracker": SERVERS, ALONE: SERVERS[:1]}.get(name, MASTERS)
    parts = [str(port), str(pid or "")]
    if with_servers:
        parts.append("+".join(cli(server, "INFO", "server").split("process_id:")[1].split()[0] for server in servers))
    return "%s=%s" % (name, ":".join(parts).rstrip(":"))


def ratios(printed, names):
    """The medians of every target as ratios to the first one's in the same workload."""
    lines = ["| Load | Target | Throughput | × %s | CPU per request | × %s | p99 | CPU of the load | of the servers | Processors idle | withheld |"
             % (names[0], names[0]), "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    workload, base = "", None
    for line in printed.splitlines():
        words = line.split()
        if line.startswith("## "):
            workload, base = words[1], None
        elif words and words[0] in names:
            if len(words) not in (8, 12):
                lines.append("| %s | %s |" % (workload, " | ".join([words[0], " ".join(words[1:])] + [""] * 8)))
                continue
            others = ("%s µs | %s µs | %s | %s" % tuple(words[8:])) if len(words) == 12 else "| | |"
            throughput, p99, cpu = float(words[1]), float(words[6]), float(words[7])
            base = (throughput, cpu) if words[0] == names[0] else base
            lines.append("| %s | %s | %.0f/s | %s | %s | %s | %.2f ms | %s |" % (
                workload, words[0], throughput, "%.2f" % (throughput / base[0]) if base else "–", "%.2f µs" % cpu if cpu else "–",
                "%.2f" % (cpu / base[1]) if cpu and base and base[1] else "–", p99, others))
    return "\n".join(lines) + "\n"


def result(options, java, printed, names):
    rows = [
        *report.origin(java, options.jvm_flags),
        ("Jar", "`%s`, SHA-256 %s" % (os.path.basename(options.jar), digest(options.jar))),
        ("Load average before", options.load_before),
        ("Shared", "load, proxies and servers share the machine"),
        ("Penstock", "one event loop where the name does not end in another number; " +
         (" ".join("`%s`" % setting for setting in options.property) or "no other settings")),
        ("Beside it", "nutcracker %s, `proxy-bench/peers/nutcracker.yml`" %
         report.output("nutcracker", "-V").splitlines()[0].rsplit("-", 1)[-1]),
        ("Servers", report.output("redis-server", "--version").split(" sha")[0]),
        ("Warm-up", "%d requests to each proxy, then %d rounds" % (options.warm_requests, options.warm_rounds)),
        ("Measured", "medians of %d interleaved rounds" % options.rounds),
        ("Harness", "`%s`, SHA-256 %s" % (os.path.basename(options.harness), digest(options.harness))),
    ]
    title = "# Penstock beside nutcracker, %s\n\n" % datetime.date.today().isoformat()
    if options.smoke:
        title += "**A smoke run: one short round without warm-up. Its figures mean nothing.**\n\n"
    return title + report.facts(rows) + "\n" + ratios(printed, names) + "\n```\n" + printed.strip() + "\n```\n"


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harness", default=HARNESS, help="what sends the load")
    parser.add_argument("--jar", default=os.path.join(report.ROOT, "proxy-server", "target", "penstock.jar"))
    parser.add_argument("--java", help="a java of JDK 25; else JAVA_HOME's, else one in /usr/lib/jvm")
    parser.add_argument("--jvm-flags", default=documented_flags(), help="else those of config/jvm.options")
    parser.add_argument("--transports", default="epoll", help="comma-separated: epoll, io_uring, nio, each with :LOOPS if not one")
    parser.add_argument("--property", action="append", default=[], metavar="KEY=VALUE", help="another Penstock setting")
    parser.add_argument("--workloads", default="get-c50,get-c50-P16", help="as the harness names them")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--warm-rounds", type=int, default=2)
    parser.add_argument("--warm-requests", type=int, default=1_200_000, help="to each proxy before the first round")
    parser.add_argument("--direct", action="store_true", help="also redis-benchmark --cluster without a proxy")
    parser.add_argument("--alone", action="store_true", help="also one server and nothing in front")
    parser.add_argument("--timeout", type=int, default=3600, help="seconds that the harness may take")
    parser.add_argument("--out", help="result file; else proxy-bench/results/sidebyside-DATE-TIME.md")
    parser.add_argument("--smoke", action="store_true", help="one short round, only to see that everything starts")
    options = parser.parse_args()
    if options.smoke:
        options.workloads, options.rounds, options.warm_rounds, options.warm_requests = "get-c1", 1, 0, 8_000
    options.jar, options.harness = os.path.abspath(options.jar), os.path.abspath(options.harness)
    for path in (options.jar, options.harness):
        if not os.path.isfile(path):
            raise SystemExit("there is no " + path)
    for tool in ("redis-server", "redis-cli", "redis-benchmark", "nutcracker"):
        if not shutil.which(tool):
            raise SystemExit(tool + " is not installed")
    options.load_before = "%.2f, %.2f, %.2f (1, 5, 15 min)" % os.getloadavg()
    return options


def main():
    options = parse()
    java = find_java(options.java)
    ways = options.transports.split(",")
    ports = [PENSTOCK + i for i in range(len(ways))]
    require_free(MASTERS + [port + 10_000 for port in MASTERS] + SERVERS + [NUTCRACKER, NUTCRACKER_STATS] + ports)
    end_when_told()
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        processes = Processes(folder)
        try:
            start_cluster(processes)
            targets = [start_nutcracker(processes)]
            for way, port in zip(ways, ports):
                targets.append(start_penstock(processes, options, java, way, port))
            for _, port, _ in targets:
                warm(port, options.warm_requests)
            if options.direct:
                targets.append(("direct", "@%d" % MASTERS[0], None))
            if options.alone:
                targets.append((ALONE, SERVERS[0], None))
            printed = measure(options, targets)
        finally:
            processes.stop()
    name = "sidebyside-%s.md" % datetime.datetime.now().strftime("%Y-%m-%d-%H%M")
    out = options.out or os.path.join(BENCH, "results", name)
    with open(out, "w") as file:
        file.write(result(options, java, printed, [name for name, _, _ in targets]))
    print(out)


main()
