/// The state of this copy of CRebind for each thread.

#ifndef CREBIND_RUNTIME_THREAD_H
#define CREBIND_RUNTIME_THREAD_H

#include <stdbool.h>
#include <stdint.h>

struct crebind_questions;

struct crebind_thread {
  /// The sections that the thread is in, a bit each; see `crebind_enter`.
  uint64_t entered;
  /// The questions to predicates that the thread is asking, the innermost first.
  struct crebind_questions *asking;
  /// How many resolvers of IFUNCs it is calling. Their own calls bring no batch to any image: that
  /// might call them again.
  uint16_t resolving;
  /// How many questions to dlsym it is answering; see storing/next.h.
  uint16_t answering;
  /// How many calls of our wrappers around dlopen and dlclose it is in.
  uint16_t loading;
  /// The thread is the one that changes the wrappers around dlopen and dlclose.
  bool changes_wrappers;
  /// The thread takes our lock, or has it: its signal handlers must not wait for that.
  bool is_locking;
  /// How many forks are under way in signal handlers that have interrupted it there.
  uint16_t interrupting_forks;
};
// The static TLS block has room for about fifty copies.
_Static_assert(sizeof(struct crebind_thread) <= 32, "so many copies of the core can be loaded");

// In the static TLS block, because the first access to dynamic TLS allocates, and
// malloc may be the function that is replaced. musl allocates when an image is
// loaded, and has no room in its static block for one that is loaded later.
#ifdef __GLIBC__
#define CREBIND_TLS __attribute__((visibility("hidden"), tls_model("initial-exec")))
#else
#define CREBIND_TLS __attribute__((visibility("hidden")))
#endif

extern __thread struct crebind_thread crebind_thread CREBIND_TLS;

#endif
