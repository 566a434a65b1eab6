#if defined(__linux__)
#define _GNU_SOURCE
#include "imports/serve.h"
#include "runtime/lock.h"
#include "runtime/status.h"
#include "transactions/notice.h"
#include "transactions/transaction.h"

#include <elf.h>
#include <errno.h>

/// Guarded by the lock.
static struct crebind_imports *all;

/// A thread that works in the parent does not exist in a forked child, but for the one that forks.
static void forked(int parent) {
  for (struct crebind_imports *imports = all; imports != NULL; imports = imports->next) {
    // Another thread has waited for the end, and images were not served meanwhile. The child has no such
    // thread.
    imports->is_behind |= imports->is_ending;
    imports->is_ending = false;
    if (imports->work == CREBIND_IDLE) continue;
    if (imports->worker == parent) {
      imports->worker = crebind_thread_number();
      continue;
    }
    while (imports->parts.count != 0
           && crebind_imports_part(imports, imports->parts.count - 1)->handle == NULL)
      crebind_vector_truncate(&imports->parts, imports->parts.count - 1);
    crebind_asked_imports_take_back(&imports->asked);
    imports->is_behind = true;
    imports->work = CREBIND_IDLE;
  }
}

__attribute__((constructor)) static void start(void) {
  static struct crebind_fork_handler handler = {forked, NULL};
  crebind_handle_forks(&handler);
}

void crebind_imports_link(struct crebind_imports *imports) {
  crebind_lock();
  imports->next = all;
  all = imports;
  crebind_unlock();
}

void crebind_imports_unlink(struct crebind_imports *imports) {
  crebind_lock();
  struct crebind_imports **place = &all;
  while (*place != imports) place = &(*place)->next;
  *place = imports->next;
  crebind_unlock();
}

// MARK: - Work

/// Begins to work. False if another thread works, which looks again then.
static bool begin_or_call(struct crebind_imports *imports) {
  int work = __atomic_load_n(&imports->work, __ATOMIC_ACQUIRE);
  for (;;) {
    int next = work == CREBIND_IDLE ? CREBIND_WORKING : CREBIND_WORKING_AND_CALLED;
    if (!__atomic_compare_exchange_n(&imports->work, &work, next, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
      continue;
    if (work == CREBIND_IDLE) imports->worker = crebind_thread_number();
    return work == CREBIND_IDLE;
  }
}

bool crebind_imports_begin_work(struct crebind_imports *imports) {
  for (int i = 0; i < 300; i++) {
    int work = CREBIND_IDLE;
    if (__atomic_compare_exchange_n(&imports->work, &work, CREBIND_WORKING, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      imports->worker = crebind_thread_number();
      return true;
    }
    crebind_sleep(1000000);
  }
  return false;
}

/// Ends the work. False if an image has come meanwhile: the thread has to look again.
static bool end_unless_called(struct crebind_imports *imports) {
  int work = CREBIND_WORKING;
  if (__atomic_compare_exchange_n(&imports->work, &work, CREBIND_IDLE, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return true;
  __atomic_store_n(&imports->work, CREBIND_WORKING, __ATOMIC_RELEASE);
  return false;
}

// MARK: - Asking and applying

void crebind_import_choices_free(struct crebind_import_choices *choices) {
  crebind_import_scan_end(&choices->scan);
  crebind_vector_free(&choices->rebindings);
  crebind_vector_free(&choices->exact);
}

/// Asks about what was found. False without memory.
static bool ask(const struct crebind_imports *imports, struct crebind_import_choices *choices) {
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

crebind_status crebind_imports_find_and_ask(const struct crebind_imports *imports,
                                            const void *header,
                                            struct crebind_import_choices *choices,
                                            crebind_error *error) {
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
static bool reserve(struct crebind_imports *imports, const struct crebind_import_choices *choices) {
  bool has_memory = true;
  crebind_lock();
  for (size_t i = 0; i < choices->scan.found.count && has_memory; i++)
    has_memory = crebind_asked_imports_add(&imports->asked,
                                           crebind_vector_at(&choices->scan.found, i));
  struct crebind_import_part *part = NULL;
  if (has_memory && choices->rebindings.count != 0) {
    part = crebind_vector_push(&imports->parts);
    has_memory = part != NULL;
  }
  if (part != NULL) {
    part->first = imports->chosen;
    imports->chosen += choices->rebindings.count;
  } else if (has_memory) {
    crebind_asked_imports_settle(&imports->asked);
  }
  crebind_unlock();
  return has_memory;
}

/// Takes back what `reserve` has done.
static void give_back(struct crebind_imports *imports, size_t parts) {
  crebind_lock();
  crebind_asked_imports_take_back(&imports->asked);
  crebind_vector_truncate(&imports->parts, parts);
  crebind_unlock();
}

static crebind_status apply_part(struct crebind_imports *imports,
                                 const struct crebind_import_choices *choices,
                                 crebind_report *report, crebind_error *error) {
  crebind_handle *handle;
  crebind_status status = crebind_apply_batch(
      (const crebind_rebinding *)choices->rebindings.data,
      (const struct crebind_exact_definition *)choices->exact.data, choices->rebindings.count,
      &imports->options, crebind_notice_join, &handle, report, error);
  if (status == CREBIND_OK) {
    crebind_lock();
    crebind_imports_part(imports, imports->parts.count - 1)->handle = handle;
    crebind_asked_imports_settle(&imports->asked);
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
    struct crebind_import_part *part = crebind_imports_part(imports, i);
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
      *crebind_imports_part(imports, n - 1) = *crebind_imports_part(imports, n);
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

crebind_status crebind_imports_serve(struct crebind_imports *imports, const void *header,
                                     crebind_report *report, crebind_error *error) {
  drop_gone(imports);
  // It may define what others ask for.
  if (imports->has_undefined) header = NULL;
  struct crebind_import_choices choices;
  crebind_status status = crebind_imports_find_and_ask(imports, header, &choices, error);
  size_t parts = imports->parts.count;
  if (status == CREBIND_OK && !reserve(imports, &choices))
    status = crebind_fail(error, CREBIND_OUT_OF_MEMORY, -1);
  if (status == CREBIND_OK && choices.rebindings.count != 0)
    status = apply_part(imports, &choices, report, error);
  if (status == CREBIND_OK)
    imports->has_undefined = choices.scan.undefined != 0;
  else
    give_back(imports, parts);
  crebind_import_choices_free(&choices);
  return status;
}

crebind_status crebind_imports_catch_up(struct crebind_imports *imports, const void *header,
                                        crebind_error *error) {
  if (__atomic_load_n(&imports->is_behind, __ATOMIC_ACQUIRE)) {
    header = NULL;
    // Before the look: another thread may note an image that this look does not find.
    __atomic_store_n(&imports->is_behind, false, __ATOMIC_RELEASE);
  }
  crebind_status status = crebind_imports_serve(imports, header, NULL, error);
  if (status != CREBIND_OK) __atomic_store_n(&imports->is_behind, true, __ATOMIC_RELEASE);
  return status;
}

void crebind_imports_end_work(struct crebind_imports *imports) {
  while (!end_unless_called(imports))
    if (!__atomic_load_n(&imports->is_ending, __ATOMIC_ACQUIRE))
      crebind_imports_catch_up(imports, NULL, NULL);
}

void crebind_imports_image_added(const crebind_image_info *image, void *context) {
  struct crebind_imports *imports = context;
  const crebind_options *options = &imports->options;
  if (__atomic_load_n(&imports->is_ending, __ATOMIC_ACQUIRE) || !begin_or_call(imports)) return;
  int saved_errno = errno;
  bool is_selected = options->scope != CREBIND_SCOPE_MATCHING
                     || options->matches(image, options->context);
  if (is_selected || imports->has_undefined
      || __atomic_load_n(&imports->is_behind, __ATOMIC_ACQUIRE))
    crebind_imports_catch_up(imports, is_selected ? image->header : NULL, NULL);
  crebind_imports_end_work(imports);
  errno = saved_errno;
}
#endif
