"""Runs fixtures, and ends one that hangs or never ends: by the processor time that it uses, so that a busy machine
decides nothing."""

import fnmatch
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

# Seconds of processor time that a program and what it starts may use.
MOST = 120
# A program hangs if it uses less than a second of processor time in so many seconds.
IDLE = 60


@dataclass
class Ended:
    """A program's output, and what was wrong: its status, or why it was ended."""

    output: str
    trouble: str


def run_fixture(test, program, arguments, before=(), look=lambda folder: ""):
    """Runs the program of a test in a copy of its folder, where it may write.

    - before: words that stand before the program, of an emulator or a tracer
    - look: looks at the folder afterwards, and says what is wrong there

    Returns why it cannot tell here, or nothing, and what was wrong, or nothing.
    """
    with tempfile.TemporaryDirectory(prefix="rebind-") as scratch:
        # By another process: a program cannot be run as long as somebody has it open for writing, and that may be a
        # child that another thread has started meanwhile.
        folder = os.path.join(scratch, "fixture")
        subprocess.run(["cp", "-r", os.path.dirname(program), folder], check=True)
        before, arguments, environment = (
            [word.replace("%", folder) for word in words] for words in (before, arguments, test.environment))
        command = [os.path.join(folder, "program"), *arguments]
        if before and before[0].startswith("qemu"):  # An emulator keeps its own environment.
            command = [*before, *(word for variable in environment for word in ("-E", variable)), *command]
        else:
            command = [*before, *(["env", *environment] if environment else []), *command]
        ended = run(command)
        lines = "|".join(ended.output.rstrip("\n").split("\n"))
        if test.unless and fnmatch.fnmatchcase(lines, test.unless):
            return lines, ""
        trouble = ended.trouble
        if not trouble and not fnmatch.fnmatchcase(lines, "|".join(test.prints)):
            trouble = "it should print: " + "|".join(test.prints)
        trouble = trouble or look(folder)
        return "", trouble and ended.output + trouble


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
            now = sum(processor_time(each) for each in family(process.pid))
        # A child that has ended may count twice for a moment, or not at all: progress is any change.
        if abs(now - used) >= min(1, idle / 60):
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
    """The fields of /proc/PID/stat that follow the name, which may hold anything."""
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
