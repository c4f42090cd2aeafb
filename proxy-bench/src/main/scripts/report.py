"""The facts that every result file has: commit, machine, JVM, flags."""
import os
import platform
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))


def output(*command):
    """Returns what a command prints, on either stream; empty if it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout + done.stderr).strip()


def commit():
    """The commit of the checkout, and whether it was changed since."""
    return output("git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=12") or "unknown"


def machine():
    """CPU model, cores, memory and kernel in one line."""
    cpu = re.search(r"model name\s*:\s*(.*)", open("/proc/cpuinfo").read())
    kib = re.search(r"MemTotal:\s*(\d+)", open("/proc/meminfo").read())
    return "%s, %d cores, %.0f GiB, Linux %s" % (
        cpu.group(1) if cpu else platform.machine(), os.cpu_count(), int(kib.group(1)) / 2**20, platform.release())


def origin(java, flags):
    """Where a result about a Penstock of this checkout comes from: rows for facts()."""
    return [
        ("Commit", "`%s`" % commit()),
        ("Machine", machine()),
        ("JVM", output(java, "-version").splitlines()[1]),
        ("Flags", "`%s`" % flags),
    ]


def facts(rows):
    """A two-column Markdown table."""
    return "\n".join(["| | |", "|---|---|"] + ["| %s | %s |" % row for row in rows]) + "\n"
