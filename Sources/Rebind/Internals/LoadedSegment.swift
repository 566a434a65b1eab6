#if os(Linux) && !REBIND_ELSEWHERE
extension Image {
  /// The loaded segment that a link-time address lies in, if its pages may be used so.
  package func segment(at address: UInt64, allowing permissions: SegmentPermissions) -> Segment? {
    segments.first {
      $0.type == .load && $0.permissions.contains(permissions) && $0.contains(address)
    }
  }
}
#endif
