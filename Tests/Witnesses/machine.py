"""Compares what rebind-inspect says of every ELF file of a machine with what other readers say.

usage: machine.py [--jobs N] REBIND-INSPECT FOLDER...

Tables of files with readelf and eu-readelf, slots with readelf, `tree` with the list of glibc's loader,
`who-imports` with nm. Prints each difference that no rule of rules.py explains, then every rule with how
often it explained one, and at the end the rows that are equal. The exit status is 1 if something was
not explained.
"""

import argparse
import os
import struct
import subprocess
import sys
import time
from collections import namedtuple
from concurrent.futures import ProcessPoolExecutor, as_completed

import ld_so
import rules
from compare import Comparison
from tables import TABLES, Import, ours

Found = namedtuple("Found", "path size kind")
# A process of ours reads as many files at once, and no more bytes, but for a larger file alone.
FILES, BYTES = 24, 16 << 20
ET_EXEC, ET_DYN = 2, 3


def header(path):
    """Class, byte order, machine and type of an ELF file; None of another one."""
    try:
        with open(path, "rb") as file:
            start = file.read(20)
    except OSError:
        return None
    if len(start) < 20 or start[:4] != b"\x7fELF" or start[5] not in (1, 2):
        return None
    kind, machine = struct.unpack_from("<HH" if start[5] == 1 else ">HH", start, 16)
    return start[4], start[5], machine, kind


def find(folders):
    """Every ELF file below the folders, once; the largest first."""
    seen, found = set(), []
    for folder in folders:
        for parent, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(parent, name)
                status = os.lstat(path)
                identity = status.st_dev, status.st_ino
                if not os.path.isfile(path) or os.path.islink(path) or identity in seen:
                    continue
                seen.add(identity)
                kind = header(path)
                if kind:
                    found.append(Found(path, status.st_size, kind))
    return sorted(found, key=lambda file: -file.size)


def batches(files):
    batch, size = [], 0
    for file in files:
        if batch and (len(batch) == FILES or size + file.size > BYTES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size
    if batch:
        yield batch


def start(program, loader, native):
    """Of each process that compares."""
    global settings
    settings = program, loader, native


def compare(files):
    program, loader, native = settings
    comparison = Comparison()
    paths = [file.path for file in files]
    comparison.tables("readelf", program, paths)
    comparison.tables("eu-readelf", program, paths)
    # Object files have no slots yet.
    linked = [file for file in files if file.kind[3] in (ET_EXEC, ET_DYN)]
    comparison.tables("readelf", program, [file.path for file in linked], ["slots"])
    paths = [file.path for file in linked if file.kind[:3] == native]
    for path, rows in zip(paths, ours(program, "tree", paths)):
        comparison.rows("ld.so", path, "tree", rows, ld_so.read(loader, path))
    return comparison, len(files)


def compare_with_nm(program, paths, comparison):
    """The importers of malloc, and the files that define it."""
    for option, flag in (("--undefined-only", ()), ("--defined-only", ("--defines",))):
        theirs = {path: [] for path in paths}
        for first in range(0, len(paths), 500):
            command = ["nm", "-D", "-A", option, "--", *paths[first:first + 500]]
            output = subprocess.run(
                command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            for line in output.decode(errors="surrogateescape").splitlines():
                # `path: U malloc@GLIBC_2.2.5`, with a value in front of the letter if it is defined.
                path, _, rest = line.partition(":")
                name, at, version = rest.split()[-1].partition("@")
                if name == "malloc" and path in theirs:
                    theirs[path].append(Import(name, version.lstrip("@")))
        found = ours(program, "imports", paths, ["who-imports", *flag, "malloc"])
        for path, rows in zip(paths, found):
            comparison.rows("nm", path, "imports", rows, sorted(theirs[path]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("program")
    parser.add_argument("folders", nargs="+")
    options = parser.parse_args()

    begin = time.monotonic()
    files = find(options.folders)
    print(
        f"{len(files)} ELF files below {' '.join(options.folders)}, "
        f"{sum(file.size for file in files) >> 20} MiB", flush=True)
    loader = ld_so.loader(options.program)
    comparison, done, shown = Comparison(), 0, begin
    settings = options.program, loader, header(os.path.realpath(loader))[:3]
    with ProcessPoolExecutor(options.jobs, initializer=start, initargs=settings) as pool:
        for future in as_completed([pool.submit(compare, batch) for batch in batches(files)]):
            part, count = future.result()
            comparison.add(part)
            done += count
            if time.monotonic() - shown > 10:
                shown = time.monotonic()
                print(f"{done} files after {shown - begin:.0f} s", flush=True)
    compare_with_nm(options.program, [file.path for file in files], comparison)
    status = comparison.finish(every_rule=True)
    print(f"{time.monotonic() - begin:.0f} s")
    sys.exit(status)


if __name__ == "__main__":
    main()
