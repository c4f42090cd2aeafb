#!/usr/bin/env python3
"""Makes a Markdown table of a JMH result: ./jmh_table.py ../../../target/jmh.json [NOTE] > ../../../results/jmh-DATE.md"""
import json
import os
import sys

import report


def main():
    results = json.load(open(sys.argv[1]))
    note = sys.argv[2] if len(sys.argv) > 2 else ""
    first = results[0]
    loads = ", ".join("%.1f" % load for load in os.getloadavg())
    print("# JMH: time and allocation per operation\n")
    print(report.facts([
        ("Commit", "`%s`" % report.commit()),
        ("Machine", report.machine()),
        ("JVM", "%s %s" % (first["vmName"], first["vmVersion"])),
        ("Flags", "`%s`" % " ".join(first["jvmArgs"])),
        ("Run", "%d fork, %d x %s warm-up, %d x %s measured" % (
            first["forks"], first["warmupIterations"], first["warmupTime"],
            first["measurementIterations"], first["measurementTime"])),
        ("Load average just after (1, 5, 15 min)", loads),
    ]))
    if note:
        print(note + "\n")
    print("| Benchmark | ns/op | ± | B/op |\n|---|---:|---:|---:|")
    for result in results:
        name = ".".join(result["benchmark"].split(".")[-2:])
        params = " ".join("%s=%s" % param for param in result.get("params", {}).items())
        time = result["primaryMetric"]
        allocated = result["secondaryMetrics"].get("gc.alloc.rate.norm", {}).get("score")
        print("| %s | %.1f | %.1f | %s |" % (
            (name + " " + params).strip(), time["score"], float(time["scoreError"]),
            "" if allocated is None else "%.2f" % allocated))


main()
