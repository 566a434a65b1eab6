/// Why does a rebinding of a symbol see an image's calls, or not?

#define _GNU_SOURCE
#include "runtime/status.h"
#include "storing/selection.h"
#include "storing/serve.h"
#include "storing/slot-word.h"
#include "transactions/attempt.h"
#include "world/gather.h"

#include <errno.h>

struct diagnosis {
  crebind_reason reason;
  struct crebind_gathered_image image;
  size_t detail;
  size_t slots;
};

struct diagnose {
  struct crebind_handle *handle;
  struct crebind_batch variants;  // other names of the function
  struct crebind_vector items;    // struct diagnosis
  struct crebind_strings strings;
};

// MARK: - Other names

struct names {
  struct crebind_strings strings;
  struct crebind_vector offsets;  // size_t
};

static void add_name(const char *name, void *context) {
  struct names *names = context;
  size_t *offset = crebind_vector_append(&names->offsets, 1);
  if (offset == NULL)
    names->strings.lacks_memory = true;
  else
    *offset = crebind_strings_add(&names->strings, name);
}

static crebind_status make_variants(struct crebind_batch *variants, const char *name) {
  struct names names = {.offsets = CREBIND_VECTOR(size_t)};
  crebind_strings_begin(&names.strings);
  struct crebind_vector items = CREBIND_VECTOR(crebind_rebinding);
  crebind_status status = crebind_other_names(name, add_name, &names);
  crebind_rebinding *rebindings = crebind_vector_append(&items, names.offsets.count);
  if (rebindings == NULL || names.strings.lacks_memory) status = CREBIND_OUT_OF_MEMORY;
  if (status == CREBIND_OK) {
    for (size_t i = 0; i < names.offsets.count; i++)
      rebindings[i].name =
          crebind_strings_at(&names.strings, *(size_t *)crebind_vector_at(&names.offsets, i));
    int64_t bad_item;
    status = crebind_batch_make(variants, rebindings, items.count, NULL, false, &bad_item);
  }
  crebind_vector_free(&items);
  crebind_vector_free(&names.offsets);
  crebind_vector_free(&names.strings.bytes);
  return status;
}

// MARK: - One image

static crebind_status add(struct diagnose *diagnose, const struct crebind_world *world,
                          size_t index, crebind_reason reason, const char *detail, size_t slots) {
  struct diagnosis *diagnosis = crebind_vector_append(&diagnose->items, 1);
  if (diagnosis == NULL) return CREBIND_OUT_OF_MEMORY;
  *diagnosis =
      (struct diagnosis){reason, crebind_gather_image(&diagnose->strings, world, index),
                         crebind_strings_add(&diagnose->strings, detail), slots};
  return diagnose->strings.lacks_memory ? CREBIND_OUT_OF_MEMORY : CREBIND_OK;
}

/// Counts of a walk over the slots of the symbol.
struct count {
  struct crebind_world *world;
  const struct crebind_item *item;
  size_t index, slots, bypassed;
  const char *other_version, *other_library;
};

static crebind_status count_slot(void *context, const struct crebind_slot *slot, uint32_t unused) {
  (void)unused;
  struct count *count = context;
  const struct crebind_image *image = crebind_world_image(count->world, count->index);
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(count->world, count->index);
  count->slots++;
  uintptr_t bypass = crebind_bypass_of(image, slot);
  count->bypassed += bypass != 0 && bypass != count->item->replacement;
  const char *version = crebind_symbol_version(image, dynamic, slot->symbol).name;
  uintptr_t function;
  size_t definer;
  crebind_status status = crebind_world_resolve(count->world, count->index, &count->item->name,
                                                version, false, &function, &definer);
  version = crebind_version_of_binding(count->world, version, definer, &count->item->name);
  if (status != CREBIND_OK || crebind_item_selects(count->world, count->item, version, definer))
    return status;
  if (count->item->version != NULL && version != NULL
      && !crebind_equal(version, count->item->version)) {
    count->other_version = version;
  } else if (definer != SIZE_MAX) {
    crebind_image_info info = crebind_world_info(count->world, definer);
    count->other_library = info.soname[0] != 0 ? info.soname : crebind_basename(info.path);
  }
  return CREBIND_OK;
}

/// Adds the other names that the image imports.
static crebind_status add_variants(struct diagnose *diagnose, struct crebind_slot_scan *scan,
                                   const struct crebind_world *world, size_t index) {
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  crebind_status status = crebind_slot_scan_match(scan, dynamic, &diagnose->variants.names);
  for (size_t m = 0; m < scan->matches.count && status == CREBIND_OK; m++) {
    uint32_t match = *(uint32_t *)crebind_vector_at(&scan->matches, m);
    if (crebind_symbol(dynamic, match)->st_shndx != SHN_UNDEF) continue;
    uint32_t name = crebind_slot_scan_name(scan, match);
    status = add(diagnose, world, index, CREBIND_REASON_OTHER_NAME,
                 diagnose->variants.names.items[name].string, 0);
  }
  return status;
}

static bool defines(const struct crebind_slot_scan *scan, const struct crebind_dynamic *dynamic) {
  for (size_t m = 0; m < scan->matches.count; m++) {
    uint32_t match = *(uint32_t *)crebind_vector_at(&scan->matches, m);
    if (crebind_is_exported_function(crebind_symbol(dynamic, match))) return true;
  }
  return false;
}

static crebind_status diagnose_image(struct diagnose *diagnose, struct crebind_attempt *attempt,
                                     struct crebind_slot_scan *scan, size_t index) {
  struct crebind_world *world = &attempt->world;
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  const struct crebind_batch *batch = &diagnose->handle->batch;
  bool in_scope = crebind_handle_selects(diagnose->handle, world, index);
  struct count count = {.world = world, .item = crebind_batch_item(batch, 0), .index = index};
  crebind_status status = crebind_slot_scan_match(scan, dynamic, &batch->names);
  if (status == CREBIND_OK)
    status = crebind_slot_scan_visit(scan, crebind_world_image(world, index), dynamic,
                                     batch->options.slot_kinds, count_slot, &count);
  if (status != CREBIND_OK) return status;

  struct crebind_plan plan;
  crebind_plan_begin(&plan, world, batch);
  status = crebind_plan_add_image(&plan, index, true);
  size_t changeable = 0, sealed = 0;
  for (size_t i = 0; i < plan.entries.count; i++) {
    const struct crebind_entry *entry = crebind_vector_at(&plan.entries, i);
    if (entry->kind == CREBIND_DEFINITION) continue;
    bool is_sealed = crebind_patch_is_sealed(crebind_world_image(world, index), entry->address);
    sealed += is_sealed;
    changeable += !is_sealed;
  }
  crebind_plan_end(&plan);
  if (status != CREBIND_OK) return status;

  if (changeable != 0)
    status = add(diagnose, world, index,
                 in_scope ? CREBIND_REASON_HAS_SLOTS : CREBIND_REASON_NOT_IN_SCOPE, NULL,
                 changeable);
  else if (in_scope && sealed != 0)
    status = CREBIND_OK;  // which is told below
  else if (in_scope && count.other_version != NULL)
    status = add(diagnose, world, index, CREBIND_REASON_OTHER_VERSION, count.other_version,
                 count.slots);
  else if (in_scope && count.other_library != NULL)
    status = add(diagnose, world, index, CREBIND_REASON_OTHER_LIBRARY, count.other_library,
                 count.slots);
  else if (in_scope && count.slots != 0)
    status = add(diagnose, world, index, CREBIND_REASON_UNCHANGEABLE, NULL, count.slots);
  else if (in_scope && defines(scan, dynamic))
    status = add(diagnose, world, index, CREBIND_REASON_BOUND_INSIDE, NULL, 0);
  if (status == CREBIND_OK && in_scope && sealed != 0)
    status = add(diagnose, world, index, CREBIND_REASON_SEALED, NULL, sealed);
  if (status == CREBIND_OK && in_scope && count.bypassed != 0)
    status = add(diagnose, world, index, CREBIND_REASON_BYPASSED, NULL, count.bypassed);
  if (status == CREBIND_OK && in_scope) status = add_variants(diagnose, scan, world, index);
  return status;
}

// MARK: - All images

static crebind_status add_summary(struct diagnose *diagnose, struct crebind_world *world) {
  for (size_t i = 0; i < diagnose->items.count; i++) {
    const struct diagnosis *diagnosis = crebind_vector_at(&diagnose->items, i);
    if (diagnosis->reason == CREBIND_REASON_HAS_SLOTS
        || diagnosis->reason == CREBIND_REASON_SEALED)
      return CREBIND_OK;
  }
  const struct crebind_item *item = crebind_batch_item(&diagnose->handle->batch, 0);
  crebind_status status =
      add(diagnose, world, SIZE_MAX, CREBIND_REASON_NOT_IMPORTED, NULL, 0);
  if (status == CREBIND_OK && !crebind_world_is_defined(world, &item->name))
    status = add(diagnose, world, SIZE_MAX, CREBIND_REASON_NOT_DEFINED, NULL, 0);
  return status;
}

static crebind_status diagnose_locked(struct crebind_attempt *attempt, void *context) {
  struct diagnose *diagnose = context;
  diagnose->items.count = 0;
  if (crebind_images_are_static(&attempt->world.images))
    return add(diagnose, &attempt->world, SIZE_MAX, CREBIND_REASON_STATIC_EXECUTABLE, NULL, 0);
  struct crebind_slot_scan scan;
  crebind_slot_scan_begin(&scan);
  crebind_status status = CREBIND_OK;
  for (size_t i = 0; i < attempt->world.images.items.count && status == CREBIND_OK; i++) {
    const struct crebind_image *image = crebind_world_image(&attempt->world, i);
    if (image->is_vdso || image->is_loader) continue;
    status = diagnose_image(diagnose, attempt, &scan, i);
    if (status == CREBIND_BROKEN_IMAGE) status = CREBIND_OK;  // the others still have reasons
  }
  crebind_slot_scan_end(&scan);
  return status == CREBIND_OK ? add_summary(diagnose, &attempt->world) : status;
}

crebind_status crebind_diagnose(const crebind_rebinding *rebinding, const crebind_options *options,
                                crebind_diagnosis_visitor *visit, void *context,
                                crebind_error *error) {
  if (visit == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  int saved_errno = errno;
  struct diagnose diagnose = {.items = CREBIND_VECTOR(struct diagnosis)};
  crebind_strings_begin(&diagnose.strings);
  crebind_status status =
      crebind_handle_make(&diagnose.handle, rebinding, 1, options, false, error);
  if (status != CREBIND_OK) return status;
  const char *name = crebind_batch_item(&diagnose.handle->batch, 0)->name.string;
  status = make_variants(&diagnose.variants, name);
  if (status != CREBIND_OK)
    crebind_fail(error, status, 0);
  else
    status = crebind_attempt(diagnose_locked, &diagnose, diagnose.handle, error);
  errno = saved_errno;
  for (size_t i = 0; i < diagnose.items.count && status == CREBIND_OK; i++) {
    const struct diagnosis *diagnosis = crebind_vector_at(&diagnose.items, i);
    crebind_diagnosis info = {
        .reason = diagnosis->reason,
        .image = crebind_image_of(&diagnose.strings, &diagnosis->image),
        .detail = crebind_strings_at(&diagnose.strings, diagnosis->detail),
        .slots = diagnosis->slots,
    };
    visit(&info, context);
  }
  crebind_batch_free(&diagnose.variants);
  crebind_handle_free(diagnose.handle);
  crebind_vector_free(&diagnose.items);
  crebind_vector_free(&diagnose.strings.bytes);
  return status;
}
