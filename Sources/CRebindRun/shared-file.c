/// The names and rows of the shared file. Processes and signal handlers may be at it at the same time: nothing is
/// changed once another one may see it, but for the numbers.

#if defined(__linux__)
#include "run.h"

#include <string.h>

char *crebind_run_file;

uint32_t crebind_run_allocate(uint64_t size) {
  uint64_t rounded = (size + 15) & ~15ull;
  uint64_t *used = &crebind_run_shared()->used;
  uint64_t place = __atomic_load_n(used, __ATOMIC_RELAXED);
  do
    if (place + rounded > CREBIND_RUN_SIZE) return 0;
  while (!__atomic_compare_exchange_n(used, &place, place + rounded, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED));
  return (uint32_t)place;
}

static bool is_name(uint32_t place, char kind, const char *text) {
  const char *name = crebind_run_file + place;
  return name[0] == kind && strcmp(name + 1, text) == 0;
}

/// The place of a hash table to look at in the attempt of a number. The first ones stay among a part of the table, so
/// that a small program, and whoever reads the table, do with few pages.
enum { NEAR = 16 };
static uint64_t place_of(uint64_t hash, uint64_t attempt, uint64_t size) {
  return (hash + attempt) % (attempt < NEAR ? size / 64 : size);
}

uint32_t crebind_run_name(char kind, const char *text) {
  uint32_t *places = (uint32_t *)(void *)(crebind_run_file + CREBIND_RUN_NAMES_AT);
  size_t length = strlen(text);
  uint64_t hash = (unsigned char)kind;
  for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
  uint32_t own = 0;
  for (uint64_t i = 0; i < CREBIND_RUN_NAMES + NEAR; i++) {
    uint32_t *place = &places[place_of(crebind_run_hash(hash), i, CREBIND_RUN_NAMES)];
    uint32_t found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (found == 0) {
      if (own == 0) {
        own = crebind_run_allocate(length + 2);
        if (own == 0) return 0;
        crebind_run_file[own] = kind;
        memcpy(crebind_run_file + own + 1, text, length + 1);
      }
      if (__atomic_compare_exchange_n(place, &found, own, false, __ATOMIC_RELEASE,
                                      __ATOMIC_ACQUIRE))
        return own;
    }
    if (is_name(found, kind, text)) return found;
  }
  return 0;
}

int64_t crebind_run_row_of(uint32_t function, uint32_t image) {
  if (function == 0 || image == 0) return -1;
  crebind_run_row *rows = (crebind_run_row *)(void *)(crebind_run_file + CREBIND_RUN_ROWS_AT);
  uint64_t names = (uint64_t)function << 32 | image;
  for (uint64_t i = 0; i < CREBIND_RUN_ROWS + NEAR; i++) {
    uint64_t row = place_of(crebind_run_hash(names), i, CREBIND_RUN_ROWS), none = 0;
    if (__atomic_compare_exchange_n(&rows[row].names, &none, names, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)
        || none == names)
      return (int64_t)row;
  }
  return -1;
}

void crebind_run_add(int64_t row, uint64_t calls) {
  crebind_run_row *rows = (crebind_run_row *)(void *)(crebind_run_file + CREBIND_RUN_ROWS_AT);
  uint64_t *sum = row < 0 ? &crebind_run_shared()->lost_calls : &rows[row].calls;
  __atomic_fetch_add(sum, calls, __ATOMIC_RELAXED);
}
#endif
