#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind
internal import CRebindReach

/// The jobs of Swift's runtime: which threads run them, on whose behalf.
///
/// They are followed from the first need on, for as long as the process lives.
package enum SwiftJobs {
  /// A job, by the executor that runs it.
  package enum Kind {
    /// A job of the pool's threads, such as a default actor's.
    case pool
    /// A job of the main actor.
    case main
  }

  /// The job that this thread runs.
  ///
  /// Nil for a job of an executor that has a queue or thread of its own, and for one that was on its way before
  /// jobs were followed.
  package static var current: Kind? {
    switch crebind_reach_this_job() {
    case CREBIND_REACH_POOL_JOB: .pool
    case CREBIND_REACH_MAIN_JOB: .main
    default: nil
    }
  }

  /// Begins to follow jobs.
  ///
  /// - Throws: `RebindTestingError` where the runtime's calls go through no slot.
  package static func follow() throws(RebindTestingError) {
    try withOriginals { () throws(RebindTestingError) in
      if let refusal { throw refusal }
    }
  }

  /// The same for a task, whose own job began earlier: it goes on in a job that is followed.
  nonisolated(nonsending) package static func followTask() async throws {
    try follow()
    // A yield would return at once if another thread answered before the task has suspended. An
    // executor of another kind never gives a job to libdispatch.
    for _ in 0..<16 where current == nil {
      await Task.detached { try? await Task.sleep(for: .milliseconds(1)) }.value
    }
  }

  private static let refusal: RebindTestingError? = {
    do throws(RebindTestingError) {
      try apply()
      return nil
    } catch {
      return error
    }
  }()

  private static func apply() throws(RebindTestingError) {
    guard let queue = crebind_lookup("_dispatch_main_q"),
      let label = crebind_lookup("dispatch_queue_get_label"),
      crebind_reach_prepare_jobs(queue, label),
      let runtime = crebind_image_containing(crebind_reach_job_code())
    else { throw RebindTestingError(code: .jobsNotSeen, symbol: "dispatch_async_f") }
    var report = crebind_report()
    var handle: OpaquePointer?
    let status = withUnsafePointer(to: Optional(runtime)) { images in
      "dispatch_async_f".withCString { name in
        var rebinding = crebind_rebinding()
        rebinding.name = name
        rebinding.replacement = crebind_reach_submit_code()
        rebinding.original = crebind_reach_submit_original()
        var options = crebind_options()
        options.scope = CREBIND_SCOPE_IMAGES
        options.images = images
        options.image_count = 1
        options.loaded_images_only = true
        return crebind_apply(&rebinding, 1, &options, &handle, &report, nil)
      }
    }
    guard status == CREBIND_OK else {
      throw RebindTestingError(
        code: .failure, symbol: "dispatch_async_f",
        detail: String(cString: crebind_status_description(status)))
    }
    guard report.changed > 0 else {
      throw RebindTestingError(code: .jobsNotSeen, symbol: "dispatch_async_f")
    }
  }
}
#endif
