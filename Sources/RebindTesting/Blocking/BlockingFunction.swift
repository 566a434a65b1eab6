#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting

/// A function that may block its thread.
struct BlockingFunction {
  let name: String
  let group: BlockingGroup
  let rule: crebind_testing_blocking_rule

  /// All that are known.
  static let all: [Self] =
    functions(
      .sleeping, CREBIND_TESTING_BLOCKS_ALWAYS,
      "nanosleep clock_nanosleep thrd_sleep pause sigwait sigtimedwait")
    + functions(.sleeping, CREBIND_TESTING_BLOCKS_FOR_TIME, "usleep sleep")
    + functions(
      .waiting, CREBIND_TESTING_BLOCKS_IF_LONG,
      "sem_wait sem_timedwait sem_clockwait pthread_join")
    + functions(
      .waiting, CREBIND_TESTING_BLOCKS_ON_CONDITION,
      "pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait")
    + functions(
      .waiting, CREBIND_TESTING_BLOCKS_IF_IT_SLEPT,
      "dispatch_semaphore_wait dispatch_group_wait dispatch_block_wait")
    + functions(.waiting, CREBIND_TESTING_BLOCKS_ON_FUTEX, "syscall")
    + functions(
      .descriptors, CREBIND_TESTING_BLOCKS_IF_LONG,
      "poll __poll_chk ppoll __ppoll_chk select pselect epoll_wait epoll_pwait read __read_chk "
        + "readv recv __recv_chk recvfrom __recvfrom_chk recvmsg write writev send sendto sendmsg "
        + "accept accept4 connect")
    + functions(.processes, CREBIND_TESTING_BLOCKS_FOR_CHILD, "waitpid wait4")
    + functions(.processes, CREBIND_TESTING_BLOCKS_FOR_CHILD_OF_ID, "waitid")
    + functions(.processes, CREBIND_TESTING_BLOCKS_ALWAYS, "system popen")
    + functions(.processes, CREBIND_TESTING_BLOCKS_IF_LONG, "posix_spawn posix_spawnp")
    + functions(.names, CREBIND_TESTING_BLOCKS_ALWAYS, "getaddrinfo gethostbyname")
    + functions(.files, CREBIND_TESTING_BLOCKS_IF_LONG, "fsync fdatasync flock")
    + functions(
      .plainFiles, CREBIND_TESTING_BLOCKS_IF_LONG,
      "open open64 openat openat64 stat stat64 lstat lstat64 fstatat fstatat64 rename renameat "
        + "unlink readdir readdir64 pread pread64 pwrite pwrite64")
    + functions(
      .locks, CREBIND_TESTING_BLOCKS_IF_LONG,
      "pthread_mutex_lock pthread_rwlock_rdlock pthread_rwlock_wrlock")

  private static func functions(
    _ group: BlockingGroup, _ rule: crebind_testing_blocking_rule, _ names: String
  ) -> [Self] {
    names.split(separator: " ").map { Self(name: String($0), group: group, rule: rule) }
  }

  /// The same function, whose calls may block.
  var allowed: Self { Self(name: name, group: group, rule: CREBIND_TESTING_BLOCKS_NEVER) }

  /// Whether it may make a call of one of some groups.
  func isOf(_ groups: Set<BlockingGroup>) -> Bool {
    groups.contains(group) || (mayBeLock && groups.contains(.locks))
  }

  /// Whether the call decides if it is of its group or of the locks.
  private var mayBeLock: Bool {
    rule == CREBIND_TESTING_BLOCKS_ON_FUTEX || rule == CREBIND_TESTING_BLOCKS_ON_CONDITION
  }
}
#endif
