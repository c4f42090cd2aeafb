"""Servers and proxies that a script starts, with their flags."""
import glob
import os
import signal
import socket
import subprocess
import sys
import time

import report

START_SECONDS = 30


def documented_flags():
    with open(os.path.join(report.ROOT, "config", "jvm.options")) as file:
        return " ".join(line.strip() for line in file if line.strip() and not line.startswith("#"))


class Processes:
    """What was started; ended in the reverse order, by process id."""

    def __init__(self, folder):
        self.folder = folder
        self.started = []

    def start(self, name, command):
        log = open(os.path.join(self.folder, name + ".log"), "w")
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=self.folder)
        self.started.append((name, process))
        return process.pid

    def wait_for(self, name, port):
        """Until the newest process answers a GET on the port."""
        process = self.started[-1][1]
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            if answers(port):
                return
            time.sleep(0.1)
        print(open(os.path.join(self.folder, name + ".log")).read()[-2000:], file=sys.stderr)
        raise SystemExit("%s does not answer on port %d" % (name, port))

    def stop(self):
        for _, process in reversed(self.started):
            if process.poll() is None:
                process.terminate()
        for name, process in reversed(self.started):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                print("%s (%d) has to be killed" % (name, process.pid), file=sys.stderr)
                process.kill()
                process.wait(10)


def end_when_told():
    """Has SIGTERM end this script as an error does: what it started ends with it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))


def answers(port):
    """Whether a GET gets a value or a null: it goes all the way to a server, as a PING need not."""
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            connection.settimeout(1)
            connection.sendall(b"*2\r\n$3\r\nGET\r\n$1\r\n0\r\n")
            return connection.recv(64)[:1] in (b"$", b"_")
    except OSError:
        return False


def require_free(ports):
    for port in ports:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                raise SystemExit("port %d is taken" % port)


def find_java(wanted):
    """The java given, or a JDK 25 at JAVA_HOME or where Debian has them."""
    homes = [os.environ.get("JAVA_HOME", "")] + sorted(glob.glob("/usr/lib/jvm/*"))
    for java in [wanted] if wanted else [os.path.join(home, "bin", "java") for home in homes if home]:
        if any(' version "%d' % major in report.output(java, "-version") for major in range(25, 40)):
            return java
    raise SystemExit("no JDK 25 found: --java /path/to/bin/java")


def start_server(processes, port, *options):
    name = "redis-%d" % port
    folder = os.path.join(processes.folder, name)
    os.mkdir(folder)
    processes.start(name, ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "",
                           "--appendonly", "no", *options])
