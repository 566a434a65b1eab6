#define _GNU_SOURCE
#include "serve.h"
#include "resolver.h"

bool crebind_handle_selects(const struct crebind_handle *handle,
                            const struct crebind_world *world, size_t index) {
  if (!crebind_batch_selects(&handle->batch, crebind_world_image(world, index))) return false;
  if (handle->batch.options.scope != CREBIND_SCOPE_MATCHING) return true;
  uint32_t known = crebind_world_known(world, index);
  return known < handle->decisions.count
         && *(uint8_t *)crebind_vector_at(&handle->decisions, known) == CREBIND_ACCEPTED;
}

// MARK: - Images that have gone

/// Drops the entries for which `keep` is false.
static bool filter_entries(
    struct crebind_handle *handle, const struct crebind_world *world,
    bool (*keep)(const struct crebind_handle *, const struct crebind_entry *,
                 const struct crebind_world *)) {
  size_t kept = 0;
  for (size_t i = 0; i < handle->entries.count; i++) {
    struct crebind_entry *entry = crebind_handle_entry(handle, i);
    if (keep(handle, entry, world))
      *crebind_handle_entry(handle, kept++) = *entry;
    else
      crebind_resolver_free(entry->resolver);
  }
  handle->entries.count = kept;
  return crebind_handle_index(handle);
}

static bool is_present(const struct crebind_handle *handle, const struct crebind_entry *entry,
                       const struct crebind_world *world) {
  (void)handle, (void)world;
  const struct crebind_known_image *known = crebind_known_image_at(entry->image);
  return known->is_present && !known->is_new;
}

/// True if the word is as the loader makes it.
static bool is_fresh(const struct crebind_image *image, const struct crebind_entry *entry) {
  uintptr_t word = __atomic_load_n((const uintptr_t *)entry->address, __ATOMIC_ACQUIRE);
  if (word == entry->value) return false;
  if (word == entry->previous) return true;
  if (entry->kind == CREBIND_DEFINITION) return false;
  // A lazy slot's leads into the image's own PLT.
  return word == entry->original
         || (entry->kind == CREBIND_JUMP_SLOT && crebind_image_segment(image, word, 1) != NULL);
}

/// False if the image at this place is not the one that we changed, though it has
/// the same bias, dynamic table and path.
static bool is_still_ours(const struct crebind_handle *handle, const struct crebind_entry *entry,
                          const struct crebind_world *world) {
  struct crebind_known_image *known = crebind_known_image_at(entry->image);
  const struct crebind_image *image = crebind_world_image(world, known->index);
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, known->index);
  const ElfW(Sym) *symbol = crebind_symbol(dynamic, entry->symbol);
  const struct crebind_name *name = &crebind_batch_item(&handle->batch, entry->item)->name;
  // Without symbols the table has been broken since, and nothing can be said.
  bool is_named = dynamic->symbols == NULL
                  || (symbol != NULL
                      && crebind_symbol_is_named(dynamic, symbol, name->string, name->length));
  if (is_named && crebind_image_segment(image, entry->address, sizeof(uintptr_t)) != NULL
      && !is_fresh(image, entry))
    return true;
  known->is_served = false;
  return false;
}

static bool forget_images(const struct crebind_world *world, bool may_have_been_replaced) {
  for (struct crebind_handle *handle = crebind_records.oldest; handle != NULL;
       handle = handle->newer) {
    if (!filter_entries(handle, world, is_present)) return false;
    if (may_have_been_replaced && !filter_entries(handle, world, is_still_ours)) return false;
  }
  return true;
}

// MARK: - Images that have come

/// Takes the entries of a batch for an image anew: the ones it has and the ones
/// planned, in one run.
static bool take_entries(struct crebind_handle *handle, uint32_t known,
                         struct crebind_plan *plan) {
  if (plan->entries.count == 0) return true;
  struct crebind_run run = crebind_handle_run(handle, known);
  size_t planned = plan->entries.count, total = handle->entries.count + planned;
  if (crebind_vector_append(&handle->entries, planned) == NULL) return false;
  size_t at = run.count == 0 ? total - planned : run.first + run.count;
  for (size_t i = total; i-- > at + planned;)
    *crebind_handle_entry(handle, i) = *crebind_handle_entry(handle, i - planned);
  memcpy(crebind_handle_entry(handle, at), plan->entries.data,
         planned * sizeof(struct crebind_entry));
  for (size_t i = at; i < at + planned; i++) crebind_handle_entry(handle, i)->is_due = true;
  plan->entries.count = 0;
  return crebind_handle_index(handle);
}

static crebind_status plan_image(struct crebind_world *world, struct crebind_handle *handle,
                                 size_t index, bool accepts_unrelocated) {
  struct crebind_plan plan;
  crebind_plan_begin(&plan, world, &handle->batch);
  plan.late_handle = handle;
  plan.accepts_unrelocated = accepts_unrelocated;
  crebind_status status =
      crebind_plan_add_image(&plan, index, crebind_handle_selects(handle, world, index));
  if (status == CREBIND_BROKEN_IMAGE)
    status = CREBIND_OK;
  else if (status == CREBIND_OK && !take_entries(handle, crebind_world_known(world, index), &plan))
    status = CREBIND_OUT_OF_MEMORY;
  crebind_plan_end(&plan);
  return status;
}

/// Adds the words to store for an image: those of the newest batches.
static bool add_changes(struct crebind_commit *commit, const struct crebind_world *world,
                        size_t index) {
  uint32_t known = crebind_world_known(world, index);
  for (struct crebind_handle *handle = crebind_records.newest, *owner; handle != NULL;
       handle = handle->older) {
    struct crebind_run run = crebind_handle_run(handle, known);
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
      const struct crebind_entry *entry = crebind_handle_entry(handle, i);
      uintptr_t word = __atomic_load_n((const uintptr_t *)entry->address, __ATOMIC_ACQUIRE);
      if (!entry->is_due || word == entry->value || entry->is_left
          || crebind_find_above(handle, known, entry->address, &owner) != NULL)
        continue;
      if (!crebind_commit_add(commit, entry, word, entry->value, true))
        return false;
    }
  }
  return true;
}

static crebind_status serve_image(struct crebind_world *world, size_t index,
                                  struct crebind_commit *commit) {
  const struct crebind_image *image = crebind_world_image(world, index);
  uint32_t known = crebind_world_known(world, index);
  bool has_entries = false;
  for (struct crebind_handle *handle = crebind_records.oldest; handle != NULL;
       handle = handle->newer) {
    if (!crebind_batch_serves_later_images(&handle->batch)) continue;
    crebind_status status = plan_image(world, handle, index, commit->accepts_open_relro);
    if (status != CREBIND_OK) return status;
    has_entries |= crebind_handle_run(handle, known).count != 0;
  }
  // What the loader is not done with may still be bound.
  if (has_entries && !commit->accepts_open_relro && crebind_patch_is_open(image))
    return CREBIND_BUSY;
  return add_changes(commit, world, index) ? CREBIND_OK : CREBIND_OUT_OF_MEMORY;
}

crebind_status crebind_serve(struct crebind_world *world, struct crebind_commit *commit) {
  size_t count = world->images.items.count;
  if (crebind_records.has_generation && crebind_records.adds == world->images.adds
      && crebind_records.subs == world->images.subs)
    return CREBIND_OK;
  bool may_have_been_replaced = world->images.subs != crebind_records.subs;
  if (!forget_images(world, may_have_been_replaced)) return CREBIND_OUT_OF_MEMORY;

  crebind_status status = CREBIND_OK;
  if (crebind_records.oldest != NULL)
    for (size_t i = 0; i < count && status == CREBIND_OK; i++) {
      bool is_due = !crebind_known_image_at(crebind_world_known(world, i))->is_served;
      // An image without entries does not show whether it is another one: a file
      // may even have been rebuilt and loaded again.
      if (!is_due && may_have_been_replaced)
        status = crebind_scopes_may_be_unloaded(&world->scopes, i, &is_due);
      if (status == CREBIND_OK && is_due) status = serve_image(world, i, commit);
    }
  for (struct crebind_handle *handle = crebind_records.oldest; handle != NULL;
       handle = handle->newer)
    crebind_handle_summarize(handle);
  if (status == CREBIND_OK && world->scopes.questions.count != 0) status = CREBIND_BUSY;
  if (status == CREBIND_OK) status = crebind_commit_run(commit, world);
  commit->changes.count = 0;
  if (status != CREBIND_OK) return status;
  for (struct crebind_handle *handle = crebind_records.oldest; handle != NULL;
       handle = handle->newer)
    for (size_t i = 0; i < handle->entries.count; i++)
      crebind_handle_entry(handle, i)->is_due = false;

  for (size_t i = 0; i < count; i++) {
    struct crebind_known_image *known = crebind_known_image_at(crebind_world_known(world, i));
    known->is_served = true;
    known->is_new = false;
  }
  crebind_records.adds = world->images.adds;
  crebind_records.subs = world->images.subs;
  crebind_records.has_generation = true;
  return CREBIND_OK;
}
