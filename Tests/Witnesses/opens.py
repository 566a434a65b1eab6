#!/usr/bin/python3
"""Compares the opens that `rebind-run count` counts in programs of Debian with those that `strace -k` sees.

  Tests/Witnesses/opens.py REBIND-RUN [NAME…]

Prints a line for each program. The columns: the system calls that open something; those among them that an image makes by
a function of libc, as strace's stacks say; the calls that rebind-run counts. The others are system calls for one of
three reasons, with a column each:

  loader  the loader opens a library: its calls go through no slot
  libc    a function of libc opens a file for its own use, as fopen and setlocale do: the calls inside one library go
          through no slot
  raw     the program makes the system call by itself, or by libc's function syscall

Fails if an image makes more or fewer calls than are counted, or if a stack fits none of these. Programs that are not
installed are named and left out.
"""

import csv
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

FUNCTIONS = ["open", "open64", "openat", "openat64", "creat", "creat64", "openat2", "__open", "__open64", "__open_2",
             "__open64_2", "__openat_2", "__openat64_2"]
CALLS = "open,openat,openat2,creat"

SETUP = """
seq 1 40 >numbers
printf 'int main(void) { return 0; }\\n' >main.c
mkdir tree && cp numbers main.c tree
printf 'error_log stderr; pid nginx.pid; events {} http { access_log off; server { listen 8099; } }\\n' >nginx.conf
git init -q repository && cp numbers repository
git -C repository add numbers
git -C repository -c user.name=a -c user.email=a@b commit -q -m first
"""

# Once a second it opens files of /proc: it ends before it does so for the third time.
REDIS = """
redis-server --port 0 --unixsocket "$PWD/socket" --hz 1 --appendonly yes --pidfile "$PWD/pid" &
until [ -s pid ] || ! kill -0 $!; do sleep 0.05; done
sleep 0.3
kill $!
wait
"""

# The arguments of each, or a script for the shell.
PROGRAMS = {
    "curl": ["-sS", "file:///etc/hosts", "-o", "hosts"],
    "git": ["-C", "repository", "log", "--stat"],
    "python3": ["-B", "-c", "import json, sqlite3, ssl; open('numbers').read(); open('made', 'w').write('a')"],
    "tar": ["cf", "archive.tar", "tree"],
    "sqlite3": ["database", "create table t(a); insert into t values (1), (2); select sum(a) from t;"],
    "nginx": ["-t", "-p", ".", "-c", "nginx.conf", "-e", "stderr"],
    "redis-server": REDIS,
    "gcc": ["main.c", "-o", "main"],
    "perl": ["-MPOSIX", "-MData::Dumper", "-e", "open(F, '<', 'numbers'); print Dumper([<F>]);"],
    "node": ["-e", "const fs = require('fs'); fs.readFileSync('numbers'); fs.promises.readFile('main.c')"],
}

FRAME = re.compile(r" > (.*?)\((.*?)(?:\+0x[0-9a-f]+)?\) \[0x[0-9a-f]+\]$")


def main(arguments):
    if not arguments or {"-h", "--help"} & set(arguments):
        print(__doc__.strip())
        return 0 if arguments else 64
    command, names = os.path.realpath(arguments[0]), arguments[1:] or list(PROGRAMS)
    os.environ.update(PATH="/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL="C.UTF-8", TZ="UTC", HOME="/nonexistent")
    print("program       opens  by images  counted  loader  libc  raw")
    failures = []
    for name in names:
        if not shutil.which(name):
            print(f"{name:<12}  not installed")
            continue
        work = PROGRAMS[name]
        program = ["sh", "-c", work] if isinstance(work, str) else [shutil.which(name), *work]
        (seen, others), status = in_scratch(look, program)
        counted, same_status = in_scratch(count, command, program)
        print(f"{name:<12}{sum(seen.values()) + sum(others.values()):7}{sum(seen.values()):11}"
              f"{sum(counted.values()):9}{others['loader']:8}{others['libc']:6}{others['raw']:5}")
        if status != same_status:
            failures.append(f"{name} exits with {status} under strace, and with {same_status} counted")
        for image in sorted(set(seen) | set(counted)):
            if seen[image] != counted[image]:
                failures.append(f"{name}: {image} makes {seen[image]} calls, and {counted[image]} are counted")
        failures += [f"{name}: {reason}" for reason in others if reason not in ("loader", "libc", "raw")]
    print("\n".join(failures) or "no difference is left")
    return 1 if failures else 0


def in_scratch(run, *words):
    """Runs in a folder of its own, which has the same files each time."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["sh", "-e", "-c", SETUP], cwd=folder, check=True)
        return run(folder, *words)


def look(folder, program):
    """The calls of each image by strace, the numbers of other calls by their reason, and the program's status."""
    with tempfile.NamedTemporaryFile("r", errors="replace") as trace:
        status = subprocess.run(
            ["strace", "-f", "-k", "-qq", "-e", f"trace={CALLS}", "-e", "signal=none", "-o", trace.name, *program],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        calls = []
        for line in trace.read().splitlines():
            frame = FRAME.match(line)
            if frame:
                calls[-1][1].append(frame.groups())
            # A call that another thread interrupts has its stack behind its second half.
            elif "<unfinished ...>" not in line and "exited with" not in line:
                calls.append((line, []))
    seen, others = Counter(), Counter()
    for line, frames in calls:
        image, reason = caller(frames)
        if image:
            seen[os.path.realpath(image)] += 1
        else:
            others[reason or f"no rule for {line}, {frames[:4]}"] += 1
    return (seen, others), status


def caller(frames):
    """The image that calls a function of libc to open something; else None, and the reason of the system call."""
    own = 0
    while own < len(frames) and is_of(frames[own], "libc.so."):
        own += 1
    if not frames:
        return None, None
    if own == 0:
        return None, "loader" if is_of(frames[0], "ld-linux") or is_of(frames[0], "ld64.") else "raw"
    names = [name for _, name in frames[:own]]
    if names == ["syscall"]:
        return None, "raw"
    if not set(names) <= set(FUNCTIONS):
        return None, "libc"
    return (frames[own][0], None) if own < len(frames) else (None, None)


def is_of(frame, name):
    return os.path.basename(frame[0]).startswith(name)


def count(folder, command, program):
    """The calls of each image by rebind-run, and the program's status."""
    with tempfile.NamedTemporaryFile("r") as table:
        patterns = ",".join(f"libc.so.6:{name}" for name in FUNCTIONS)
        status = subprocess.run(
            [command, "count", patterns, "--by", "both", "--format", "csv", "--output", table.name, "--", *program],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        counted = Counter()
        for row in csv.DictReader(io.StringIO(table.read())):
            counted[os.path.realpath(row["image"])] += int(row["calls"])
    return counted, status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
