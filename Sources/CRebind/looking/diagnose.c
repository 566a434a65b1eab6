/// Why does a rebinding of a symbol see an image's calls, or not?

#if defined(__linux__)
#define _GNU_SOURCE
#include "looking/diagnosis.h"
#include "looking/similar.h"
#include "runtime/status.h"
#include "sections/own-symbols.h"
#include "planning/other-scopes.h"
#include "planning/selection.h"
#include "arrivals/new-images.h"

#include <errno.h>

/// How often an image may be replaced while the files are read.
enum { ATTEMPTS = 16 };

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
    status = crebind_batch_make(variants, rebindings, NULL, items.count, NULL, false, 0, &bad_item);
  }
  crebind_vector_free(&items);
  crebind_vector_free(&names.offsets);
  crebind_vector_free(&names.strings.bytes);
  return status;
}

// MARK: - The loaded images

static struct crebind_gathered_diagnosis *add_hint(struct crebind_diagnosing *diagnosing,
                                                   const struct crebind_world *world,
                                                   size_t index, crebind_reason reason,
                                                   const char *detail) {
  struct crebind_gathered_diagnosis *hint = crebind_vector_append(&diagnosing->hints, 1);
  if (hint == NULL) return NULL;
  hint->reason = reason;
  hint->image = crebind_gather_image(&diagnosing->strings, world, index);
  hint->detail = crebind_strings_add(&diagnosing->strings, detail);
  return diagnosing->strings.lacks_memory ? NULL : hint;
}

/// Notes the images that export the name, but not as it is asked for.
static crebind_status find_other_exports(struct crebind_diagnosing *diagnosing,
                                         const struct crebind_world *world) {
  const struct crebind_item *item = crebind_diagnosing_item(diagnosing);
  const struct crebind_item any = {.name = item->name};
  struct crebind_item with_version = {.name = item->name, .version = item->version};
  for (size_t i = 0; i < world->images.items.count; i++) {
    if (crebind_world_image(world, i)->is_vdso
        || !crebind_item_is_exported_by(world, &any, i, NULL))
      continue;
    bool has_version = crebind_item_is_exported_by(world, &with_version, i, NULL);
    if (add_hint(diagnosing, world, i, CREBIND_REASON_NOT_DEFINED,
                 has_version ? "library" : "version")
        == NULL)
      return CREBIND_OUT_OF_MEMORY;
    diagnosing->is_exported_otherwise = true;
  }
  return CREBIND_OK;
}

static crebind_status find_similar(struct crebind_diagnosing *diagnosing,
                                   const struct crebind_world *world) {
  struct crebind_similar similar;
  crebind_find_similar(world, &crebind_diagnosing_item(diagnosing)->name, &similar);
  for (size_t i = 0; i < similar.count; i++)
    if (add_hint(diagnosing, world, similar.names[i].image, CREBIND_REASON_SIMILAR_NAME,
                 similar.names[i].name)
        == NULL)
      return CREBIND_OUT_OF_MEMORY;
  return CREBIND_OK;
}

/// Finds out whether anything exports the symbol, and if not, what may have been meant.
static crebind_status look_for_exports(struct crebind_diagnosing *diagnosing,
                                       const struct crebind_world *world) {
  diagnosing->is_exported =
      crebind_item_is_exported(world, crebind_diagnosing_item(diagnosing));
  if (diagnosing->is_exported) return CREBIND_OK;
  crebind_status status = find_other_exports(diagnosing, world);
  return status == CREBIND_OK && !diagnosing->is_exported_otherwise
             ? find_similar(diagnosing, world)
             : status;
}

static void forget(struct crebind_diagnosing *diagnosing) {
  crebind_vector_truncate(&diagnosing->items, 0);
  crebind_vector_truncate(&diagnosing->hints, 0);
  crebind_vector_truncate(&diagnosing->suspects, 0);
  crebind_vector_free(&diagnosing->left_alone);
  crebind_portraits_clear(&diagnosing->portraits);
  diagnosing->is_exported = diagnosing->is_exported_otherwise = false;
}

/// Finds the slots that an apply would leave to another local scope, in all images at once.
static crebind_status find_left_alone(struct crebind_diagnosing *diagnosing,
                                      struct crebind_world *world) {
  // Slots that lead to the replacement already are planned, too.
  struct crebind_handle *handle = diagnosing->without_replacement;
  struct crebind_plan plan;
  crebind_plan_begin(&plan, world, handle, false);
  crebind_status status = CREBIND_OK;
  for (size_t i = 0; i < world->images.items.count && status == CREBIND_OK; i++) {
    if (crebind_handle_selects(diagnosing->handle, world, i))
      status = crebind_plan_add_image(&plan, i, true);
    if (status == CREBIND_BROKEN_IMAGE) status = CREBIND_OK;
  }
  if (status == CREBIND_OK) status = crebind_leave_other_scopes(&plan, handle);
  diagnosing->left_alone = plan.left_alone;
  plan.left_alone = CREBIND_VECTOR(uint32_t);
  crebind_plan_end(&plan);
  return status;
}

static crebind_status diagnose_locked(struct crebind_attempt *attempt, void *context) {
  struct crebind_diagnosing *diagnosing = context;
  struct crebind_world *world = &attempt->world;
  forget(diagnosing);
  if (crebind_images_are_static(&world->images))
    return crebind_add_diagnosis(diagnosing, CREBIND_REASON_STATIC_EXECUTABLE, NULL, NULL, 0);
  if (!crebind_find_definers(world, &diagnosing->handle->batch)
      || !crebind_find_definers(world, &diagnosing->without_replacement->batch))
    return CREBIND_NO_SUCH_IMAGE;
  crebind_status status = find_left_alone(diagnosing, world);
  struct crebind_slot_scan scan;
  crebind_slot_scan_begin(&scan);
  for (size_t i = 0; i < world->images.items.count && status == CREBIND_OK; i++) {
    const struct crebind_image *image = crebind_world_image(world, i);
    if (image->is_vdso || image->is_loader) continue;
    status = crebind_diagnose_image(diagnosing, attempt, &scan, i);
    if (status == CREBIND_BROKEN_IMAGE) status = CREBIND_OK;  // the others still have reasons
  }
  crebind_slot_scan_end(&scan);
  return status == CREBIND_OK ? look_for_exports(diagnosing, world) : status;
}

// MARK: - Their files

/// The word for why a file cannot tell.
static const char *detail_of_failure(crebind_status status) {
  return status == CREBIND_NO_SECTION ? "stripped" : "unreadable";
}

/// Looks for the function in the files of the images that know nothing of it.
///
/// \param has_found Receives true if one has it that is meant. Any library may have a static
///   function of that name, and says nothing about the one that was asked for.
static crebind_status add_own(struct crebind_diagnosing *diagnosing, bool *has_found) {
  const char *name = crebind_diagnosing_item(diagnosing)->name.string;
  *has_found = false;
  for (size_t i = 0; i < diagnosing->suspects.count; i++) {
    struct crebind_suspect *suspect = crebind_vector_at(&diagnosing->suspects, i);
    enum crebind_own own;
    suspect->status = crebind_find_own_symbol(
        &diagnosing->portraits, crebind_portrait_at(&diagnosing->portraits, i), name, &own);
    if (suspect->status == CREBIND_BUSY || suspect->status == CREBIND_OUT_OF_MEMORY)
      return suspect->status;
    if (own == CREBIND_OWN_NONE || (own == CREBIND_OWN_DATA && !suspect->is_likely)) continue;
    *has_found |= own != CREBIND_OWN_LOCAL || suspect->is_likely;
    crebind_status status = crebind_add_diagnosis(diagnosing, CREBIND_REASON_BOUND_INSIDE,
                                                  &suspect->image, crebind_detail_of_own(own), 0);
    if (status != CREBIND_OK) return status;
  }
  return CREBIND_OK;
}

/// Names the images whose files cannot tell.
static crebind_status add_guesses(struct crebind_diagnosing *diagnosing) {
  for (size_t i = 0; i < diagnosing->suspects.count; i++) {
    const struct crebind_suspect *suspect = crebind_vector_at(&diagnosing->suspects, i);
    if (!suspect->is_likely || suspect->status == CREBIND_OK) continue;
    crebind_status status =
        crebind_add_diagnosis(diagnosing, CREBIND_REASON_MAY_BE_INSIDE, &suspect->image,
                              detail_of_failure(suspect->status), 0);
    if (status != CREBIND_OK) return status;
  }
  return CREBIND_OK;
}

// MARK: - All

static bool has_reason(const struct crebind_diagnosing *diagnosing, crebind_reason reason) {
  for (size_t i = 0; i < diagnosing->items.count; i++) {
    const struct crebind_gathered_diagnosis *diagnosis = crebind_vector_at(&diagnosing->items, i);
    if (diagnosis->reason == reason) return true;
  }
  return false;
}

/// True if an image in scope has a slot for the symbol, whatever keeps it from being changed.
static bool is_imported(const struct crebind_diagnosing *diagnosing) {
  for (size_t i = 0; i < diagnosing->items.count; i++) {
    const struct crebind_gathered_diagnosis *diagnosis = crebind_vector_at(&diagnosing->items, i);
    if (diagnosis->reason == CREBIND_REASON_OTHER_NAME) continue;
    // Out of scope are images, and kinds of slots, which have a detail.
    bool is_in_scope = diagnosis->reason != CREBIND_REASON_NOT_IN_SCOPE
                       || crebind_strings_at(&diagnosing->strings, diagnosis->detail)[0] != 0;
    if (diagnosis->slots != 0 && is_in_scope) return true;
  }
  return false;
}

/// Adds the reasons that are of no image in particular, and what may have been meant.
static crebind_status add_summary(struct crebind_diagnosing *diagnosing, bool has_found) {
  bool is_nowhere = !diagnosing->is_exported && !has_found;
  bool has_name = diagnosing->is_exported_otherwise;
  crebind_status status = is_nowhere && !has_name ? add_guesses(diagnosing) : CREBIND_OK;
  if (status == CREBIND_OK && !is_imported(diagnosing))
    status = crebind_add_diagnosis(diagnosing, CREBIND_REASON_NOT_IMPORTED, NULL, NULL, 0);
  if (status != CREBIND_OK || !is_nowhere) return status;
  if (!has_name)
    status = crebind_add_diagnosis(diagnosing, CREBIND_REASON_NOT_DEFINED, NULL, NULL, 0);
  for (size_t i = 0; i < diagnosing->hints.count && status == CREBIND_OK; i++) {
    struct crebind_gathered_diagnosis *item = crebind_vector_append(&diagnosing->items, 1);
    if (item == NULL) return CREBIND_OUT_OF_MEMORY;
    *item = *(struct crebind_gathered_diagnosis *)crebind_vector_at(&diagnosing->hints, i);
  }
  return status;
}

static crebind_status find_reasons(struct crebind_diagnosing *diagnosing, crebind_error *error) {
  for (int i = 0; i < ATTEMPTS; i++) {
    crebind_status status = crebind_attempt(diagnose_locked, diagnosing, diagnosing->handle, error);
    if (status != CREBIND_OK) return status;
    if (has_reason(diagnosing, CREBIND_REASON_STATIC_EXECUTABLE)) return status;
    bool has_found;
    status = add_own(diagnosing, &has_found);
    if (status == CREBIND_BUSY) continue;
    if (status == CREBIND_OK) status = add_summary(diagnosing, has_found);
    return status == CREBIND_OK ? status : crebind_fail(error, status, 0);
  }
  return crebind_fail(error, CREBIND_BUSY, 0);
}

static void visit_all(const struct crebind_diagnosing *diagnosing,
                      crebind_diagnosis_visitor *visit, void *context) {
  for (size_t i = 0; i < diagnosing->items.count; i++) {
    const struct crebind_gathered_diagnosis *diagnosis = crebind_vector_at(&diagnosing->items, i);
    crebind_diagnosis info = {
        .reason = diagnosis->reason,
        .image = crebind_image_of(&diagnosing->strings, &diagnosis->image),
        .detail = crebind_strings_at(&diagnosing->strings, diagnosis->detail),
        .slots = diagnosis->slots,
    };
    visit(&info, context);
  }
}

crebind_status crebind_diagnose(const crebind_rebinding *rebinding, const crebind_options *options,
                                crebind_diagnosis_visitor *visit, void *context,
                                crebind_error *error) {
  if (visit == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  int saved_errno = errno;
  struct crebind_diagnosing diagnosing = {
      .items = CREBIND_VECTOR(struct crebind_gathered_diagnosis),
      .hints = CREBIND_VECTOR(struct crebind_gathered_diagnosis),
      .suspects = CREBIND_VECTOR(struct crebind_suspect),
      .left_alone = CREBIND_VECTOR(uint32_t),
  };
  crebind_status status =
      crebind_handle_make(&diagnosing.handle, rebinding, NULL, 1, options, false, false, error);
  if (status != CREBIND_OK) return status;
  crebind_rebinding anonymous = *rebinding;
  anonymous.replacement = NULL;
  status = crebind_handle_make(&diagnosing.without_replacement, &anonymous, NULL, 1, options, false,
                               false, error);
  if (status != CREBIND_OK) {
    crebind_active_free(diagnosing.handle);
    return status;
  }
  crebind_strings_begin(&diagnosing.strings);
  crebind_portraits_begin(&diagnosing.portraits);
  status = make_variants(&diagnosing.variants, crebind_diagnosing_item(&diagnosing)->name.string);
  if (status != CREBIND_OK)
    crebind_fail(error, status, 0);
  else
    status = find_reasons(&diagnosing, error);
  errno = saved_errno;
  if (status == CREBIND_OK) visit_all(&diagnosing, visit, context);
  crebind_batch_free(&diagnosing.variants);
  crebind_active_free(diagnosing.handle);
  crebind_active_free(diagnosing.without_replacement);
  crebind_portraits_end(&diagnosing.portraits);
  crebind_vector_free(&diagnosing.items);
  crebind_vector_free(&diagnosing.hints);
  crebind_vector_free(&diagnosing.suspects);
  crebind_vector_free(&diagnosing.left_alone);
  crebind_vector_free(&diagnosing.strings.bytes);
  return status;
}
#endif
