/// Questions that cannot be asked under the locks. Predicates and the resolvers of IFUNCs are other
/// people's code, and the loader takes a lock of its own. Phase C collects the questions, D asks
/// them, and B stores the predicates' answers. An answer of the loader is good for one call only:
/// an image can be opened again with RTLD_GLOBAL, and nothing shows that.

#if defined(__linux__)
#pragma once

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

/// Collects the questions that the predicates of the active batches, and of the world's new batch,
/// have not been asked; phase C. Returns CREBIND_BUSY if it has collected one. The call does not
/// wait for a predicate that another thread is asking: the image is served once that predicate has
/// answered.
crebind_status crebind_questions_collect_predicates(struct crebind_questions *questions,
                                                    const struct crebind_world *world);

/// True if another thread is asking the batch's predicate; phase C.
bool crebind_questions_are_elsewhere(const struct crebind_handle *handle);

/// Asks all questions, except those of batches that have been restored meanwhile; phase D. Returns
/// false without memory.
bool crebind_questions_ask(struct crebind_questions *questions);

/// Stores the answers of the resolvers, and those of predicates whose batch and image still exist.
/// Then forgets the predicates' questions; phase B.
void crebind_questions_file(struct crebind_questions *questions,
                            struct crebind_handle *new_handle);

/// Calls the resolvers that have not been called, each while its images are held; phase D.
void crebind_ifuncs_call(struct crebind_ifuncs *ifuncs);

/// True if this thread is calling a resolver of an IFUNC. The resolver's own calls bring no batch
/// to any image: that might call it again.
bool crebind_questions_are_resolving(void);

#pragma GCC visibility pop
#endif
