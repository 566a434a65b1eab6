/// The images that make a scope's calls.

#if defined(__linux__) && !defined(CREBIND_COUNTING_IMAGES_H)
#define CREBIND_COUNTING_IMAGES_H

#include "thread-counts.h"

typedef struct crebind_counting_images crebind_counting_images;

/// The images that are loaded now; NULL if memory runs out.
CREBIND_COUNTING_HIDDEN crebind_counting_images *crebind_counting_images_make(bool spares_testing);
CREBIND_COUNTING_HIDDEN void crebind_counting_images_free(crebind_counting_images *images);

/// Finds the code of the runtimes of tasks and of queues. Calls the loader for the first ones.
CREBIND_COUNTING_HIDDEN void crebind_counting_find_task_runtime(void);
/// The code of these runtimes. Their images are not unloaded.
extern CREBIND_COUNTING_HIDDEN crebind_reach_code crebind_counting_task_runtime;

/// True if an address is in that code.
static inline bool crebind_counting_is_of_tasks(const void *address) {
  return crebind_reach_has_code(&crebind_counting_task_runtime, address);
}

/// The kind of the image that makes a call.
typedef enum crebind_counting_maker {
  CREBIND_COUNTING_ANYBODY,
  /// The runtime of tasks or of queues.
  CREBIND_COUNTING_OF_TASKS,
  /// Swift's runtime, for others.
  CREBIND_COUNTING_OF_RUNTIME,
  /// A testing library that is spared.
  CREBIND_COUNTING_SPARED,
} crebind_counting_maker;

/// Counts a call for the image that makes it, unless that is spared. Takes no lock.
CREBIND_COUNTING_HIDDEN crebind_counting_maker crebind_counting_images_note(
    crebind_counting_images *images, const crebind_counting_event *event);

/// See `crebind_counting_image`. The last image also has the calls of images that others may have
/// replaced.
CREBIND_COUNTING_HIDDEN const char *crebind_counting_images_read(
    crebind_counting_images *images, size_t index, uint64_t *calls);

#endif
