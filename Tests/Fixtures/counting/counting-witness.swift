/// Four bodies are counted twice in one run: by RebindCounting, and by the preloaded library
/// `counting-preload.c`. Prints a name and both counts a line.

import Glibc
import RebindCounting

final class Node { var next: Node?; var value = 0 }
func nodes() -> Int {
  var head: Node?
  for i in 0..<1000 { let node = Node(); node.value = i; node.next = head; head = node }
  var sum = 0
  while let node = head { sum += node.value; head = node.next }
  return sum
}
func words() -> Int {
  var counts: [String: [Int]] = [:]
  for i in 0..<500 { counts["a word that is number \(i % 50)", default: []].append(i) }
  return counts.values.reduce(0) { $0 + $1.count }
}
func lines() -> Int {
  var line: UnsafeMutablePointer<CChar>?
  var size = 0, count = 0
  let file = fopen("/proc/self/status", "r")!
  while getline(&line, &size, file) > 0 { count += 1; free(strdup(line!)) }
  free(line)
  fclose(file)
  return count
}
func pages() -> Int {
  let size = 1 << 16
  let mapping = mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
  // The C library maps this one, which goes through no slot.
  free(malloc(64 << 20))
  return Int(munmap(mapping, size))
}

typealias Witness = @convention(c) (UnsafeMutablePointer<UInt64>) -> Void
let witness = unsafeBitCast(dlsym(nil, "witness_counts")!, to: Witness.self)
let names = [
  "malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "free", "swift_retain",
  "swift_release", "swift_allocObject", "swift_beginAccess", "mmap",
  "munmap",
]
let before = UnsafeMutablePointer<UInt64>.allocate(capacity: 15)
let after = UnsafeMutablePointer<UInt64>.allocate(capacity: 15)
for body in [nodes, words, lines, pages] {
  let counts = try countingAllocations(of: [.standard, .mappings], reach: .thread) {
    witness(before)
    _ = body()
    witness(after)
  }
  for (index, name) in names.enumerated() {
    print(name, after[index] - before[index], counts.calls(of: name) ?? -1)
  }
  print("bytes", after[12] - before[12], counts.bytes ?? -1)
  print("live", after[13] &- before[13], counts.liveUsableBytes ?? -1)
}
