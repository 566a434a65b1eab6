#!/usr/bin/env python3
"""Asks DuckDB the questions of Documentation/AskAllBinaries.md about all files below folders.

usage: ask.py REBIND-INSPECT FOLDER...

Runs the page's commands with --format csv and with --format rows, and the page's queries over what they
print, with no option of DuckDB's. SQLite asks the same of the CSV, which Python reads. Prints the answers'
sizes and times, and fails if the answers differ. `provided` and `libb.so`, which the page asks for, are
`malloc` and `libc.so.6` here. Without DuckDB for this Python it says so, and does nothing.
"""

import csv
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tempfile
import time

PAGE = os.path.join(os.path.dirname(__file__), "../../Documentation/AskAllBinaries.md")
# Columns that queries calculate with; SQLite would take them for text.
NUMBERS = {"size", "entrySize"}


def blocks(language):
    with open(PAGE, encoding="utf-8") as page:
        return re.findall(rf"^```{language}\n(.*?)^```", page.read(), re.MULTILINE | re.DOTALL)


def queries():
    """The page's questions, by the first words that tell them apart."""
    return [text.strip().rstrip(";").replace("'provided'", "'malloc'")
            .replace("'libb.so'", "'libc.so.6'")
            for text in blocks("sql") if text.startswith("SELECT")]


def write_tables(program, folders, form, place):
    """Runs the page's commands; the names of the tables."""
    tables = []
    for line in blocks("sh")[0].splitlines():
        # Other files than the page's, and the other format into a file of its name.
        line = line.replace("/usr/bin /usr/lib", " ".join(map(shlex.quote, folders)))
        found = re.search(r"--format csv > (\w+)\.csv", line)
        if found:
            tables.append(found.group(1))
            ending = "csv" if form == "csv" else "jsonl"
            line = line.replace(found.group(), f"--format {form} > {found.group(1)}.{ending}")
        line = line.replace("rebind-inspect", shlex.quote(program))
        start = time.monotonic()
        subprocess.run(["sh", "-c", line], cwd=place)
        if found:
            print(f"{form} of {found.group(1)}: {time.monotonic() - start:.1f} s", flush=True)
    return tables


def plain(rows):
    """Rows that two databases have in common: without their types and the order of equal rows."""
    def text(value):
        return "" if value is None else str(int(value)) if isinstance(value, bool) else str(value)
    return sorted(tuple(map(text, row)) for row in rows)


def ask_duckdb(form, place):
    import duckdb
    base = duckdb.connect()
    base.execute(f"SET file_search_path = '{place}'")
    for text in blocks("sql"):
        if text.startswith("CREATE VIEW"):
            base.execute(text if form == "csv" else text.replace(".csv'", ".jsonl'"))
    for query in queries():
        start = time.monotonic()
        rows = base.execute(query).fetchall()
        yield plain(rows), time.monotonic() - start


def ask_sqlite(tables, place):
    csv.field_size_limit(1 << 30)
    base = sqlite3.connect(os.path.join(place, "sqlite"))
    words = {"true": 1, "false": 0, "": None}
    for table in tables:
        with open(os.path.join(place, f"{table}.csv"), newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            names = next(rows)
            columns = ",".join(f'"{name}" {"INTEGER" if name in NUMBERS else ""}' for name in names)
            base.execute(f"CREATE TABLE {table} ({columns})")
            marks = ",".join("?" * len(names))
            base.executemany(f"INSERT INTO {table} VALUES ({marks})",
                             ([words.get(cell, cell) for cell in row] for row in rows))
    for query in queries():
        yield plain(base.execute(query))


def main():
    try:
        import duckdb
    except ImportError as error:
        print(f"ask.py: not run, {error}: pip install duckdb")
        return 0
    program, folders = os.path.abspath(sys.argv[1]), sys.argv[2:]
    print(f"DuckDB {duckdb.__version__}, SQLite {sqlite3.sqlite_version}")
    found = {}
    for form in "csv", "rows":
        with tempfile.TemporaryDirectory() as place:
            tables = write_tables(program, folders, form, place)
            found[form] = list(ask_duckdb(form, place))
            if form == "csv":
                witness = list(ask_sqlite(tables, place))
    failed = 0
    for index, query in enumerate(queries()):
        (answer, seconds), (other, others) = found["csv"][index], found["rows"][index]
        states = [("" if answer == witness[index] else "DIFFERENT from SQLite's"),
                  ("" if answer == other else "DIFFERENT from that of rows")]
        failed += any(states)
        title = " ".join(query.split())[:60]
        print(f"{len(answer):8} rows {seconds:6.2f} s csv {others:6.2f} s rows  {title}", *filter(None, states))
    print(f"{len(queries()) - failed} of {len(queries())} answers are equal")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
