/// Questions that cannot be asked under the locks: a predicate's, which is the
/// user's code, and the loader's, which takes a lock of its own. They are
/// collected under the locks, asked without, and the answers filed at the next
/// attempt.

#ifndef CREBIND_ASK_H
#define CREBIND_ASK_H

#include "gather.h"

#pragma GCC visibility push(hidden)

struct crebind_questions {
  struct crebind_vector predicates;  // of a batch about an image
  struct crebind_vector scopes;      // of the loader about an image
  struct crebind_strings strings;
};

void crebind_questions_begin(struct crebind_questions *questions);
void crebind_questions_end(struct crebind_questions *questions);

static inline bool crebind_questions_are_open(const struct crebind_questions *questions) {
  return questions->predicates.count != 0 || questions->scopes.count != 0;
}

/// Collects what the predicates of the active batches, and of one that is not
/// active yet or NULL, have not been asked. CREBIND_BUSY means that there is
/// something to ask, or that another thread is asking.
crebind_status crebind_questions_collect_predicates(struct crebind_questions *questions,
                                                    const struct crebind_world *world);
/// Collects what lookups came upon.
crebind_status crebind_questions_collect_scopes(struct crebind_questions *questions,
                                                const struct crebind_world *world);

/// Asks them all; without any lock.
void crebind_questions_ask(struct crebind_questions *questions);

/// Files the answers, as far as their batches and images are still there, and
/// forgets the questions.
void crebind_questions_file(struct crebind_questions *questions,
                            struct crebind_handle *new_handle);

#pragma GCC visibility pop

#endif
