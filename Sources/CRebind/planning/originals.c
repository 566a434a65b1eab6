#if defined(__linux__)
#define _GNU_SOURCE
#include "planning/originals.h"
#include "planning/selection.h"
#include "runtime/publish.h"

/// Finds the function that dlsym(RTLD_DEFAULT) would give without us. It is 0 for none, and if the
/// function belongs to another library or image than the rebinding asks for.
static crebind_status find_default(const struct crebind_item *item, struct crebind_world *world,
                                   uintptr_t *function) {
  struct crebind_definition definition;
  crebind_status status = crebind_world_bind(world, 0, &item->name, item->version,
                                             item->version == NULL, function, &definition);
  if (definition.image != SIZE_MAX
      && !crebind_item_matches(world, item, item->version, definition))
    *function = 0;
  return status;
}

static bool is_definition(const struct crebind_entry *entry) {
  return entry->kind == CREBIND_DEFINITION;
}

static const struct crebind_entry *source_of(const struct crebind_handle *handle, size_t item) {
  const struct crebind_original *summary = crebind_original_of(handle, item);
  if (summary->address == 0) return NULL;
  return crebind_handle_find(handle, summary->image, summary->address);
}

void crebind_originals_find_sources(struct crebind_handle *handle) {
  size_t missing = 0;
  for (size_t i = 0; i < handle->batch.items.count; i++) {
    const struct crebind_entry *source = source_of(handle, i);
    if (source != NULL && !is_definition(source)) continue;
    crebind_original_of(handle, i)->address = 0;
    missing++;
  }
  for (unsigned wants_definitions = 0; wants_definitions <= 1; wants_definitions++)
    for (size_t i = 0; i < handle->entries.count && missing != 0; i++) {
      const struct crebind_entry *entry = crebind_handle_entry(handle, i);
      struct crebind_original *summary = crebind_original_of(handle, entry->item);
      if (summary->address != 0 || is_definition(entry) != wants_definitions) continue;
      summary->address = entry->address;
      summary->image = entry->image;
      missing--;
    }
}

static void publish(const struct crebind_handle *handle, size_t index, uintptr_t original) {
  const struct crebind_item *item = crebind_batch_item(&handle->batch, index);
  struct crebind_original *summary = crebind_original_of(handle, index);
  // Before anything defines the name, the caller's word stays as the caller has set it.
  bool is_none_still = original == 0 && summary->original == 0;
  summary->original = original;
  if (item->original != NULL && !is_none_still)
    crebind_publish((crebind_published *)item->original, original);
}

/// The function that the word leads to without any of our batches.
static uintptr_t base_of(const struct crebind_entry *entry) {
  return crebind_find_lowest(entry)->original;
}

/// Compares each entry with the summary's source. Entries of a chain may have different links, and
/// still lead to one function.
static void compare(struct crebind_handle *handle) {
  for (size_t i = 0; i < handle->batch.items.count; i++) {
    struct crebind_original *summary = crebind_original_of(handle, i);
    const struct crebind_entry *source = source_of(handle, i);
    summary->is_ambiguous = summary->differs = false;
    summary->source_is_slot = source != NULL && !is_definition(source);
    if (source != NULL) summary->source_original = source->original;
  }
  for CREBIND_EACH_ENTRY(entry, handle) {
    struct crebind_original *summary = crebind_original_of(handle, entry->item);
    if (entry->original == summary->source_original) continue;
    summary->is_ambiguous = true;
    // A definition that leads to another function does not make the slots disagree.
    if (is_definition(entry) != summary->source_is_slot && !summary->differs)
      summary->differs = base_of(entry) != base_of(source_of(handle, entry->item));
  }
}

/// The original of the first slot that leads to `function` without us, because batches may lie in
/// between. If no slot does, `function` itself.
static uintptr_t original_of(const struct crebind_handle *handle, size_t item,
                             uintptr_t function) {
  const struct crebind_original *summary = crebind_original_of(handle, item);
  for CREBIND_EACH_ENTRY(entry, handle) {
    if (entry->item == item && is_definition(entry) != summary->source_is_slot
        && base_of(entry) == function)
      return entry->original;
  }
  return function;
}

void crebind_originals_offer(struct crebind_handle *handle, const struct crebind_entry *entry) {
  struct crebind_original *summary = crebind_original_of(handle, entry->item);
  uintptr_t former = summary->original;
  bool is_first_slot = !is_definition(entry) && !summary->source_is_slot;
  if (former != 0 && !is_first_slot && !crebind_is_gone(former)) return;
  summary->source_is_slot |= is_first_slot;
  summary->is_of_slot = !is_definition(entry);
  if (former != entry->original) publish(handle, entry->item, entry->original);
}

/// True if the last slot has gone, but its original stays because it is the replacement of a batch
/// below. A definition's own original would bypass that batch, while calls under way in other
/// batches' replacements still lead here.
static bool keeps_slots_original(const struct crebind_item *item,
                                 const struct crebind_original *summary) {
  return summary->is_of_slot && !summary->source_is_slot
         && crebind_is_replacement(&item->name, summary->original)
         && !crebind_is_gone(summary->original);
}

crebind_status crebind_originals_update(struct crebind_handle *handle,
                                        struct crebind_world *world) {
  crebind_originals_find_sources(handle);
  compare(handle);
  for (size_t i = 0; i < handle->batch.items.count; i++) {
    const struct crebind_item *item = crebind_batch_item(&handle->batch, i);
    struct crebind_original *summary = crebind_original_of(handle, i);
    bool has_source = summary->address != 0 && !keeps_slots_original(item, summary);
    uintptr_t original = has_source ? summary->source_original : summary->original;
    if (has_source) summary->is_of_slot = summary->source_is_slot;
    // Somebody may have got pointers from a definition before it was turned back. They still lead
    // to the replacement.
    bool is_usable = original != 0 && (has_source || !crebind_is_gone(original));
    if (!is_usable || summary->differs) {
      uintptr_t function;
      crebind_status status = find_default(item, world, &function);
      if (status != CREBIND_OK) return status;
      if (!crebind_scopes_are_sure(&world->scopes)) continue;
      if (!is_usable)
        original = function;
      else if (function != 0)
        original = original_of(handle, i, function);
    }
    publish(handle, i, original);
  }
  return CREBIND_OK;
}

void crebind_originals_forget(struct crebind_handle *handle) {
  for (size_t i = 0; i < handle->batch.items.count; i++) {
    struct crebind_original *summary = crebind_original_of(handle, i);
    summary->address = summary->original = 0;
  }
}

void crebind_originals_inherit(const struct crebind_handle *leaving) {
  for (size_t i = 0; i < leaving->batch.items.count; i++) {
    const struct crebind_item *former = crebind_batch_item(&leaving->batch, i);
    uintptr_t behind = crebind_original_of(leaving, i)->original;
    for (struct crebind_handle *handle = leaving->newer; handle != NULL; handle = handle->newer)
      for (const struct crebind_item *item = crebind_batch_first(&handle->batch, &former->name);
           item != NULL; item = crebind_batch_next(&handle->batch, item)) {
        struct crebind_original *summary =
            crebind_original_of(handle, crebind_batch_index(&handle->batch, item));
        if (summary->original == former->replacement) summary->original = behind;
      }
  }
}

crebind_status crebind_originals_ask(const struct crebind_handle *leaving,
                                     struct crebind_world *world) {
  crebind_status status = CREBIND_OK;
  for (const struct crebind_handle *handle = leaving->newer; handle != NULL;
       handle = handle->newer)
    for (size_t i = 0; i < leaving->batch.names.count; i++) {
      const struct crebind_name *name = &leaving->batch.names.items[i];
      for (const struct crebind_item *item = crebind_batch_first(&handle->batch, name);
           item != NULL && status == CREBIND_OK;
           item = crebind_batch_next(&handle->batch, item)) {
        uintptr_t unused;
        status = find_default(item, world, &unused);
      }
    }
  return status;
}

crebind_status crebind_originals_revise(struct crebind_handle *handle,
                                        struct crebind_world *world) {
  if (crebind_count_gone_images() == 0) return CREBIND_OK;
  for CREBIND_EACH_ENTRY(entry, handle) {
    if (is_definition(entry) || !crebind_is_gone(entry->original)) continue;
    size_t index = crebind_known_image_at(entry->image)->index, definer;
    const struct crebind_name *name = &crebind_batch_item(&handle->batch, entry->item)->name;
    const char *version =
        crebind_symbol_version(crebind_world_image(world, index),
                               crebind_world_dynamic(world, index), entry->symbol)
            .name;
    uintptr_t function;
    crebind_status status =
        crebind_world_resolve(world, index, name, version, false, &function, &definer);
    if (status != CREBIND_OK) return status;
    if (crebind_scopes_are_sure(&world->scopes))
      crebind_entry_lead(entry, entry->previous, function);
  }
  return CREBIND_OK;
}
#endif
