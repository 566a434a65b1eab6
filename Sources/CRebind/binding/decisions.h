/// The answers of a batch's predicate about known images.

#ifndef CREBIND_BINDING_DECISIONS_H
#define CREBIND_BINDING_DECISIONS_H

#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

enum crebind_decision {
  CREBIND_UNDECIDED = 0,
  CREBIND_ASKED,
  CREBIND_REFUSED,
  CREBIND_ACCEPTED,
};

struct crebind_decisions {
  struct crebind_vector answers;  // uint8_t, by known image
  /// The serial number of the last image that they can be about, while the batch is not active yet.
  /// Another thread may give the index of an image that has gone to a later one.
  uint64_t last_serial;
  /// How many questions are open: the predicate may be running.
  size_t asked;
};

/// Gives each known image an answer, undecided for those that are new; false without memory.
///
/// \param last_serial That of the image that was entered last.
/// \returns In `former` the same at the last time.
bool crebind_decisions_extend(struct crebind_decisions *decisions, size_t known_count,
                              uint64_t last_serial, uint64_t *former);

enum crebind_decision crebind_decision_about(const struct crebind_decisions *decisions,
                                             size_t known);

/// Notes an answer or a question.
void crebind_decide(struct crebind_decisions *decisions, size_t known,
                    enum crebind_decision decision);

/// The predicate may be running from now on, until the end of the question. An answer may not come.
void crebind_decisions_begin_question(struct crebind_decisions *decisions);
void crebind_decisions_end_question(struct crebind_decisions *decisions);

/// Another image takes the index.
void crebind_decisions_forget(struct crebind_decisions *decisions, size_t known);

/// Takes back the questions that are open.
void crebind_decisions_forget_questions(struct crebind_decisions *decisions);

#pragma GCC visibility pop

#endif
