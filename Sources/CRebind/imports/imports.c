/// Rebindings of whatever images import: a batch for what was there at first, and one for each load
/// that brought definitions which nobody had imported.

#if defined(__linux__)
#define _GNU_SOURCE
#include "imports/serve.h"
#include "looking/inspect.h"
#include "runtime/lock.h"
#include "runtime/status.h"
#include "transactions/notice.h"
#include "transactions/observe.h"

#include <errno.h>

// MARK: - Life

static void free_imports(struct crebind_imports *imports) {
  crebind_vector_free(&imports->headers);
  crebind_vector_free(&imports->parts);
  crebind_asked_imports_end(&imports->asked);
  crebind_memory_free(imports, sizeof *imports);
}

static struct crebind_imports *make(crebind_import_predicate *choose, void *context,
                                    const crebind_options *options) {
  struct crebind_imports *imports = crebind_memory(sizeof *imports);
  if (imports == NULL) return NULL;
  imports->choose = choose;
  imports->context = context;
  if (options != NULL) imports->options = *options;
  imports->options.expects = CREBIND_EXPECT_NOTHING;
  imports->work = CREBIND_WORKING;
  imports->worker = crebind_thread_number();
  imports->headers = CREBIND_VECTOR(const void *);
  imports->parts = CREBIND_VECTOR(struct crebind_import_part);
  crebind_asked_imports_begin(&imports->asked);
  if (imports->options.scope != CREBIND_SCOPE_IMAGES || options->images == NULL) return imports;
  const void **headers = crebind_vector_append(&imports->headers, options->image_count);
  if (headers == NULL && options->image_count != 0) {
    free_imports(imports);
    return NULL;
  }
  for (size_t i = 0; i < options->image_count; i++) headers[i] = options->images[i];
  imports->options.images = headers;
  return imports;
}

/// A report is nothing but counts.
static void add_report(crebind_report *sum, const crebind_report *report) {
  _Static_assert(sizeof *sum % sizeof(size_t) == 0, "a report has counts alone");
  size_t *counts = (size_t *)sum;
  const size_t *others = (const size_t *)report;
  for (size_t i = 0; i < sizeof *sum / sizeof *counts; i++) counts[i] += others[i];
}

/// The notice comes with the first batch, or, if nothing is chosen, after the first look.
static crebind_status observe(struct crebind_imports *imports, crebind_error *error) {
  const crebind_image_observer observer = {
      .added = crebind_imports_image_added, .context = imports};
  if (!crebind_options_serve_later_images(&imports->options)) return CREBIND_OK;
  crebind_status status = crebind_observation_begin(&observer, &imports->observation, error);
  if (status == CREBIND_OK) crebind_tell_observers();
  return status;
}

static void end_observing(struct crebind_imports *imports) {
  if (imports->observation != NULL) crebind_observation_end(imports->observation);
  if (imports->asks_for_notice) crebind_notice_remove();
  imports->observation = NULL;
  imports->asks_for_notice = false;
}

/// Hears of the images that have come before there was notice.
static void hear_of_images(struct crebind_imports *imports) {
  if (imports->observation == NULL) return;
  if (imports->parts.count == 0 && !imports->asks_for_notice) {
    imports->asks_for_notice = true;
    crebind_notice_install();
  }
  if (crebind_look_for_images(NULL) != CREBIND_OK)
    __atomic_store_n(&imports->is_behind, true, __ATOMIC_RELEASE);
  crebind_tell_observers();
}

/// Looks for the first time, and again where images have come meanwhile. The thread works on.
static crebind_status serve_all(struct crebind_imports *imports, crebind_report *report,
                                crebind_error *error) {
  crebind_status status;
  do {
    // This look finds all images that the observer has heard of by now.
    __atomic_store_n(&imports->work, CREBIND_WORKING, __ATOMIC_RELEASE);
    crebind_report of_part = {0};
    status = crebind_imports_serve(imports, NULL, &of_part, error);
    add_report(report, &of_part);
    if (status == CREBIND_OK) hear_of_images(imports);
  } while (status == CREBIND_OK
           && __atomic_load_n(&imports->work, __ATOMIC_ACQUIRE) == CREBIND_WORKING_AND_CALLED);
  return status;
}

/// Restores the batches, the newest first. True if none is left.
static bool restore_parts(struct crebind_imports *imports, crebind_report *report,
                          crebind_status *status, crebind_error *error) {
  struct crebind_import_part *parts = (struct crebind_import_part *)imports->parts.data;
  size_t kept = 0;
  for (size_t i = imports->parts.count; i-- > 0;) {
    crebind_report of_part = {0};
    // The error is that of the first failure.
    crebind_status restored =
        crebind_restore(parts[i].handle, &of_part, *status == CREBIND_OK ? error : NULL);
    add_report(report, &of_part);
    if (restored == CREBIND_OK) {
      parts[i].handle = NULL;
      continue;
    }
    kept++;
    if (*status == CREBIND_OK) *status = restored;
  }
  crebind_lock();
  size_t next = 0;
  for (size_t i = 0; i < imports->parts.count; i++) {
    if (parts[i].handle != NULL) parts[next++] = parts[i];
    CREBIND_KEEP_LOOP();
  }
  crebind_vector_truncate(&imports->parts, kept);
  crebind_unlock();
  return kept == 0;
}

/// Ends all of it, by the thread that works. False if batches are left, and `imports` with them.
static bool finish(struct crebind_imports *imports, crebind_report *report,
                   crebind_status *status, crebind_error *error) {
  end_observing(imports);
  if (!restore_parts(imports, report, status, error)) {
    __atomic_store_n(&imports->work, CREBIND_IDLE, __ATOMIC_RELEASE);
    return false;
  }
  crebind_imports_unlink(imports);
  free_imports(imports);
  return true;
}

crebind_status crebind_apply_imports(crebind_import_predicate *choose, void *context,
                                     const crebind_options *options, crebind_imports **result,
                                     crebind_report *report, crebind_error *error) {
  if (choose == NULL || result == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  int saved_errno = errno;
  struct crebind_imports *imports = make(choose, context, options);
  if (imports == NULL) return crebind_fail(error, CREBIND_OUT_OF_MEMORY, -1);
  crebind_imports_link(imports);
  crebind_report sum = {0}, unused = {0};
  crebind_status status = observe(imports, error);
  if (status == CREBIND_OK) status = serve_all(imports, &sum, error);
  bool may_be_empty = options == NULL || options->expects == CREBIND_EXPECT_NOTHING
                      || (options->expects == CREBIND_EXPECT_LATER
                          && crebind_options_serve_later_images(options));
  if (status == CREBIND_OK && imports->chosen == 0 && !may_be_empty)
    status = crebind_fail(error, CREBIND_UNREACHED, -1);
  if (status == CREBIND_OK) {
    *result = imports;
    if (report != NULL) *report = sum;
    crebind_imports_end_work(imports);
  } else {
    crebind_status restored = CREBIND_OK;
    // The caller can restore the rest.
    if (!finish(imports, &unused, &restored, NULL)) {
      status = crebind_fail(error, CREBIND_NOT_TAKEN_BACK, -1);
      *result = imports;
    }
  }
  errno = saved_errno;
  return status;
}

crebind_status crebind_plan_imports(crebind_import_predicate *choose, void *context,
                                    const crebind_options *options, crebind_slot_visitor *visit,
                                    void *visit_context, crebind_error *error) {
  if (choose == NULL || visit == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  int saved_errno = errno;
  struct crebind_imports *imports = make(choose, context, options);
  if (imports == NULL) return crebind_fail(error, CREBIND_OUT_OF_MEMORY, -1);
  struct crebind_import_choices choices;
  crebind_status status = crebind_imports_find_and_ask(imports, NULL, &choices, error);
  if (status == CREBIND_OK && choices.rebindings.count != 0)
    status = crebind_plan_exact((const crebind_rebinding *)choices.rebindings.data,
                                (const struct crebind_exact_definition *)choices.exact.data,
                                choices.rebindings.count, &imports->options, visit, visit_context,
                                error);
  crebind_import_choices_free(&choices);
  free_imports(imports);
  errno = saved_errno;
  return status;
}

crebind_status crebind_verify_imports(crebind_imports *imports, crebind_report *report,
                                      crebind_error *error) {
  if (imports == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  if (!crebind_imports_begin_work(imports)) return crebind_fail(error, CREBIND_PREDICATE_RUNS, -1);
  crebind_report sum = {0};
  crebind_status status = CREBIND_OK;
  if (__atomic_load_n(&imports->is_behind, __ATOMIC_ACQUIRE))
    status = crebind_imports_catch_up(imports, NULL, error);
  for (size_t i = 0; i < imports->parts.count && status == CREBIND_OK; i++) {
    crebind_report of_part = {0};
    const struct crebind_import_part *part = crebind_imports_part(imports, i);
    status = crebind_verify(part->handle, &of_part, error);
    add_report(&sum, &of_part);
  }
  crebind_imports_end_work(imports);
  if (status == CREBIND_OK && report != NULL) *report = sum;
  return status;
}

crebind_status crebind_restore_imports(crebind_imports *imports, crebind_report *report,
                                       crebind_error *error) {
  if (imports == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  __atomic_store_n(&imports->is_ending, true, __ATOMIC_RELEASE);
  if (!crebind_imports_begin_work(imports)) {
    __atomic_store_n(&imports->is_behind, true, __ATOMIC_RELEASE);
    __atomic_store_n(&imports->is_ending, false, __ATOMIC_RELEASE);
    return crebind_fail(error, CREBIND_PREDICATE_RUNS, -1);
  }
  crebind_report sum = {0};
  crebind_status status = CREBIND_OK;
  finish(imports, &sum, &status, error);
  if (report != NULL) *report = sum;
  return status;
}

// MARK: - Slots

struct shifted {
  crebind_slot_visitor *visit;
  void *context;
  size_t first;
};

static void visit_shifted(const crebind_slot_info *slot, void *context) {
  const struct shifted *shifted = context;
  crebind_slot_info info = *slot;
  info.rebinding += shifted->first;
  shifted->visit(&info, shifted->context);
}

crebind_status crebind_imports_slots(crebind_imports *imports, crebind_slot_visitor *visit,
                                     void *context, crebind_error *error) {
  if (imports == NULL || visit == NULL)
    return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  if (!crebind_imports_begin_work(imports)) return crebind_fail(error, CREBIND_PREDICATE_RUNS, -1);
  crebind_status status = CREBIND_OK;
  for (size_t i = 0; i < imports->parts.count && status == CREBIND_OK; i++) {
    const struct crebind_import_part *part = crebind_imports_part(imports, i);
    struct shifted shifted = {visit, context, part->first};
    status = crebind_slots(part->handle, visit_shifted, &shifted, error);
  }
  crebind_imports_end_work(imports);
  return status;
}
#endif
