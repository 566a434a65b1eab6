#if Commands

import ELFInspection
import Rebind
import RebindFiles

extension ProcessTarget {
  /// The fields of a place that a slot or the like leads to.
  static let listing = Listing<Self>(
    "target", of: "a target",
    [
      Field("address", .hex, "the run-time address") { .hex($0.address) },
      Field(
        "image", .text.orNull,
        """
        the path of the image that it is in, or the kernel's name of the memory, `""` for none; \
        `null` if nothing is there
        """
      ) { .text($0.place?.text) },
      Field("symbol", .text.orNull, "the symbol that it is in; `null` if none covers it") {
        .text($0.symbol)
      },
      Field(
        "offset", .hex,
        """
        the distance from the symbol; without one from the image's link-time address 0, or from the \
        start of the memory
        """
      ) { .hex($0.offset) },
    ])
}

extension Shape {
  /// A place that a slot or the like leads to, or none.
  static var target: Shape { .object(ProcessTarget.listing.record).orNull }
}

extension Value {
  static func target(_ target: ProcessTarget?) -> Value { .object(ProcessTarget.listing, target) }
}

#endif
