-- Who imports the asked symbol, and in which version?
SELECT package, path, name, version FROM symbols
WHERE NOT isDefined AND name = (SELECT symbol FROM asked)
ORDER BY package, path, version;
