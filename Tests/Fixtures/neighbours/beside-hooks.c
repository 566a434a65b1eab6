/// A library for LD_PRELOAD whose wrappers count the calls of fifty functions of libc and
/// pass them on: hooked by the core, or, with WITNESS, by plain interposition.

#define _GNU_SOURCE
#include "beside.h"

#include <dlfcn.h>

enum {
#define X(name, ...) INDEX_##name,
  FUNCTIONS(X, X)
#undef X
};

static struct beside_count counts[] = {
#define X(name, ...) {#name, 0},
    FUNCTIONS(X, X)
#undef X
};
_Static_assert(sizeof counts / sizeof *counts == BESIDE_COUNT, "fifty");

const struct beside_count *beside_counts(void) { return counts; }

static void tally(int index) { __atomic_fetch_add(&counts[index].count, 1, __ATOMIC_RELAXED); }

#ifdef WITNESS

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static void *originals[BESIDE_COUNT];

/// Other libraries call before our constructor has run, and dlsym may allocate.
static void *original(int index) {
  static __thread int depth;
  void *function = __atomic_load_n(&originals[index], __ATOMIC_ACQUIRE);
  if (function != NULL) return function;
  if (depth != 0) {
    switch (index) {
    case INDEX_malloc: return (void *)__libc_malloc;
    case INDEX_calloc: return (void *)__libc_calloc;
    case INDEX_realloc: return (void *)__libc_realloc;
    case INDEX_free: return (void *)__libc_free;
    default: break;
    }
  }
  depth++;
  // Those at the first call of all: dlsym frees what a failure has left, and must not be
  // asked for `free` then.
  for (int i = INDEX_malloc; i <= INDEX_free; i++)
    if (originals[i] == NULL) originals[i] = dlsym(RTLD_NEXT, counts[i].name);
  if (index < INDEX_malloc) originals[index] = dlsym(RTLD_NEXT, counts[index].name);
  depth--;
  return originals[index];
}

// Of another name to the compiler: variadic ones are declared otherwise.
#define X(name, type, parameters, arguments)                   \
  type witness_##name parameters __asm__(#name);               \
  type witness_##name parameters {                             \
    tally(INDEX_##name);                                       \
    return ((type(*) parameters)original(INDEX_##name)) arguments; \
  }
#define V(name, parameters, arguments)                  \
  void witness_##name parameters __asm__(#name);        \
  void witness_##name parameters {                      \
    tally(INDEX_##name);                                \
    ((void(*) parameters)original(INDEX_##name)) arguments; \
  }
FUNCTIONS(X, V)
#undef X
#undef V

#else

#include "CRebind.h"

static void *originals[BESIDE_COUNT];

#define X(name, type, parameters, arguments)                      \
  static type hook_##name parameters {                            \
    tally(INDEX_##name);                                          \
    return ((type(*) parameters)originals[INDEX_##name]) arguments; \
  }
#define V(name, parameters, arguments)                     \
  static void hook_##name parameters {                     \
    tally(INDEX_##name);                                   \
    ((void(*) parameters)originals[INDEX_##name]) arguments; \
  }
FUNCTIONS(X, V)
#undef X
#undef V

__attribute__((constructor)) static void hook_all(void) {
  struct rebinding rebindings[] = {
#define X(name, ...) {#name, (void *)hook_##name, &originals[INDEX_##name]},
      FUNCTIONS(X, X)
#undef X
  };
  if (rebind_symbols(rebindings, BESIDE_COUNT) == 0) return;
  const char text[] = "beside-hooks: not hooked\n";
  if (write(2, text, sizeof text - 1) < 0) return;
}

#endif
