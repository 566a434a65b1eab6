-- Programs with calls that a hook of the asked symbol would not see, and why: a row for each reason. A program that neither
-- imports the symbol nor is here does not call it.
SELECT package, path, reason FROM (
  SELECT package, path, 'it is linked statically' AS reason FROM images WHERE kind LIKE 'static%'
  UNION SELECT images.package, images.path, 'it defines the function itself'
  FROM images JOIN symbols ON symbols.image = images.image
  WHERE images.kind <> 'library' AND symbols.isDefined AND symbols.name = (SELECT symbol FROM asked)
  UNION SELECT images.package, images.path, concat('it calls ', symbols.name)
  FROM images JOIN symbols ON symbols.image = images.image CROSS JOIN asked
  WHERE images.kind <> 'library' AND NOT symbols.isDefined AND symbols.name IN (
    concat(asked.symbol, '64'), concat(asked.symbol, 'at'), concat(asked.symbol, 'at64'), concat('__', asked.symbol, '_2'),
    concat('__', asked.symbol, '64_2'), concat('__', asked.symbol, 'at_2'), concat('__', asked.symbol, '_chk'),
    concat('__isoc99_', asked.symbol), concat('__xpg_', asked.symbol))
) AS reasons ORDER BY package, path, reason;
