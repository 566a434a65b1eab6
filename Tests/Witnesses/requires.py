#!/usr/bin/env python3
"""Compares the verdicts of `rebind-inspect requires` with those of auditwheel and dpkg-shlibdeps.

    requires.py PROGRAM WHEEL...       auditwheel has to be installed, as by pip
    requires.py PROGRAM --packages N   N installed packages each that need libc6, libstdc++6 and libgcc-s1

Prints a line for each, and fails if one differs that no rule explains. A version of libstdc++ stands for the
release of GCC that had it first, by GCC's manual, and one of libgcc for the release in its name.
dpkg-shlibdeps takes the package's version from the library's table of symbols. Rules explain differences:

    first package   Debian's table has another release for this very version than GCC: the first package with
                    the symbols was a later one, or was called 11 before 11.1, or the table begins later
    newer symbol    Debian's table has a newer package for a symbol than for the symbol's version, as where
                    the package got that symbol later
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


# GCC's manual, "ABI Policy and Guidelines": the releases in which versions came.
RELEASES = {
    "GLIBCXX_3.4": """3.4.0 3.4.1 3.4.2 3.4.3 4.0.0 4.0.1 4.0.2 4.0.3 4.1.1 4.2.0 4.3.0 4.4.0 4.4.1 4.4.2 4.5.0
                      4.6.0 4.6.1 4.7.0 4.8.0 4.8.3 4.9.0 5.1.0 6.1.0 7.1.0 7.2.0 8.1.0 9.1.0 9.2.0 9.3.0
                      11.1.0 12.1.0 13.1.0 13.2.0 14.1.0 15.1.0""".split(),
    "CXXABI_1.3": """3.4.0 4.0.0 4.3.0 4.4.0 4.5.0 4.6.0 4.7.0 4.8.0 4.9.0 5.1.0 6.1.0 7.1.0 9.1.0 11.1.0
                     13.1.0 14.1.0""".split(),
}
PACKAGES = {"libc6": ["GLIBC"], "libstdc++6": ["GLIBCXX", "CXXABI"], "libgcc-s1": ["GCC"]}


def release(version):
    """The release of glibc or GCC that a version of symbols came with; None for one without numbers."""
    for prefix, releases in RELEASES.items():
        if version.startswith(prefix):
            place = numbers(version[len(prefix):])
            return releases[place[0] if place else 0]
    return version.rsplit("_", 1)[1] if re.fullmatch(r"(GLIBC|GCC)_[0-9.]+", version) else None


def short(version):
    """Without zeros at the end: 4.0.0 is 4."""
    return re.sub(r"(\.0)+$", "", version)


def symbols_file(package):
    """Debian's table: the package's version that each symbol with a version came with, and each version."""
    path = run(["dpkg-query", "--control-path", package, "symbols"]).strip()
    with open(path) as table:
        return {line.split()[0]: re.sub("-.*", "", line.split()[1])
                for line in table if line.startswith(" ") and "@" in line}


def explanation(package, versions, other):
    """The rule that explains another version of a package than the release of the newest version of symbols."""
    table = symbols_file(package)
    since = [table.get(f"{version}@{version}", "0") for version in versions]
    if short(max(since, key=numbers)) == short(other):
        return "first package"
    if any(name.split("@")[1] in versions and short(since) == short(other) for name, since in table.items()):
        return "newer symbol"
    return None


def package(program, name, folder):
    """For each library that a package needs: our versions of symbols, the newest first, and dpkg's."""
    files = [path for path in run(["dpkg", "-L", name]).split("\n")
             if path.startswith("/") and not os.path.islink(path) and os.path.isfile(path)
             and is_elf(path)]
    if not files or len(files) > 60:
        return
    text = run(["dpkg-shlibdeps", "-O", "--ignore-missing-info"] + ["-e" + path for path in files],
               folder=folder)
    rows = requirements(program, files)
    for library, prefixes in PACKAGES.items():
        found = re.search(re.escape(library) + r" \(>= ([0-9.]+)\)", text)
        versions = {row["version"] for row in rows if row["kind"] == "version"
                    and row["version"].rsplit("_", 1)[0] in prefixes and release(row["version"])}
        if found and versions:
            versions = sorted(versions, reverse=True,
                              key=lambda version: (numbers(release(version)), numbers(version)))
            yield library, versions, found.group(1)


def compare_packages(program, count):
    left = dict.fromkeys(PACKAGES, count)
    equal, explained, failed = 0, {}, False
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "debian"))
        with open(os.path.join(folder, "debian", "control"), "w") as control:
            control.write("Source: x\n\nPackage: x\nArchitecture: any\n")
        for name in run(["dpkg-query", "-W", "-f", "${Package}\n"]).split():
            if not any(left.values()):
                break
            for library, versions, other in package(program, name, folder):
                if left[library] == 0:
                    continue
                left[library] -= 1
                own, state = release(versions[0]), ""
                if short(own) == short(other):
                    equal += 1
                else:
                    state = explanation(library, versions, other) or "DIFFERENT"
                    failed |= state == "DIFFERENT"
                    explained[state] = explained.get(state, 0) + 1
                print(name, library, versions[0], own, other, state)
    print(f"{equal} are equal", *(f"{times} {rule}" for rule, times in explained.items()), sep=", ")
    return failed


def main():
    program = os.path.abspath(sys.argv[1])
    if sys.argv[2] == "--packages":
        return compare_packages(program, int(sys.argv[3]))
    pairs = [(os.path.basename(path), *wheel(program, path)) for path in sys.argv[2:]]
    for name, own, other in pairs:
        print(name, own, other, "" if own == other else "DIFFERENT")
    return any(own != other for _, own, other in pairs)


if __name__ == "__main__":
    sys.exit(main())
