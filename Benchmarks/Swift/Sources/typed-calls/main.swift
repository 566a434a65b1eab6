/// Measures a call through a rebound slot to a replacement that calls the original: written in C,
/// and in Swift with `Rebinding`. Each round measures both, and the medians of the rounds' ratios
/// are printed.

import CallsInC
import Rebind

enum Hooks {
  typealias ToUpper = @convention(c) (CInt) -> CInt
  static let toupper = Rebinding<ToUpper>("toupper")
}

let calls = 5_000_000
let rounds = 21

func nanosecondsPerCall() -> Double {
  let clock = ContinuousClock()
  var sum = 0
  let time = clock.measure { sum = call_toupper(calls) }
  precondition(sum != 0)
  return Double(time.components.attoseconds) / 1e9 / Double(calls)
    + Double(time.components.seconds) * 1e9 / Double(calls)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

var unhooked: [Double] = []
var inC: [Double] = []
var typed: [Double] = []
for _ in 0..<rounds {
  unhooked.append(nanosecondsPerCall())
  apply_in_c()
  inC.append(nanosecondsPerCall())
  restore_in_c()
  try Hooks.toupper.apply { Hooks.toupper.original($0) }
  typed.append(nanosecondsPerCall())
  _ = try Hooks.toupper.restore()
}

func row(_ name: String, _ values: [Double], beside base: [Double]) {
  let ratio = median(zip(values, base).map { $0 / $1 })
  func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
  print("\(name): \(rounded(median(values))) ns, \(rounded(ratio)) of C's")
}
row("unhooked", unhooked, beside: inC)
row("replacement in C", inC, beside: inC)
row("replacement in Swift", typed, beside: inC)
