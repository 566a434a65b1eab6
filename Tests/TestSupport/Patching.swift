internal import Glibc

/// Stores into a slot as a careless tool does.
public func patch(_ slot: UInt64, _ word: UInt) {
  let size = UInt(sysconf(Int32(_SC_PAGESIZE)))
  let page = UnsafeMutableRawPointer(bitPattern: UInt(slot) & ~(size - 1))
  mprotect(page, Int(size), PROT_READ | PROT_WRITE)
  UnsafeMutablePointer<UInt>(bitPattern: UInt(slot))?.pointee = word
}
