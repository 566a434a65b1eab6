/// The answers of a batch's predicate about known images.

#pragma once

#include "runtime/runtime.h"

enum crebind_decision { CREBIND_UNDECIDED = 0, CREBIND_ASKED, CREBIND_REFUSED, CREBIND_ACCEPTED };

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
static inline bool crebind_decisions_extend(struct crebind_decisions *decisions,
                                            size_t known_count, uint64_t last_serial,
                                            uint64_t *former) {
  size_t count = decisions->answers.count;
  if (count < known_count
      && crebind_vector_append(&decisions->answers, known_count - count) == NULL)
    return false;
  *former = decisions->last_serial;
  decisions->last_serial = last_serial;
  return true;
}

static inline uint8_t crebind_decision_about(const struct crebind_decisions *decisions,
                                             size_t known) {
  const struct crebind_vector *answers = &decisions->answers;
  return known < answers->count ? *(uint8_t *)crebind_vector_at(answers, known)
                                : (uint8_t)CREBIND_UNDECIDED;
}

/// Notes an answer or a question; or, as undecided, that another image takes the index.
static inline void crebind_decide(struct crebind_decisions *decisions, size_t known,
                                  enum crebind_decision decision) {
  if (known < decisions->answers.count)
    *(uint8_t *)crebind_vector_at(&decisions->answers, known) = (uint8_t)decision;
}

/// The predicate may be running from now on, until the end of the question. An answer may not come.
///
/// \param known The image that it is asked about; SIZE_MAX for one that has gone.
static inline void crebind_decisions_begin_question(struct crebind_decisions *decisions,
                                                    size_t known) {
  decisions->asked++;
  crebind_decide(decisions, known, CREBIND_ASKED);
}

static inline void crebind_decisions_end_question(struct crebind_decisions *decisions) {
  decisions->asked--;
}

/// Takes back the questions that are open.
static inline void crebind_decisions_forget_questions(struct crebind_decisions *decisions) {
  decisions->asked = 0;
  for (size_t i = 0; i < decisions->answers.count; i++)
    if (crebind_decision_about(decisions, i) == CREBIND_ASKED)
      crebind_decide(decisions, i, CREBIND_UNDECIDED);
}
