import Rebind

/// Finds the range that an address lies in. Where ranges overlap, the first one counts.
///
/// A file may state as many segments as it has room for, so the ranges are not searched one by one.
package struct AddressRanges {
  /// The starts and ends of all ranges, in ascending order.
  @usableFromInline package let bounds: [UInt64]
  /// For each bound, the index of the range that covers the addresses from this bound to the next;
  /// -1 if no range does.
  @usableFromInline package let owners: [Int]

  /// - Complexity: O(*n* log *n*), where *n* is the number of ranges.
  package init(_ ranges: [Range<UInt64>]) {
    let bounds = Set(
      ranges.filter { !$0.isEmpty }.flatMap { [$0.lowerBound, $0.upperBound] }
    ).sorted()
    var owners = Array(repeating: -1, count: bounds.count)
    // Leads from each place towards the first place from there on that has no owner yet.
    var free = Array(0...bounds.count)
    func firstFree(from place: Int) -> Int {
      var place = place
      while free[place] != place {
        free[place] = free[free[place]]
        place = free[place]
      }
      return place
    }
    for (index, range) in ranges.enumerated() where !range.isEmpty {
      var place = firstFree(from: Self.count(of: bounds, upTo: range.lowerBound) - 1)
      while place < bounds.count, bounds[place] < range.upperBound {
        owners[place] = index
        free[place] = place + 1
        place = firstFree(from: place + 1)
      }
    }
    self.bounds = bounds
    self.owners = owners
  }

  /// The index of the range that an address lies in; nil for none.
  ///
  /// - Complexity: O(log *n*).
  @inlinable
  package func index(of address: UInt64) -> Int? {
    let place = Self.count(of: bounds, upTo: address) - 1
    return place < 0 || owners[place] < 0 ? nil : owners[place]
  }

  /// The number of bounds that are not above an address.
  @inlinable
  package static func count(of bounds: [UInt64], upTo address: UInt64) -> Int {
    var (low, high) = (0, bounds.count)
    while low < high {
      let middle = (low + high) / 2
      if bounds[middle] <= address { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension ELFFile {
  /// The link-time addresses of the segments that the loader loads.
  var loadedRanges: AddressRanges {
    AddressRanges(segments.map { $0.type == .load ? $0.addresses : 0..<0 })
  }
}
