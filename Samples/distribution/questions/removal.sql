-- Imports that would not resolve if the asked library lost the asked symbol, or the asked version of it: the library defines it
-- now, and the images need the library.
SELECT DISTINCT importing.package, importing.path, importing.version
FROM symbols AS importing JOIN needed ON needed.image = importing.image AND needed.library = (SELECT library FROM asked)
  JOIN symbols AS definition ON definition.name = importing.name AND definition.machine = importing.machine
    AND definition.soname = needed.library AND definition.isDefined AND definition.binding <> 'LOCAL'
    AND (importing.version IS NULL OR definition.version = importing.version)
WHERE NOT importing.isDefined AND importing.binding = 'GLOBAL' AND importing.name = (SELECT symbol FROM asked)
  AND (SELECT version FROM asked) IN ('', importing.version)
ORDER BY package, path, version;
