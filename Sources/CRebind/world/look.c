#if defined(__linux__)
#define _GNU_SOURCE
#include "world/look.h"
#include "runtime/lock.h"
#include "runtime/status.h"

#include <errno.h>

enum { CREBIND_LOOKS = 300 };

struct body {
  crebind_status (*run)(struct crebind_look *, void *);
  struct crebind_look *look;
  void *context;
};

static crebind_status run_locked(void *opaque) {
  struct body *body = opaque;
  crebind_status status = crebind_world_fill(&body->look->world);
  return status == CREBIND_OK ? body->run(body->look, body->context) : status;
}

/// Fills in the error while the path is there still.
static void describe_failure(crebind_error *error, const struct crebind_look *look,
                             crebind_status status) {
  crebind_fail(error, status, -1);
  if (error == NULL) return;
  error->tag = look->failed_tag;
  for (size_t i = 0; look->failed_path != NULL && look->failed_path[i] != 0
                     && i < sizeof error->image - 1;
       i++) {
    error->image[i] = look->failed_path[i];
    CREBIND_KEEP_LOOP();
  }
}

crebind_status crebind_look(crebind_status (*run)(struct crebind_look *, void *), void *context,
                            crebind_error *error) {
  int saved_errno = errno;
  crebind_status status = CREBIND_BUSY;
  for (int i = 0; i < CREBIND_LOOKS && status == CREBIND_BUSY; i++) {
    if (i > 1) crebind_sleep(1000000);
    struct crebind_look look;
    look.failed_path = NULL;
    look.failed_tag = 0;
    crebind_lock();
    status = crebind_world_begin(&look.world, NULL);
    if (status == CREBIND_OK) {
      struct body body = {run, &look, context};
      status = crebind_images_with_lock(look.world.images.counts, run_locked, &body);
    }
    crebind_unlock();
    if (status != CREBIND_OK) describe_failure(error, &look, status);
    crebind_world_end(&look.world);
  }
  errno = saved_errno;
  return status;
}

void crebind_look_fail(struct crebind_look *look, size_t index, int64_t tag) {
  const struct crebind_world *world = &look->world;
  look->failed_path = crebind_image_path(&world->images, crebind_world_image(world, index));
  look->failed_tag = tag;
}

crebind_status crebind_look_find(struct crebind_look *look, const void *header, size_t *index) {
  struct crebind_world *world = &look->world;
  *index = crebind_world_find(world, header);
  if (*index == SIZE_MAX) return CREBIND_NO_SUCH_IMAGE;
  int64_t tag = *(const int64_t *)crebind_vector_at(&world->broken_tags, *index);
  if (tag == INT64_MIN) return CREBIND_OK;
  crebind_look_fail(look, *index, tag);
  return CREBIND_BROKEN_IMAGE;
}
#endif
