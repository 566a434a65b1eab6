#if Commands

/// The titles of columns that are written by hand come from the declarations.
extension [Declaration] {
  /// The titles of the columns that are there.
  ///
  /// - Parameters:
  ///   - widths: The widths of the first columns, from left to right. The other columns are not
  ///     padded.
  ///   - presences: The presences of the columns that are shown.
  ///   - hasMangled: False if the columns of mangled names are left out.
  func titles(
    _ widths: [Int] = [], _ presences: [Presence] = [.always], hasMangled: Bool = true
  ) -> [ColumnTitle] {
    let shown = compactMap { field in
      presences.contains(field.presence) ? field.column.map { (column: $0, field: field) } : nil
    }.filter { hasMangled || !$0.column.isMangled }
    return shown.indices.map { index in
      let (column, field) = shown[index]
      return ColumnTitle(
        text: column.title, width: index < widths.count ? widths[index] : 0,
        isRight: column.isRight(field.shape))
    }
  }
}

#endif
