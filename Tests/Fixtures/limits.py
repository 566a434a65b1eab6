"""Runs a program, and ends one that hangs or never ends: by the processor time that it uses, so that a busy machine
decides nothing."""

import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

# Seconds of processor time that a program and what it starts may use.
MOST = 120
# One that uses less than a second in so many seconds hangs.
IDLE = 60


@dataclass
class Ended:
    """A program's output, and what was wrong: its status, or why it was ended."""

    output: str
    trouble: str


def run(command, most=MOST, idle=IDLE):
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        trouble = watch(process, most, idle)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if not trouble and process.returncode:
        trouble = f"exit status {process.returncode}"
    return Ended(text, trouble)


def watch(process, most, idle):
    """Waits for a process; says why it was ended, if it was."""
    since, used, now = time.monotonic(), 0.0, 0.0
    while True:
        try:
            process.wait(timeout=min(1, idle / 4))
            return ""
        except subprocess.TimeoutExpired:
            now = max(now, sum(processor_time(each) for each in family(process.pid)))
        if now - used >= min(1, idle / 60):
            since, used = time.monotonic(), now
        if now > most:
            trouble = f"ended, as it had used {most} s of processor time"
        elif time.monotonic() - since > idle:
            trouble = f"ended, as it hung: it had used no processor time for {idle} s"
        else:
            continue
        for each in family(process.pid):
            try:
                os.kill(each, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait()
        return trouble


def family(process):
    """A process, those that it has started, and so on."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            children.setdefault(parent(name), []).append(int(name))
    found = [process]
    for each in found:
        found += children.get(each, [])
    return found


def fields(process):
    """Those of /proc/PID/stat behind the name, which may hold anything."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def parent(process):
    found = fields(process)
    return int(found[1]) if found else 0


def processor_time(process):
    """In seconds, with that of the children for which it has waited."""
    return sum(map(int, fields(process)[11:15])) / os.sysconf("SC_CLK_TCK")
