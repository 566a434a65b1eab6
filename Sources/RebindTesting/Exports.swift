// Hooks and counters take the same `Reach`, and budgets are counts: a test that imports RebindTesting has both.
@_exported public import RebindCounting
