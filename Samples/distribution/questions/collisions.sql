-- Names that several libraries of one machine export: a program that loads two of them gets one definition alone.
SELECT name, machine, count(DISTINCT soname) AS libraries, min(soname) AS one, max(soname) AS another FROM symbols
WHERE isDefined AND soname IS NOT NULL AND type IN ('FUNC', 'IFUNC', 'OBJECT', 'TLS') AND binding <> 'LOCAL'
  AND visibility IN ('DEFAULT', 'PROTECTED') AND name NOT IN ('_init', '_fini')
GROUP BY name, machine HAVING count(DISTINCT soname) > 1
ORDER BY libraries DESC, name, machine;
