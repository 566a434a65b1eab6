#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind

/// A `crebind_image_hold *`: keeps an image loaded.
package final class ImageHold: Sendable {
  // Safe, as the core guards it by its own locks.
  private nonisolated(unsafe) let hold: OpaquePointer?

  /// - Throws: `RebindError` with the code `noSuchImage` if another image is in its place.
  package init(_ image: Image) throws(RebindError) {
    guard let header = UnsafeRawPointer(bitPattern: UInt(image.header)) else {
      throw RebindError(code: .noSuchImage, image: image.path)
    }
    var hold: OpaquePointer?
    try calling([]) {
      crebind_hold_image(
        header, UInt(image.id.dynamicTableAddress), image.id.generation, &hold, $0)
    }
    self.hold = hold
  }

  /// True if the image stays loaded for good, with or without this.
  package var isForGood: Bool { hold == nil }

  deinit { crebind_release_image(hold) }
}
#endif
