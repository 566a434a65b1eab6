-- The tables that questions ask, of `everything`: the packages' files. DuckDB and Spark read this as it stands. Each row has
-- its package, with version and architecture, and the path; `image` tells files of different packages apart.

CREATE OR REPLACE TEMPORARY VIEW located AS
SELECT *, concat(package, ' ', packageVersion, ' ', architecture, ' ', path) AS image FROM everything;

CREATE OR REPLACE TEMPORARY VIEW images AS
SELECT image, package, packageVersion, architecture, path, soname, buildID, machine, kind,
  coalesce(soname, regexp_replace(path, '.*/', '')) AS providedName
FROM located WHERE facts = 'hardening';

CREATE OR REPLACE TEMPORARY VIEW needed AS
SELECT image, package, packageVersion, architecture, path, soname, machine, string AS library
FROM located WHERE facts = 'dynamic' AND tag = 'NEEDED';

CREATE OR REPLACE TEMPORARY VIEW symbols AS
SELECT image, package, packageVersion, architecture, path, soname, machine, name, version, TRY_CAST(size AS DECIMAL(20, 0)) AS size, type,
  binding, visibility, isDefined = 'true' AS isDefined, isDefaultVersion = 'true' AS isDefaultVersion
FROM located WHERE facts = 'symbols';

CREATE OR REPLACE TEMPORARY VIEW slots AS
SELECT image, package, packageVersion, architecture, path, soname, machine, address, relocation, kind, symbol, version, section,
  binding, relro = 'true' AS relro, needs
FROM located WHERE facts = 'slots';

CREATE OR REPLACE TEMPORARY VIEW hardening AS
SELECT image, package, packageVersion, architecture, path, soname, machine, kind, relro, bindsNow = 'true' AS bindsNow,
  hasNonExecutableStack = 'true' AS hasNonExecutableStack, hasTextRelocations = 'true' AS hasTextRelocations,
  hasStackProtector = 'true' AS hasStackProtector, fortified, fortifiable, rpath, runpath
FROM located WHERE facts = 'hardening';

CREATE OR REPLACE TEMPORARY VIEW requirements AS
SELECT image, package, packageVersion, architecture, path, soname, machine, kind, name, version, since, symbols
FROM located WHERE facts = 'requires';

CREATE OR REPLACE TEMPORARY VIEW annotations AS
SELECT image, package, packageVersion, architecture, path, soname, groupName, key, value, TRY_CAST(priority AS INTEGER) AS priority
FROM located WHERE facts = 'annotations';

CREATE OR REPLACE TEMPORARY VIEW errors AS
SELECT package, packageVersion, architecture, message FROM everything WHERE facts = 'errors';
