#if defined(__linux__)
#define _GNU_SOURCE
#include "binding/records.h"
#include "binding/resolver.h"

struct crebind_records crebind_records;

// MARK: - Chains

struct crebind_entry *crebind_run_find(const struct crebind_handle *handle,
                                       struct crebind_run run, uintptr_t address) {
  uint32_t low = run.first, high = run.first + run.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    struct crebind_entry *entry = crebind_handle_entry(handle, middle);
    if (entry->address == address) return entry;
    if (entry->address < address)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

struct crebind_entry *crebind_find_below(const struct crebind_handle *handle, size_t image,
                                         uintptr_t address, struct crebind_handle **owner) {
  for (*owner = handle->older; *owner != NULL; *owner = (*owner)->older) {
    struct crebind_entry *entry = crebind_handle_find(*owner, image, address);
    if (entry != NULL) return entry;
  }
  return NULL;
}

struct crebind_entry *crebind_find_above(const struct crebind_handle *handle, size_t image,
                                         uintptr_t address, struct crebind_handle **owner) {
  for (*owner = handle->newer; *owner != NULL; *owner = (*owner)->newer) {
    struct crebind_entry *entry = crebind_handle_find(*owner, image, address);
    if (entry != NULL) return entry;
  }
  return NULL;
}

struct crebind_entry *crebind_find_top(size_t image, uintptr_t address) {
  for (struct crebind_handle *handle = crebind_records.newest; handle != NULL;
       handle = handle->older) {
    struct crebind_entry *entry = crebind_handle_find(handle, image, address);
    if (entry != NULL && (entry->kind != CREBIND_DEFINITION || !crebind_is_leaving(handle)))
      return entry;
  }
  return NULL;
}

const struct crebind_entry *crebind_find_lowest(const struct crebind_entry *entry) {
  const struct crebind_entry *lowest = NULL;
  for (const struct crebind_handle *handle = crebind_records.oldest;
       handle != NULL && lowest == NULL; handle = handle->newer)
    lowest = crebind_handle_find(handle, entry->image, entry->address);
  return lowest != NULL ? lowest : entry;
}

// MARK: - Runs

static void sift_down(struct crebind_entry *entries, size_t root, size_t count) {
  struct crebind_entry entry = entries[root];
  for (size_t child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && entries[child + 1].address > entries[child].address) child++;
    if (entries[child].address <= entry.address) break;
    entries[root] = entries[child];
  }
  entries[root] = entry;
}

/// A heapsort, since it needs no memory.
static void sort_by_address(struct crebind_entry *entries, size_t count) {
  for (size_t i = count / 2; i-- > 0;) sift_down(entries, i, count);
  for (size_t end = count; end-- > 1;) {
    struct crebind_entry greatest = entries[0];
    entries[0] = entries[end];
    entries[end] = greatest;
    sift_down(entries, 0, end);
  }
}

static bool is_sorted(const struct crebind_entry *entries, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (entries[i - 1].address > entries[i].address) return false;
  return true;
}

bool crebind_handle_index(struct crebind_handle *handle) {
  // No more runs than the entries need, so that taking some out needs no memory.
  size_t needed = 0;
  for (size_t i = 0; i < handle->entries.count; i++) {
    size_t image = crebind_handle_entry(handle, i)->image;
    if (image >= needed) needed = image + 1;
  }
  if (handle->runs.count < needed
      && crebind_vector_append(&handle->runs, needed - handle->runs.count) == NULL)
    return false;
  if (handle->runs.count != 0)
    memset(handle->runs.data, 0, handle->runs.count * sizeof(struct crebind_run));
  for (size_t i = 0; i < handle->entries.count; i++) {
    struct crebind_run *run =
        crebind_vector_at(&handle->runs, crebind_handle_entry(handle, i)->image);
    if (run->count++ == 0) run->first = (uint32_t)i;
  }
  for (size_t i = 0; i < handle->runs.count; i++) {
    struct crebind_run run = crebind_handle_run(handle, i);
    struct crebind_entry *entries = crebind_handle_entry(handle, run.first);
    if (!is_sorted(entries, run.count)) sort_by_address(entries, run.count);
  }
  return true;
}

void crebind_handle_drop(struct crebind_handle *handle) {
  size_t kept = 0;
  while (kept < handle->entries.count
         && crebind_handle_entry(handle, kept)->state != CREBIND_DROPPED)
    kept++;
  for (size_t i = kept; i < handle->entries.count; i++) {
    struct crebind_entry *entry = crebind_handle_entry(handle, i);
    if (entry->state == CREBIND_DROPPED)
      crebind_resolver_free(entry->resolver);
    else
      *crebind_handle_entry(handle, kept++) = *entry;
  }
  if (kept == handle->entries.count) return;
  crebind_vector_truncate(&handle->entries, kept);
  crebind_handle_index(handle);
}

void crebind_handle_exchange_entries(struct crebind_handle *handle,
                                     struct crebind_vector *entries) {
  struct crebind_vector former = handle->entries;
  handle->entries = *entries;
  *entries = former;
}

bool crebind_has_entries(size_t known) {
  for CREBIND_EACH_BATCH(handle)
    if (crebind_handle_run(handle, known).count != 0) return true;
  return false;
}

void crebind_forget_decisions(size_t known) {
  for CREBIND_EACH_BATCH(handle)
    crebind_decide(&handle->decisions, known, CREBIND_UNDECIDED);
}

// MARK: - Batches

void crebind_handle_begin(struct crebind_handle *handle, void *room, size_t size, bool is_own) {
  handle->entries = CREBIND_VECTOR(struct crebind_entry);
  handle->runs = CREBIND_VECTOR(struct crebind_run);
  handle->decisions.answers = CREBIND_VECTOR(uint8_t);
  handle->is_own = is_own;
  size_t images = size / (sizeof(struct crebind_run) + 1);
  crebind_vector_lend(&handle->runs, room, images * sizeof(struct crebind_run));
  crebind_vector_lend(&handle->decisions.answers,
                      handle->runs.data + images * sizeof(struct crebind_run), images);
}

void crebind_handle_end(struct crebind_handle *handle) {
  for (size_t i = 0; i < handle->entries.count; i++)
    crebind_resolver_free(crebind_handle_entry(handle, i)->resolver);
  crebind_batch_free(&handle->batch);
  crebind_vector_free(&handle->entries);
  crebind_vector_free(&handle->runs);
  crebind_vector_free(&handle->decisions.answers);
}

static uint64_t last_serial;

void crebind_handle_link(struct crebind_handle *handle) {
  if (handle->state == CREBIND_FRESH) crebind_handle_step(handle, CREBIND_APPLIED);
  handle->serial = ++last_serial;
  handle->newer = crebind_records.topmost;
  handle->older = handle->newer != NULL ? handle->newer->older : crebind_records.newest;
  if (handle->older != NULL)
    handle->older->newer = handle;
  else
    crebind_records.oldest = handle;
  if (handle->newer != NULL)
    handle->newer->older = handle;
  else
    crebind_records.newest = handle;
}

void crebind_handle_link_topmost(struct crebind_handle *handle) {
  crebind_handle_link(handle);
  crebind_records.topmost = handle;
}

void crebind_handle_unlink(struct crebind_handle *handle) {
  if (crebind_records.topmost == handle) crebind_records.topmost = NULL;
  if (handle->older != NULL)
    handle->older->newer = handle->newer;
  else
    crebind_records.oldest = handle->newer;
  if (handle->newer != NULL)
    handle->newer->older = handle->older;
  else
    crebind_records.newest = handle->older;
}

struct crebind_handle *crebind_handle_with_serial(uint64_t serial) {
  struct crebind_handle *handle = crebind_records.oldest;
  while (handle != NULL && handle->serial != serial) handle = handle->newer;
  return handle;
}

bool crebind_is_replacement(const struct crebind_name *name, uintptr_t function) {
  for CREBIND_EACH_BATCH(handle)
    for (const struct crebind_item *item = crebind_batch_first(&handle->batch, name);
         item != NULL; item = crebind_batch_next(&handle->batch, item))
      if (item->replacement == function) return true;
  return false;
}

uintptr_t crebind_base_word(size_t image, const uintptr_t *address) {
  for CREBIND_EACH_BATCH(handle) {
    const struct crebind_entry *entry = crebind_handle_find(handle, image, (uintptr_t)address);
    if (entry != NULL) return entry->previous;
  }
  return __atomic_load_n(address, __ATOMIC_ACQUIRE);
}

static uint64_t annotation_events;

uint64_t crebind_annotation_events(void) {
  return __atomic_load_n(&annotation_events, __ATOMIC_ACQUIRE);
}

void crebind_annotation_event(void) { __atomic_fetch_add(&annotation_events, 1, __ATOMIC_ACQ_REL); }
#endif
