/// The audit: slots that somebody else has hooked.

#if defined(__linux__)
#define _GNU_SOURCE
#include "looking/target.h"
#include "runtime/status.h"
#include "transactions/attempt.h"

#include <errno.h>

struct finding {
  struct crebind_gathered_slot slot;
  struct crebind_gathered_target target;
  bool is_ours;
};

struct audit {
  struct crebind_world *world;
  size_t index;  // of the image that is being walked
  struct crebind_vector findings;  // struct finding
  struct crebind_strings strings;
};

static crebind_status visit_slot(void *context, const struct crebind_slot *slot, uint32_t unused) {
  (void)unused;
  struct audit *audit = context;
  struct crebind_world *world = audit->world;
  struct crebind_name name;
  // A pointer in writable data is the program's to assign.
  if (slot->kind == CREBIND_ABSOLUTE
      && !crebind_slot_is_relro(crebind_world_image(world, audit->index), slot))
    return CREBIND_OK;
  if (!crebind_slot_is_judgeable(world, audit->index, slot, &name)
      || crebind_slot_leads_home(world, audit->index, slot, &name))
    return CREBIND_OK;
  struct crebind_judgement judgement;
  crebind_status status = crebind_judge_slot(world, audit->index, slot, &name, &judgement);
  if (status != CREBIND_OK || judgement.rebinder == CREBIND_REBOUND_BY_NOBODY) return status;

  struct crebind_entry entry = {
      .address = slot->address,
      .original = judgement.expected,
      .value = judgement.expected + slot->added,
      .image = crebind_world_known(world, audit->index),
      .symbol = slot->symbol,
      .kind = (uint8_t)slot->kind,
  };
  struct finding *finding = crebind_vector_append(&audit->findings, 1);
  if (finding == NULL) return CREBIND_OUT_OF_MEMORY;
  finding->slot = crebind_gather_slot(&audit->strings, world, &entry);
  finding->target = crebind_gather_target(&audit->strings, world, judgement.target, name.string);
  finding->is_ours = judgement.rebinder == CREBIND_REBOUND_BY_US;
  return CREBIND_OK;
}

static crebind_status audit_locked(struct crebind_attempt *attempt, void *context) {
  struct audit *audit = context;
  audit->world = &attempt->world;
  crebind_vector_truncate(&audit->findings, 0);
  for (size_t i = 0; i < attempt->world.images.items.count; i++) {
    const struct crebind_image *image = crebind_world_image(&attempt->world, i);
    if (image->is_vdso || image->is_loader) continue;
    audit->index = i;
    crebind_status status =
        crebind_slot_scan_visit(NULL, image, crebind_world_dynamic(&attempt->world, i),
                                CREBIND_ALL_SLOT_KINDS, visit_slot, audit);
    if (status != CREBIND_OK) return status;
  }
  return audit->strings.lacks_memory ? CREBIND_OUT_OF_MEMORY : CREBIND_OK;
}

crebind_status crebind_audit(crebind_finding_visitor *visit, void *context,
                             crebind_error *error) {
  if (visit == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  int saved_errno = errno;
  struct audit audit = {.findings = CREBIND_VECTOR(struct finding)};
  crebind_strings_begin(&audit.strings);
  crebind_status status = crebind_attempt(audit_locked, &audit, NULL, error);
  errno = saved_errno;
  for (size_t i = 0; i < audit.findings.count && status == CREBIND_OK; i++) {
    const struct finding *finding = crebind_vector_at(&audit.findings, i);
    crebind_finding info = {
        .slot = crebind_slot_of(&audit.strings, &finding->slot),
        .target = crebind_image_of(&audit.strings, &finding->target.image),
        .target_symbol = crebind_strings_at(&audit.strings, finding->target.symbol),
        .target_offset = finding->target.offset,
        .is_ours = finding->is_ours,
    };
    visit(&info, context);
  }
  crebind_vector_free(&audit.findings);
  crebind_vector_free(&audit.strings.bytes);
  return status;
}
#endif
