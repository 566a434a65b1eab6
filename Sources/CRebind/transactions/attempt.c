/// The locks, the phases of a call, and what outlives them.
///
/// Locks, outermost first. No thread waits for a lock while it holds one below it.
///
///   the loader's   dlopen, dlclose and dlsym hold it, and so do the constructors, destructors
///                  and IFUNC resolvers that the loader runs. A call of ours may begin under it.
///   ours           `crebind_lock`. It guards the records and all other state of the core that
///                  does not say otherwise, and every walk over the loaded images.
///   the list's     dl_iterate_phdr holds it while it calls us, so that no image comes or goes.
///                  musl holds none: it unloads nothing.
///
/// Under our lock or the list's, no code is called that may be rebound or is somebody else's: no
/// malloc, no loader function but dl_iterate_phdr, no predicate, observer or resolver.
/// Replacements, predicates, observers and resolvers run under neither. If the program calls us
/// from a constructor, they run under the loader's lock.
///
/// A call has five phases. Comments elsewhere name them by their letters. A look that changes
/// nothing has B and C alone (world/look.h).
///
///   A  The arguments are copied into a handle (binding/batch.h). No lock.
///   B  The answers of phase D are filed, and the list of images is copied (elf/snapshot.h). Our
///      lock, and the list's while it is copied.
///   C  If the list is still the same, the images are recognised (world/world.h), and the active
///      batches brought to those that have come (arrivals/new-images.h); then the call's body plans
///      and stores (planning/plan.h, patching/commit.h). Our lock and the list's. Whatever cannot be
///      said or done here becomes an errand: the body stores nothing and returns CREBIND_BUSY.
///   D  The errands: predicates and resolvers are called, the loader is asked
///      (transactions/questions.h), images are held (sections/hold.h), a load under way is
///      waited for. No lock. Then B again, 300 times at most.
///   E  Lazy resolvers that were under way are waited for (patching/settle.h), and the slots
///      compared or restored by a round of B to D of its own; the wrappers around dlopen and
///      dlclose are brought in line (transactions/notice.h), and observers called
///      (transactions/observe.h). No lock in between.
///
/// The world of B and C (snapshot, dynamic tables, scopes) serves the attempts of one call. It is
/// begun anew once the loader's counts are others. The changes are freed at the end of each
/// attempt. The questions, the loader's answers and the list of images to hold are freed after the
/// last one, and a batch's entries when it is restored. A batch that could not be applied leaves
/// its originals published, since a thread may be inside of a replacement.
///
/// Records name images by an index, which lasts. Another image gets the index only once its own
/// image has gone. By then, no active batch may have entries there, and the batches and observers
/// must know that the image has gone. Findings of phase D name their image by index and serial
/// number. They are dropped if the index has another serial number by then.

#if defined(__linux__)
#define _GNU_SOURCE
#include "transactions/attempt.h"
#include "runtime/lock.h"
#include "runtime/status.h"
#include "sections/hold.h"
#include "arrivals/unrestored.h"
#include "planning/other-scopes.h"
#include "planning/selection.h"
#include "patching/lazy-slots.h"
#include "arrivals/new-images.h"
#include "transactions/questions.h"
#include "world/loader.h"

#include <dlfcn.h>
#include <errno.h>

enum {
  /// An attempt takes a millisecond. The loader is done with most images sooner. To wait for its
  /// lock is to wait for constructors, which may wait for us.
  CREBIND_ATTEMPTS_BEFORE_WAITING = 100,
  CREBIND_ATTEMPTS = 300,
};

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
                                   const crebind_rebinding *rebindings,
                                   const struct crebind_exact_definition *exact, size_t count,
                                   const crebind_options *options, bool needs_replacements,
                                   bool is_own, crebind_error *error) {
  int64_t bad_item;
  crebind_status status = crebind_active_make(result, rebindings, exact, count, options,
                                              needs_replacements, is_own, &bad_item);
  return status == CREBIND_OK ? status : crebind_fail(error, status, bad_item);
}

// MARK: - Attempts

/// The work between two attempts: phase D.
struct errands {
  struct crebind_questions questions;
  struct crebind_held_images held_images;
  struct crebind_unfinished unfinished;
};

struct locked {
  struct crebind_attempt *attempt;
  struct errands *errands;
  crebind_status (*body)(struct crebind_attempt *, void *);
  void *context;
  /// The loaded images were still those of the world, so the body has run.
  bool has_run;
};

/// Brings the active batches to the images that are loaded now.
static crebind_status bring_up_to_date(struct crebind_attempt *attempt,
                                       struct crebind_unfinished *unfinished) {
  struct crebind_world *world = &attempt->world;
  crebind_status status = crebind_new_images_serve(world, &attempt->commit, unfinished);
  if (status == CREBIND_OK) status = crebind_unrestored_give_back(world, &attempt->commit);
  if (status == CREBIND_OK) status = crebind_lazy_slots_store_again(world, &attempt->commit);
  return status;
}

static crebind_status run_locked(void *opaque) {
  struct locked *locked = opaque;
  locked->has_run = true;
  struct crebind_attempt *attempt = locked->attempt;
  struct crebind_world *world = &attempt->world;
  crebind_status status = crebind_world_fill(world);
  struct errands *errands = locked->errands;
  crebind_scopes_ask_with(&world->scopes, &errands->questions.loader,
                          &errands->questions.ifuncs);
  if (status == CREBIND_OK)
    status = crebind_questions_collect_predicates(&errands->questions, world);
  if (status == CREBIND_OK)
    status = crebind_questions_are_resolving()
                 ? crebind_new_images_forget(world)
                 : bring_up_to_date(attempt, &errands->unfinished);
  if (status == CREBIND_OK) status = locked->body(attempt, locked->context);
  if (attempt->is_done) return status;
  if (errands->questions.ifuncs.lacks_memory) return CREBIND_OUT_OF_MEMORY;
  return crebind_scopes_are_sure(&world->scopes) ? status : CREBIND_BUSY;
}

static void describe_failure(crebind_error *error, const struct crebind_attempt *attempt,
                             crebind_status status) {
  crebind_fail(error, status, attempt->failed_item);
  if (error == NULL) return;
  error->system_error = attempt->commit.failure.system_error;
  error->address = attempt->commit.failure.address;
  error->size = attempt->commit.failure.size;
  error->tag = attempt->failed_tag;
  name_image(error, attempt);
}

/// Runs the body in the world of the attempt before, or in a new world if the images have changed.
static crebind_status run_in_world(struct locked *locked, struct crebind_handle *new_handle) {
  struct crebind_world *world = &locked->attempt->world;
  crebind_status status = CREBIND_OK;
  locked->has_run = false;
  if (world->is_filled) {
    status = crebind_images_with_lock(world->images.counts, run_locked, locked);
    if (locked->has_run) return status;
  }
  crebind_world_end(world);
  status = crebind_world_begin(world, new_handle);
  return status == CREBIND_OK
             ? crebind_images_with_lock(world->images.counts, run_locked, locked)
             : status;
}

static crebind_status attempt_once(struct errands *errands, struct locked *locked,
                                   struct crebind_handle *new_handle, crebind_error *error) {
  struct crebind_attempt *attempt = locked->attempt;
  crebind_commit_begin(&attempt->commit);
  attempt->failed_tag = 0;
  attempt->failed_item = -1;
  crebind_lock();
  crebind_questions_file(&errands->questions, new_handle);
  crebind_held_images_file(&errands->held_images);
  crebind_status status = run_in_world(locked, new_handle);
  // Nobody is going to ask.
  if (status != CREBIND_BUSY) crebind_questions_file(&errands->questions, new_handle);
  crebind_unlock();
  if (status != CREBIND_OK) describe_failure(error, attempt, status);
  crebind_commit_end(&attempt->commit);
  return status;
}

/// Keeps each image loaded for good. An image that the loader does not find by its own name
/// for it is left as it is. False without memory.
static bool hold(struct crebind_held_images *images) {
  for (size_t i = 0; i < images->items.count; i++) {
    const struct crebind_held_image *image = crebind_vector_at(&images->items, i);
    if (crebind_hold_image_with(image->address) == CREBIND_OUT_OF_MEMORY) return false;
  }
  crebind_held_images_note_held(images);
  return true;
}

/// Waits until no other thread loads an image; returns at once on a thread that is loading
/// one itself.
static void wait_for_loading(struct crebind_unfinished *unfinished) {
  // For the lock that it takes. Nobody is in a dlopen that does not exist.
  struct crebind_loader loader = crebind_loader();
  if (loader.open != NULL) loader.open(NULL, RTLD_LAZY);
  crebind_unfinished_note_awaited(unfinished);
}

/// Phase D before attempt `number`: does the errands, or pauses. False without memory.
static bool run_errands(struct errands *errands, int number) {
  bool has_questions = crebind_questions_are_open(&errands->questions);
  bool has_images = errands->held_images.items.count != 0;
  if (has_questions && !crebind_questions_ask(&errands->questions)) return false;
  if (has_images && !hold(&errands->held_images)) return false;
  if (errands->unfinished.images.count != 0 && number % CREBIND_ATTEMPTS_BEFORE_WAITING == 0)
    wait_for_loading(&errands->unfinished);
  else if (!has_questions && !has_images && number > 1)
    crebind_sleep(1000000);
  return true;
}

crebind_status crebind_attempt(crebind_status (*body)(struct crebind_attempt *, void *),
                               void *context, struct crebind_handle *new_handle,
                               crebind_error *error) {
  struct errands errands;
  crebind_questions_begin(&errands.questions);
  crebind_held_images_begin(&errands.held_images);
  crebind_unfinished_begin(&errands.unfinished);
  struct crebind_attempt attempt;
  memset(&attempt, 0, sizeof attempt);
  attempt.held_images = &errands.held_images;
  struct locked locked = {&attempt, &errands, body, context, false};
  crebind_status status = attempt_once(&errands, &locked, new_handle, error);
  for (int i = 1; i < CREBIND_ATTEMPTS && status == CREBIND_BUSY; i++) {
    status = run_errands(&errands, i) ? attempt_once(&errands, &locked, new_handle, error)
                                      : crebind_fail(error, CREBIND_OUT_OF_MEMORY, -1);
  }
  if (status != CREBIND_OK) {
    crebind_lock();
    crebind_questions_file(&errands.questions, new_handle);
    crebind_unlock();
  }
  crebind_world_end(&attempt.world);
  crebind_questions_end(&errands.questions);
  crebind_held_images_end(&errands.held_images);
  crebind_unfinished_end(&errands.unfinished);
  return status;
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

void *crebind_lookup(const char *name) {
  if (name == NULL) return NULL;
  int saved_errno = errno;
  struct lookup lookup = {crebind_name_of(name), 0};
  crebind_status status = crebind_attempt(lookup_locked, &lookup, NULL, NULL);
  errno = saved_errno;
  return status == CREBIND_OK ? (void *)lookup.function : NULL;
}

// MARK: - Planning

/// Every image that the options name has to be there.
static bool has_all_images(const struct crebind_world *world, const struct crebind_batch *batch) {
  for (size_t h = 0; h < batch->headers.count; h++) {
    uintptr_t header = *(uintptr_t *)crebind_vector_at(&batch->headers, h);
    if (crebind_world_find(world, (const void *)header) == SIZE_MAX) return false;
  }
  return true;
}

crebind_status crebind_attempt_ask(struct crebind_attempt *attempt,
                                   const struct crebind_handle *handle) {
  struct crebind_world *world = &attempt->world;
  if (crebind_images_are_static(&world->images)) return CREBIND_STATIC_EXECUTABLE;
  if (!has_all_images(world, &handle->batch) || !crebind_find_definers(world, &handle->batch))
    return CREBIND_NO_SUCH_IMAGE;
  crebind_status status = crebind_world_ask_resolvers(world, &handle->batch.names);
  return status == CREBIND_OK && !crebind_attempt_is_sure(attempt) ? CREBIND_BUSY : status;
}

crebind_status crebind_attempt_plan(struct crebind_attempt *attempt, struct crebind_plan *plan,
                                    const struct crebind_handle *handle) {
  struct crebind_world *world = &attempt->world;
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
  return crebind_attempt_is_sure(attempt) ? crebind_leave_other_scopes(plan, handle)
                                          : CREBIND_BUSY;
}
#endif
