internal import Rebind

extension AnnotationTypeMismatch {
  /// - Parameter isInstance: False where the type itself was asked for: `expected` is that of a
  ///   type then.
  init(
    _ entry: AnnotationRegistry.Entry, expected: Any.Type, found: Any.Type, isInstance: Bool
  ) {
    let foundImage = entry.annotation?.image ?? (try? Image.containing(address(of: found)))
    let asked = TypeDescription(expected)
    let copy = asked.declarations.first { declaration in
      isCopied(declaration, asked: expected, found: found, in: foundImage)
    }
    let expectedAddress = (copy ?? asked.declarations.first)?.address
    self.init(
      key: "\(entry.group)/\(entry.key)", expected: _typeName(expected, qualified: true),
      found: _typeName(found, qualified: true) + (isInstance ? "" : ".Type"),
      expectedImage: expectedAddress.flatMap { try? Image.containing($0) },
      foundImage: foundImage, isOtherCopy: copy != nil)
  }
}

/// True if the image of what was found has a declaration of the same name, which is another.
private func isCopied(
  _ declaration: TypeDescription.Declaration, asked: Any.Type, found: Any.Type, in image: Image?
) -> Bool {
  guard let image, !image.contains(declaration.address) else { return false }
  if declaration.isProtocol { return protocols(in: image).contains(declaration.name) }
  return _typeName(found, qualified: true) == declaration.name
}

private func address(of type: Any.Type) -> UInt { unsafeBitCast(type, to: UInt.self) }

/// The declaration of a requested type, from the runtime's metadata: a protocol, or a structure, an
/// enumeration or a class.
private struct TypeDescription {
  struct Declaration {
    /// With its module: `ModuleKit.Module`.
    var name: String
    /// The address of the protocol's descriptor, or of the type's metadata.
    var address: UInt
    var isProtocol: Bool
  }

  var declarations: [Declaration]

  /// The kinds of the runtime's MetadataKind.def that are looked into.
  private enum Kind {
    static let existential: UInt = 0x303
    static let metatype: UInt = 0x304
    static let existentialMetatype: UInt = 0x306
  }

  init(_ type: Any.Type) {
    let start = address(of: type)
    guard let metadata = UnsafeRawPointer(bitPattern: start) else {
      declarations = []
      return
    }
    let word = MemoryLayout<UInt>.size
    switch metadata.load(as: UInt.self) {
    case Kind.metatype, Kind.existentialMetatype:
      // The instances' type is behind the kind.
      self = TypeDescription(metadata.load(fromByteOffset: word, as: Any.Type.self))
    case Kind.existential:
      // Flags, the number of protocols, an optional superclass, the protocols.
      let flags = metadata.load(fromByteOffset: word, as: UInt32.self)
      let count = Int(metadata.load(fromByteOffset: word + 4, as: UInt32.self))
      let first = word + 8 + (flags & 0x4000_0000 == 0 ? 0 : word)
      declarations = (0..<count).compactMap { index in
        let descriptor = metadata.load(fromByteOffset: first + word * index, as: UInt.self)
        return qualifiedName(ofProtocol: descriptor).map {
          Declaration(name: $0, address: descriptor, isProtocol: true)
        }
      }
    default:
      declarations = [
        Declaration(
          name: _typeName(type, qualified: true), address: start, isProtocol: false)
      ]
    }
  }
}

/// The names of the protocols that an image declares, with their modules, as far as they are
/// not inside other types.
private func protocols(in image: Image) -> Set<String> {
  // Each a distance to a descriptor, or with the lowest bit set to a pointer to one.
  guard let section = try? image.sectionData(named: "swift5_protocols"),
    let distances = try? section.records(of: Int32.self)
  else { return [] }
  let start = UInt(section.address)
  return Set(
    distances.enumerated().compactMap { index, distance in
      guard
        let descriptor = target(
          at: start &+ UInt(index * 4), distance: distance, in: image)
      else { return nil }
      return qualifiedName(ofProtocol: descriptor)
    })
}

/// A protocol's descriptor has flags, the distance to its module's descriptor, and the distance to
/// its name. A module's descriptor is alike.
private func qualifiedName(ofProtocol address: UInt) -> String? {
  guard let image = try? Image.containing(address),
    let name = nameOf(descriptor: address, in: image),
    let distance: Int32 = load(address &+ 4, in: image),
    let parent = target(at: address &+ 4, distance: distance, in: image),
    let parentImage = try? Image.containing(parent),
    let module = nameOf(descriptor: parent, in: parentImage)
  else { return nil }
  return "\(module).\(name)"
}

private func nameOf(descriptor address: UInt, in image: Image) -> String? {
  guard let distance: Int32 = load(address &+ 8, in: image) else { return nil }
  let start = address &+ 8 &+ UInt(bitPattern: Int(distance))
  return LoadedMemory(image: image).withBytes(from: UInt64(start)) { bytes in
    bytes.firstIndex(of: 0).map { String(decoding: bytes[..<$0], as: UTF8.self) }
  }.flatMap(\.self)
}

private func target(at address: UInt, distance: Int32, in image: Image) -> UInt? {
  let place = address &+ UInt(bitPattern: Int(distance & ~1))
  return distance & 1 == 0 ? place : load(place, in: image)
}

private func load<Value: BitwiseCopyable>(_ address: UInt, in image: Image) -> Value? {
  LoadedMemory(image: image).withBytes(from: UInt64(address)) { bytes -> Value? in
    bytes.count < MemoryLayout<Value>.size ? nil : bytes.loadUnaligned(as: Value.self)
  }.flatMap(\.self)
}
