#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting
internal import FaultVocabulary

/// One call of a recorded function.
///
/// Two calls are equal if they are of the same function with the same ``texts`` and ``arguments``,
/// whoever made them and whatever they returned.
public struct RecordedCall: Sendable {
  /// The function's name, as it was given to be recorded.
  public let function: String

  /// The words in the registers that integer and pointer arguments arrive in, six on
  /// x86-64 and eight on AArch64; those that the function does not take hold
  /// whatever was there.
  public let words: [UInt64]

  let numberWords: [UInt64]
  let textIndices: [Int]
  let caller: UInt

  /// The texts that arguments point at, such as the path of `open`. It is empty unless the function
  /// is known as one of the C library that takes texts. NULL arguments, and pointers to memory that
  /// cannot be read, are left out.
  public let texts: [String]

  /// The number of the thread that made the call, as the kernel has it.
  public let thread: CInt

  /// The number of the Swift task that made the call; nil if the thread ran none.
  public let task: UInt64?

  let isOfRuntime: Bool

  /// Nil until the call returns.
  var outcome: RecordedOutcome?

  /// The call's result; state its type, such as `CInt`.
  ///
  /// Nil while the call is under way, and for a structure. Also nil for functions that look at
  /// their caller or return twice, such as `dlopen`, `dlsym`, `setjmp` and `vfork`, and for those
  /// that do not return. If recordings of one function are nested, the four innermost ones have
  /// results. If a thread has more than 512 recorded calls under way at once, the first 512 have
  /// results.
  ///
  /// ```swift
  /// try withRecordedCalls(of: "open") { recording in
  ///   _ = open("/no/such/file", O_RDONLY)
  ///   let call = try #require(recording.calls.first)
  ///   #expect(call.result(as: CInt.self) == -1 && call.errno == ENOENT)
  /// }
  /// ```
  public func result<Value: CValue & BitwiseCopyable>(as type: Value.Type) -> Value? {
    outcome?.value(as: type)
  }

  /// `errno` when the call returned, which says something only if the call failed; nil where
  /// ``result(as:)`` is.
  public var errno: CInt? { outcome?.errno }

  /// The words that the function always takes, without those of ``texts``, and with only the 32
  /// bits of an `int`; empty for an unknown function.
  public var arguments: [UInt64] {
    zip(words, KnownFunction(function).arguments).enumerated()
      .filter { !textIndices.contains($0.offset) }
      .map { _, argument in
        argument.1 == "i" ? UInt64(UInt32(truncatingIfNeeded: argument.0)) : argument.0
      }
  }

  /// The eight registers of floating-point arguments, read as `double`; those that the function
  /// does not take hold whatever was there.
  public var doubles: [Double] { numberWords.map(Double.init(bitPattern:)) }

  /// The same registers, read as `float`.
  public var floats: [Float] {
    numberWords.map { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) }
  }

  /// The path of the image that made the call; nil if it is not loaded any more.
  public var image: String? {
    UnsafeRawPointer(bitPattern: caller).flatMap { crebind_testing_image_path($0) }
      .map { String(cString: $0) }
  }
}

extension RecordedCall: Hashable {
  /// True if both are of the same function with the same texts and arguments.
  public static func == (left: Self, right: Self) -> Bool {
    left.function == right.function && left.texts == right.texts
      && left.arguments == right.arguments
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(function)
    hasher.combine(texts)
    hasher.combine(arguments)
  }
}

extension RecordedCall: CustomStringConvertible {
  /// `open("/etc/hosts", 0)`: the function, with its texts and numbers. Pointers are in hexadecimal. For
  /// a function that is not known, only the texts are shown.
  public var description: String {
    let kinds = KnownFunction(function).arguments
    var texts = texts[...].map(\.debugDescription)
    // Where a text is left out, nobody knows which.
    let hasAllTexts = texts.count == textIndices.count
    guard !kinds.isEmpty, hasAllTexts else {
      return "\(function)(\(texts.joined(separator: ", ")))"
    }
    let arguments = zip(words, kinds).enumerated().map { index, argument in
      if textIndices.contains(index) { return texts.removeFirst() }
      let (word, kind) = argument
      if kind == "i" { return "\(CInt(truncatingIfNeeded: word))" }
      let signed = Int64(bitPattern: word)
      if signed < 0, signed > -1 << 32 { return "\(signed)" }
      return word <= UInt32.max ? "\(word)" : "0x\(String(word, radix: 16))"
    }
    return "\(function)(\(arguments.joined(separator: ", ")))"
  }
}
#endif
