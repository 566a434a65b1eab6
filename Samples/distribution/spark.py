#!/usr/bin/env python3
"""The work of collect.py on a cluster: reads packages from any file system that Spark reads, and writes the same rows.

  spark-submit --py-files collect.py spark.py PATH... --out TABLES [--inspect rebind-inspect] [--partition-bytes N]

PATH is a package, a folder or a pattern. Packages are put together into partitions of so many bytes. Spark commits the files
of a partition once, so that one that is tried again writes nothing twice. Each machine has Python with duckdb, rebind-inspect,
dpkg-deb and bsdtar.
"""

import argparse
import os
import tempfile
import urllib.parse

import collect


def rows(frames, inspect, most):
    """The function for mapInPandas: of packages with their contents, the rows of all tables."""
    import pyarrow.parquet
    for frame in frames:
        for path, content in zip(frame["path"], frame["content"]):
            with tempfile.TemporaryDirectory(prefix="spark-") as folder:
                package = os.path.join(folder, urllib.parse.unquote(os.path.basename(path)))
                with open(package, "wb") as file:
                    file.write(content)
                output = os.path.join(folder, "rows.parquet")
                collect.collect(package, output, inspect, most)
                for batch in pyarrow.parquet.ParquetFile(output).iter_batches(20_000):
                    yield batch.to_pandas()


def write(session, paths, tables, inspect, partition_bytes=64 << 20, most=4 << 30):
    session.conf.set("spark.sql.files.maxPartitionBytes", partition_bytes)
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 1)  # a package's content at a time
    schema = ", ".join(f"`{name}` string" for name in collect.all_columns(inspect))
    packages = session.read.format("binaryFile").option("recursiveFileLookup", "true") \
        .option("pathGlobFilter", "*.{deb,rpm,apk,tar,tar.*,tgz,txz}").load(paths).select("path", "content")
    packages.mapInPandas(lambda frames: rows(frames, inspect, most), schema) \
        .write.mode("errorifexists").option("compression", "zstd").parquet(tables)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--out", required=True, metavar="TABLES")
    parser.add_argument("--inspect", default="rebind-inspect")
    parser.add_argument("--partition-bytes", type=int, default=64 << 20)
    arguments = parser.parse_args()
    from pyspark.sql import SparkSession
    write(SparkSession.builder.appName("distribution").getOrCreate(), arguments.paths, arguments.out, arguments.inspect,
          arguments.partition_bytes)


if __name__ == "__main__":
    main()
