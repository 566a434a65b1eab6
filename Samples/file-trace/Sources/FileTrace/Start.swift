import CFileTrace
import Glibc
import Rebind

/// The loader calls this before the program's `main`, and before the constructors of the
/// libraries that are loaded later.
@section(".init_array") @used
private let start: @convention(c) () -> Void = {
  guard Report.path != nil else { return }
  guard file_trace_heap_is_ready() else {
    let line: StaticString =
      "file-trace: nothing is traced: LD_PRELOAD has the allocator in front of libFileTrace.so\n"
    write(STDERR_FILENO, line.utf8Start, line.utf8CodeUnitCount)
    return
  }
  let error = errno
  // Made now, as it takes the heap and a lock.
  _ = Report.programName
  do {
    // The tracer's own calls are not the program's.
    let scope = RebindingScope(.all, excludesSelf: true)
    hooks = try RebindingBatch(opens + reads + writes + closes + connects).apply(in: scope)
  } catch {
    fatalError("file-trace: \(error)")
  }
  errno = error
}

/// Keeps the hooks, which would be restored with the last reference to them.
nonisolated(unsafe) private var hooks: ActiveRebindings?
