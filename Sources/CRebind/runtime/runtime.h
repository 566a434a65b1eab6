/// The system, in a form that stays usable while the C library's own functions are rebound. It has
/// the auxiliary vector, system calls, memory of its own, and small loops in place of memcpy,
/// memset, strlen and strcmp.

#if defined(__linux__)
#pragma once

#include "arch/arch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct crebind_runtime {
  struct crebind_hwcap hwcap;
  size_t page_size;
  /// The headers of the loader and of the vDSO, from the auxiliary vector; 0 if it
  /// names none.
  uintptr_t loader_base, vdso_base;
  /// The program's headers.
  uintptr_t program_headers;
  /// The program has rights that its caller has not, as with set-user-ID.
  bool is_secure;
};

/// The one runtime, initialised before main and on first use.
const struct crebind_runtime *crebind_runtime(void);

/// Waits, for less than a second.
void crebind_sleep(long nanoseconds);

/// The number that the kernel has given this thread; a forked child has another one.
int crebind_thread_number(void);

// MARK: System calls

/// Makes a system call with up to six arguments, each passed as a long. Returns what
/// the kernel does: on failure the negative `errno`, which stays as it was.
#define crebind_system_call(...) CREBIND_CALL(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define CREBIND_CALL(number, a, b, c, d, e, f, ...)                                \
  crebind_raw_call((long)(number), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/// True if a system call failed. Addresses on 32-bit machines are negative, too, but
/// none lies in the last page.
static inline bool crebind_has_failed(long result) { return (unsigned long)result > -4096UL; }

/// Ends a program that was built to find our mistakes, with -DCREBIND_CHECKS; else it does nothing.
#ifdef CREBIND_CHECKS
#define CREBIND_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define CREBIND_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

// MARK: Loops

/// Keeps the compiler from turning a loop into a call of memcpy or strlen,
/// which might be the very function that is being rebound.
#define CREBIND_KEEP_LOOP() __asm__ volatile("" ::: "memory")

/// Compilers call these two for assignments and initialisers of structures.
/// Definitions that are local to each object file take those calls, a word at a
/// time.
struct __attribute__((packed, may_alias)) crebind_word {
  uintptr_t value;
};

/// A barrier after each word: no compiler makes a call of these very functions of several.
#define CREBIND_COPY_WORD(to, from, i)                                                     \
  (((struct crebind_word *)((char *)(to) + (i)))->value =                                  \
       ((const struct crebind_word *)((const char *)(from) + (i)))->value)
#define CREBIND_SET_WORD(to, word, i) (((struct crebind_word *)((char *)(to) + (i)))->value = (word))
#define CREBIND_FOUR_TIMES(step, to, from, i)                   \
  do {                                                          \
    step(to, from, i);                                          \
    CREBIND_KEEP_LOOP();                                        \
    step(to, from, (i) + sizeof(struct crebind_word));          \
    CREBIND_KEEP_LOOP();                                        \
    step(to, from, (i) + 2 * sizeof(struct crebind_word));      \
    CREBIND_KEEP_LOOP();                                        \
    step(to, from, (i) + 3 * sizeof(struct crebind_word));      \
    CREBIND_KEEP_LOOP();                                        \
  } while (0)

__attribute__((used, noinline)) static void *memcpy(void *restrict to, const void *restrict from,
                                                    size_t size) {
  const size_t word_size = sizeof(struct crebind_word);
  size_t i = 0;
  for (; size - i >= 4 * word_size; i += 4 * word_size)
    CREBIND_FOUR_TIMES(CREBIND_COPY_WORD, to, from, i);
  for (; size - i >= word_size; i += word_size) {
    CREBIND_COPY_WORD(to, from, i);
    CREBIND_KEEP_LOOP();
  }
  for (; i < size; i++) {
    ((char *)to)[i] = ((const char *)from)[i];
    CREBIND_KEEP_LOOP();
  }
  return to;
}

__attribute__((used, noinline)) static void *memset(void *memory, int byte, size_t size) {
  const size_t word_size = sizeof(struct crebind_word);
  const uintptr_t word = UINTPTR_MAX / 255 * (unsigned char)byte;
  size_t i = 0;
  for (; size - i >= 4 * word_size; i += 4 * word_size)
    CREBIND_FOUR_TIMES(CREBIND_SET_WORD, memory, word, i);
  for (; size - i >= word_size; i += word_size) {
    CREBIND_SET_WORD(memory, word, i);
    CREBIND_KEEP_LOOP();
  }
  for (; i < size; i++) {
    ((char *)memory)[i] = (char)byte;
    CREBIND_KEEP_LOOP();
  }
  return memory;
}

static inline size_t crebind_length(const char *string) {
  size_t length = 0;
  while (string[length] != 0) {
    length++;
    CREBIND_KEEP_LOOP();
  }
  return length;
}

static inline bool crebind_equal(const char *a, const char *b) {
  for (; *a == *b; a++, b++) {
    if (*a == 0) return true;
    CREBIND_KEEP_LOOP();
  }
  return false;
}

/// The part of a path behind its last slash.
static inline const char *crebind_basename(const char *path) {
  const char *base = path;
  for (; *path != 0; path++) {
    if (*path == '/') base = path + 1;
    CREBIND_KEEP_LOOP();
  }
  return base;
}

// MARK: Words of images

/// Slots may lie in memory that AddressSanitizer has poisoned, such as its notes on an instrumented
/// library's globals. Functions that read or store such words are not instrumented.
#define CREBIND_UNSANITIZED __attribute__((no_sanitize("address")))

/// The word of an image at an aligned address.
CREBIND_UNSANITIZED static inline uintptr_t crebind_load_word(uintptr_t address) {
  return __atomic_load_n((const uintptr_t *)address, __ATOMIC_ACQUIRE);
}

// MARK: Memory

/// An array that grows, in memory as of crebind_memory.
struct crebind_vector {
  char *data;
  size_t count, capacity, stride;
  /// The data lies in somebody else's memory, until that is too small.
  bool is_lent;
};

#define CREBIND_VECTOR(type) ((struct crebind_vector){NULL, 0, 0, sizeof(type), false})

/// Appends `count` zeroed elements and returns the first, or NULL without
/// memory. Pointers into the vector end here.
void *crebind_vector_append(struct crebind_vector *vector, size_t count);
/// Keeps the first `count` elements. Zeroes the others, which the next ones take the place of.
void crebind_vector_truncate(struct crebind_vector *vector, size_t count);
/// Appends a copy of a string to a vector of char, and returns its offset; SIZE_MAX
/// without memory.
size_t crebind_vector_append_string(struct crebind_vector *strings, const char *string);
/// Has an empty vector begin in zeroed and aligned memory that outlives it.
void crebind_vector_lend(struct crebind_vector *vector, void *memory, size_t size);
void crebind_vector_free(struct crebind_vector *vector);

static inline void *crebind_vector_at(const struct crebind_vector *vector, size_t index) {
  return vector->data + index * vector->stride;
}

/// The same as `crebind_vector_append` of one element, for loops that append thousands.
static inline void *crebind_vector_push(struct crebind_vector *vector) {
  return vector->count < vector->capacity ? crebind_vector_at(vector, vector->count++)
                                          : crebind_vector_append(vector, 1);
}

/// Zeroed memory, or NULL. It comes from a small static pool, or else from pages of its own: malloc
/// may be rebound, or held by a thread that waits for the loader's lock. Any thread, signal handler
/// or forked child may call these two.
void *crebind_memory(size_t size);
void crebind_memory_free(void *memory, size_t size);
/// A request takes at least one chunk of the pool.
enum { CREBIND_POOL_CHUNKS = 64 };

/// Whole zeroed pages, or NULL: for what is protected or moved.
void *crebind_pages(size_t size);
void crebind_pages_free(void *pages, size_t size);

/// Call it after memory has been taken, and before images are looked at: either may lie where
/// another thread's pages were. The kernel orders the two; ThreadSanitizer does not know these
/// system calls, and learns the order here.
void crebind_order_taking(void);

#pragma GCC visibility pop
#endif
