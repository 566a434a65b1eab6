-- Imports of programs that none of the images defines which a program needs, directly or not. Programs of which a library is
-- missing are left out, and weak imports too. (A plug-in's host defines what the plug-in imports.) Ways of up to 16 steps
-- count: each part doubles them.
WITH edges AS (
  SELECT DISTINCT needed.image AS origin, provider.image AS target
  FROM needed JOIN images AS provider ON provider.providedName = needed.library AND provider.machine = needed.machine
  UNION SELECT image, image FROM images
), two AS (
  SELECT DISTINCT a.origin, b.target FROM edges AS a JOIN edges AS b ON a.target = b.origin
), four AS (
  SELECT DISTINCT a.origin, b.target FROM two AS a JOIN two AS b ON a.target = b.origin
), eight AS (
  SELECT DISTINCT a.origin, b.target FROM four AS a JOIN four AS b ON a.target = b.origin
), reach AS (
  SELECT DISTINCT a.origin, b.target FROM eight AS a JOIN eight AS b ON a.target = b.origin
), incomplete AS (
  SELECT DISTINCT reach.origin FROM reach JOIN needed ON needed.image = reach.target
  LEFT JOIN images AS provider ON provider.providedName = needed.library AND provider.machine = needed.machine
  WHERE provider.image IS NULL
), imports AS (
  SELECT image, package, path, name, version FROM symbols
  WHERE NOT isDefined AND binding = 'GLOBAL' AND image NOT IN (SELECT origin FROM incomplete)
    AND image IN (SELECT image FROM images WHERE kind <> 'library')
), found AS (
  SELECT DISTINCT imports.image, imports.name, imports.version
  FROM imports JOIN reach ON reach.origin = imports.image
  JOIN symbols AS definition ON definition.image = reach.target AND definition.name = imports.name
  WHERE definition.isDefined AND definition.binding <> 'LOCAL' AND definition.visibility IN ('DEFAULT', 'PROTECTED')
    AND (imports.version IS NULL OR definition.version IS NULL OR definition.version = imports.version)
)
SELECT imports.package, imports.path, imports.name, imports.version
FROM imports LEFT JOIN found ON found.image = imports.image AND found.name = imports.name
  AND coalesce(found.version, '') = coalesce(imports.version, '')
WHERE found.image IS NULL
ORDER BY package, path, name, version;
