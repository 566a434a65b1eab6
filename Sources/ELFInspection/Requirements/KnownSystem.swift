package import Rebind
package import RebindFiles

/// A release of a distribution, and the newest versions of symbols that its runtime libraries define.
package struct KnownSystem: Sendable {
  /// `Debian`
  package let family: String
  /// `12`
  package let release: String
  /// The C library, and with it `GLIBC`; what libstdc++ and libgcc define behind it.
  package let versions: [VersionName]
  /// Where the facts are from, for people.
  package let source: String

  /// True for a system whose C library is musl, which has no versions of symbols.
  private var isMusl: Bool { versions.contains { $0.prefix == "musl" } }

  /// By family, the oldest release first.
  package static let all: [KnownSystem] = table.split(separator: "\n").map { line in
    let cells = line.split(separator: "|").map { $0.split(separator: " ").map(String.init) }
    return KnownSystem(
      family: cells[0][0], release: cells[0].dropFirst().joined(separator: " "),
      versions: cells[1].compactMap { VersionName($0) }, source: cells[2].joined(separator: " "))
  }

  /// Files, by the C library that they need.
  package enum Kind: Hashable, Sendable {
    case glibc(Machine, ELFClass)
    /// Another C library, whose versions are not known here.
    case other
  }

  /// The releases of a distribution, the oldest first.
  package struct Family: Sendable {
    package let name: String
    package let releases: [KnownSystem]
  }

  /// The families whose facts hold for files of a kind, in the order of the table.
  package static func families(of kind: Kind) -> [Family] { familiesOfKinds[kind] ?? [] }

  /// The families whose facts hold for files of each of the kinds.
  package static func families(of kinds: Set<Kind>) -> [Family] {
    let systems = all.filter { !$0.isMusl && kinds.allSatisfy($0.has) }
    return systems.reduce(into: [String]()) { if $0.last != $1.family { $0.append($1.family) } }
      .map { name in Family(name: name, releases: systems.filter { $0.family == name }) }
  }

  /// The families of the kinds that `has` knows, found once: `requires` asks for each file of a folder.
  private static let familiesOfKinds: [Kind: [Family]] = {
    let kinds: [Kind] = [
      .glibc(.amd64, .bits64), .glibc(.i386, .bits32), .glibc(.aarch64, .bits64),
    ]
    return Dictionary(uniqueKeysWithValues: kinds.map { ($0, families(of: [$0])) })
  }()

  /// True if the facts hold for files of a machine: of x86-64, and of those that the release has with the
  /// same versions. i386 and AArch64 are not in each release, and other machines are not looked at.
  private func has(_ kind: Kind) -> Bool {
    switch kind {
    case .glibc(.amd64, .bits64): true
    case .glibc(.i386, .bits32): (family, release) != ("RHEL", "10")
    case .glibc(.aarch64, .bits64):
      ![("RHEL", "7"), ("manylinux", "2_5"), ("manylinux", "2_12")].contains {
        $0 == (family, release)
      }
    default: false
    }
  }

  /// True if it defines a version: one of the C library's, of libstdc++'s or of libgcc's.
  package func has(_ version: VersionName) -> Bool {
    versions.contains { $0.prefix == version.prefix && !version.isNewer(than: $0) }
  }

  /// The prefixes that the table knows.
  package static let prefixes: Set<String> = ["GLIBC", "GLIBCXX", "CXXABI", "GCC"]

  /// True if the table knows the version's prefix, and the library, by its soname, defines versions with that
  /// prefix. libgcc has some of glibc's, and glibc had libcrypt and libnsl once.
  static func defines(version: String, _ library: String) -> Bool {
    guard let end = version.utf8.firstIndex(of: 0x5f) else { return false }
    return switch version[..<end] {
    case "GLIBC":
      library.hasPrefix("ld-linux") || library.hasPrefix("libnss_")
        || namesOfGlibc.contains {
          library.hasPrefix($0) && library.utf8.dropFirst($0.utf8.count).starts(with: ".so".utf8)
        }
    case "GLIBCXX", "CXXABI": library.hasPrefix("libstdc++.so")
    case "GCC": library.hasPrefix("libgcc_s.so")
    default: false
    }
  }

  private static let namesOfGlibc = [
    "libc", "libm", "libmvec", "libpthread", "libdl", "librt", "libresolv", "libutil", "libanl",
    "libthread_db", "libBrokenLocale", "libc_malloc_debug", "libcidn", "libcrypt", "libnsl", "ld",
    "ld64", "libgcc_s",
  ]

  /// The version of a prefix that the table knows that came with one of such a library. Nil for a mark that
  /// is not known.
  static func origin(of name: String, _ number: VersionName?) -> VersionName? {
    if let number, prefixes.contains(number.prefix) { return number }
    if let mark = marks[name] { return VersionName(mark) }
    guard let version = number else { return nil }
    // `GLIBC_ABI_NEW_2` ends in a number, and is a mark.
    guard let part = machineParts.first(where: { version.prefix.hasSuffix($0) }) else { return nil }
    let prefix = String(version.prefix.dropLast(part.count))
    guard prefix != "GLIBC", prefixes.contains(prefix) else { return nil }
    return VersionName(prefix + name[version.prefix.endIndex...])
  }

  /// Parts of the names of versions that libstdc++ and libgcc have on some machines alone:
  /// `GLIBCXX_LDBL_3.4.21` of PowerPC and S/390, and `CXXABI_ARM_1.3.3`. Each came with the version of its
  /// number, or in a release before Debian 9, as `libstdc++-v3/config/abi/pre/gnu.ver` of GCC has them.
  private static let machineParts = ["_LDBL", "_IEEE128", "_ARM"]

  /// Marks without numbers, and the version that came with each.
  ///
  /// Glibc's marks stand in its files `elf/Versions`, `sysdeps/x86/Versions`, `sysdeps/x86_64/Versions` and
  /// `sysdeps/i386/Versions`: `DT_RELR` from the tag glibc-2.36 on, the others from 2.43 on. Their commits
  /// of August 2025 (bugs 33129, 33130 and 33212) went to the branches of older releases too, which have no
  /// version that says so. The others stand in auditwheel's policies of manylinux_2_17 and manylinux_2_24.
  package static let marks: [String: String] = [
    "GLIBC_ABI_DT_RELR": "GLIBC_2.36", "GLIBC_ABI_GNU_TLS": "GLIBC_2.43",
    "GLIBC_ABI_GNU2_TLS": "GLIBC_2.43", "GLIBC_ABI_DT_X86_64_PLT": "GLIBC_2.43",
    "CXXABI_TM_1": "CXXABI_1.3.7", "CXXABI_FLOAT128": "CXXABI_1.3.10",
  ]

  /// A system a line: its name, the versions, and the source. libgcc names its versions by GCC's
  /// releases, so GCC's stands for them; GCC's manual says which release has which GLIBCXX and CXXABI:
  /// https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html. CXXABI_1.3.16 of GCC 15 is RISC-V's alone.
  ///
  /// Ubuntu and Debian build libstdc++ and libgcc from a newer GCC than the one that is the default.
  private static let table = """
    Debian 9|GLIBC_2.24 GLIBCXX_3.4.22 CXXABI_1.3.10 GCC_6.3|https://sources.debian.org/src/glibc/
    Debian 10|GLIBC_2.28 GLIBCXX_3.4.25 CXXABI_1.3.11 GCC_8.3|https://sources.debian.org/src/glibc/
    Debian 11|GLIBC_2.31 GLIBCXX_3.4.28 CXXABI_1.3.12 GCC_10.2|https://sources.debian.org/src/glibc/
    Debian 12|GLIBC_2.36 GLIBCXX_3.4.30 CXXABI_1.3.13 GCC_12.2|https://sources.debian.org/src/glibc/
    Debian 13|GLIBC_2.41 GLIBCXX_3.4.33 CXXABI_1.3.15 GCC_14.2|https://sources.debian.org/src/glibc/
    Ubuntu 18.04|GLIBC_2.27 GLIBCXX_3.4.25 CXXABI_1.3.11 GCC_8|https://launchpad.net/ubuntu/+source/glibc
    Ubuntu 20.04|GLIBC_2.31 GLIBCXX_3.4.28 CXXABI_1.3.12 GCC_10|https://launchpad.net/ubuntu/+source/glibc
    Ubuntu 22.04|GLIBC_2.35 GLIBCXX_3.4.30 CXXABI_1.3.13 GCC_12|https://launchpad.net/ubuntu/+source/glibc
    Ubuntu 24.04|GLIBC_2.39 GLIBCXX_3.4.33 CXXABI_1.3.15 GCC_14|https://launchpad.net/ubuntu/+source/glibc
    Ubuntu 25.10|GLIBC_2.42 GLIBCXX_3.4.34 CXXABI_1.3.15 GCC_15|https://documentation.ubuntu.com/release-notes/25.10/
    Ubuntu 26.04|GLIBC_2.43 GLIBCXX_3.4.35 CXXABI_1.3.17 GCC_16|https://documentation.ubuntu.com/release-notes/26.04/
    Fedora 38|GLIBC_2.37 GLIBCXX_3.4.31 CXXABI_1.3.14 GCC_13|https://src.fedoraproject.org/rpms/glibc
    Fedora 39|GLIBC_2.38 GLIBCXX_3.4.32 CXXABI_1.3.14 GCC_13|https://src.fedoraproject.org/rpms/glibc
    Fedora 40|GLIBC_2.39 GLIBCXX_3.4.33 CXXABI_1.3.15 GCC_14|https://src.fedoraproject.org/rpms/glibc
    Fedora 41|GLIBC_2.40 GLIBCXX_3.4.33 CXXABI_1.3.15 GCC_14|https://src.fedoraproject.org/rpms/glibc
    Fedora 42|GLIBC_2.41 GLIBCXX_3.4.34 CXXABI_1.3.15 GCC_15|https://src.fedoraproject.org/rpms/glibc
    Fedora 43|GLIBC_2.42 GLIBCXX_3.4.34 CXXABI_1.3.15 GCC_15|https://src.fedoraproject.org/rpms/glibc
    Fedora 44|GLIBC_2.43 GLIBCXX_3.4.35 CXXABI_1.3.17 GCC_16|https://src.fedoraproject.org/rpms/glibc
    RHEL 7|GLIBC_2.17 GLIBCXX_3.4.19 CXXABI_1.3.7 GCC_4.8|https://access.redhat.com/solutions/38634
    RHEL 8|GLIBC_2.28 GLIBCXX_3.4.25 CXXABI_1.3.11 GCC_8|https://access.redhat.com/solutions/38634
    RHEL 9|GLIBC_2.34 GLIBCXX_3.4.29 CXXABI_1.3.13 GCC_11|https://access.redhat.com/solutions/38634
    RHEL 10|GLIBC_2.39 GLIBCXX_3.4.33 CXXABI_1.3.15 GCC_14|https://access.redhat.com/solutions/38634
    Alpine 3.18|musl_1.2.4 GLIBCXX_3.4.30 CXXABI_1.3.13 GCC_12|https://pkgs.alpinelinux.org/package/v3.18/main/x86_64/musl
    Alpine 3.20|musl_1.2.5 GLIBCXX_3.4.32 CXXABI_1.3.14 GCC_13|https://pkgs.alpinelinux.org/package/v3.20/main/x86_64/musl
    Alpine 3.21|musl_1.2.5 GLIBCXX_3.4.33 CXXABI_1.3.15 GCC_14|https://pkgs.alpinelinux.org/package/v3.21/main/x86_64/musl
    Alpine 3.23|musl_1.2.5 GLIBCXX_3.4.34 CXXABI_1.3.15 GCC_15|https://pkgs.alpinelinux.org/package/v3.23/main/x86_64/musl
    manylinux 2_5|GLIBC_2.5 GLIBCXX_3.4.8 CXXABI_1.3.1 GCC_4.2.0|https://github.com/pypa/auditwheel
    manylinux 2_12|GLIBC_2.12 GLIBCXX_3.4.13 CXXABI_1.3.3 GCC_4.3.0|https://github.com/pypa/auditwheel
    manylinux 2_17|GLIBC_2.17 GLIBCXX_3.4.19 CXXABI_1.3.7 GCC_4.8.0|https://github.com/pypa/auditwheel
    manylinux 2_24|GLIBC_2.24 GLIBCXX_3.4.22 CXXABI_1.3.10 GCC_4.8.0|https://github.com/pypa/auditwheel
    manylinux 2_26|GLIBC_2.26 GLIBCXX_3.4.22 CXXABI_1.3.10 GCC_4.8.0|https://github.com/pypa/auditwheel
    manylinux 2_27|GLIBC_2.27 GLIBCXX_3.4.24 CXXABI_1.3.11 GCC_7.0.0|https://github.com/pypa/auditwheel
    manylinux 2_28|GLIBC_2.28 GLIBCXX_3.4.24 CXXABI_1.3.11 GCC_7.0.0|https://github.com/pypa/auditwheel
    manylinux 2_31|GLIBC_2.31 GLIBCXX_3.4.28 CXXABI_1.3.12 GCC_7.0.0|https://github.com/pypa/auditwheel
    manylinux 2_34|GLIBC_2.34 GLIBCXX_3.4.29 CXXABI_1.3.13 GCC_7.0.0|https://github.com/pypa/auditwheel
    manylinux 2_35|GLIBC_2.35 GLIBCXX_3.4.30 CXXABI_1.3.13 GCC_12.0.0|https://github.com/pypa/auditwheel
    manylinux 2_36|GLIBC_2.36 GLIBCXX_3.4.30 CXXABI_1.3.13 GCC_12.0.0|https://github.com/pypa/auditwheel
    manylinux 2_37|GLIBC_2.37 GLIBCXX_3.4.30 CXXABI_1.3.13 GCC_12.0.0|https://github.com/pypa/auditwheel
    manylinux 2_38|GLIBC_2.38 GLIBCXX_3.4.30 CXXABI_1.3.13 GCC_12.0.0|https://github.com/pypa/auditwheel
    manylinux 2_39|GLIBC_2.39 GLIBCXX_3.4.33 CXXABI_1.3.15 GCC_14.0.0|https://github.com/pypa/auditwheel
    manylinux 2_40|GLIBC_2.40 GLIBCXX_3.4.33 CXXABI_1.3.15 GCC_14.0.0|https://github.com/pypa/auditwheel
    manylinux 2_41|GLIBC_2.41 GLIBCXX_3.4.33 CXXABI_1.3.15 GCC_14.0.0|https://github.com/pypa/auditwheel
    """
}
