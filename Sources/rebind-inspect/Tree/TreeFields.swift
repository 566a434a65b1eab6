#if Commands

import ELFInspection
import Rebind
import RebindFiles

extension TreeReport {
  static let listing = Listing<Self>(
    "dependencyTree", of: "the file",
    [
      Field(
        "loader", .words(["glibc", "musl"]),
        "the loader whose rules the libraries were found by: `\"glibc\"` or `\"musl\"`"
      ) { .text($0.graph.kind.rawValue) },
      Field(
        "interpreter", .text.orNull, "the loader that the file asks for; `null` for a library"
      ) { .text($0.graph.interpreter) },
      Field(
        "interpreterProblem", .text.orNull,
        """
        the reason why that loader cannot be run, such as `"No such file or directory"`; `null` if \
        it can
        """
      ) { .text($0.graph.interpreterProblem) },
      Field(
        "isComplete", .bool,
        """
        true if a loader would start the program: it is there, and no library is missing and no \
        version. The loader goes on without a library that it should preload
        """
      ) { .bool($0.graph.isComplete) },
      Field(
        "scope", .list(ScopeRow.listing.record, atLeast: 1),
        """
        the file and its libraries, in the order in which symbols are looked up. The `DT_FILTER` \
        and `DT_AUXILIARY` of a library come before it, but those of the file itself behind it
        """
      ) { report in
        let images = report.graph.images.enumerated()
        return .list(ScopeRow.listing, images.map { ScopeRow(index: $0, image: $1) })
      },
      Field(
        "missing", .list(MissingLibrary.listing.record), "the libraries that were not found"
      ) { .list(MissingLibrary.listing, $0.graph.missing) },
    ])
}

/// An image of the scope, and its place there.
private struct ScopeRow {
  let index: Int
  let image: DependencyImage

  static let listing = Listing<Self>(
    "dependency", of: "an element of `scope`",
    [
      Field("index", .count, "its place in `scope`; the file itself is 0") { .number($0.index) },
      Field("name", .text, "the name that it was asked for by first") { .text($0.image.name) },
      Field("path", .path, "the path as the loader would spell it") { .path($0.image.path) },
      Field("soname", .text.orNull, "its own name; `null` for none") {
        .text($0.image.table.soname)
      },
      Field(
        "reason",
        .words(["path", "rpath", "runpath", "environment", "cache", "default", "loader"]).orNull,
        """
        the reason why it was found there: `path`, `rpath`, `runpath`, `environment`, `cache`, \
        `default`, `loader`; `null` for the file itself. More words may come
        """
      ) { .text($0.image.reason?.code) },
      Field(
        "reasonOf", .place, "the index of the image whose `DT_RPATH` or `DT_RUNPATH` it was"
      ) { .number($0.image.reason?.image) },
      Field(
        "reasonEntry", .text.orNull,
        "the entry of the search path, with `$ORIGIN` and the like, or the folder"
      ) { .text($0.image.reason?.entry) },
      Field("loadedBy", .place, "the index of the image that needs it first") {
        .number($0.image.loadedBy)
      },
      Field(
        "isPreloaded", .bool,
        "true if it comes before the libraries that the program needs, because a user says so"
      ) { .bool($0.image.isPreloaded) },
      Field(
        "needed", .list(DependencyImage.Need.listing.record),
        "the libraries that it needs, from `DT_NEEDED`, `DT_FILTER` and `DT_AUXILIARY`"
      ) { .list(DependencyImage.Need.listing, $0.image.needs) },
      Field(
        "neededVersions", .list(DependencyImage.Requirement.listing.record),
        "the versions that it needs; empty for musl, which does not look"
      ) { .list(DependencyImage.Requirement.listing, $0.image.requirements) },
      Field(
        "dlopen", .list(DlopenNote.listing.record),
        "the libraries that it may load with `dlopen`, by the notes of its authors"
      ) { .list(DlopenNote.listing, $0.image.dlopen) },
    ])
}

extension DlopenNote {
  fileprivate static let listing = Listing<Self>(
    "dlopenNote", of: "an element of `dlopen`",
    [
      Field("soname", .texts, "the names that are tried, in their order") { .texts($0.sonames) },
      Field(
        "priority", .name,
        "`required`, `suggested`, or `recommended`, also if the note does not say; more may come"
      ) { .text($0.priority) },
      Field("feature", .text, "the feature that needs it, in a word") { .text($0.feature) },
      Field("description", .text, "what it is for, as people read it") {
        .text($0.description)
      },
    ])
}

extension DependencyImage.Need {
  fileprivate static let listing = Listing<Self>(
    "need", of: "an element of `needed`",
    [
      Field("name", .text, "the name") { .text($0.name) },
      Field("index", .place, "the index in `scope`; `null` if it is missing") {
        .number($0.image)
      },
      Field(
        "kind", .words(DependencyImage.Need.Kind.allCases.map(\.rawValue)),
        """
        `needed`; `filter` if symbols are looked up in it before this one, or `auxiliary` if it may \
        be missing then
        """
      ) { .text($0.kind.rawValue) },
    ])
}

extension DependencyImage.Requirement {
  fileprivate static let listing = Listing<Self>(
    "requirement", of: "an element of `neededVersions`",
    [
      Field("library", .text, "the library that should have the version") {
        .text($0.library)
      },
      Field("version", .text, "the version") { .text($0.version) },
      Field("isWeak", .bool, "true if the program starts without it") { .bool($0.isWeak) },
      Field(
        "status", .words(["found", "missing", "unversioned", "no-library"]),
        """
        `found`, `missing`, `unversioned` if the library defines no versions, and the loader goes \
        on, or `no-library`
        """
      ) { .text($0.status.rawValue) },
    ])
}

extension MissingLibrary {
  fileprivate static let listing = Listing<Self>(
    "missingLibrary", of: "an element of `missing`",
    [
      Field("name", .text, "the name that it was asked for by") { .text($0.name) },
      Field("neededBy", .count, "the index of the image that needs it first") {
        .number($0.neededBy)
      },
      Field("isPreload", .bool, "true if a user asks to preload it") { .bool($0.isPreload) },
      Field("searched", .texts, "the folders where it was looked for") {
        .texts($0.searched.map(\.text))
      },
      Field(
        "rejected", .list(RejectedLibrary.listing.record),
        "files of that name that cannot be loaded"
      ) { .list(RejectedLibrary.listing, $0.rejected) },
    ])
}

extension RejectedLibrary {
  fileprivate static let listing = Listing<Self>(
    "rejectedFile", of: "an element of `rejected`",
    [
      Field("message", .text, "the reason why it cannot be loaded; its words may change") {
        .text($0.why)
      },
      Field("path", .path, "its path") { .path($0.path) },
    ])
}

#endif
