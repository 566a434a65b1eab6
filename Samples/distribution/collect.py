#!/usr/bin/env python3
"""Reads the packages of a distribution into Parquet: what their ELF files import, define, need and declare.

  collect.py LIST|FOLDER --out TABLES [--inspect rebind-inspect] [--jobs N] [--scratch-bytes N]

LIST has a package's path on each line; of a FOLDER each package counts: .deb, .rpm, .apk, and .tar of any compression.
Each has a process of its own and becomes one file in TABLES, renamed into place, so that a run that was killed goes on where
it was. A package that cannot be read is a row of `errors`. views.sql makes tables of the files, for DuckDB and for Spark.
"""

import argparse
import contextlib
import csv
import ctypes
import errno
import functools
import glob
import hashlib
import importlib
import multiprocessing
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

ENDINGS = re.compile(r"\.(deb|rpm|apk|tar(\.\w+)?|tgz|txz)$")
# A table of rebind-inspect for each kind of rows; views.sql has the tables that people ask.
TABLES = ["hardening", "dynamic", "symbols", "slots", "requires", "annotations"]
# Names that SQL has for itself.
RENAMED = {"index": "position", "group": "groupName", "offset": "fileOffset", "image": "requiredBy"}
# A package's other files are no ELF files, and objects in archives have no dynamic table, which is usual.
USUAL = re.compile(r"files? (is|are) no ELF files?$|no ELF file|no dynamic table")


@functools.cache
def columns(inspect):
    """For each table the columns of rebind-inspect's CSV."""
    heads = [output(inspect, table, "--format", "csv", sys.executable).partition("\n")[0] for table in TABLES]
    if not all(heads):
        sys.exit(f"collect: {inspect} prints no table of {sys.executable}")
    return dict(zip(TABLES, csv.reader(heads)))


def all_columns(inspect):
    """The columns of a package's file: all rows have them, and those of other tables are NULL. All are texts."""
    own = dict.fromkeys(RENAMED.get(name, name) for names in columns(inspect).values() for name in names)
    return ["facts", "package", "packageVersion", "architecture", *own, "message"]


def described(package):
    """The name, version and architecture of a package, by its own tool or by its file's name."""
    name, lines = os.path.basename(package), []
    if name.endswith(".deb"):
        lines = output("dpkg-deb", "--show", "--showformat", "${Package}\n${Version}\n${Architecture}", package).splitlines()
    elif name.endswith(".apk"):
        facts = dict(re.findall(r"^(\w+) = (.*)$", output("bsdtar", "-xOf", package, ".PKGINFO"), re.MULTILINE))
        lines = [facts[key] for key in ("pkgname", "pkgver", "arch") if key in facts]
    elif found := re.fullmatch(r"(.+)-([^-]+-[^-]+)\.(\w+)\.rpm", name):
        lines = list(found.groups())
    return lines if len(lines) == 3 else [ENDINGS.sub("", name), "", ""]


def output(*words):
    return subprocess.run(words, text=True, capture_output=True, errors="replace").stdout


def unpack(package, folder, most):
    """Unpacks a package by its own tool or bsdtar, up to so many bytes; the errors, a line each. bsdtar refuses paths and
    links that lead out of the folder."""
    stream = ["dpkg-deb", "--fsys-tarfile", package] if package.endswith(".deb") else ["bsdtar", "-cf", "-", f"@{package}"]
    extract = ["bsdtar", "--no-same-owner", "--no-same-permissions", "-xf", "-", "-C", folder]
    with tempfile.TemporaryFile() as log, subprocess.Popen(stream, stdout=subprocess.PIPE, stderr=log) as source, \
            subprocess.Popen(extract, stdin=subprocess.PIPE, stderr=log) as target:
        count = 0
        try:
            while count <= most and (chunk := source.stdout.read(1 << 20)):
                count += len(chunk)
                target.stdin.write(chunk)
        except BrokenPipeError:
            pass  # its message is in the log
        with contextlib.suppress(BrokenPipeError):
            target.stdin.close()
        if count > most:
            source.kill()
        status = source.wait(), target.wait()
        log.seek(0)
        errors = log.read().decode(errors="replace").replace(package, os.path.basename(package)).splitlines()
    if count > most:
        return [f"larger than {most:,} bytes unpacked: the rest is left out"]
    return errors or ([f"{stream[0]} or bsdtar failed: {status}"] if any(status) else [])


def collect(package, target, inspect="rebind-inspect", most=4 << 30):
    """Writes the Parquet file of one package: its tables, or the reason why it has none."""
    with tempfile.TemporaryDirectory(prefix=f"collect-{os.getpid()}-") as scratch:
        try:
            errors = print_tables(package, scratch, inspect, most)
            join_tables(package, target, inspect, scratch, errors, TABLES)
        except Exception as failure:
            if isinstance(failure, OSError) and failure.errno in (errno.ENOSPC, errno.ENOENT):
                raise  # the next run tries it again
            join_tables(package, target, inspect, scratch, [str(failure).replace(package, os.path.basename(package))], [])


def print_tables(package, scratch, inspect, most):
    """A CSV file for each table; the errors, a line each."""
    root = os.path.join(scratch, "root")
    os.mkdir(root)
    errors = unpack(package, root, most)
    subprocess.run(["chmod", "-R", "u+rwX", root])
    files = ["."]
    for table in TABLES:
        with open(f"{scratch}/files", "wb") as file:
            file.write(b"\0".join(map(os.fsencode, files)))
        with open(f"{scratch}/{table}.csv", "wb") as file:
            if not files:  # no ELF file
                file.write((",".join(columns(inspect)[table]) + "\n").encode())
                continue
            result = subprocess.run(["prlimit", f"--fsize={most}", inspect, table, "--format", "csv", "-0", "--files-from", "../files"],
                                    cwd=root, stdout=file, stderr=subprocess.PIPE)
        if result.returncode not in (0, 1, 2) or os.path.getsize(f"{scratch}/{table}.csv") == 0:
            raise RuntimeError(f"rebind-inspect {table} ended with {result.returncode}")
        lines = result.stderr.decode(errors="replace").splitlines()
        errors += [f"{table}: {line.partition(': ')[2]}" for line in lines if not USUAL.search(line)]
        if files == ["."]:  # the next ones read ELF files alone
            with open(f"{scratch}/{table}.csv", newline="", errors="surrogateescape") as file:
                files = [row[0] for row in csv.reader(file)][1:]
    return errors


def join_tables(package, target, inspect, scratch, errors, tables):
    import duckdb

    def quoted(text):
        return "'" + text.encode(errors="replace").decode().replace("'", "''") + "'"

    with open(f"{scratch}/errors.csv", "w", newline="", errors="replace") as file:
        csv.writer(file).writerows([["message"], *([error] for error in dict.fromkeys(errors))])
    names, parts, facts_of_package = all_columns(inspect), [], described(package)
    for table, own in {**{table: columns(inspect)[table] for table in tables}, "errors": ["message"]}.items():
        own = {RENAMED.get(name, name): f'"{name}"' for name in own}
        own["path"] = "substr(path, 2)" if table != "errors" else "NULL"
        cells = [quoted(text) for text in [table, *facts_of_package]]
        cells += [own.get(name, "NULL") for name in names[len(cells):]]
        listed = ", ".join(f'CAST({cell} AS VARCHAR) AS "{name}"' for cell, name in zip(cells, names))
        parts.append(f"SELECT {listed} FROM read_csv({quoted(f'{scratch}/{table}.csv')}, header = true, all_varchar = true, "
                     "quote = '\"', escape = '\"', delim = ',', max_line_size = 16777216, parallel = false)")
    # A hidden name, which neither DuckDB nor Spark reads.
    part = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.{os.getpid()}")
    with duckdb.connect(config={"memory_limit": "150MB", "threads": 1, "temp_directory": scratch}) as base:
        base.execute("COPY (" + " UNION ALL ".join(parts)
                     + f") TO {quoted(part)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20480)")
    os.rename(part, target)


def run_one(*arguments):
    """Collects in a process of its own, which ends with this one; its most memory in KiB, and an error or None."""
    def work():
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        error = None
        try:
            collect(*arguments)
        except Exception as failure:
            error = f"{arguments[0]}: {failure}"
        answers.send((max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)), error))

    questions, answers = multiprocessing.Pipe(False)
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    answers.close()
    with contextlib.suppress(EOFError):
        return questions.recv()
    process.join()
    return 0, f"{arguments[0]}: its process ended with {process.exitcode}"


def clean(*patterns):
    """Removes what processes have left that were killed: their number is in the name."""
    for path in (path for pattern in patterns for path in glob.glob(pattern, include_hidden=True)):
        if (number := re.search(r"-(\d+)-\w+$|\.(\d+)$", path)) and not os.path.exists(f"/proc/{number[1] or number[2]}"):
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def targets(packages, tables):
    """A file for each package. Two packages in different folders may have one name."""
    return {package: os.path.join(tables, f"{os.path.basename(package).encode(errors='replace').decode()}-"
                                  f"{hashlib.sha1(os.fsencode(package)).hexdigest()[:8]}.parquet") for package in packages}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", metavar="LIST|FOLDER")
    parser.add_argument("--out", required=True, metavar="TABLES")
    parser.add_argument("--inspect", default="rebind-inspect")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--scratch-bytes", type=int, default=4 << 30, help="the most that a package, or a table, may have (4 GiB)")
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for tool in arguments.inspect, "bsdtar":
        if not shutil.which(tool):
            sys.exit(f"collect: there is no {tool}")
    inspect = os.path.abspath(shutil.which(arguments.inspect))
    try:
        if os.path.isdir(arguments.packages):
            packages = sorted(os.path.join(folder, name) for folder, _, names in os.walk(arguments.packages) for name in names
                              if ENDINGS.search(name))
        else:
            with open(arguments.packages, errors="surrogateescape") as file:
                packages = [line.strip() for line in file if line.strip()]
        os.makedirs(arguments.out, exist_ok=True)
    except OSError as error:
        sys.exit(f"collect: {error}")
    if not packages:
        sys.exit(f"collect: {arguments.packages} has no package")
    # Once for all processes, which are forked from this one.
    all_columns(inspect)
    importlib.import_module("duckdb")
    clean(f"{glob.escape(arguments.out)}/.*", f"{glob.escape(tempfile.gettempdir())}/collect-*")
    todo = {package: target for package, target in targets(packages, arguments.out).items() if not os.path.exists(target)}
    sizes = {package: os.path.getsize(package) for package in todo if os.path.exists(package)}
    failed = [f"{package}: there is no such file" for package in todo if package not in sizes]
    print(f"collect: {len(packages)} packages, of which {len(packages) - len(todo)} are done", file=sys.stderr)
    total, start, done, read, peak = sum(sizes.values()), time.monotonic(), 0, 0, 0
    with ThreadPoolExecutor(max(arguments.jobs, 1)) as pool:
        jobs = {pool.submit(run_one, package, todo[package], inspect, arguments.scratch_bytes): package for package in sizes}
        for finished in as_completed(jobs):
            (memory, error), elapsed = finished.result(), time.monotonic() - start
            done, read, peak, failed = done + 1, read + sizes[jobs[finished]], max(peak, memory), failed + [error] * bool(error)
            print(f"\rcollect: {done}/{len(sizes)}, {done / elapsed:.1f} packages/s, {read / 1e6:,.0f} of {total / 1e6:,.0f} MB, "
                  f"{elapsed * (total - read) / max(read, 1):.0f} s left ", end="", file=sys.stderr, flush=True)
    print(f"\ncollect: {time.monotonic() - start:.1f} s, at most {peak / 1024:.0f} MiB a process", file=sys.stderr)
    for error in failed:
        print(f"collect: {error}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
