-- Protections by package: how many of its images have each.
SELECT package, count(*) AS images,
  sum(CASE WHEN relro = 'full' THEN 1 ELSE 0 END) AS fullRelro,
  sum(CASE WHEN bindsNow THEN 1 ELSE 0 END) AS bindsNow,
  sum(CASE WHEN hasNonExecutableStack THEN 1 ELSE 0 END) AS nonExecutableStack,
  sum(CASE WHEN hasStackProtector THEN 1 ELSE 0 END) AS stackProtector,
  sum(CASE WHEN fortified <> '' THEN 1 ELSE 0 END) AS fortified,
  sum(CASE WHEN hasTextRelocations THEN 1 ELSE 0 END) AS textRelocations
FROM hardening GROUP BY package ORDER BY package;
