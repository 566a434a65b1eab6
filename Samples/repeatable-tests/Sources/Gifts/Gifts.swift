/// Draws for each of some people somebody else to make a gift for.
public func drawLots(_ people: [String]) -> [(giver: String, receiver: String)] {
  var receivers = people.shuffled()
  for i in people.indices where receivers[i] == people[i] {
    // Mended: `min(i + 1, people.count - 1)` left the last one with a gift for oneself, in one draw of some.
    receivers.swapAt(i, (i + 1) % people.count)
  }
  return zip(people, receivers).map { ($0, $1) }
}
