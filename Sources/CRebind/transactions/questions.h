/// Questions that cannot be asked under the locks: a predicate's and an IFUNC's resolver's,
/// which are strangers' code, and the loader's, which takes a lock of its own. They are
/// collected under the locks, asked without, and what a predicate said is filed at
/// the next attempt. What the loader said is good for one call: an image can be
/// opened again with RTLD_GLOBAL, and nothing tells.

#ifndef CREBIND_TRANSACTIONS_QUESTIONS_H
#define CREBIND_TRANSACTIONS_QUESTIONS_H

#include "binding/ifunc.h"
#include "binding/loader-answers.h"
#include "world/gather.h"

#pragma GCC visibility push(hidden)

struct crebind_questions {
  struct crebind_vector predicates;  // of a batch about an image
  struct crebind_strings strings;    // of the predicates'
  struct crebind_loader_answers loader;
  struct crebind_ifuncs ifuncs;
  /// While they are being asked: those further up the thread's stack.
  struct crebind_questions *outer;
};

void crebind_questions_begin(struct crebind_questions *questions);
void crebind_questions_end(struct crebind_questions *questions);

static inline bool crebind_questions_are_open(const struct crebind_questions *questions) {
  return questions->predicates.count != 0 || crebind_loader_answers_are_open(&questions->loader)
         || crebind_ifuncs_are_open(&questions->ifuncs);
}

/// Collects what the predicates of the active batches, and of one that is not
/// active yet or NULL, have not been asked. CREBIND_BUSY means that there is
/// something to ask. The call does not wait for what another thread asks: the image is
/// served once that answer is there.
crebind_status crebind_questions_collect_predicates(struct crebind_questions *questions,
                                                    const struct crebind_world *world);

/// True if another thread is asking the batch's predicate; phase C.
bool crebind_questions_are_elsewhere(const struct crebind_handle *handle);

/// Asks them all, but for those of batches that have been restored meanwhile;
/// phase D. False without memory.
bool crebind_questions_ask(struct crebind_questions *questions);

/// Files the predicates' answers, as far as their batches and images are still
/// there, and forgets their questions; phase B.
void crebind_questions_file(struct crebind_questions *questions,
                            struct crebind_handle *new_handle);

/// Calls the resolvers that have not been called, each while its images are held; phase D.
void crebind_ifuncs_call(struct crebind_ifuncs *ifuncs);

#pragma GCC visibility pop

#endif
