#!/usr/bin/env python3
"""Compares the verdicts of `rebind-inspect requires` with those of auditwheel and dpkg-shlibdeps.

    requires.py PROGRAM WHEEL...       auditwheel has to be installed, as by pip
    requires.py PROGRAM --packages N   the first N installed packages that need the C library

Prints a line for each, and fails if one differs.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile


def run(command, text=None, folder=None):
    return subprocess.run(command, input=text, cwd=folder, capture_output=True, text=True).stdout


def requirements(program, files):
    """The rows of `requires` for several files."""
    lines = run([program, "requires", "--format", "rows", "--files-from", "-"], "\n".join(files))
    return [json.loads(line) for line in lines.splitlines()]


def numbers(version):
    return [int(number) for number in re.findall(r"\d+", version)]


def wheel(program, path):
    """The oldest manylinux that has what all libraries of a wheel need."""
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(path).extractall(folder)
        files = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names
                 if ".so" in name]
        systems = [row["version"] for row in requirements(program, files)
                   if row["kind"] == "system" and row["name"] == "manylinux"]
    own = "none" if None in systems else "manylinux_" + max(systems, key=numbers)
    text = " ".join(run(["auditwheel", "show", path]).split())
    found = re.search(r'constrains the platform tag to "(\w+?)_(?:x86_64|aarch64)"', text)
    return own, found.group(1) if found else "none"


def is_elf(path):
    try:
        with open(path, "rb") as file:
            start = file.read(20)
    except OSError:
        return False
    return start[:5] == b"\x7fELF\x02" and start[16] in (2, 3)


def package(program, name, folder):
    """The glibc that the programs and libraries of a package need; none if they need no glibc."""
    files = [path for path in run(["dpkg", "-L", name]).split("\n")
             if path.startswith("/") and not os.path.islink(path) and os.path.isfile(path)
             and is_elf(path)]
    if not files or len(files) > 60:
        return None
    text = run(["dpkg-shlibdeps", "-O", "--ignore-missing-info"] + ["-e" + path for path in files],
               folder=folder)
    found = re.search(r"libc6 \(>= ([0-9.]+)\)", text)
    versions = [row["version"][6:] for row in requirements(program, files)
                if re.match(r"GLIBC_[0-9]", row["version"] or "")]
    return (max(versions, key=numbers), found.group(1)) if found and versions else None


def main():
    program = os.path.abspath(sys.argv[1])
    pairs = []
    if sys.argv[2] == "--packages":
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "debian"))
            with open(os.path.join(folder, "debian", "control"), "w") as control:
                control.write("Source: x\n\nPackage: x\nArchitecture: any\n")
            for name in run(["dpkg-query", "-W", "-f", "${Package}\n"]).split():
                pair = package(program, name, folder)
                if pair:
                    pairs.append((name, *pair))
                if len(pairs) == int(sys.argv[3]):
                    break
    else:
        pairs = [(os.path.basename(path), *wheel(program, path)) for path in sys.argv[2:]]
    for name, own, other in pairs:
        print(name, own, other, "" if own == other else "DIFFERENT")
    return any(own != other for _, own, other in pairs)


if __name__ == "__main__":
    sys.exit(main())
