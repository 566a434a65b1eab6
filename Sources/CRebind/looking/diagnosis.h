/// A diagnosis under way: the reasons that have been found, and the questions for files.

#if defined(__linux__)
#pragma once

#include "transactions/attempt.h"
#include "world/gather.h"
#include "world/portrait.h"

#pragma GCC visibility push(hidden)

/// A reason; the detail is an offset.
struct crebind_gathered_diagnosis {
  crebind_reason reason;
  struct crebind_gathered_image image;
  size_t detail, slots;
};

struct crebind_diagnosing {
  struct crebind_handle *handle;
  struct crebind_handle *without_replacement;  // the same, with none
  struct crebind_batch variants;  // other names of the function
  /// The reasons; and what may have been meant, to be told if nothing has the symbol.
  struct crebind_vector items, hints;  // struct crebind_gathered_diagnosis
  struct crebind_strings strings;
  /// Images in scope that neither import nor export the symbol, since their files may have it;
  /// and a portrait of each.
  struct crebind_vector suspects;  // struct crebind_suspect
  struct crebind_portraits portraits;
  /// For each slot that an apply would leave alone, the known image that has it.
  struct crebind_vector left_alone;  // uint32_t
  /// Some image exports the symbol as it is asked for, in whichever scope.
  bool is_exported;
  /// Some image exports the name: in another version, or from another library.
  bool is_exported_otherwise;
};

/// An image that may have the function for itself.
struct crebind_suspect {
  struct crebind_gathered_image image;
  /// It is worth saying where its file cannot tell.
  bool is_likely;
  /// Why it cannot, once it has been asked.
  crebind_status status;
};

/// The rebinding that is asked about.
static inline const struct crebind_item *crebind_diagnosing_item(
    const struct crebind_diagnosing *diagnosing) {
  return crebind_batch_item(&diagnosing->handle->batch, 0);
}

/// Adds a reason.
///
/// \param image NULL if the reason is no image's in particular.
crebind_status crebind_add_diagnosis(struct crebind_diagnosing *diagnosing, crebind_reason reason,
                                     const struct crebind_gathered_image *image,
                                     const char *detail, size_t slots);

/// Adds a reason of an image; phase C.
crebind_status crebind_add_image_diagnosis(struct crebind_diagnosing *diagnosing,
                                           const struct crebind_world *world, size_t index,
                                           crebind_reason reason, const char *detail,
                                           size_t slots);

/// Adds the reasons for one image but the loader and the vDSO; phase C.
crebind_status crebind_diagnose_image(struct crebind_diagnosing *diagnosing,
                                      struct crebind_attempt *attempt,
                                      struct crebind_slot_scan *scan, size_t index);

#pragma GCC visibility pop
#endif
