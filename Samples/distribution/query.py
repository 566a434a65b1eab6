#!/usr/bin/env python3
"""Asks DuckDB a question about the tables that collect.py has written.

  query.py TABLES QUESTION.sql [--symbol malloc_usable_size] [--version GLIBC_2.2.5] [--library libc.so.6]

Questions lie in the folder questions. They run unchanged in Spark: `prepare` has the statements for both.
"""

import argparse
import glob
import os
import signal
import sys

FOLDER = os.path.dirname(os.path.realpath(__file__))


def statements(path):
    """The statements of a file, without comments."""
    with open(path, encoding="utf-8") as file:
        text = "".join(line for line in file if not line.startswith("--"))
    return [statement.strip() for statement in text.split(";") if statement.strip()]


def prepare(run, symbol="malloc_usable_size", library="libc.so.6", version=""):
    """Makes the views of `everything`, and `asked`, by a function that runs a statement."""
    symbol, library, version = (text.replace("'", "''") for text in (symbol, library, version))
    run(f"CREATE OR REPLACE TEMPORARY VIEW asked AS SELECT '{symbol}' AS symbol, '{library}' AS library, '{version}' AS version")
    for statement in statements(os.path.join(FOLDER, "views.sql")):
        run(statement)


def connect(tables, *asked):
    import duckdb
    base = duckdb.connect(config={"memory_limit": "2GB"})
    pattern = os.path.join(glob.escape(tables), "*.parquet")
    if not glob.glob(pattern):
        sys.exit(f"query: {tables} has no tables: collect.py writes them")
    pattern = pattern.replace("'", "''")
    base.execute(f"CREATE TEMPORARY VIEW everything AS SELECT * FROM read_parquet('{pattern}', hive_partitioning = false, "
                 "union_by_name = true)")
    prepare(base.execute, *asked)
    return base


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables")
    parser.add_argument("question")
    for option, usual in ("--symbol", "malloc_usable_size"), ("--library", "libc.so.6"), ("--version", ""):
        parser.add_argument(option, default=usual)
    arguments = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        question = statements(arguments.question)[0]
    except (OSError, IndexError) as error:
        sys.exit(f"query: {arguments.question} has no question: {error}")
    base = connect(arguments.tables, arguments.symbol, arguments.library, arguments.version)
    base.sql(question).show(max_rows=10_000, max_width=200)


if __name__ == "__main__":
    main()
