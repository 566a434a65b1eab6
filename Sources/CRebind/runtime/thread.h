/// The state of this copy of CRebind for each thread. Other files have variables of their own.

#if defined(__linux__)
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct crebind_thread {
  /// The sections that the thread is in, a bit each; see `crebind_enter`.
  uint64_t entered;
  /// The thread takes our lock, or has it: its signal handlers must not wait for that.
  bool is_locking;
  /// How many forks are under way in signal handlers that have interrupted it there.
  uint16_t interrupting_forks;
};

// In the static TLS block, because the first access to dynamic TLS allocates, and
// malloc may be the function that is replaced. musl allocates when an image is
// loaded, and has no room in its static block for one that is loaded later.
//
// That block has room for about fifty copies: the core's variables take 40 bytes of it at most.
#ifdef __GLIBC__
#define CREBIND_TLS __attribute__((tls_model("initial-exec")))
#else
#define CREBIND_TLS
#endif

#define CREBIND_HIDDEN_TLS __attribute__((visibility("hidden"))) CREBIND_TLS
extern __thread struct crebind_thread crebind_thread CREBIND_HIDDEN_TLS;
#endif
