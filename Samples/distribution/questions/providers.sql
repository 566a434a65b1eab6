-- Which libraries provide the asked symbol, and in which versions?
SELECT package, path, soname, version, isDefaultVersion FROM symbols
WHERE isDefined AND name = (SELECT symbol FROM asked)
  AND soname IS NOT NULL AND binding <> 'LOCAL' AND visibility IN ('DEFAULT', 'PROTECTED')
ORDER BY package, path, version;
