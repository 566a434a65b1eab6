-- The glibc that each package needs at least, and the symbols to blame.
WITH needs AS (
  SELECT package, path, since, symbols, TRY_CAST(split_part(since, '.', 2) AS INTEGER) AS minor
  FROM requirements WHERE since LIKE 'GLIBC_2.%'
), floors AS (
  SELECT package, max(minor) AS minor FROM needs GROUP BY package
)
SELECT DISTINCT needs.package, needs.since, needs.path, needs.symbols
FROM needs JOIN floors ON needs.package = floors.package AND needs.minor = floors.minor
ORDER BY package, since, path, symbols;
