#define _GNU_SOURCE
#include "attempt.h"
#include "ask.h"

#include <errno.h>

enum {
  /// An image that is being loaded is waited for this long, at a millisecond an
  /// attempt; then its open relro is taken as it is.
  CREBIND_ATTEMPTS_BEFORE_ACCEPTING = 100,
  CREBIND_ATTEMPTS = 300,
};

crebind_status crebind_fail(crebind_error *error, crebind_status status, int64_t rebinding) {
  if (error == NULL) return status;
  memset(error, 0, sizeof *error);
  error->status = status;
  error->rebinding = rebinding;
  return status;
}

static void name_image(crebind_error *error, const struct crebind_attempt *attempt) {
  if (attempt->commit.failed_image >= attempt->world.images.items.count) return;
  const char *path = crebind_image_path(
      &attempt->world.images, crebind_world_image(&attempt->world, attempt->commit.failed_image));
  size_t length = crebind_length(path);
  if (length >= sizeof error->image) length = sizeof error->image - 1;
  memcpy(error->image, path, length);
  error->image[length] = 0;
}

crebind_status crebind_handle_make(struct crebind_handle **result,
                                   const crebind_rebinding *rebindings, size_t count,
                                   const crebind_options *options, bool needs_replacements,
                                   crebind_error *error) {
  struct crebind_handle *handle = crebind_pages(sizeof *handle);
  if (handle == NULL) return crebind_fail(error, CREBIND_OUT_OF_MEMORY, -1);
  handle->entries = CREBIND_VECTOR(struct crebind_entry);
  handle->runs = CREBIND_VECTOR(struct crebind_run);
  handle->decisions = CREBIND_VECTOR(uint8_t);
  int64_t bad_item;
  crebind_status status =
      crebind_batch_make(&handle->batch, rebindings, count, options, needs_replacements,
                                             &bad_item);
  if (status == CREBIND_OK) {
    *result = handle;
    return status;
  }
  crebind_handle_free(handle);
  return crebind_fail(error, status, bad_item);
}

// MARK: - Attempts

struct locked {
  struct crebind_attempt *attempt;
  struct crebind_questions *questions;  // NULL: what is not known is not asked
  bool is_first;
  crebind_status (*body)(struct crebind_attempt *, void *);
  void *context;
};

/// An image may have been opened again with RTLD_GLOBAL since the last call.
static void forget_local_answers(void) {
  for (size_t i = 0; i < crebind_records.known.count; i++) {
    struct crebind_known_image *known = crebind_known_image_at(i);
    if (known->visibility == CREBIND_LOCAL) known->visibility = CREBIND_UNKNOWN;
  }
}

static crebind_status run_locked(void *opaque) {
  struct locked *locked = opaque;
  struct crebind_attempt *attempt = locked->attempt;
  struct crebind_world *world = &attempt->world;
  if (locked->is_first) forget_local_answers();
  crebind_status status = crebind_world_fill(world);
  if (locked->questions == NULL)
    return status == CREBIND_OK ? locked->body(attempt, locked->context) : status;
  if (status == CREBIND_OK)
    status = crebind_questions_collect_predicates(locked->questions, world, attempt->new_handle);
  if (status == CREBIND_OK && crebind_questions_are_open(locked->questions)) return CREBIND_BUSY;
  if (status == CREBIND_OK) status = crebind_serve(world, &attempt->commit);
  if (status == CREBIND_OK) status = locked->body(attempt, locked->context);
  if (world->scopes.questions.count == 0) return status;
  status = crebind_questions_collect_scopes(locked->questions, world);
  return status == CREBIND_OK ? CREBIND_BUSY : status;
}

static void describe_failure(crebind_error *error, const struct crebind_attempt *attempt,
                             crebind_status status) {
  crebind_fail(error, status, -1);
  if (error == NULL) return;
  error->system_error = attempt->commit.failure.system_error;
  error->address = attempt->commit.failure.address;
  error->tag = attempt->failed_tag;
  name_image(error, attempt);
}

static crebind_status make_attempts(crebind_status (*body)(struct crebind_attempt *, void *),
                                    void *context, struct crebind_handle *new_handle,
                                    bool asks, crebind_error *error) {
  crebind_status status = CREBIND_BUSY;
  struct crebind_questions questions;
  crebind_questions_begin(&questions);
  for (int i = 0; i < CREBIND_ATTEMPTS && status == CREBIND_BUSY; i++) {
    struct crebind_attempt attempt;
    memset(&attempt, 0, sizeof attempt);
    attempt.new_handle = new_handle;
    crebind_commit_begin(&attempt.commit);
    attempt.commit.accepts_open_relro = i >= CREBIND_ATTEMPTS_BEFORE_ACCEPTING;
    crebind_lock();
    status = crebind_world_begin(&attempt.world);
    if (status == CREBIND_OK) {
      struct locked locked = {&attempt, asks ? &questions : NULL, i == 0, body, context};
      crebind_questions_file(&questions, new_handle);
      status = crebind_images_with_lock(&attempt.world.images, run_locked, &locked);
    }
    crebind_unlock();
    if (status == CREBIND_BUSY && crebind_questions_are_open(&questions))
      crebind_questions_ask(&questions);
    else if (status == CREBIND_BUSY && i > 0)
      crebind_sleep(1000000);
    if (status != CREBIND_OK) describe_failure(error, &attempt, status);
    crebind_commit_end(&attempt.commit);
    crebind_world_end(&attempt.world);
  }
  crebind_questions_end(&questions);
  return status;
}

crebind_status crebind_attempt(crebind_status (*body)(struct crebind_attempt *, void *),
                               void *context, struct crebind_handle *new_handle,
                               crebind_error *error) {
  return make_attempts(body, context, new_handle, true, error);
}

// MARK: - Lookup

struct lookup {
  struct crebind_name name;
  uintptr_t function;
};

static crebind_status lookup_locked(struct crebind_attempt *attempt, void *context) {
  struct lookup *lookup = context;
  size_t definer;
  return crebind_world_resolve(&attempt->world, 0, &lookup->name, NULL, true, &lookup->function,
                               &definer);
}

static uintptr_t look_up(const char *name, bool asks) {
  int saved_errno = errno;
  struct lookup lookup = {{name, crebind_length(name), crebind_gnu_hash(name)}, 0};
  crebind_status status = make_attempts(lookup_locked, &lookup, NULL, asks, NULL);
  errno = saved_errno;
  return status == CREBIND_OK ? lookup.function : 0;
}

uintptr_t crebind_find_loader_function(const char *name) { return look_up(name, false); }

void *crebind_lookup(const char *name) { return (void *)look_up(name, true); }

// MARK: - Planning

/// Every image that the options name has to be there.
static bool has_all_images(const struct crebind_world *world, const struct crebind_batch *batch) {
  for (size_t h = 0; h < batch->headers.count; h++) {
    uintptr_t header = *(uintptr_t *)crebind_vector_at(&batch->headers, h);
    bool is_loaded = false;
    for (size_t i = 0; i < world->images.items.count; i++)
      is_loaded |= crebind_world_image(world, i)->header == header;
    if (!is_loaded) return false;
  }
  return true;
}

crebind_status crebind_attempt_plan(struct crebind_attempt *attempt, struct crebind_plan *plan,
                                    const struct crebind_handle *handle) {
  struct crebind_world *world = &attempt->world;
  plan->accepts_unrelocated = attempt->commit.accepts_open_relro;
  if (crebind_images_are_static(&world->images)) return CREBIND_STATIC_EXECUTABLE;
  if (!has_all_images(world, &handle->batch)) return CREBIND_NO_SUCH_IMAGE;
  for (size_t i = 0; i < world->images.items.count; i++) {
    bool in_scope = crebind_handle_selects(handle, world, i);
    int64_t *tag = crebind_vector_at(&world->broken_tags, i);
    crebind_status status = CREBIND_OK;
    if (in_scope && *tag != INT64_MIN)
      status = CREBIND_BROKEN_IMAGE;
    else
      status = crebind_plan_add_image(plan, i, in_scope);
    if (status == CREBIND_OK) continue;
    attempt->commit.failed_image = i;
    attempt->failed_tag = status == CREBIND_BROKEN_IMAGE ? *tag : 0;
    return status;
  }
  return crebind_attempt_is_sure(attempt) ? CREBIND_OK : CREBIND_BUSY;
}
