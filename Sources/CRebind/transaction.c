#define _GNU_SOURCE
#include "transaction.h"
#include "patch.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>

/// The active batches, the newest first; guarded by the lock.
static struct crebind_handle *active_handles;

// MARK: - Errors

static crebind_status fail(crebind_error *error, crebind_status status, int64_t rebinding) {
  if (error == NULL) return status;
  memset(error, 0, sizeof *error);
  error->status = status;
  error->rebinding = rebinding;
  return status;
}

static void name_image(crebind_error *error, const struct crebind_images *images, size_t index) {
  if (error == NULL || index >= images->items.count) return;
  const char *path = crebind_image_path(images, crebind_image_at(images, index));
  size_t length = crebind_length(path);
  if (length >= sizeof error->image) length = sizeof error->image - 1;
  memcpy(error->image, path, length);
  error->image[length] = 0;
}

// MARK: - Handles

static void free_handle(struct crebind_handle *handle) {
  crebind_vector_free(&handle->rebindings);
  crebind_vector_free(&handle->strings);
  crebind_vector_free(&handle->entries);
  crebind_vector_free(&handle->images);
  crebind_pages_free(handle, sizeof *handle);
}

static bool copy_rebindings(struct crebind_handle *handle, const crebind_rebinding *rebindings,
                            size_t count) {
  size_t size = 0;
  for (size_t i = 0; i < count; i++) size += crebind_length(rebindings[i].name) + 1;
  char *string = crebind_vector_append(&handle->strings, size);
  struct crebind_active *active = crebind_vector_append(&handle->rebindings, count);
  if (string == NULL || active == NULL) return false;
  for (size_t i = 0; i < count; i++) {
    size_t length = crebind_length(rebindings[i].name);
    memcpy(string, rebindings[i].name, length + 1);
    active[i].name = (struct crebind_name){string, length, crebind_gnu_hash(string)};
    active[i].replacement = (uintptr_t)rebindings[i].replacement;
    active[i].original = rebindings[i].original;
    active[i].summary_entry = SIZE_MAX;
    string += length + 1;
  }
  return true;
}

static struct crebind_handle *make_handle(const crebind_rebinding *rebindings, size_t count) {
  struct crebind_handle *handle = crebind_pages(sizeof *handle);
  if (handle == NULL) return NULL;
  handle->rebindings = CREBIND_VECTOR(struct crebind_active);
  handle->strings = CREBIND_VECTOR(char);
  handle->entries = CREBIND_VECTOR(struct crebind_entry);
  handle->images = CREBIND_VECTOR(struct crebind_identity);
  if (copy_rebindings(handle, rebindings, count)) return handle;
  free_handle(handle);
  return NULL;
}

static bool is_active_replacement(const char *name, uintptr_t function) {
  for (const struct crebind_handle *handle = active_handles; handle != NULL; handle = handle->next)
    for (size_t i = 0; i < handle->rebindings.count; i++) {
      const struct crebind_active *active = crebind_vector_at(&handle->rebindings, i);
      if (active->replacement == function && crebind_equal(active->name.string, name)) return true;
    }
  return false;
}

// MARK: - Storing

/// Which word to store into the slot of an entry.
typedef bool choose_word(const struct crebind_entry *entry, uintptr_t word, uintptr_t *value);

static bool choose_value(const struct crebind_entry *entry, uintptr_t word, uintptr_t *value) {
  *value = entry->value;
  return word == entry->previous;
}

static bool choose_previous(const struct crebind_entry *entry, uintptr_t word, uintptr_t *value) {
  *value = entry->previous;
  return word == entry->value;
}

struct store_pass {
  const struct crebind_images *images;
  struct crebind_vector stores;  // struct crebind_store
  bool accepts_open_relro;
  size_t changed, changed_images;
  size_t failed_image;
  struct crebind_patch_failure failure;
};

/// Stores into the slots of `entries`, image by image. An entry's image
/// SIZE_MAX in `index_of` is gone.
static crebind_status store_entries(struct store_pass *pass, const struct crebind_entry *entries,
                                    size_t count, const struct crebind_vector *index_of,
                                    choose_word *choose) {
  pass->changed = pass->changed_images = 0;
  for (size_t begin = 0, end; begin < count; begin = end) {
    uint32_t image = entries[begin].image;
    size_t index = *(size_t *)crebind_vector_at(index_of, image);
    pass->stores.count = 0;
    for (end = begin; end < count && entries[end].image == image; end++) {
      if (index == SIZE_MAX) continue;
      struct crebind_store store = {entries[end].address, 0};
      uintptr_t word = __atomic_load_n((uintptr_t *)store.address, __ATOMIC_ACQUIRE);
      if (!choose(&entries[end], word, &store.value)) continue;
      struct crebind_store *added = crebind_vector_append(&pass->stores, 1);
      if (added == NULL) return CREBIND_OUT_OF_MEMORY;
      *added = store;
    }
    if (pass->stores.count == 0) continue;
    crebind_status status = crebind_patch_image(
        crebind_image_at(pass->images, index), (const struct crebind_store *)pass->stores.data,
        pass->stores.count, pass->accepts_open_relro, &pass->failure);
    if (status != CREBIND_OK) {
      pass->failed_image = index;
      return status;
    }
    pass->changed += pass->stores.count;
    pass->changed_images++;
  }
  return CREBIND_OK;
}

/// Stores all, or undoes what was stored and says why.
static crebind_status store_or_undo(struct store_pass *pass, const struct crebind_vector *entries,
                                    const struct crebind_vector *index_of, choose_word *choose,
                                    choose_word *undo) {
  const struct crebind_entry *first = (const struct crebind_entry *)entries->data;
  crebind_status status = store_entries(pass, first, entries->count, index_of, choose);
  if (status == CREBIND_OK) return status;
  struct store_pass undoing = *pass;
  undoing.accepts_open_relro = true;
  store_entries(&undoing, first, entries->count, index_of, undo);
  pass->stores = undoing.stores;
  return status;
}

// MARK: - Attempts

/// A call's work under the loader's lock.
struct attempt {
  struct crebind_images images;
  /// Of each image of the records, the index in `images`; SIZE_MAX if it is gone.
  struct crebind_vector index_of;  // size_t
  struct store_pass pass;
  crebind_error *error;
  crebind_report report;
  struct crebind_handle *handle;

  // For apply.
  const struct crebind_names *names;
  const uintptr_t *replacements;
  const crebind_options *options;
};

enum {
  /// An image that is being loaded is waited for this long, at a millisecond an
  /// attempt; then its open relro is taken to be someone's neglect.
  CREBIND_ATTEMPTS_BEFORE_ACCEPTING = 100,
  CREBIND_ATTEMPTS = 200,
};

/// Takes snapshots and runs `body` under the loader's lock until it gets
/// through.
static crebind_status make_attempts(struct attempt *attempt, crebind_status (*body)(void *)) {
  crebind_status status = CREBIND_BUSY;
  for (int i = 0; i < CREBIND_ATTEMPTS && status == CREBIND_BUSY; i++) {
    if (i > 1) {
      struct timespec pause = {0, 1000000};
      crebind_runtime()->system_call(SYS_nanosleep, &pause, NULL);
    }
    memset(&attempt->report, 0, sizeof attempt->report);
    memset(&attempt->pass, 0, sizeof attempt->pass);
    attempt->index_of = CREBIND_VECTOR(size_t);
    attempt->pass.stores = CREBIND_VECTOR(struct crebind_store);
    attempt->pass.images = &attempt->images;
    attempt->pass.accepts_open_relro = i >= CREBIND_ATTEMPTS_BEFORE_ACCEPTING;
    attempt->pass.failed_image = SIZE_MAX;
    status = crebind_images_read(&attempt->images);
    if (status == CREBIND_OK) status = crebind_images_with_lock(&attempt->images, body, attempt);
    if (status != CREBIND_OK) {
      int64_t tag = 0;
      if (attempt->error != NULL) tag = attempt->error->tag;
      fail(attempt->error, status, -1);
      if (attempt->error != NULL) {
        attempt->error->system_error = attempt->pass.failure.system_error;
        attempt->error->address = attempt->pass.failure.address;
        attempt->error->tag = status == CREBIND_BROKEN_IMAGE ? tag : 0;
      }
      name_image(attempt->error, &attempt->images, attempt->pass.failed_image);
    }
    crebind_vector_free(&attempt->index_of);
    crebind_vector_free(&attempt->pass.stores);
    crebind_images_free(&attempt->images);
  }
  return status;
}

// MARK: - Apply

/// The index of the image that the options name; SIZE_MAX for all of them.
static bool find_only_image(const struct attempt *attempt, size_t *index) {
  *index = SIZE_MAX;
  if (attempt->options->image == NULL) return true;
  for (size_t i = 0; i < attempt->images.items.count; i++) {
    const struct crebind_image *image = crebind_image_at(&attempt->images, i);
    if (image->header != (uintptr_t)attempt->options->image) continue;
    *index = i;
    return true;
  }
  return false;
}

/// Gives each rebinding its summary original: that of its first slot, in the
/// order of the images, or what the program itself would be bound to.
static crebind_status publish_originals(struct crebind_plan *plan,
                                        struct crebind_handle *handle) {
  struct crebind_active *active = (struct crebind_active *)handle->rebindings.data;
  for (size_t e = plan->entries.count; e-- > 0;) {
    const struct crebind_entry *entry = crebind_vector_at(&plan->entries, e);
    active[entry->rebinding].summary_entry = e;
  }
  for (size_t i = 0; i < handle->rebindings.count; i++) {
    if (active[i].original == NULL) continue;
    uintptr_t original;
    if (active[i].summary_entry != SIZE_MAX) {
      const struct crebind_entry *entry =
          crebind_vector_at(&plan->entries, active[i].summary_entry);
      original = entry->original;
    } else {
      const struct crebind_name *name = &active[i].name;
      struct crebind_reference reference = {name->string, name->length, name->gnu_hash, NULL, true};
      struct crebind_definition definition;
      crebind_status status = crebind_scopes_lookup(&plan->scopes, 0, &reference, &definition);
      if (status != CREBIND_OK) return status;
      original = crebind_definition_address(&plan->scopes, definition);
    }
    if (original != 0) __atomic_store_n(active[i].original, (void *)original, __ATOMIC_RELEASE);
  }
  return CREBIND_OK;
}

static crebind_status record_identities(struct attempt *attempt) {
  size_t count = attempt->images.items.count;
  struct crebind_identity *identities =
      crebind_vector_append(&attempt->handle->images, count);
  size_t *index_of = crebind_vector_append(&attempt->index_of, count);
  if (identities == NULL || index_of == NULL) return CREBIND_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) {
    const struct crebind_image *image = crebind_image_at(&attempt->images, i);
    identities[i] = (struct crebind_identity){image->bias, image->dynamic};
    index_of[i] = i;
  }
  return CREBIND_OK;
}

static crebind_status apply_under_lock(void *context) {
  struct attempt *attempt = context;
  struct crebind_handle *handle = attempt->handle;
  if (crebind_images_are_static(&attempt->images)) return CREBIND_STATIC_EXECUTABLE;

  struct crebind_plan plan;
  memset(&plan, 0, sizeof plan);
  plan.images = &attempt->images;
  plan.names = attempt->names;
  plan.replacements = attempt->replacements;
  plan.slot_kinds =
      attempt->options->slot_kinds != 0 ? attempt->options->slot_kinds : CREBIND_ALL_SLOT_KINDS;
  plan.is_replacement = is_active_replacement;
  if (!find_only_image(attempt, &plan.only_image)) return CREBIND_NO_SUCH_IMAGE;

  crebind_status status = crebind_plan_make(&plan);
  if (status == CREBIND_BROKEN_IMAGE) {
    attempt->pass.failed_image = plan.broken_image;
    if (attempt->error != NULL) attempt->error->tag = plan.broken_tag;
  }
  crebind_vector_free(&handle->images);
  if (status == CREBIND_OK) status = record_identities(attempt);
  if (status == CREBIND_OK) status = publish_originals(&plan, handle);
  if (status == CREBIND_OK)
    status = store_or_undo(&attempt->pass, &plan.entries, &attempt->index_of, choose_value,
                           choose_previous);
  if (status == CREBIND_OK) {
    handle->entries = plan.entries;
    plan.entries = CREBIND_VECTOR(struct crebind_entry);
    attempt->report = (crebind_report){.changed = attempt->pass.changed,
                                       .images = attempt->pass.changed_images,
                                       .unchanged = plan.unchanged,
                                       .skipped = plan.skipped};
  }
  crebind_plan_free(&plan);
  return status;
}

static crebind_status check_batch(const crebind_rebinding *rebindings, size_t count,
                                  crebind_error *error) {
  if (rebindings == NULL || count == 0) return fail(error, CREBIND_INVALID_ARGUMENT, -1);
  for (size_t i = 0; i < count; i++)
    if (rebindings[i].name == NULL || rebindings[i].name[0] == 0
        || rebindings[i].replacement == NULL)
      return fail(error, CREBIND_INVALID_ARGUMENT, (int64_t)i);
  return CREBIND_OK;
}

/// The names of a batch and their replacements, as the plan wants them.
static crebind_status collect_names(const struct crebind_handle *handle,
                                    struct crebind_vector *items,
                                    struct crebind_vector *replacements, crebind_error *error) {
  size_t count = handle->rebindings.count;
  struct crebind_name *names = crebind_vector_append(items, count);
  uintptr_t *functions = crebind_vector_append(replacements, count);
  if (names == NULL || functions == NULL) return fail(error, CREBIND_OUT_OF_MEMORY, -1);
  for (size_t i = 0; i < count; i++) {
    const struct crebind_active *active = crebind_vector_at(&handle->rebindings, i);
    names[i] = active->name;
    functions[i] = active->replacement;
  }
  return CREBIND_OK;
}

crebind_status crebind_apply(const crebind_rebinding *rebindings, size_t count,
                             const crebind_options *options, crebind_handle **result,
                             crebind_report *report, crebind_error *error) {
  static const crebind_options everything;
  int saved_errno = errno;
  crebind_status status = check_batch(rebindings, count, error);
  if (status != CREBIND_OK) return status;
  struct crebind_handle *handle = make_handle(rebindings, count);
  if (handle == NULL) return fail(error, CREBIND_OUT_OF_MEMORY, -1);

  struct crebind_vector items = CREBIND_VECTOR(struct crebind_name);
  struct crebind_vector replacements = CREBIND_VECTOR(uintptr_t);
  struct crebind_names names = {.table = NULL};
  status = collect_names(handle, &items, &replacements, error);
  int64_t duplicate = -1;
  if (status == CREBIND_OK
      && !crebind_names_make(&names, (const struct crebind_name *)items.data, count, &duplicate))
    status = fail(error, duplicate >= 0 ? CREBIND_DUPLICATE_NAME : CREBIND_OUT_OF_MEMORY,
                  duplicate);
  if (status == CREBIND_OK) {
    struct attempt attempt = {.error = error,
                              .handle = handle,
                              .names = &names,
                              .replacements = (const uintptr_t *)replacements.data,
                              .options = options != NULL ? options : &everything};
    crebind_lock();
    status = make_attempts(&attempt, apply_under_lock);
    if (status == CREBIND_OK) {
      handle->next = active_handles;
      active_handles = handle;
    }
    crebind_unlock();
    if (report != NULL) *report = attempt.report;
  }
  crebind_names_free(&names);
  crebind_vector_free(&items);
  crebind_vector_free(&replacements);
  if (status == CREBIND_OK)
    *result = handle;
  else
    free_handle(handle);
  errno = saved_errno;
  return status;
}

// MARK: - Restore

static crebind_status find_images_again(struct attempt *attempt) {
  const struct crebind_vector *identities = &attempt->handle->images;
  size_t *index_of = crebind_vector_append(&attempt->index_of, identities->count);
  size_t count = attempt->images.items.count, next = 0;
  if (index_of == NULL && identities->count != 0) return CREBIND_OUT_OF_MEMORY;
  for (size_t i = 0; i < identities->count; i++) {
    const struct crebind_identity *identity = crebind_vector_at(identities, i);
    index_of[i] = SIZE_MAX;
    // Mostly in the same order as before.
    for (size_t step = 0; step < count && index_of[i] == SIZE_MAX; step++, next++) {
      if (next >= count) next = 0;
      const struct crebind_image *image = crebind_image_at(&attempt->images, next);
      if (image->bias == identity->bias && image->dynamic == identity->dynamic)
        index_of[i] = next;
    }
  }
  return CREBIND_OK;
}

/// The entry of another active batch that was applied on top of `below`.
static struct crebind_entry *find_link_above(const struct crebind_handle *handle,
                                             const struct crebind_entry *below,
                                             struct crebind_handle **owner) {
  for (struct crebind_handle *other = active_handles; other != handle; other = other->next)
    for (size_t i = 0; i < other->entries.count; i++) {
      struct crebind_entry *entry = crebind_vector_at(&other->entries, i);
      if (entry->address != below->address || entry->previous != below->value) continue;
      *owner = other;
      return entry;
    }
  return NULL;
}

/// Takes an entry out of its slot's chain; false if someone else has changed
/// the slot.
static bool unlink_entry(const struct crebind_handle *handle, const struct crebind_entry *entry) {
  struct crebind_handle *owner;
  struct crebind_entry *above = find_link_above(handle, entry, &owner);
  if (above == NULL) return false;
  above->previous = entry->previous;
  above->original = entry->original;
  struct crebind_active *active = crebind_vector_at(&owner->rebindings, above->rebinding);
  if (active->original != NULL
      && crebind_vector_at(&owner->entries, active->summary_entry) == (void *)above)
    __atomic_store_n(active->original, (void *)above->original, __ATOMIC_RELEASE);
  return true;
}

static crebind_status restore_under_lock(void *context) {
  struct attempt *attempt = context;
  struct crebind_handle *handle = attempt->handle;
  crebind_status status = find_images_again(attempt);
  if (status != CREBIND_OK) return status;
  status = store_or_undo(&attempt->pass, &handle->entries, &attempt->index_of, choose_previous,
                         choose_value);
  if (status != CREBIND_OK) return status;
  attempt->report.changed = attempt->pass.changed;
  attempt->report.images = attempt->pass.changed_images;
  for (size_t i = 0; i < handle->entries.count; i++) {
    const struct crebind_entry *entry = crebind_vector_at(&handle->entries, i);
    if (*(size_t *)crebind_vector_at(&attempt->index_of, entry->image) == SIZE_MAX) {
      attempt->report.unchanged++;
      continue;
    }
    uintptr_t word = __atomic_load_n((uintptr_t *)entry->address, __ATOMIC_ACQUIRE);
    if (word != entry->previous && !unlink_entry(handle, entry)) attempt->report.skipped++;
  }
  return CREBIND_OK;
}

crebind_status crebind_restore(crebind_handle *handle, crebind_report *report,
                               crebind_error *error) {
  int saved_errno = errno;
  struct attempt attempt = {.error = error, .handle = handle};
  crebind_lock();
  crebind_status status = make_attempts(&attempt, restore_under_lock);
  if (status == CREBIND_OK) {
    struct crebind_handle **link = &active_handles;
    while (*link != handle) link = &(*link)->next;
    *link = handle->next;
  }
  crebind_unlock();
  if (status == CREBIND_OK) free_handle(handle);
  if (report != NULL) *report = attempt.report;
  errno = saved_errno;
  return status;
}

// MARK: - Lookup

struct lookup {
  struct crebind_images *images;
  struct crebind_reference reference;
  uintptr_t address;
};

static crebind_status lookup_under_lock(void *context) {
  struct lookup *lookup = context;
  struct crebind_vector dynamics = CREBIND_VECTOR(struct crebind_dynamic);
  crebind_status status = CREBIND_OK;
  if (crebind_vector_append(&dynamics, lookup->images->items.count) == NULL)
    return CREBIND_OUT_OF_MEMORY;
  for (size_t i = 0; i < lookup->images->items.count; i++) {
    int64_t tag;
    struct crebind_dynamic *dynamic = crebind_vector_at(&dynamics, i);
    // A broken image defines nothing.
    if (crebind_dynamic_decode(crebind_image_at(lookup->images, i), dynamic, &tag) != CREBIND_OK)
      memset(dynamic, 0, sizeof *dynamic);
  }
  struct crebind_scopes scopes;
  crebind_scopes_begin(&scopes, lookup->images, (const struct crebind_dynamic *)dynamics.data);
  struct crebind_definition definition;
  status = crebind_scopes_lookup(&scopes, 0, &lookup->reference, &definition);
  lookup->address = crebind_definition_address(&scopes, definition);
  crebind_scopes_end(&scopes);
  crebind_vector_free(&dynamics);
  return status;
}

void *crebind_lookup(const char *name) {
  int saved_errno = errno;
  struct crebind_images images;
  struct lookup lookup = {
      .images = &images,
      .reference = {name, crebind_length(name), crebind_gnu_hash(name), NULL, true}};
  crebind_status status = CREBIND_BUSY;
  for (int i = 0; i < CREBIND_ATTEMPTS && status == CREBIND_BUSY; i++) {
    status = crebind_images_read(&images);
    if (status == CREBIND_OK && images.items.count != 0)
      status = crebind_images_with_lock(&images, lookup_under_lock, &lookup);
    crebind_images_free(&images);
  }
  errno = saved_errno;
  return status == CREBIND_OK ? (void *)lookup.address : NULL;
}
