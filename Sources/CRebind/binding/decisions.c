#define _GNU_SOURCE
#include "binding/decisions.h"

static uint8_t *answer_at(const struct crebind_decisions *decisions, size_t known) {
  return crebind_vector_at(&decisions->answers, known);
}

bool crebind_decisions_extend(struct crebind_decisions *decisions, size_t known_count,
                              uint64_t last_serial, uint64_t *former) {
  size_t count = decisions->answers.count;
  if (count < known_count
      && crebind_vector_append(&decisions->answers, known_count - count) == NULL)
    return false;
  *former = decisions->last_serial;
  decisions->last_serial = last_serial;
  return true;
}

enum crebind_decision crebind_decision_about(const struct crebind_decisions *decisions,
                                             size_t known) {
  return known < decisions->answers.count ? (enum crebind_decision)*answer_at(decisions, known)
                                          : CREBIND_UNDECIDED;
}

void crebind_decide(struct crebind_decisions *decisions, size_t known,
                    enum crebind_decision decision) {
  *answer_at(decisions, known) = (uint8_t)decision;
}

void crebind_decisions_begin_question(struct crebind_decisions *decisions) { decisions->asked++; }

void crebind_decisions_end_question(struct crebind_decisions *decisions) { decisions->asked--; }

void crebind_decisions_forget(struct crebind_decisions *decisions, size_t known) {
  if (known < decisions->answers.count) *answer_at(decisions, known) = CREBIND_UNDECIDED;
}

void crebind_decisions_forget_questions(struct crebind_decisions *decisions) {
  decisions->asked = 0;
  for (size_t i = 0; i < decisions->answers.count; i++)
    if (*answer_at(decisions, i) == CREBIND_ASKED) *answer_at(decisions, i) = CREBIND_UNDECIDED;
}
