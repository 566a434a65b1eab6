#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind
internal import CRebindCounting
internal import CRebindReach

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension AllocationCounts {
  /// The sites of a scope that watches them, and their frames, in memory that is not counted.
  struct DraftSites {
    private var sites: [(site: crebind_reach_site, addresses: [UInt])] = []
    private let frames: [UInt: [Frame]]

    init(of scope: OpaquePointer) {
      var position = 0
      var site = crebind_reach_site()
      while crebind_counting_next_site(scope, &position, &site) {
        sites.append(
          (site, Array(UnsafeBufferPointer(start: site.frames, count: site.frame_count))))
      }
      frames = Frame.all(at: Set(sites.flatMap(\.addresses))) {
        crebind_counting_is_certain(scope, $0)
      }
    }

    /// The sites with the most calls first. They share no memory with this.
    func copy() -> [Site] {
      let frames = frames.mapValues { $0.map(\.copy) }
      return sites.map { site, addresses in
        Site(
          function: crebind_counting_function(site.function).name, calls: Int(site.calls),
          bytes: Int(site.amount), frames: addresses.flatMap { frames[$0] ?? [] },
          isCut: site.is_cut)
      }.sorted { ($0.calls, $0.bytes, $1.function) > ($1.calls, $1.bytes, $0.function) }
    }
  }
}

extension AllocationCounts.Frame {
  /// The frames of return addresses: several of one where functions were inlined.
  ///
  /// - Parameter isCertain: Whether the image of a header has been there all the time.
  package static func all(
    at returns: Set<UInt>, isCertain: (UInt) -> Bool
  ) -> [UInt: [Self]] {
    var frames: [UInt: [Self]] = [:]
    // The call is before the address that it returns to.
    let ofImages = Dictionary(grouping: returns) { crebind_image_containing(pointer($0 &- 1)) }
    for (header, returns) in ofImages {
      guard let header, let image = LoadedImage(header) else {
        for address in returns { frames[address] = [Self(address: address &- 1)] }
        continue
      }
      let addresses = returns.map { UInt64($0 &- 1 &- image.slide) }
      let places = image.file.map { Symbolizer.places(of: addresses, in: $0) } ?? []
      for (index, address) in returns.enumerated() {
        let known = index < places.count ? places[index] : []
        frames[address] = image.frames(at: address &- 1, known: known)
      }
      // Another image may have been there when a call came, or be there now.
      if !isCertain(UInt(bitPattern: header)) {
        for address in returns { frames[address] = [Self(address: address &- 1)] }
      }
    }
    return frames
  }

  /// The same texts in memory of their own.
  fileprivate var copy: Self {
    Self(
      image: image?.copy, address: address, function: function?.copy, file: file?.copy, line: line)
  }

  private init(address: UInt) {
    self.init(image: nil, address: UInt64(address), function: nil, file: nil, line: nil)
  }
}

/// An image that frames are in.
private struct LoadedImage {
  let slide: UInt
  /// Empty for the program.
  let path: String
  /// Where its file can be read, if that is the one that was loaded.
  let file: String?

  init?(_ header: UnsafeRawPointer) {
    guard let target = describe(UInt(bitPattern: header)) else { return nil }
    slide = target.slide
    path = target.path
    if path.isEmpty {
      file = "/proc/\(getpid())/exe"
    } else {
      // The second one compares a file with the image: with enough rights one that has no name any more.
      let isThere =
        !crebind_counting_is_file_gone(header)
        && crebind_section_data(header, ".text", { _, _ in }, nil, nil) == CREBIND_OK
      file = isThere ? path : nil
    }
  }

  /// - Parameter known: The places that a tool has found; empty for none.
  func frames(at address: UInt, known: [Symbolizer.Place]) -> [AllocationCounts.Frame] {
    let offset = UInt64(address &- slide)
    guard known.contains(where: { $0.function != nil }) else {
      let symbol = describe(address)?.symbol ?? ""
      return [
        AllocationCounts.Frame(
          image: path, address: offset, function: symbol.isEmpty ? nil : readableName(symbol),
          file: nil, line: nil)
      ]
    }
    return known.map { place in
      AllocationCounts.Frame(
        image: path, address: offset, function: place.function.map(readableName), file: place.file,
        line: place.line)
    }
  }
}

private func pointer(_ address: UInt) -> UnsafeRawPointer? { UnsafeRawPointer(bitPattern: address) }

typealias AddressDescription = (path: String, slide: UInt, symbol: String)

/// The image and the symbol that an address is in.
func describe(_ address: UInt) -> AddressDescription? {
  var found: AddressDescription?
  withUnsafeMutablePointer(to: &found) { found in
    _ = crebind_describe_address(
      address,
      { target, found in
        let image = target.pointee.image
        guard image.header != nil else { return }
        found!.assumingMemoryBound(to: AddressDescription?.self).pointee = (
          String(cString: image.path), UInt(bitPattern: image.slide),
          String(cString: target.pointee.symbol)
        )
      }, found, nil)
  }
  return found
}

/// A name of Swift's in readable form; others as they are.
private func readableName(_ name: String) -> String {
  guard ["$s", "$S", "$e"].contains(where: name.hasPrefix) else { return name }
  return name.withCString { text in
    guard let readable = demangle(text, strlen(text), nil, nil, 0) else { return name }
    defer { free(readable) }
    return String(cString: readable)
  }
}

/// The corresponding function of the Swift runtime is `swift_demangle`. It has no header. It takes and
/// returns pointers and integers, which Swift's calling convention passes as C's does.
@_silgen_name("swift_demangle")
private func demangle(
  _ name: UnsafePointer<CChar>, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
  _ bufferSize: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
#endif
