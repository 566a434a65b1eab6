#!/usr/bin/python3
"""Measures rebind-run beside ltrace, uftrace, strace and a library that is preloaded by hand.

usage: measure.py REBIND-RUN FOLDER

FOLDER has what `make bench-run` builds. All take turns, 21 of them, and the medians count. A tool that is not installed is
left out, by name.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TURNS = 21


def main():
    command, folder = map(os.path.abspath, sys.argv[1:])
    os.environ["LC_ALL"] = "C"
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        print_calls(command, folder)
        print_starts(command)
        print_sweep(command, folder)


def print_calls(command, folder):
    """A line for each tool: by how much a call takes longer than without it."""
    program, by_hand = f"{folder}/program", f"{folder}/by-hand.so"
    fast, slow = ["calls", "20000000"], ["calls", "2000"]
    tools = [
        ("rebind-run count counted", [command, "count", "counted", "--", program, *fast]),
        ("rebind-run count counted --results", [command, "count", "counted", "--results", "--", program, *fast]),
        ("LD_PRELOAD of a library by hand", ["env", f"LD_PRELOAD={by_hand}", program, *fast]),
        ("uftrace record --force", ["uftrace", "record", "--force", "-d", "uftrace", program, "calls", "200000"]),
        ("ltrace -c -e counted", ["ltrace", "-c", "-e", "counted", "-o", "ltrace", program, *slow]),
        ("strace -c -e getppid, a system call", ["strace", "-c", "-e", "getppid", "-o", "strace", program,
                                                 "system", "20000"]),
    ]
    tools = [tool for tool in tools if is_there(tool[1][0])]
    alone = {"calls": [], "system": []}
    times = {name: [] for name, _ in tools}
    for _ in range(TURNS):
        bare = {what: nanoseconds([program, what, "20000000" if what == "calls" else "2000000"]) for what in alone}
        for what, time_of_call in bare.items():
            alone[what].append(time_of_call)
        for name, words in tools:
            shutil.rmtree("uftrace", ignore_errors=True)
            times[name].append(nanoseconds(words) - bare["system" if "system" in words else "calls"])
    print("| a call counted by | ns more |\n|---|---:|")
    for name, _ in tools:
        print(f"| {name} | {statistics.median(times[name]):,.1f} |")
    print(f"\nAlone, the call takes {statistics.median(alone['calls']):.1f} ns, and the system call "
          f"{statistics.median(alone['system']):.0f} ns.")
    sys.stdout.flush()


def nanoseconds(words):
    """The nanoseconds that the program prints for a call."""
    output = subprocess.run(words, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return float(re.search(r"^[\d.]+$", output, re.MULTILINE).group())


def print_starts(command):
    """A line for each program: how long it takes, and how much longer counted or traced."""
    programs = [["bash", "-c", ":"], ["git", "--version"], ["/usr/bin/python3", "-c", ""]]
    tools = [[], [command, "count", "*", "--output", "table", "--"], ["strace", "-f", "-c", "-o", "table"]]
    tools = [tool for tool in tools if not tool or is_there(tool[0])]
    titles = ["rebind-run count '*'" if tool[0] == command else " ".join(tool[:3]) for tool in tools[1:]]
    print("\n| start and end | alone, ms |" + "".join(f" {title}, ms more |" for title in titles))
    print("|---|" + "---:|" * len(tools))
    for program in programs:
        times = [[] for _ in tools]
        for _ in range(TURNS):
            for tool, own in zip(tools, times):
                begin = time.monotonic()
                subprocess.run([*tool, *program], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                own.append((time.monotonic() - begin) * 1000)
        alone, *others = map(statistics.median, times)
        print(f"| {' '.join(program)} | {alone:.1f} |" + "".join(f" {other - alone:,.1f} |" for other in others))
        sys.stdout.flush()


def print_sweep(command, folder):
    words = [command, "sweep", "malloc", "--", f"{folder}/program", "work"]
    begin = time.monotonic()
    output = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    seconds = time.monotonic() - begin
    runs = int(re.search(r"^(\d+) runs, no finding$", output, re.MULTILINE).group(1))
    print(f"\nA sweep of a program that takes 10 ms: {runs / seconds:.0f} runs a second on {os.cpu_count()} processors.")


def is_there(name):
    if shutil.which(name):
        return True
    print(f"{name} is not installed", file=sys.stderr)
    return False


if __name__ == "__main__":
    main()
