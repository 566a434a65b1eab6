#if defined(__linux__)
#define _GNU_SOURCE
#include "binding/loader-answers.h"

void crebind_loader_answers_begin(struct crebind_loader_answers *answers) {
  *answers = (struct crebind_loader_answers){.items = CREBIND_VECTOR(struct crebind_loader_answer),
                                             .strings = CREBIND_VECTOR(char),
                                             .table = CREBIND_VECTOR(uint32_t)};
}

void crebind_loader_answers_end(struct crebind_loader_answers *answers) {
  crebind_vector_free(&answers->items);
  crebind_vector_free(&answers->strings);
  crebind_vector_free(&answers->table);
}

// MARK: - Filing

static bool is_about(const struct crebind_loader_answers *answers,
                     const struct crebind_loader_answer *answer, const char *name,
                     const char *version) {
  const char *own = crebind_loader_answers_string(answers, answer->version);
  if (own == NULL || version == NULL ? own != version : !crebind_equal(own, version))
    return false;
  return crebind_equal(crebind_loader_answers_string(answers, answer->name), name);
}

/// The place of a name and version in the table, or the free one for it.
static uint32_t *find_place(const struct crebind_loader_answers *answers, const char *name,
                            const char *version, uint32_t hash) {
  uint32_t *table = (uint32_t *)answers->table.data, at = hash;
  for (size_t mask = answers->table.count - 1;; at++) {
    uint32_t *place = &table[at & mask];
    if (*place == 0) return place;
    const struct crebind_loader_answer *answer = crebind_vector_at(&answers->items, *place - 1);
    if (answer->hash == hash && is_about(answers, answer, name, version)) return place;
  }
}

/// Keeps half of the table free.
static bool grow_table(struct crebind_loader_answers *answers) {
  size_t size = answers->table.count == 0 ? 64 : answers->table.count * 2;
  if ((answers->items.count + 1) * 2 <= answers->table.count) return true;
  if (crebind_vector_append(&answers->table, size - answers->table.count) == NULL) return false;
  memset(answers->table.data, 0, size * sizeof(uint32_t));
  for (size_t i = 0; i < answers->items.count; i++) {
    const struct crebind_loader_answer *answer = crebind_vector_at(&answers->items, i);
    const char *name = crebind_loader_answers_string(answers, answer->name);
    const char *version = crebind_loader_answers_string(answers, answer->version);
    *find_place(answers, name, version, answer->hash) = (uint32_t)i + 1;
  }
  return true;
}

bool crebind_loader_answers_find(struct crebind_loader_answers *answers, const char *name,
                                 const char *version, uint32_t hash,
                                 const struct crebind_loader_answer **answer) {
  *answer = NULL;
  if (!grow_table(answers)) return false;
  uint32_t *place = find_place(answers, name, version, hash);
  if (*place != 0) {
    if (*place <= answers->answered) *answer = crebind_vector_at(&answers->items, *place - 1);
    return true;
  }
  struct crebind_loader_answer question = {
      .name = crebind_vector_append_string(&answers->strings, name),
      .version = SIZE_MAX,
      .hash = hash,
  };
  if (version != NULL)
    question.version = crebind_vector_append_string(&answers->strings, version);
  // Without memory for its strings, the question is never put.
  if (question.name == SIZE_MAX || (version != NULL && question.version == SIZE_MAX)) return false;
  struct crebind_loader_answer *item = crebind_vector_append(&answers->items, 1);
  if (item == NULL) return false;
  *item = question;
  *place = (uint32_t)answers->items.count;
  return true;
}

void crebind_loader_answers_answer(struct crebind_loader_answers *answers, uintptr_t address) {
  struct crebind_loader_answer *answer = crebind_vector_at(&answers->items, answers->answered++);
  answer->address = address;
}
#endif
