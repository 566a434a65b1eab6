import RebindTesting

/// A row for each place that calls came from, the ones that took longest first, and its frames below.
func table(of calls: BlockingCalls) -> String {
  let heading = row("FUNCTION", "GROUP", "CALLS", "TOTAL", "LONGEST")
  let rows = calls.sites.map { site in
    let numbers = row(
      site.function, "\(site.group)", "\(site.calls)", milliseconds(site.total),
      milliseconds(site.longest))
    return ([numbers[...]] + "\(site)".split(separator: "\n").dropFirst()).joined(separator: "\n")
  }
  return ([heading] + rows).joined(separator: "\n")
}

private func row(_ cells: String...) -> String {
  zip(cells, [24, 14, 10, 14, 0]).map { $0 + String(repeating: " ", count: max($1 - $0.count, 0)) }
    .joined()
}

private func milliseconds(_ duration: Duration) -> String {
  "\((duration / .milliseconds(1) * 10).rounded() / 10) ms"
}
