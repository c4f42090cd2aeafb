#!/usr/bin/env python3
"""Runs each test class many times on a loaded machine, to find tests and code that fail only now and then.

    proxy-bench/src/main/scripts/repeat_tests.py --runs 30 --minutes 120
    proxy-bench/src/main/scripts/repeat_tests.py --only 'Tls|Reload' --dispatch sync

Maven compiles once. After that, each integration test class has a JVM of its own for a few runs, and all unit tests of a module share one. The
first run of a JVM is slow, as in the build; later runs take less time, since classes are loaded and compiled. Busy processes take the processors
meanwhile. Results are appended to a table; what it has enough runs of is not run again, so a run that was ended
goes on where it was. The output of failures is kept beside the table. Exits with 1 if the table has a failure. SIGTERM ends
it with all that it started.
"""
import argparse
import csv
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../.."))
MODULES = ["proxy-bench/testkit", "proxy-core", "proxy-server"]
POM = "{http://maven.apache.org/POM/4.0.0}"
CONSOLE = "org.junit.platform:junit-platform-console-standalone"


class Build:
    """The classes, class paths and flags of the modules' tests."""

    def __init__(self, folder):
        self.folder = folder

    def compile(self):
        path = os.path.join(self.folder, "class-path-${project.artifactId}")
        run_maven("-pl", ",".join(MODULES), "-am", "-DskipTests", "package", "dependency:build-classpath",
                  "-Dmdep.includeScope=test", "-Dmdep.outputFile=" + path)
        shown = run_maven("-N", "validate", "dependency:copy", f"-Dartifact={CONSOLE}:{self.junit_version()}",
                          "-DoutputDirectory=" + self.folder,
                          "exec:exec", "-Dexec.executable=java", "-Dexec.args=-XshowSettings:properties -version")
        with open(self.java_file(), "w") as file:
            file.write(os.path.join(re.search(r"java\.home = (.+)", shown).group(1).strip(), "bin", "java"))

    def java_file(self):
        return os.path.join(self.folder, "java")

    def java(self):
        """The program of the JDK that Maven chose, which need not be the one on PATH."""
        with open(self.java_file()) as file:
            return file.read()

    def junit_version(self):
        return re.search(r"junit-platform-engine-([0-9.]+)\.jar", self.dependencies("proxy-core")).group(1)

    def dependencies(self, module):
        artifact = xml.parse(os.path.join(ROOT, module, "pom.xml")).find(POM + "artifactId").text
        with open(os.path.join(self.folder, "class-path-" + artifact)) as file:
            return file.read().strip()

    def command(self, module, classes, runs, seconds, options):
        console = glob.glob(os.path.join(self.folder, "junit-platform-console-standalone-*.jar"))[0]
        target = os.path.join(ROOT, module, "target")
        path = ":".join([console, target + "/test-classes", target + "/classes", self.dependencies(module)])
        # as in the build
        of_it = [f"-Dpenstock.dispatch={options.dispatch}", "-Dspring.aot.enabled=true"] if classes[0].endswith("IT") else []
        return ([self.java()] + flags() + of_it + [
            f"-Dpenstock.test.fork={options.fork}",
            "-Dbasedir=" + os.path.join(ROOT, module), "-cp", path, os.path.join(os.path.dirname(os.path.abspath(__file__)), "RepeatTests.java"),
            str(runs), str(seconds)] + classes)


def run_maven(*arguments):
    """What it printed."""
    with tempfile.TemporaryFile("w+") as output:
        code = run([os.path.join(ROOT, "mvnw"), "-q", "-ntp", *arguments], ROOT, output, None)
        output.seek(0)
        text = output.read()
    if code != 0:
        sys.exit(f"{text}\nmvnw {' '.join(arguments)} failed with {code}")
    return text


def flags():
    """The JVM flags that the build gives its tests."""
    pom = xml.parse(os.path.join(ROOT, "pom.xml")).getroot()
    properties = {each.tag.replace(POM, ""): each.text or "" for each in pom.find(POM + "properties")}
    properties["project.version"] = pom.find(POM + "version").text
    text = properties["argLine"] + " " + properties["test.jit"]
    while "${" in text:
        text = re.sub(r"\$\{([^}]+)}", lambda name: properties[name.group(1)], text)
    return text.split()


def batches(only):
    """(module, classes): all unit tests of a module together, and each integration test."""
    for module in MODULES:
        sources = os.path.join(ROOT, module, "src/test/java")
        files = sorted(glob.glob(sources + "/**/*.java", recursive=True))
        names = [os.path.relpath(file, sources)[:-len(".java")].replace("/", ".") for file in files]
        names = [name for name in names if re.search("(Test|IT)$", name) and re.search(only, name)]
        units = [name for name in names if name.endswith("Test")]
        if units:
            yield module, units
        for name in names:
            if name.endswith("IT"):
                yield module, [name]


class Table:
    """The outcome of each run of each class."""

    def __init__(self, path):
        self.path = path
        self.rows = []
        if os.path.exists(path):
            with open(path, newline="") as file:
                self.rows = list(csv.reader(file))

    def runs(self, name, dispatch):
        return sum(1 for row in self.rows if row[0] == name and row[1] == dispatch)

    def add(self, name, dispatch, outcome, seconds):
        row = [name, dispatch, outcome, f"{seconds:.1f}"]
        self.rows.append(row)
        with open(self.path, "a", newline="") as file:
            csv.writer(file).writerow(row)

    def failures(self):
        return sorted({(row[0], row[1]) for row in self.rows if row[2] != "passed"})


class Load:
    """Processes that keep processors busy, each for no longer than this script lives."""

    def __init__(self, count):
        program = "import os\np = os.getppid()\nwhile os.getppid() == p:\n for i in range(1000000): pass"
        self.processes = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(count)]

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


def run(command, folder, output, seconds):
    """The exit code; None if it took longer than allowed. Ends everything that the command started."""
    process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        return process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def outcomes(log):
    """(class, outcome, seconds) of each run that ended."""
    with open(log, errors="replace") as file:
        found = re.findall(r"^RUN (passed|failed) ([0-9.]+) (\S+)$", file.read(), re.MULTILINE)
    return [(name, outcome, float(seconds)) for outcome, seconds, name in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30, help="of each class")
    parser.add_argument("--runs-of-jvm", type=int, default=5, help="after which another JVM is started")
    parser.add_argument("--minutes", type=float, default=60, help="no run begins later")
    parser.add_argument("--class-minutes", type=float, default=15, help="a run that takes longer has failed")
    parser.add_argument("--only", default="", help="a regular expression that class names must contain")
    parser.add_argument("--dispatch", default="async", choices=["async", "sync"])
    parser.add_argument("--load", type=int, default=os.cpu_count(), help="busy processes")
    parser.add_argument("--fork", type=int, default=1, help="selects the range of ports")
    parser.add_argument("--no-build", action="store_true", help="with what an earlier call compiled")
    parser.add_argument("--out", default=os.path.join(ROOT, "target", "repeated-tests"))
    options = parser.parse_args()

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))  # so that what was started is ended first
    os.makedirs(os.path.join(options.out, "failures"), exist_ok=True)
    build = Build(options.out)
    if not options.no_build:
        build.compile()
    table = Table(os.path.join(options.out, "results.csv"))
    end = time.monotonic() + options.minutes * 60
    load = Load(options.load)
    try:
        repeat(build, table, options, end)
    finally:
        load.end()
    failures = table.failures()
    for name, dispatch in failures:
        print("FAILED", name, dispatch)
    print(f"{len(table.rows)} runs, {len(failures)} classes failed; {options.out}")
    return 1 if failures else 0


def repeat(build, table, options, end):
    """Each class a few times, then each class again, so that a run that is ended has tried all classes."""
    for first in range(0, options.runs, options.runs_of_jvm):
        wanted = min(first + options.runs_of_jvm, options.runs)
        for module, classes in batches(options.only):
            fewest = min(table.runs(name, options.dispatch) for name in classes)
            due = [name for name in classes if table.runs(name, options.dispatch) < wanted]
            left = end - time.monotonic()
            if not due:
                continue
            if left <= 0:
                return
            log = os.path.join(options.out, "failures", f"{due[0]}-{options.dispatch}-{fewest + 1}.log")
            repeat_in_jvm(build, table, options, module, due, wanted - fewest, left, log)


def repeat_in_jvm(build, table, options, module, classes, runs, seconds, log):
    begin = time.monotonic()
    with open(log, "w") as output:
        code = run(build.command(module, classes, runs, int(seconds), options), os.path.join(ROOT, module), output,
                   options.class_minutes * 60 * runs)
    taken = time.monotonic() - begin
    ended = outcomes(log)
    if code is None or code != 0 and not any(outcome == "failed" for _, outcome, _ in ended):  # the JVM ended within a run
        ended += [(name, "too long" if code is None else "failed", taken / len(classes)) for name in classes]
    for name, outcome, each in ended:
        table.add(name, options.dispatch, outcome, each)
    failed = sorted({name for name, outcome, _ in ended if outcome != "passed"})
    if failed:
        print(f"FAILED {', '.join(failed)}; {log}", flush=True)
    else:
        os.remove(log)
        print(f"{len(ended)} runs of {len(classes)} of {module} passed in {taken:.0f} s ({classes[0]})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
