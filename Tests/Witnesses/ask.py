#!/usr/bin/env python3
"""Asks DuckDB the questions of Documentation/AskAllBinaries.md about all files below folders.

usage: ask.py REBIND-INSPECT FOLDER...

Runs the page's commands with --format csv and with --format rows, and the page's queries over what they
print, with no option of DuckDB's. SQLite asks the same of the CSV, which Python reads. Prints the answers'
sizes and times, and fails if the answers differ. Without DuckDB for this Python it says so and does nothing, which
is a failure where CI is set.

DuckDB guesses the types of columns and the quotes of CSV by the first rows. So it also reads each table with a
guess by all rows, and a table whose first rows have none of the texts and quotes that a later file has.
"""

import csv
import json
import os
import re
import shlex
import shutil
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
    return [text.strip().rstrip(";") for text in blocks("sql") if text.startswith("SELECT")]


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


# By how many rows DuckDB guesses.
SAMPLE = 20480


def read(base, form, table, option=""):
    """The columns of a table, and of which types; its rows, and how many values each column has."""
    ending, function = ("csv", "read_csv") if form == "csv" else ("jsonl", "read_json")
    source = f"{function}('{table}.{ending}'{option})"
    columns = [row[:2] for row in base.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
    counts = "".join(f', count("{name}")' for name, _ in columns)
    return columns, base.execute(f"SELECT count(*){counts} FROM {source}").fetchall()


def lost(form, tables, place):
    """The columns of a table that DuckDB reads otherwise than with all rows to guess by.

    Numbers that no row of the sample has are not ours to help: a row says `null` for them.
    """
    import duckdb
    base = duckdb.connect()
    base.execute(f"SET file_search_path = '{place}'")
    for table in tables:
        guessed, known = read(base, form, table), read(base, form, table, ", sample_size = -1")
        if guessed == known:
            continue
        for index, (name, kind) in enumerate(known[0]):
            values = [found[1][0][index + 1] for found in (guessed, known)]
            if guessed[0][index] != (name, kind) or values[0] != values[1]:
                yield f"{form} of {table}: {name} has {values[0]} of {values[1]} values", kind == "VARCHAR"


def read_late(program, form):
    """True if the rows of a file behind the sample are as they should be.

    Python itself has no soname, so a library comes with the first one, and its path has a comma and quotes.
    """
    import duckdb
    with open("/proc/self/maps", encoding="utf-8") as maps:
        library = next(line.split()[-1] for line in maps if "/libc.so" in line)
    with tempfile.TemporaryDirectory() as place:
        odd = os.path.join(place, 'odd, "late".so')
        shutil.copyfile(library, odd)
        def rows(files, form):
            return subprocess.run([program, "symbols", "--format", form, "--files-from", "-"], check=True,
                                  input="\n".join(files), text=True, capture_output=True).stdout
        here = os.path.realpath(sys.executable)
        times = SAMPLE // rows([here], "rows").count("\n") + 1
        with open(os.path.join(place, f"late.{form}l"), "w", encoding="utf-8", newline="") as table:
            table.write(rows([here] * times + [odd], form))
        late = [json.loads(line) for line in rows([odd], "rows").splitlines()]
        function = "read_csv" if form == "csv" else "read_json"
        try:
            found = duckdb.connect().execute(
                f"SELECT soname, name, version FROM {function}('{place}/late.{form}l') "
                "WHERE path = ? ORDER BY index", [odd]).fetchall()
        except duckdb.Error as error:
            print(error)
            return False
        return plain(found) == plain((row["soname"], row["name"], row["version"]) for row in late)


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
        print(f"ask.py: not run, {error}: pip install --target .build/python duckdb")
        return 1 if os.environ.get("CI") else 0
    program, folders = os.path.abspath(sys.argv[1]), sys.argv[2:]
    print(f"DuckDB {duckdb.__version__}, SQLite {sqlite3.sqlite_version}")
    found = {}
    failed = 0
    for form in "csv", "rows":
        with tempfile.TemporaryDirectory() as place:
            tables = write_tables(program, folders, form, place)
            found[form] = list(ask_duckdb(form, place))
            for line, is_text in lost(form, tables, place):
                print(line)
                failed += is_text
            if form == "csv":
                witness = list(ask_sqlite(tables, place))
        if not read_late(program, form):
            print(f"{form}: rows behind the first {SAMPLE} are DIFFERENT")
            failed += 1
    different = 0
    for index, query in enumerate(queries()):
        (answer, seconds), (other, others) = found["csv"][index], found["rows"][index]
        states = [("" if answer == witness[index] else "DIFFERENT from SQLite's"),
                  ("" if answer == other else "DIFFERENT from that of rows")]
        different += any(states)
        title = " ".join(query.split())[:60]
        print(f"{len(answer):8} rows {seconds:6.2f} s csv {others:6.2f} s rows  {title}", *filter(None, states))
    print(f"{len(queries()) - different} of {len(queries())} answers are equal")
    return 1 if failed or different else 0


if __name__ == "__main__":
    sys.exit(main())
