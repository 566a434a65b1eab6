/// Why does a rebinding of a symbol see an image's calls, or not?

#define _GNU_SOURCE
#include "looking/diagnosis.h"
#include "looking/similar.h"
#include "runtime/status.h"
#include "sections/own-symbols.h"

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
    status = crebind_batch_make(variants, rebindings, items.count, NULL, false, &bad_item);
  }
  crebind_vector_free(&items);
  crebind_vector_free(&names.offsets);
  crebind_vector_free(&names.strings.bytes);
  return status;
}

// MARK: - The loaded images

static crebind_status find_similar(struct crebind_diagnosing *diagnosing,
                                   const struct crebind_world *world) {
  struct crebind_similar similar;
  crebind_find_similar(world, &crebind_diagnosing_item(diagnosing)->name, &similar);
  if (similar.count == 0) return CREBIND_OK;
  struct crebind_gathered_diagnosis *items =
      crebind_vector_append(&diagnosing->similar, similar.count);
  if (items == NULL) return CREBIND_OUT_OF_MEMORY;
  for (size_t i = 0; i < similar.count; i++) {
    items[i].reason = CREBIND_REASON_SIMILAR_NAME;
    items[i].image = crebind_gather_image(&diagnosing->strings, world, similar.names[i].image);
    items[i].detail = crebind_strings_add(&diagnosing->strings, similar.names[i].name);
  }
  return diagnosing->strings.lacks_memory ? CREBIND_OUT_OF_MEMORY : CREBIND_OK;
}

static void forget(struct crebind_diagnosing *diagnosing) {
  diagnosing->items.count = diagnosing->similar.count = diagnosing->suspects.count = 0;
  diagnosing->portraits.items.count = diagnosing->portraits.bytes.count = 0;
  diagnosing->is_exported = false;
}

static crebind_status diagnose_locked(struct crebind_attempt *attempt, void *context) {
  struct crebind_diagnosing *diagnosing = context;
  struct crebind_world *world = &attempt->world;
  forget(diagnosing);
  if (crebind_images_are_static(&world->images))
    return crebind_add_diagnosis(diagnosing, CREBIND_REASON_STATIC_EXECUTABLE, NULL, NULL, 0);
  struct crebind_slot_scan scan;
  crebind_slot_scan_begin(&scan);
  crebind_status status = CREBIND_OK;
  for (size_t i = 0; i < world->images.items.count && status == CREBIND_OK; i++) {
    const struct crebind_image *image = crebind_world_image(world, i);
    if (image->is_vdso || image->is_loader) continue;
    status = crebind_diagnose_image(diagnosing, attempt, &scan, i);
    if (status == CREBIND_BROKEN_IMAGE) status = CREBIND_OK;  // the others still have reasons
  }
  crebind_slot_scan_end(&scan);
  diagnosing->is_exported =
      crebind_world_is_defined(world, &crebind_diagnosing_item(diagnosing)->name);
  return status == CREBIND_OK && !diagnosing->is_exported ? find_similar(diagnosing, world)
                                                          : status;
}

// MARK: - Their files

/// The word for how an image has a function for itself.
static const char *detail_of(enum crebind_own own) {
  switch (own) {
  case CREBIND_OWN_UNEXPORTED: return "unexported";
  case CREBIND_OWN_HIDDEN: return "hidden";
  case CREBIND_OWN_LOCAL: return "local";
  case CREBIND_OWN_NONE: break;
  }
  return NULL;
}

/// The word for why a file cannot tell.
static const char *detail_of_failure(crebind_status status) {
  switch (status) {
  case CREBIND_NO_SECTION: return "stripped";
  case CREBIND_OTHER_FILE: return "replaced";
  default: return "unreadable";
  }
}

/// Looks for the function in the files of the images that know nothing of it.
///
/// \param has_found Receives true if one has it.
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
    if (own == CREBIND_OWN_NONE) continue;
    *has_found = true;
    crebind_status status = crebind_add_diagnosis(diagnosing, CREBIND_REASON_BOUND_INSIDE,
                                                  &suspect->image, detail_of(own), 0);
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

/// Adds the reasons that are of no image in particular, and what may have been meant.
static crebind_status add_summary(struct crebind_diagnosing *diagnosing, bool has_found) {
  bool is_nowhere = !diagnosing->is_exported && !has_found;
  crebind_status status = is_nowhere ? add_guesses(diagnosing) : CREBIND_OK;
  if (status == CREBIND_OK && !has_reason(diagnosing, CREBIND_REASON_HAS_SLOTS)
      && !has_reason(diagnosing, CREBIND_REASON_SEALED))
    status = crebind_add_diagnosis(diagnosing, CREBIND_REASON_NOT_IMPORTED, NULL, NULL, 0);
  if (status != CREBIND_OK || !is_nowhere) return status;
  status = crebind_add_diagnosis(diagnosing, CREBIND_REASON_NOT_DEFINED, NULL, NULL, 0);
  for (size_t i = 0; i < diagnosing->similar.count && status == CREBIND_OK; i++) {
    struct crebind_gathered_diagnosis *item = crebind_vector_append(&diagnosing->items, 1);
    if (item == NULL) return CREBIND_OUT_OF_MEMORY;
    *item = *(struct crebind_gathered_diagnosis *)crebind_vector_at(&diagnosing->similar, i);
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
      .similar = CREBIND_VECTOR(struct crebind_gathered_diagnosis),
      .suspects = CREBIND_VECTOR(struct crebind_suspect),
  };
  crebind_status status =
      crebind_handle_make(&diagnosing.handle, rebinding, 1, options, false, error);
  if (status != CREBIND_OK) return status;
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
  crebind_handle_free(diagnosing.handle);
  crebind_portraits_end(&diagnosing.portraits);
  crebind_vector_free(&diagnosing.items);
  crebind_vector_free(&diagnosing.similar);
  crebind_vector_free(&diagnosing.suspects);
  crebind_vector_free(&diagnosing.strings.bytes);
  return status;
}
