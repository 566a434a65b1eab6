-- Annotations by group: what images declare for registries.
SELECT groupName, key, value, priority, package, path FROM annotations ORDER BY groupName, priority DESC, key, path;
