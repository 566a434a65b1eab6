#if defined(__linux__)
#define _GNU_SOURCE

#include "streams.h"
#include "scatter.h"

#include <sys/mman.h>

/// The most tasks. Places that are not taken cost no memory, and tasks that follow each other lie side by side.
#define LIMIT (1 << 20)
/// The number of places in which a task is searched.
#define PLACES 64

struct crebind_testing_streams {
  /// The number of the task that the scope began in, and the seed of tasks that were not seen to begin.
  uint64_t root, unordered_seed;
  _Atomic uint64_t unordered;
  crebind_testing_stream list[LIMIT];
  /// For all that find no place.
  crebind_testing_stream spare;
};

/// The place of a task, or a free one if none has it; NULL for neither.
static crebind_testing_stream *find(crebind_testing_streams *streams, uint64_t task) {
  for (uint64_t i = 0; i < PLACES; i++) {
    crebind_testing_stream *place = &streams->list[(task + i) % LIMIT];
    uint64_t found = atomic_load_explicit(&place->task, memory_order_relaxed);
    if (found == task + 1 || found == 0) return place;
  }
  return NULL;
}

/// The place of a task, which is taken for it if none has it.
static crebind_testing_stream *take(crebind_testing_streams *streams, uint64_t task, bool *is_new) {
  *is_new = false;
  for (crebind_testing_stream *place; (place = find(streams, task)) != NULL;) {
    uint64_t found = 0;
    *is_new = atomic_compare_exchange_strong(&place->task, &found, task + 1);
    if (*is_new || found == task + 1) return place;
  }
  streams->unordered++;
  return &streams->spare;
}

crebind_testing_streams *crebind_testing_streams_make(uint64_t seed, uint64_t task) {
  crebind_testing_streams *streams =
      mmap(NULL, sizeof *streams, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (streams == MAP_FAILED) return NULL;
  uint64_t scattered = crebind_testing_scatter(seed, 0);
  bool is_new;
  streams->root = task;
  take(streams, task, &is_new)->seed = crebind_testing_scatter(scattered, 0);
  streams->unordered_seed = ~scattered;
  streams->spare.seed = crebind_testing_scatter(streams->unordered_seed, 0);
  return streams;
}

void crebind_testing_streams_free(crebind_testing_streams *streams) {
  munmap(streams, sizeof *streams);
}

bool crebind_testing_streams_have(crebind_testing_streams *streams, uint64_t task) {
  const crebind_testing_stream *place = find(streams, task);
  return place != NULL && place->task == task + 1 && place->seed != 0;
}

crebind_testing_stream *crebind_testing_streams_find(crebind_testing_streams *streams,
                                                     uint64_t task) {
  bool is_new;
  crebind_testing_stream *stream = take(streams, task, &is_new);
  if (is_new)
    stream->seed = crebind_testing_scatter(streams->unordered_seed, ++streams->unordered);
  return stream;
}

/// Blocks have the upper half of the numbers, so that a block's says nothing of a task's age.
static bool is_block(uint64_t number) { return number >> 63 != 0; }

void crebind_testing_streams_add(crebind_testing_streams *streams, uint64_t creator,
                                 uint64_t task) {
  // Tasks that others resume come here, too: the number of one that is older than the scope tells it.
  if (task <= streams->root && is_block(task) == is_block(streams->root)) return;
  bool is_new;
  crebind_testing_stream *parent = crebind_testing_streams_find(streams, creator);
  crebind_testing_stream *child = take(streams, task, &is_new);
  // The other seeds are of draws, and their numbers are not inverted.
  if (is_new) child->seed = crebind_testing_scatter(~parent->seed, ++parent->children);
}

uint64_t crebind_testing_streams_unordered(const crebind_testing_streams *streams) {
  return streams->unordered;
}

uint64_t crebind_testing_draw(crebind_testing_stream *stream) {
  return crebind_testing_scatter(stream->seed, ++stream->draws);
}
#endif
