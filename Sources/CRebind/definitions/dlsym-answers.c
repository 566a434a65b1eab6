#if defined(__linux__)
#define _GNU_SOURCE
#include "definitions/dlsym-answers.h"
#include "runtime/lock.h"
#include "runtime/thread.h"

#include <dlfcn.h>

/// One rebinding, or one definition that it has redirected.
struct row {
  uint32_t hash;
  /// Offsets into the table's strings; the version's is SIZE_MAX for any.
  size_t name, version;
  uintptr_t replacement, original;
  /// The answer to a question without a version.
  bool is_default;
  /// A definition in a local scope of the replacement's image leads to the replacement. By
  /// RTLD_DEFAULT, only that image gets it, and we do not.
  bool is_local;
};

/// An image that is answered, and what its slots of dlsym and of dlvsym would lead to;
/// 0 if it has none.
struct asker {
  struct crebind_range span;
  uintptr_t functions[2];
};

/// A table of answers. It is never changed once other threads see it.
struct table {
  size_t size;
  /// The next older table that was replaced and is not given back yet.
  struct table *former;
  size_t image_count, row_count;
  const struct asker *images;
  /// In the order of the batches, and each rebinding before its definitions.
  const struct row *rows;
  const char *strings;
};

/// Replaced under our lock, and read without any.
static struct table *current, *formers;
/// How many threads look into a table.
static uint32_t readers;
/// 1 if a question has come that no batch has waited for. Some machines exchange no bytes.
static uint32_t was_asked;
/// The functions that the slots of dlsym and of dlvsym led to last. Code that has kept our address
/// may ask at any time.
static uintptr_t last_functions[2];

// MARK: - Questions

// musl's RTLD_DEFAULT leaves local scopes out.
#ifdef __GLIBC__
enum { HAS_VERSIONS = 1, HAS_LOCAL_DEFAULT = 1 };
#else
enum { HAS_VERSIONS = 0, HAS_LOCAL_DEFAULT = 0 };
#endif

struct question {
  const char *name, *version;
  uint32_t hash;
  bool with_version;
  uintptr_t caller;
};

static bool holds(const struct crebind_range *span, uintptr_t address) {
  return address >= span->start && address < span->end;
}

static const struct asker *image_of(const struct table *table, uintptr_t caller) {
  for (size_t i = 0; table != NULL && i < table->image_count; i++)
    if (holds(&table->images[i].span, caller)) return &table->images[i];
  return NULL;
}

static bool is_about(const struct table *table, const struct row *row,
                     const struct question *question) {
  return row->hash == question->hash && crebind_equal(table->strings + row->name, question->name);
}

static bool fits(const struct table *table, const struct row *row,
                 const struct question *question) {
  if (question->version == NULL || !HAS_VERSIONS) return row->is_default;
  return row->version != SIZE_MAX
         && crebind_equal(table->strings + row->version, question->version);
}

/// The first rebinding whose replacement lives in the caller's image, and that has an
/// original; NULL for none. A call comes back from none behind the first.
///
/// \param answer The loader's answer. If it is no replacement, the result is NULL; 0 stands for any
///   answer.
static const struct row *find_row(const struct table *table, const struct asker *image,
                                  const struct question *question, uintptr_t answer) {
  const struct row *found = NULL;
  bool is_replacement = answer == 0;
  for (size_t i = 0; i < table->row_count; i++) {
    const struct row *row = &table->rows[i];
    if (!is_about(table, row, question)) continue;
    is_replacement |= row->replacement == answer;
    if (found == NULL && row->original != 0 && holds(&image->span, row->replacement)
        && fits(table, row, question))
      found = row;
  }
  return is_replacement ? found : NULL;
}

/// How many questions to dlsym this thread is answering.
static __thread uint16_t answering CREBIND_TLS;

/// The table as it is now, or NULL; it stays until `leave`.
static const struct table *enter(void) {
  // All threads see these steps in one order: a thread that gives a table back sees us, or we see
  // the table's successor.
  answering++;
  __atomic_fetch_add(&readers, 1, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&current, __ATOMIC_SEQ_CST);
}

static void leave(void) {
  __atomic_fetch_sub(&readers, 1, __ATOMIC_SEQ_CST);
  answering--;
}

/// All that is known of a question that an image asks.
struct knowledge {
  const struct table *table;
  /// The caller's image; NULL if it is not covered.
  const struct asker *image;
  /// The function that its slot would lead to.
  uintptr_t next;
};

static struct knowledge know(const struct table *table, const struct question *question) {
  const struct asker *image = image_of(table, question->caller);
  uintptr_t next = image != NULL ? image->functions[question->with_version] : 0;
  if (next == 0)
    next = __atomic_load_n(&last_functions[question->with_version], __ATOMIC_ACQUIRE);
  return (struct knowledge){table, image, next};
}

/// The loader's answer to us: what a handle leads to is the same for everyone.
static void *ask(uintptr_t function, void *handle, const struct question *question) {
  if (question->with_version)
    return ((void *(*)(void *, const char *, const char *))function)(handle, question->name,
                                                                     question->version);
  return ((void *(*)(void *, const char *))function)(handle, question->name);
}

// MARK: - Entries

/// The arguments of dlsym or dlvsym, as they are going to be.
struct arguments {
  void *handle;
  const char *name, *version;
};

/// The wrapper jumps here, with an answer in place of the handle.
static void *give(void *answer) { return answer; }

/// The loader's answer, or, in place of a replacement, the original. A table is published before
/// the words of its rebindings are stored, and replaced after they have been put back. So if the
/// table is the same before and after the question, it knows the answer.
static uintptr_t answer_to(struct knowledge *knowledge, void *handle,
                           const struct question *question, bool *is_original) {
  for (;;) {
    uintptr_t answer = (uintptr_t)ask(knowledge->next, handle, question);
    const struct row *row =
        knowledge->image != NULL ? find_row(knowledge->table, knowledge->image, question, answer)
                                 : NULL;
    // If the loader finds nothing for us, it finds either the replacement or nothing for the
    // caller.
    *is_original = row != NULL && (answer != 0 || (handle == RTLD_DEFAULT && row->is_local));
    if (*is_original) return row->original;
    if (__atomic_load_n(&current, __ATOMIC_SEQ_CST) == knowledge->table) return answer;
    leave();
    *knowledge = know(enter(), question);
  }
}

/// True if the answer is ours to give; else the question is the loader's.
static bool find_answer(struct knowledge *knowledge, void *handle,
                        const struct question *question, uintptr_t *answer) {
  if (knowledge->image == NULL || question->name == NULL) return false;
  const struct row *row = find_row(knowledge->table, knowledge->image, question, 0);
  if (row == NULL) return false;
  *answer = row->original;
  // An original in the caller's own image comes before what the caller asks for. The loader knows
  // what comes next.
  if (handle == RTLD_NEXT) return !holds(&knowledge->image->span, *answer);
  // By RTLD_DEFAULT the loader looks into the caller's own scope, too.
  bool is_same_for_all =
      handle != RTLD_DEFAULT || holds(&knowledge->image->span, (uintptr_t)&find_answer);
  bool is_original;
  *answer = answer_to(knowledge, handle, question, &is_original);
  // Before the definition is redirected, the loader gives the original by itself.
  return is_original || is_same_for_all || *answer == row->original;
}

static uintptr_t choose(struct arguments *arguments, uintptr_t caller, bool with_version) {
  struct question question = {
      .name = arguments->name, .with_version = with_version, .caller = caller};
  if (with_version) question.version = arguments->version;
  if (question.name != NULL) question.hash = crebind_gnu_hash(question.name);
  // This comes before the look at the table: a thread that publishes another table sees the
  // question, or this question sees that table.
  if (!__atomic_load_n(&was_asked, __ATOMIC_SEQ_CST))
    __atomic_store_n(&was_asked, 1, __ATOMIC_SEQ_CST);
  struct knowledge knowledge = know(enter(), &question);
  uintptr_t answer;
  bool is_found = find_answer(&knowledge, arguments->handle, &question, &answer);
  uintptr_t next = knowledge.next;
  leave();
  if (!is_found) return next;
  arguments->handle = (void *)answer;
  return (uintptr_t)give;
}

// Called by assembly alone.
#pragma GCC visibility push(hidden)
uintptr_t crebind_choose_dlsym(struct arguments *arguments, uintptr_t caller);
uintptr_t crebind_choose_dlvsym(struct arguments *arguments, uintptr_t caller);
extern void crebind_dlsym_entry(void), crebind_dlvsym_entry(void);
#pragma GCC visibility pop

__attribute__((used)) uintptr_t crebind_choose_dlsym(struct arguments *arguments,
                                                     uintptr_t caller) {
  return choose(arguments, caller, false);
}

__attribute__((used)) uintptr_t crebind_choose_dlvsym(struct arguments *arguments,
                                                      uintptr_t caller) {
  return choose(arguments, caller, true);
}

CREBIND_DEFINE_TAIL_CALL(crebind_dlsym_entry, crebind_choose_dlsym);
CREBIND_DEFINE_TAIL_CALL(crebind_dlvsym_entry, crebind_choose_dlvsym);

uintptr_t crebind_dlsym_wrapper(bool with_version) {
  return (uintptr_t)(with_version ? crebind_dlvsym_entry : crebind_dlsym_entry);
}

// MARK: - The table

/// The parts of a table. Their memory is kept, because each change makes a new table.
static struct crebind_vector rows = {NULL, 0, 0, sizeof(struct row), false};
static struct crebind_vector strings = {NULL, 0, 0, sizeof(char), false};

static bool add_rebinding(const struct crebind_handle *handle, size_t index) {
  const struct crebind_item *item = crebind_batch_item(&handle->batch, index);
  struct row *row = crebind_vector_append(&rows, 1);
  size_t name = crebind_vector_append_string(&strings, item->name.string);
  if (row == NULL || name == SIZE_MAX) return false;
  *row = (struct row){
      .hash = item->name.gnu_hash,
      .name = name,
      .version = SIZE_MAX,
      .replacement = item->replacement,
      .original = crebind_original_of(handle, index)->original,
      .is_default = item->version == NULL,
  };
  return true;
}

/// True if a covered image may ask for a version.
static bool has_versions(void) {
  const struct crebind_handle *topmost = crebind_records.topmost;
  for (size_t i = 0; topmost != NULL && i < topmost->entries.count; i++)
    if (crebind_handle_entry(topmost, i)->item == 1) return true;
  return false;
}

/// The version that was added last: mostly the next one is the same.
struct versions {
  bool are_asked_for;
  uint32_t image;
  ElfW(Half) entry;
  size_t name;
};

/// True if what image `definer` defines is in a local scope of the replacement's image.
static bool is_local(struct crebind_world *world, size_t definer, uintptr_t replacement) {
  bool may_be_unloaded;
  if (!HAS_LOCAL_DEFAULT
      || crebind_scopes_may_be_unloaded(&world->scopes, definer, &may_be_unloaded) != CREBIND_OK
      || !may_be_unloaded)
    return false;
  size_t index = crebind_world_image_with(world, replacement);
  return index != SIZE_MAX && crebind_scopes_reach_locally(&world->scopes, index, definer);
}

/// A definition's own original counts where it is asked for by version.
///
/// \param rebinding The index of the rebinding's row.
static bool add_definition(struct crebind_world *world, const struct crebind_entry *entry,
                           size_t rebinding, struct versions *last) {
  size_t index = crebind_known_image_at(entry->image)->index;
  if (entry->kind != CREBIND_DEFINITION || index == SIZE_MAX) return true;
  struct row *about = crebind_vector_at(&rows, rebinding);
  about->is_local |= is_local(world, index, about->replacement);
  if (about->is_default && !last->are_asked_for) return true;
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  if (dynamic->versym == NULL) return true;
  ElfW(Half) version_entry = dynamic->versym[entry->symbol];
  if (last->image != entry->image || last->entry != version_entry) {
    const char *version =
        crebind_symbol_version(crebind_world_image(world, index), dynamic, entry->symbol).name;
    if (version == NULL) return true;
    last->image = entry->image;
    last->entry = version_entry;
    last->name = crebind_vector_append_string(&strings, version);
    if (last->name == SIZE_MAX) return false;
  }
  struct row *row = crebind_vector_append(&rows, 1);
  if (row == NULL) return false;
  *row = *(const struct row *)crebind_vector_at(&rows, rebinding);
  row->version = last->name;
  row->original = entry->original;
  row->is_default = (version_entry & 0x8000) == 0;
  return true;
}

static bool add_batch(struct crebind_world *world, const struct crebind_handle *handle) {
  if (handle->is_own) return true;
  size_t first = rows.count;
  struct versions last = {.are_asked_for = has_versions(), .image = UINT32_MAX};
  for (size_t i = 0; i < handle->batch.items.count; i++)
    if (!add_rebinding(handle, i)) return false;
  for CREBIND_EACH_ENTRY(entry, handle) {
    if (!add_definition(world, entry, first + entry->item, &last)) return false;
  }
  const struct crebind_vector *postponed = &crebind_active_of(handle)->postponed;
  for (size_t i = 0; i < postponed->count; i++) {
    const struct crebind_entry *entry = crebind_vector_at(postponed, i);
    if (!add_definition(world, entry, first + entry->item, &last)) return false;
  }
  return true;
}

static bool add_batches(struct crebind_world *world,
                        const struct crebind_handle *new_handle) {
  crebind_vector_truncate(&rows, 0);
  crebind_vector_truncate(&strings, 0);
  for CREBIND_EACH_BATCH(handle)
    if (!add_batch(world, handle)) return false;
  return new_handle == NULL || add_batch(world, new_handle);
}

bool crebind_dlsym_has_images(void) { return current != NULL; }

bool crebind_dlsym_exchange_asked(bool has_asked) {
  return __atomic_exchange_n(&was_asked, has_asked, __ATOMIC_SEQ_CST);
}

/// Reserves room for `count` elements, and returns where it begins.
static size_t reserve(size_t *size, size_t count, size_t stride) {
  size_t offset = *size;
  *size += (count * stride + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
  return offset;
}

/// The images that are covered, and where their slots led; returns how many.
static size_t write_images(struct asker *images, const struct crebind_world *world) {
  const struct crebind_handle *topmost = crebind_records.topmost;
  size_t count = 0;
  for (size_t known = 0; topmost != NULL && known < topmost->runs.count; known++) {
    struct crebind_run run = crebind_handle_run(topmost, known);
    size_t index = crebind_known_image_at(known)->index;
    if (run.count == 0 || index == SIZE_MAX) continue;
    if (images != NULL) images[count].span = crebind_world_image(world, index)->span;
    for (uint32_t i = run.first; i < run.first + run.count && images != NULL; i++) {
      const struct crebind_entry *entry = crebind_handle_entry(topmost, i);
      images[count].functions[entry->item] = entry->original;
    }
    count++;
  }
  return count;
}

static struct table *make(size_t image_count, struct crebind_world *world,
                          const struct crebind_handle *new_handle) {
  if (!add_batches(world, new_handle)) return NULL;
  size_t size = 0;
  reserve(&size, 1, sizeof(struct table));
  size_t first_image = reserve(&size, image_count, sizeof(struct asker));
  size_t first_row = reserve(&size, rows.count, rows.stride);
  size_t first_string = reserve(&size, strings.count, 1);
  char *memory = crebind_memory(size);
  if (memory == NULL) return NULL;
  write_images((struct asker *)(memory + first_image), world);
  memcpy(memory + first_row, rows.data, rows.count * rows.stride);
  memcpy(memory + first_string, strings.data, strings.count);
  struct table *table = (struct table *)memory;
  *table = (struct table){
      .size = size,
      .image_count = image_count,
      .row_count = rows.count,
      .images = (const struct asker *)(memory + first_image),
      .rows = (const struct row *)(memory + first_row),
      .strings = memory + first_string,
  };
  return table;
}

static void give_back_formers(void) {
  if (__atomic_load_n(&readers, __ATOMIC_SEQ_CST) != 0) return;
  while (formers != NULL) {
    struct table *table = formers;
    formers = table->former;
    crebind_memory_free(table, table->size);
  }
}

bool crebind_dlsym_publish(struct crebind_world *world,
                           const struct crebind_handle *new_handle) {
  struct table *table = NULL;
  size_t image_count = write_images(NULL, world);
  if (image_count == 0 && current == NULL) return true;
  if (image_count != 0 && (table = make(image_count, world, new_handle)) == NULL) return false;
  for (size_t i = 0; i < image_count; i++)
    for (int f = 0; f < 2; f++)
      if (table->images[i].functions[f] != 0)
        __atomic_store_n(&last_functions[f], table->images[i].functions[f], __ATOMIC_RELEASE);
  struct table *former = __atomic_exchange_n(&current, table, __ATOMIC_SEQ_CST);
  if (former != NULL) {
    former->former = formers;
    formers = former;
  }
  give_back_formers();
  return true;
}

/// In the child, no other thread is looking into a table. This thread is if a signal handler has
/// forked.
static void forked(int parent) {
  (void)parent;
  __atomic_store_n(&readers, answering, __ATOMIC_SEQ_CST);
}

__attribute__((constructor)) static void start(void) {
  static struct crebind_fork_handler handler = {forked, NULL};
  crebind_handle_forks(&handler);
}
#endif
