-- Libraries that no image of their machine needs here. Those that programs open by dlopen are among them.
SELECT images.package, images.path, images.soname
FROM images LEFT JOIN needed ON needed.library = images.soname AND needed.machine = images.machine
WHERE images.soname IS NOT NULL AND needed.image IS NULL
ORDER BY package, path;
