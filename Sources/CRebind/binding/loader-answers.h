/// The questions to the loader during one call, and its answers: to which address does a name
/// lead in its global scope?

#if defined(__linux__)
#pragma once

#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

struct crebind_loader_answer {
  /// Offsets into the strings; the version's is SIZE_MAX for none.
  size_t name, version;
  uint32_t hash;
  /// 0 if nothing in the global scope defines the name.
  uintptr_t address;
};

struct crebind_loader_answers {
  struct crebind_vector items;    // struct crebind_loader_answer
  struct crebind_vector strings;  // char
  /// Indices into `items` plus one, by hash, with linear probing.
  struct crebind_vector table;    // uint32_t
  /// The items from here on are questions still.
  size_t answered;
};

void crebind_loader_answers_begin(struct crebind_loader_answers *answers);
void crebind_loader_answers_end(struct crebind_loader_answers *answers);

static inline bool crebind_loader_answers_are_open(const struct crebind_loader_answers *answers) {
  return answers->answered != answers->items.count;
}

/// NULL for SIZE_MAX.
static inline const char *crebind_loader_answers_string(
    const struct crebind_loader_answers *answers, size_t offset) {
  return offset == SIZE_MAX ? NULL : answers->strings.data + offset;
}

/// Receives the answer about a name and a version, or NULL after it has put the
/// question. Returns false without memory.
bool crebind_loader_answers_find(struct crebind_loader_answers *answers, const char *name,
                                 const char *version, uint32_t hash,
                                 const struct crebind_loader_answer **answer);

/// Answers the first question that is open; 0 if nothing in the global scope defines the name.
void crebind_loader_answers_answer(struct crebind_loader_answers *answers, uintptr_t address);

#pragma GCC visibility pop
#endif
