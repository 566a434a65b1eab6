/// The answers of a batch's predicate about known images.

#if defined(__linux__)
#pragma once

#include "runtime/runtime.h"

enum crebind_decision { CREBIND_UNDECIDED = 0, CREBIND_ASKED, CREBIND_REFUSED, CREBIND_ACCEPTED };

struct crebind_decisions {
  struct crebind_vector answers;  // uint8_t, by known image
  /// The serial number of the newest image that the answers can be about, while the batch is not
  /// active yet. If an image has gone, another thread may give its index to a later image.
  uint64_t last_serial;
  /// The number of open questions. While one is open, the predicate may be running.
  size_t asked;
};

/// Makes room for an answer about each known image. New images are undecided. Returns false without
/// memory.
///
/// \param last_serial The serial number of the image that was entered last.
/// \param former Receives the `last_serial` of the call before.
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

/// Notes an answer about an image, or that the question is open. CREBIND_UNDECIDED notes that
/// another image takes the index.
static inline void crebind_decide(struct crebind_decisions *decisions, size_t known,
                                  enum crebind_decision decision) {
  if (known < decisions->answers.count)
    *(uint8_t *)crebind_vector_at(&decisions->answers, known) = (uint8_t)decision;
}

/// Opens a question: the predicate may be running until the question ends. There may be no answer.
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
#endif
