/// Rebindings of whatever images import: a batch for what was there at first, and one for each load
/// that brought definitions which nobody had imported.
///
/// One thread at a time works: it looks, asks and applies. An image that comes meanwhile is noted, and
/// the thread that works looks again. Nobody waits in a dlopen. The code of others, `choose` and
/// `options.matches`, runs in the work, without a lock.

#define _GNU_SOURCE
#include "imports/import-scan.h"
#include "looking/inspect.h"
#include "runtime/lock.h"
#include "runtime/status.h"
#include "transactions/notice.h"
#include "transactions/observe.h"
#include "transactions/transaction.h"

#include <elf.h>
#include <errno.h>
#include <sys/syscall.h>

/// Does a thread work, and has an image come meanwhile?
enum work { IDLE, WORKING, WORKING_AND_CALLED };

/// One batch.
struct part {
  /// NULL while it is being applied.
  crebind_handle *handle;
  /// The number of rebindings, and how many there were before.
  size_t count, first;
};

struct crebind_imports {
  crebind_import_predicate *choose;
  void *context;
  crebind_options options;
  struct crebind_vector headers;  // const void *: a copy of options.images
  crebind_observation *observation;
  /// No batch asks for the notice of later images, so this does.
  bool asks_for_notice;
  int work;  // enum work; atomic
  /// A thread waits for the work to end for good. Atomic.
  bool is_ending;
  // Of the thread that works. Vectors change their size under our lock, so that a forked child finds
  // them whole.
  uint32_t worker;
  struct crebind_vector parts;  // struct part
  struct crebind_asked_imports asked;
  size_t chosen;
  /// Something is still to be served: a look has failed, or its thread does not exist in this process.
  bool is_behind;
  /// Images have references that nothing defines yet.
  bool has_undefined;
  /// The next of all.
  struct crebind_imports *next;
};

/// Guarded by the lock.
static struct crebind_imports *all;

static uint32_t own_number(void) { return (uint32_t)crebind_system_call(SYS_gettid); }

/// A thread that works in the parent does not exist in a forked child, but for the one that forks.
static void forked(int parent) {
  for (struct crebind_imports *imports = all; imports != NULL; imports = imports->next) {
    if (imports->work == IDLE) continue;
    if (imports->worker == (uint32_t)parent) {
      imports->worker = own_number();
      continue;
    }
    while (imports->parts.count != 0
           && ((struct part *)imports->parts.data)[imports->parts.count - 1].handle == NULL)
      crebind_vector_truncate(&imports->parts, imports->parts.count - 1);
    imports->is_behind = true;
    imports->work = IDLE;
  }
}

__attribute__((constructor)) static void start(void) {
  static struct crebind_fork_handler handler = {forked, NULL};
  crebind_handle_forks(&handler);
}

// MARK: - Work

/// Begins to work. False if another thread works, which looks again then.
static bool begin_or_call(struct crebind_imports *imports) {
  int work = __atomic_load_n(&imports->work, __ATOMIC_ACQUIRE);
  for (;;) {
    int next = work == IDLE ? WORKING : WORKING_AND_CALLED;
    if (!__atomic_compare_exchange_n(&imports->work, &work, next, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
      continue;
    if (work == IDLE) imports->worker = own_number();
    return work == IDLE;
  }
}

/// Waits for the thread that works. False if that takes longer than a third of a second.
static bool begin(struct crebind_imports *imports) {
  for (int i = 0; i < 300; i++) {
    int work = IDLE;
    if (__atomic_compare_exchange_n(&imports->work, &work, WORKING, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      imports->worker = own_number();
      return true;
    }
    crebind_sleep(1000000);
  }
  return false;
}

/// Ends the work. False if an image has come meanwhile: the thread has to look again.
static bool end_unless_called(struct crebind_imports *imports) {
  int work = WORKING;
  if (__atomic_compare_exchange_n(&imports->work, &work, IDLE, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return true;
  __atomic_store_n(&imports->work, WORKING, __ATOMIC_RELEASE);
  return false;
}

// MARK: - Asking and applying

/// A report is nothing but counts.
static void add_report(crebind_report *sum, const crebind_report *report) {
  _Static_assert(sizeof *sum % sizeof(size_t) == 0, "a report has counts alone");
  size_t *counts = (size_t *)sum;
  const size_t *others = (const size_t *)report;
  for (size_t i = 0; i < sizeof *sum / sizeof *counts; i++) counts[i] += others[i];
}

/// The definitions that were found, and the rebindings of those that were chosen.
struct choices {
  struct crebind_import_scan scan;
  struct crebind_vector rebindings;  // crebind_rebinding
  struct crebind_vector exact;       // struct crebind_exact_definition, of each rebinding
};

static void free_choices(struct choices *choices) {
  crebind_import_scan_end(&choices->scan);
  crebind_vector_free(&choices->rebindings);
  crebind_vector_free(&choices->exact);
}

/// Asks about what was found. False without memory.
static bool ask(const struct crebind_imports *imports, struct choices *choices) {
  const struct crebind_import_scan *scan = &choices->scan;
  for (size_t i = 0; i < scan->found.count; i++) {
    const struct crebind_found_import *found = crebind_vector_at(&scan->found, i);
    const crebind_import import = {
        .name = crebind_strings_at(&scan->strings, found->name),
        .version = found->version == 0 ? NULL : crebind_strings_at(&scan->strings, found->version),
        .kind = found->kind,
        .type = found->type,
        .is_function = found->type == STT_FUNC || found->type == STT_GNU_IFUNC,
        .image = crebind_image_of(&scan->strings, &found->image),
        .definer = crebind_image_of(&scan->strings, &found->definer),
    };
    crebind_import_choice choice = {NULL, NULL};
    imports->choose(&import, &choice, imports->context);
    if (choice.replacement == NULL) continue;
    crebind_rebinding *rebinding = crebind_vector_push(&choices->rebindings);
    struct crebind_exact_definition *exact = crebind_vector_push(&choices->exact);
    if (rebinding == NULL || exact == NULL) return false;
    rebinding->name = import.name;
    rebinding->replacement = choice.replacement;
    rebinding->original = choice.original;
    *exact = found->exact;
  }
  return true;
}

/// Finds what has not been asked about, and asks. Free the choices in any case.
///
/// \param header The only image to look at, or NULL for all in scope.
static crebind_status find_and_ask(const struct crebind_imports *imports, const void *header,
                                   struct choices *choices, crebind_error *error) {
  crebind_options options = imports->options;
  if (header != NULL) options.scope = CREBIND_SCOPE_ALL;  // it was matched
  struct crebind_import_scan *scan = &choices->scan;
  *scan = (struct crebind_import_scan){.asked = &imports->asked, .header = header};
  crebind_import_scan_begin(scan);
  choices->rebindings = CREBIND_VECTOR(crebind_rebinding);
  choices->exact = CREBIND_VECTOR(struct crebind_exact_definition);
  crebind_status status =
      crebind_handle_make(&scan->handle, NULL, NULL, 0, &options, false, false, error);
  if (status != CREBIND_OK) return status;
  status = crebind_import_scan_run(scan, error);
  crebind_active_free(scan->handle);
  if (status != CREBIND_OK || ask(imports, choices)) return status;
  return crebind_fail(error, CREBIND_OUT_OF_MEMORY, -1);
}

/// Makes room for a batch, and notes what was asked: once the batch is applied, nothing fails.
static bool reserve(struct crebind_imports *imports, const struct choices *choices) {
  bool has_memory = true;
  crebind_lock();
  for (size_t i = 0; i < choices->scan.found.count && has_memory; i++)
    has_memory = crebind_asked_imports_add(&imports->asked,
                                           crebind_vector_at(&choices->scan.found, i));
  struct part *part = NULL;
  if (has_memory && choices->rebindings.count != 0) {
    part = crebind_vector_push(&imports->parts);
    has_memory = part != NULL;
  }
  if (part != NULL) {
    part->count = choices->rebindings.count;
    part->first = imports->chosen;
    imports->chosen += part->count;
  }
  crebind_unlock();
  return has_memory;
}

/// Takes back what `reserve` has done.
static void give_back(struct crebind_imports *imports, size_t asked, size_t parts) {
  crebind_lock();
  crebind_asked_imports_truncate(&imports->asked, asked);
  crebind_vector_truncate(&imports->parts, parts);
  crebind_unlock();
}

static crebind_status apply_part(struct crebind_imports *imports, const struct choices *choices,
                                 crebind_report *report, crebind_error *error) {
  crebind_handle *handle;
  crebind_status status = crebind_apply_batch(
      (const crebind_rebinding *)choices->rebindings.data,
      (const struct crebind_exact_definition *)choices->exact.data, choices->rebindings.count,
      &imports->options, crebind_notice_join, &handle, report, error);
  if (status == CREBIND_OK) {
    crebind_lock();
    struct part *parts = (struct part *)imports->parts.data;
    parts[imports->parts.count - 1].handle = handle;
    // Later images may import what nobody has imported.
    crebind_need_notice(handle, true);
    crebind_unlock();
  }
  crebind_notice_update();
  return status;
}

/// Restores the batches whose definitions are all of images that have gone: plug-ins that come again
/// bring others. Not the first batch, whose images mostly stay.
static void drop_gone(struct crebind_imports *imports) {
  bool has_dropped = false;
  for (size_t i = imports->parts.count; i-- > 1;) {
    struct part *part = crebind_vector_at(&imports->parts, i);
    bool is_present = false;
    crebind_lock();
    const struct crebind_batch *batch = &part->handle->batch;
    for (size_t n = 0; n < batch->items.count && !is_present; n++)
      is_present = crebind_is_serial_present(crebind_batch_item(batch, n)->exact.image);
    crebind_unlock();
    if (is_present || crebind_restore_batch(part->handle, NULL, NULL) != CREBIND_OK) continue;
    has_dropped = true;
    crebind_lock();
    for (size_t n = i + 1; n < imports->parts.count; n++) {
      ((struct part *)imports->parts.data)[n - 1] = ((struct part *)imports->parts.data)[n];
      CREBIND_KEEP_LOOP();
    }
    crebind_vector_truncate(&imports->parts, imports->parts.count - 1);
    crebind_unlock();
  }
  if (!has_dropped) return;
  crebind_lock();
  crebind_asked_imports_forget_gone(&imports->asked);
  crebind_unlock();
}

/// Finds, asks and applies.
static crebind_status serve(struct crebind_imports *imports, const void *header,
                            crebind_report *report, crebind_error *error) {
  drop_gone(imports);
  // It may define what others ask for.
  if (imports->has_undefined) header = NULL;
  struct choices choices;
  crebind_status status = find_and_ask(imports, header, &choices, error);
  size_t asked = imports->asked.keys.count, parts = imports->parts.count;
  if (status == CREBIND_OK && !reserve(imports, &choices))
    status = crebind_fail(error, CREBIND_OUT_OF_MEMORY, -1);
  if (status == CREBIND_OK && choices.rebindings.count != 0)
    status = apply_part(imports, &choices, report, error);
  if (status != CREBIND_OK) give_back(imports, asked, parts);
  if (status == CREBIND_OK) imports->has_undefined |= choices.scan.undefined != 0;
  free_choices(&choices);
  return status;
}

/// Serves an image, or all with NULL, and tells if that has to be done again.
static void catch_up(struct crebind_imports *imports, const void *header) {
  crebind_status status = serve(imports, header, NULL, NULL);
  __atomic_store_n(&imports->is_behind, status != CREBIND_OK, __ATOMIC_RELEASE);
}

/// Ends the work, after a look at what has come meanwhile.
static void end(struct crebind_imports *imports) {
  while (!end_unless_called(imports))
    if (!__atomic_load_n(&imports->is_ending, __ATOMIC_ACQUIRE)) catch_up(imports, NULL);
}

static void image_added(const crebind_image_info *image, void *context) {
  struct crebind_imports *imports = context;
  const crebind_options *options = &imports->options;
  if (__atomic_load_n(&imports->is_ending, __ATOMIC_ACQUIRE) || !begin_or_call(imports)) return;
  int saved_errno = errno;
  bool is_behind = __atomic_load_n(&imports->is_behind, __ATOMIC_ACQUIRE);
  bool is_selected = options->scope != CREBIND_SCOPE_MATCHING
                     || options->matches(image, options->context);
  if (is_behind || is_selected || imports->has_undefined)
    catch_up(imports, is_behind || !is_selected ? NULL : image->header);
  end(imports);
  errno = saved_errno;
}

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
  imports->work = WORKING;
  imports->worker = own_number();
  imports->headers = CREBIND_VECTOR(const void *);
  imports->parts = CREBIND_VECTOR(struct part);
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

static void link_imports(struct crebind_imports *imports, bool is_linked) {
  crebind_lock();
  if (is_linked) {
    imports->next = all;
    all = imports;
  } else {
    struct crebind_imports **place = &all;
    while (*place != imports) place = &(*place)->next;
    *place = imports->next;
  }
  crebind_unlock();
}

static bool serves_later_images(const crebind_options *options) {
  return !options->loaded_images_only
         && (options->scope == CREBIND_SCOPE_ALL || options->scope == CREBIND_SCOPE_MATCHING);
}

/// The notice comes with the first batch, or, if nothing is chosen, after the first look.
static crebind_status observe(struct crebind_imports *imports, crebind_error *error) {
  const crebind_image_observer observer = {.added = image_added, .context = imports};
  if (!serves_later_images(&imports->options)) return CREBIND_OK;
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
    __atomic_store_n(&imports->work, WORKING, __ATOMIC_RELEASE);
    crebind_report of_part = {0};
    status = serve(imports, NULL, &of_part, error);
    add_report(report, &of_part);
    if (status == CREBIND_OK) hear_of_images(imports);
  } while (status == CREBIND_OK
           && __atomic_load_n(&imports->work, __ATOMIC_ACQUIRE) == WORKING_AND_CALLED);
  return status;
}

/// Restores the batches, the newest first. True if none is left.
static bool restore_parts(struct crebind_imports *imports, crebind_report *report,
                          crebind_status *status, crebind_error *error) {
  struct part *parts = (struct part *)imports->parts.data;
  size_t kept = 0;
  for (size_t i = imports->parts.count; i-- > 0;) {
    crebind_report of_part = {0};
    crebind_error of_failure;
    crebind_status restored = crebind_restore(parts[i].handle, &of_part, &of_failure);
    add_report(report, &of_part);
    if (restored == CREBIND_OK) {
      parts[i].handle = NULL;
      continue;
    }
    kept++;
    if (*status != CREBIND_OK) continue;
    *status = restored;
    if (of_failure.rebinding >= 0) of_failure.rebinding += (int64_t)parts[i].first;
    if (error != NULL) *error = of_failure;
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
    __atomic_store_n(&imports->work, IDLE, __ATOMIC_RELEASE);
    return false;
  }
  link_imports(imports, false);
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
  link_imports(imports, true);
  crebind_report sum = {0}, unused = {0};
  crebind_status status = observe(imports, error);
  if (status == CREBIND_OK) status = serve_all(imports, &sum, error);
  bool may_be_empty = options == NULL || options->expects == CREBIND_EXPECT_NOTHING
                      || (options->expects == CREBIND_EXPECT_LATER && serves_later_images(options));
  if (status == CREBIND_OK && imports->chosen == 0 && !may_be_empty)
    status = crebind_fail(error, CREBIND_UNREACHED, -1);
  if (status == CREBIND_OK) {
    *result = imports;
    if (report != NULL) *report = sum;
    end(imports);
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
  struct choices choices;
  crebind_status status = find_and_ask(imports, NULL, &choices, error);
  if (status == CREBIND_OK && choices.rebindings.count != 0)
    status = crebind_plan_exact((const crebind_rebinding *)choices.rebindings.data,
                                (const struct crebind_exact_definition *)choices.exact.data,
                                choices.rebindings.count, &imports->options, visit, visit_context,
                                error);
  free_choices(&choices);
  free_imports(imports);
  errno = saved_errno;
  return status;
}

crebind_status crebind_verify_imports(crebind_imports *imports, crebind_report *report,
                                      crebind_error *error) {
  if (imports == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  if (!begin(imports)) return crebind_fail(error, CREBIND_PREDICATE_RUNS, -1);
  crebind_report sum = {0};
  crebind_status status = CREBIND_OK;
  if (__atomic_load_n(&imports->is_behind, __ATOMIC_ACQUIRE)) {
    status = serve(imports, NULL, NULL, error);
    if (status == CREBIND_OK) __atomic_store_n(&imports->is_behind, false, __ATOMIC_RELEASE);
  }
  for (size_t i = 0; i < imports->parts.count && status == CREBIND_OK; i++) {
    crebind_report of_part = {0};
    const struct part *part = crebind_vector_at(&imports->parts, i);
    status = crebind_verify(part->handle, &of_part, error);
    add_report(&sum, &of_part);
    if (status != CREBIND_OK && error != NULL && error->rebinding >= 0)
      error->rebinding += (int64_t)part->first;
  }
  end(imports);
  if (status == CREBIND_OK && report != NULL) *report = sum;
  return status;
}

crebind_status crebind_restore_imports(crebind_imports *imports, crebind_report *report,
                                       crebind_error *error) {
  if (imports == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  __atomic_store_n(&imports->is_ending, true, __ATOMIC_RELEASE);
  if (!begin(imports)) {
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
  if (!begin(imports)) return crebind_fail(error, CREBIND_PREDICATE_RUNS, -1);
  crebind_status status = CREBIND_OK;
  for (size_t i = 0; i < imports->parts.count && status == CREBIND_OK; i++) {
    const struct part *part = crebind_vector_at(&imports->parts, i);
    struct shifted shifted = {visit, context, part->first};
    status = crebind_slots(part->handle, visit_shifted, &shifted, error);
  }
  end(imports);
  return status;
}
