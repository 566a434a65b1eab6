#if defined(__linux__)
#define _GNU_SOURCE

#include "descriptor-functions.h"
#include "CRebindTesting.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/syscall.h>

#define ROW(name, rule) {name, rule, false}
#define KEPT(name, rule) {name, rule, true}

const descriptor_function crebind_testing_descriptor_functions[DESCRIPTOR_FUNCTIONS] = {
    ROW("open", OPENS), ROW("open64", OPENS), ROW("openat", OPENS), ROW("openat64", OPENS),
    ROW("__open_2", OPENS), ROW("__open64_2", OPENS), ROW("__openat_2", OPENS),
    ROW("__openat64_2", OPENS), ROW("open_by_handle_at", OPENS), ROW("creat", OPENS),
    ROW("creat64", OPENS), ROW("mkstemp", OPENS), ROW("mkstemp64", OPENS), ROW("mkostemp", OPENS),
    ROW("mkostemp64", OPENS), ROW("mkstemps", OPENS), ROW("mkstemps64", OPENS),
    ROW("mkostemps", OPENS), ROW("mkostemps64", OPENS), ROW("shm_open", OPENS),
    ROW("memfd_create", OPENS), ROW("posix_openpt", OPENS), KEPT("socket", OPENS),
    ROW("accept", OPENS), ROW("accept4", OPENS), ROW("dup", OPENS), KEPT("eventfd", OPENS),
    KEPT("epoll_create", OPENS), KEPT("epoll_create1", OPENS), KEPT("timerfd_create", OPENS),
    ROW("signalfd", OPENS), ROW("inotify_init", OPENS), ROW("inotify_init1", OPENS),
    ROW("fanotify_init", OPENS), ROW("pidfd_open", OPENS), ROW("pidfd_getfd", OPENS),
    ROW("fopen", OPENS_STREAM), ROW("fopen64", OPENS_STREAM), ROW("popen", OPENS_STREAM),
    ROW("tmpfile", OPENS_STREAM), ROW("tmpfile64", OPENS_STREAM), ROW("opendir", OPENS_FOLDER),
    ROW("pipe", OPENS_PAIR), ROW("pipe2", OPENS_PAIR), KEPT("socketpair", OPENS_PAIR_AT_FOURTH),
    ROW("fcntl", CONTROLS), ROW("fcntl64", CONTROLS), ROW("recvmsg", RECEIVES),
    ROW("dup2", OPENS_ONTO), ROW("dup3", OPENS_ONTO), ROW("freopen", OPENS_STREAM_ANEW),
    ROW("freopen64", OPENS_STREAM_ANEW), ROW("close", CLOSES), ROW("fclose", CLOSES_STREAM),
    ROW("pclose", CLOSES_STREAM), ROW("closedir", CLOSES_FOLDER), ROW("close_range", CLOSES_RANGE),
    ROW("closefrom", CLOSES_FROM), ROW("syscall", CALLS_KERNEL), ROW("vfork", FORKS),
    ROW("__vfork", FORKS), ROW("clone", FORKS),
};

const char *crebind_testing_descriptor_function(size_t index) {
  return index < DESCRIPTOR_FUNCTIONS ? crebind_testing_descriptor_functions[index].name : NULL;
}

// MARK: - System calls

// Nothing here makes a system call by its number.

bool crebind_testing_opens_descriptor(uint64_t number) {
  switch (number) {
#if defined(__NR_open)
  case __NR_open:
#endif
  case __NR_openat:
#if defined(__NR_openat2)
  case __NR_openat2:
#endif
  case __NR_memfd_create:
#if defined(__NR_pidfd_open)
  case __NR_pidfd_open:
#endif
#if defined(__NR_pidfd_getfd)
  case __NR_pidfd_getfd:
#endif
#if defined(__NR_io_uring_setup)
  case __NR_io_uring_setup:
#endif
  case __NR_socket:
  case __NR_accept4:
  case __NR_dup:
  case __NR_eventfd2:
  case __NR_epoll_create1:
  case __NR_timerfd_create:
  case __NR_signalfd4:
  case __NR_inotify_init1:
  case __NR_perf_event_open: return true;
  default: return false;
  }
}

bool crebind_testing_forks(uint64_t number) {
#if defined(__NR_vfork)
  if (number == __NR_vfork) return true;
#endif
#if defined(__NR_clone3)
  if (number == __NR_clone3) return true;
#endif
  return number == __NR_clone;
}

uint64_t crebind_testing_place_of_child(const uint64_t *registers) {
#if defined(__NR_clone3)
  const uint64_t pidfd = 0x1000, vm = 0x100; // CLONE_PIDFD, CLONE_VM
  const uint64_t *arguments = (const uint64_t *)(uintptr_t)registers[1];
  if (registers[0] == __NR_clone3 && arguments != NULL && registers[2] >= 2 * sizeof *arguments
      && (arguments[0] & (pidfd | vm)) == pidfd)
    return arguments[1];
#endif
  return 0;
}

// MARK: - The C library

int crebind_testing_of_stream(uint64_t stream) {
  return stream != 0 ? fileno((FILE *)(uintptr_t)stream) : -1;
}

int crebind_testing_of_folder(uint64_t folder) {
  return folder != 0 ? dirfd((DIR *)(uintptr_t)folder) : -1;
}

// MARK: - Calls that close

static descriptor_range range_of(int64_t first, int64_t last, uint64_t flags, int64_t limit) {
  // CLOSE_RANGE_CLOEXEC
  if (first < 0 || first > limit || last < first || (flags & 4) != 0) return (descriptor_range){1, 0};
  return (descriptor_range){(uint32_t)first, (uint32_t)(last < limit ? last : limit)};
}

descriptor_range crebind_testing_closed_by(descriptor_rule rule, const uint64_t *registers,
                                           uint32_t limit) {
  // A call that closes one number, or none.
  int one = -1;
  switch (rule) {
  case CLOSES: one = (int)registers[0]; break;
  case CLOSES_STREAM: one = crebind_testing_of_stream(registers[0]); break;
  case CLOSES_FOLDER: one = crebind_testing_of_folder(registers[0]); break;
  case OPENS_STREAM_ANEW: one = crebind_testing_of_stream(registers[2]); break;
  case OPENS_ONTO:
    if ((int)registers[0] != (int)registers[1]) one = (int)registers[1];
    break;
  case CLOSES_RANGE:
    return range_of((uint32_t)registers[0], (uint32_t)registers[1], registers[2], limit);
  case CLOSES_FROM: {
    int first = (int)registers[0];
    return range_of(first > 0 ? first : 0, INT64_MAX, 0, limit);
  }
  case CALLS_KERNEL:
    if (registers[0] == __NR_close) one = (int)registers[1];
#if defined(__NR_close_range)
    if (registers[0] == __NR_close_range)
      return range_of((uint32_t)registers[1], (uint32_t)registers[2], registers[3], limit);
#endif
    break;
  default: break;
  }
  return range_of(one, one, 0, limit);
}
#endif
