/// The slots of a batch, before it is applied and after.

#if defined(__linux__)
#define _GNU_SOURCE
#include "looking/inspect.h"
#include "runtime/status.h"
#include "transactions/attempt.h"
#include "world/gather.h"

#include <errno.h>

struct inspection {
  struct crebind_handle *handle;
  struct crebind_vector slots;  // struct crebind_gathered_slot
  struct crebind_strings strings;
};

static void begin(struct inspection *inspection) {
  inspection->slots = CREBIND_VECTOR(struct crebind_gathered_slot);
  crebind_strings_begin(&inspection->strings);
}

static void visit_and_end(struct inspection *inspection, crebind_status status,
                          crebind_slot_visitor *visit, void *context) {
  for (size_t i = 0; i < inspection->slots.count && status == CREBIND_OK; i++) {
    crebind_slot_info info =
        crebind_slot_of(&inspection->strings, crebind_vector_at(&inspection->slots, i));
    visit(&info, context);
  }
  crebind_vector_free(&inspection->slots);
  crebind_vector_free(&inspection->strings.bytes);
}

static crebind_status gather(struct inspection *inspection, const struct crebind_world *world,
                             const struct crebind_vector *entries) {
  for (size_t i = 0; i < entries->count; i++) {
    const struct crebind_entry *entry = crebind_vector_at(entries, i);
    if (entry->kind == CREBIND_DEFINITION) continue;
    struct crebind_gathered_slot *slot = crebind_vector_append(&inspection->slots, 1);
    if (slot == NULL) return CREBIND_OUT_OF_MEMORY;
    *slot = crebind_gather_slot(&inspection->strings, world, entry);
  }
  return inspection->strings.lacks_memory ? CREBIND_OUT_OF_MEMORY : CREBIND_OK;
}

static crebind_status plan_locked(struct crebind_attempt *attempt, void *context) {
  struct inspection *inspection = context;
  crebind_status status = crebind_attempt_ask(attempt, inspection->handle);
  if (status != CREBIND_OK) return status;
  struct crebind_plan plan;
  crebind_plan_begin(&plan, &attempt->world, inspection->handle, false);
  crebind_vector_truncate(&inspection->slots, 0);
  status = crebind_attempt_plan(attempt, &plan, inspection->handle);
  if (status == CREBIND_OK) status = gather(inspection, &attempt->world, &plan.entries);
  crebind_plan_end(&plan);
  return status;
}

crebind_status crebind_plan_exact(const crebind_rebinding *rebindings,
                                  const struct crebind_exact_definition *exact, size_t count,
                                  const crebind_options *options, crebind_slot_visitor *visit,
                                  void *context, crebind_error *error) {
  if (visit == NULL || count == 0) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  int saved_errno = errno;
  struct crebind_handle *handle;
  crebind_status status =
      crebind_handle_make(&handle, rebindings, exact, count, options, true, false, error);
  if (status != CREBIND_OK) return status;
  struct inspection inspection = {.handle = handle};
  begin(&inspection);
  status = crebind_attempt(plan_locked, &inspection, handle, error);
  crebind_active_free(handle);
  errno = saved_errno;
  visit_and_end(&inspection, status, visit, context);
  return status;
}

crebind_status crebind_plan(const crebind_rebinding *rebindings, size_t count,
                            const crebind_options *options, crebind_slot_visitor *visit,
                            void *context, crebind_error *error) {
  return crebind_plan_exact(rebindings, NULL, count, options, visit, context, error);
}

static crebind_status slots_locked(struct crebind_attempt *attempt, void *context) {
  struct inspection *inspection = context;
  crebind_vector_truncate(&inspection->slots, 0);
  return gather(inspection, &attempt->world, &inspection->handle->entries);
}

crebind_status crebind_slots(const crebind_handle *handle, crebind_slot_visitor *visit,
                             void *context, crebind_error *error) {
  if (handle == NULL || visit == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  int saved_errno = errno;
  struct inspection inspection = {.handle = (struct crebind_handle *)handle};
  begin(&inspection);
  crebind_status status = crebind_attempt(slots_locked, &inspection, NULL, error);
  errno = saved_errno;
  visit_and_end(&inspection, status, visit, context);
  return status;
}
#endif
