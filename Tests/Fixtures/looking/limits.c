/// Missing arguments, and sizes and positions out of range, are refused: in looks, memory, batches and
/// files. The tables of answers grow, and memory for them may be
/// missing.
///
/// Usage: limits FOLDER: to write to

#define _GNU_SOURCE
#include "binding/batch.h"
#include "binding/ifunc.h"
#include "binding/loader-answers.h"
#include "elf/file.h"
#include "elf/symbol.h"
#include "runtime/lock.h"
#include "patching/settle.h"
#include "steps.h"

/// How many requests for memory are granted until one fails; -1 for all.
static long granted = -1;
static bool goes_on;
static bool is_refused(void) {
  if (granted < 0 || granted-- > 0) return false;
  if (goes_on) granted = 0;
  return true;
}
WRAPPED(void *, crebind_vector_append, struct crebind_vector *vector, size_t count) {
  return is_refused() ? NULL : __real_crebind_vector_append(vector, count);
}
WRAPPED(size_t, crebind_vector_append_string, struct crebind_vector *vector, const char *string) {
  return is_refused() ? SIZE_MAX : __real_crebind_vector_append_string(vector, string);
}

// MARK: - Arguments

static void visit_symbol(const crebind_symbol_info *symbol, void *context) {
  (void)symbol, (void)context;
}
static void visit_section(const crebind_section *section, void *context) {
  (void)section, (void)context;
}

#define REFUSES(call) CHECK((call) == CREBIND_INVALID_ARGUMENT)

static void check_arguments(void) {
  void *volatile nothing = NULL;
  crebind_error error;
  REFUSES(crebind_images(nothing, NULL, &error));
  REFUSES(crebind_symbols(nothing, NULL, nothing, NULL, &error));
  REFUSES(crebind_image_slots(nothing, true, nothing, NULL, &error));
  REFUSES(crebind_describe_address(1, nothing, NULL, &error));
  REFUSES(crebind_sections(nothing, nothing, NULL, &error));
  REFUSES(crebind_section_data(nothing, "name", nothing, NULL, &error));
  REFUSES(crebind_section_data(nothing, nothing, visit_section, NULL, &error));
  REFUSES(crebind_section_data(nothing, "", visit_section, NULL, &error));
  REFUSES(crebind_annotations(NULL, nothing, NULL, &error));
  REFUSES(crebind_copies(nothing, NULL, &error));
  REFUSES(crebind_hold_image(nothing, 0, 0, nothing, &error));
  REFUSES(crebind_hold_image(&error, 0, 0, nothing, &error));
  REFUSES(crebind_other_names(nothing, nothing, NULL));
  CHECK(crebind_symbols(nothing, NULL, visit_symbol, NULL, &error) == CREBIND_NO_SUCH_IMAGE);
  CHECK(crebind_image_containing(nothing) == NULL);
  CHECK(crebind_lookup("") == NULL);
}

// MARK: - Observers

static crebind_observation *observation;
static int tellings;
static void end_itself(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
  tellings++;
  crebind_unobserve(observation);
}

/// An observer may end its observation when it is told something; it hears nothing more.
static void check_observers(void) {
  const crebind_image_observer observer = {.added = end_itself};
  CHECK(crebind_observe(&observer, &observation, NULL) == CREBIND_OK && tellings == 1);
  crebind_unobserve(observation);
  CHECK(crebind_refresh(NULL) == CREBIND_OK && tellings == 1);
}

// MARK: - Threads

static volatile bool is_done;
static void *run(void *unused) {
  while (!is_done) continue;
  return unused;
}
static void *rest(void *unused) {
  while (!is_done) usleep(1000);
  return unused;
}

/// Without memory for what is known of threads nobody is waited for.
static void check_threads(void) {
  pthread_t threads[] = {START(run, NULL), START(rest, NULL)};
  usleep(10000);
  goes_on = true;
  for (int i = 0; i < 20; i++) {
    granted = 0;
    crebind_settle();
  }
  goes_on = false;
  granted = -1;
  crebind_settle();
  is_done = true;
  for (int i = 0; i < 2; i++) JOIN(threads[i]);
}

// MARK: - Batches

static crebind_status make(const crebind_rebinding *rebindings, size_t count,
                           const crebind_options *options, int64_t *bad) {
  struct crebind_batch batch;
  crebind_status status =
      crebind_batch_make(&batch, rebindings, NULL, count, options, false, 0, bad);
  crebind_batch_free(&batch);
  return status;
}

static void check_batches(void) {
  int64_t bad;
  const crebind_rebinding one = {.name = "f"};
  const void *headers[] = {&one};
  REFUSES(make(&one, (size_t)UINT32_MAX / 4 + 1, NULL, &bad));
  const crebind_options options[] = {
      {.scope = CREBIND_SCOPE_MATCHING},
      {.scope = CREBIND_SCOPE_IMAGES},
      {.scope = CREBIND_SCOPE_IMAGES, .images = headers},
      {.scope = CREBIND_SCOPE_IMAGES, .image_count = 1},
      {.scope = (crebind_scope)4},
      {.slot_kinds = 8},
      {.expects = (crebind_expectation)3},
  };
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    REFUSES(make(&one, 1, &options[i], &bad));
  const size_t too_many[] = {SIZE_MAX / sizeof(void *), SIZE_MAX};
  for (int i = 0; i < 2; i++) {
    const crebind_options images = {
        .scope = CREBIND_SCOPE_IMAGES, .images = headers, .image_count = too_many[i]};
    CHECK(make(&one, 1, &images, &bad) == CREBIND_OUT_OF_MEMORY);
  }

  // One name several times: by versions and libraries that exclude each other, or not. An @ at the
  // start belongs to the name.
  const crebind_rebinding apart[] = {
      {.name = "f@V1"}, {.name = "f", .version = "V2"}, {.name = "f@@V3"}, {.name = "@f"},
      {.name = "g", .library = "liba.so"}, {.name = "g", .library = "libb.so"},
      {.name = "g", .library = "libc.so"}, {.name = "h@V1", .library = "liba.so"},
      {.name = "h@V1", .library = "libb.so"}, {.name = "h@V2", .library = "liba.so"},
  };
  enum { APART = sizeof apart / sizeof *apart };
  CHECK(make(apart, APART, NULL, &bad) == CREBIND_OK && bad == -1);
  const crebind_rebinding both[] = {
      {.name = "f"}, {.name = "f", .version = "V3"}, {.name = "g", .library = "libc.so"},
      {.name = "@f", .version = "V"}, {.name = "h"},
  };
  for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
    crebind_rebinding batch[APART + 1];
    memcpy(batch, apart, sizeof apart);
    batch[APART] = both[i];
    CHECK(make(batch, APART + 1, NULL, &bad) == CREBIND_DUPLICATE_NAME && bad == APART);
  }

  struct crebind_batch batch;
  CHECK(crebind_batch_make(&batch, apart, NULL, APART, NULL, false, 0, &bad) == CREBIND_OK);
  const struct crebind_name name = {"f", 1, crebind_gnu_hash("f")};
  const struct crebind_name other = {"i", 1, crebind_gnu_hash("i")};
  size_t count = 0;
  for (const struct crebind_item *item = crebind_batch_first(&batch, &name); item != NULL;
       item = crebind_batch_next(&batch, item))
    count++;
  CHECK(count == 3 && crebind_batch_first(&batch, &other) == NULL);
  // A scope that the check lets nobody have selects nothing.
  struct crebind_image image = {.phnum = 0};
  CHECK(crebind_batch_selects(&batch, &image));
  batch.options.scope = (crebind_scope)7;
  CHECK(!crebind_batch_selects(&batch, &image));
  crebind_batch_free(&batch);
}

// MARK: - Memory

static void *try_elsewhere(void *unused) { return crebind_try_lock() ? &granted : unused; }

static void check_memory(void) {
  CHECK(crebind_pages(SIZE_MAX) == NULL && crebind_pages(0) == NULL);
  CHECK(crebind_memory(SIZE_MAX) == NULL && crebind_memory(0) == NULL);
  struct crebind_vector vector = CREBIND_VECTOR(uint64_t);
  // In the pool, and in pages.
  for (size_t count = 3; count <= 3000; count *= 1000) {
    CHECK(crebind_vector_append(&vector, count) != NULL);
    CHECK(crebind_vector_append(&vector, SIZE_MAX) == NULL);
    CHECK(crebind_vector_append(&vector, SIZE_MAX / 4) == NULL);
    CHECK(crebind_vector_append(&vector, SIZE_MAX / sizeof(uint64_t) - count) == NULL);
    CHECK(vector.count == count);
    crebind_vector_free(&vector);
  }

  // A lent buffer moves into pages once it is too small.
  uint64_t room[4] = {0};
  vector = CREBIND_VECTOR(uint64_t);
  crebind_vector_lend(&vector, room, sizeof room);
  uint64_t *first = crebind_vector_append(&vector, 4);
  CHECK(first == room);
  for (uint64_t i = 0; i < 4; i++) first[i] = i + 1;
  CHECK(crebind_vector_append(&vector, 1000) != NULL && !vector.is_lent);
  first = crebind_vector_at(&vector, 0);
  for (uint64_t i = 0; i < 4; i++) CHECK(first[i] == i + 1 && room[i] == i + 1);
  CHECK(first[4] == 0);
  crebind_vector_free(&vector);

  // The lock is taken once, by whoever asks.
  CHECK(crebind_try_lock() && !crebind_try_lock());
  crebind_unlock();
  crebind_lock();
  CHECK(!crebind_try_lock());
  CHECK(JOIN(START(try_elsewhere, NULL)) == NULL);
  crebind_unlock();
  // A process that a signal handler ends in the middle of a call gives back nothing.
  IN_CHILD {
    crebind_lock();
    exit(0);
  }
}

// MARK: - Answers

static void check_loader_answers(void) {
  enum { NAMES = 300 };
  struct crebind_loader_answers answers;
  const struct crebind_loader_answer *answer;
  crebind_loader_answers_begin(&answers);
  char name[16];
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < NAMES; i++) {
      snprintf(name, sizeof name, "name%d", i / 3);
      const char *version = i % 3 == 0 ? NULL : i % 3 == 1 ? "V1" : "V2";
      // Some have one hash.
      uint32_t hash = (uint32_t)(i / 6);
      CHECK(crebind_loader_answers_find(&answers, name, version, hash, &answer));
      CHECK((answer != NULL) == (round == 1));
      if (round == 0) continue;
      CHECK(strcmp(crebind_loader_answers_string(&answers, answer->name), name) == 0);
      const char *own = crebind_loader_answers_string(&answers, answer->version);
      CHECK(version == NULL ? own == NULL : strcmp(own, version) == 0);
    }
    CHECK(crebind_loader_answers_are_open(&answers) == (round == 0));
    CHECK(answers.items.count == NAMES);
    answers.answered = answers.items.count;
  }
  crebind_loader_answers_end(&answers);

  // The table, the name, the version, the question.
  for (long number = 0; number < 4; number++) {
    crebind_loader_answers_begin(&answers);
    granted = number;
    CHECK(!crebind_loader_answers_find(&answers, "name", "V1", 1, &answer) && answer == NULL);
    granted = -1;
    CHECK(!crebind_loader_answers_are_open(&answers));
    CHECK(crebind_loader_answers_find(&answers, "name", "V1", 1, &answer) && answer == NULL);
    answers.answered = answers.items.count;
    CHECK(crebind_loader_answers_find(&answers, "name", "V1", 1, &answer) && answer != NULL);
    CHECK(strcmp(crebind_loader_answers_string(&answers, answer->version), "V1") == 0);
    crebind_loader_answers_end(&answers);
  }
}

static void check_ifuncs(void) {
  enum { COUNT = 200 };
  struct crebind_ifuncs ifuncs;
  for (long number = -1; number < 6; number++) {
    crebind_ifuncs_begin(&ifuncs);
    for (uintptr_t i = 0; i < COUNT; i++) {
      const struct crebind_ifunc question = {
          .resolver = 16 * (i / 2 + 1), .serial = i % 2, .lasts = i % 5 != 0};
      CHECK(crebind_ifuncs_put(&ifuncs, &question) && !crebind_ifuncs_put(&ifuncs, &question));
    }
    CHECK(crebind_ifuncs_are_open(&ifuncs));
    for (size_t i = 0; i < COUNT; i++) {
      struct crebind_ifunc *ifunc = crebind_vector_at(&ifuncs.items, i);
      ifunc->function = i + 1;
    }
    ifuncs.answered = ifuncs.items.count;
    granted = number;
    crebind_ifuncs_file(&ifuncs);
    granted = -1;
    CHECK(crebind_ifuncs_find(&ifuncs, 16, 1)->function == 2);
    crebind_ifuncs_end(&ifuncs);
  }
  // Those that last are there for the next call.
  crebind_ifuncs_begin(&ifuncs);
  for (uintptr_t i = 0; i < COUNT; i++) {
    const struct crebind_ifunc *ifunc = crebind_ifuncs_find(&ifuncs, 16 * (i / 2 + 1), i % 2);
    CHECK(i % 5 == 0 ? ifunc == NULL : ifunc->function == i + 1);
  }
  CHECK(crebind_ifuncs_find(&ifuncs, 16, 7) == NULL && !crebind_ifuncs_are_open(&ifuncs));
  const struct crebind_ifunc question = {.resolver = 1 << 20};
  const struct crebind_ifunc_image image = {.header = 1};
  granted = 0;
  CHECK(!crebind_ifuncs_put(&ifuncs, &question) && crebind_ifuncs_are_open(&ifuncs));
  ifuncs.lacks_memory = false;
  CHECK(!crebind_ifuncs_are_open(&ifuncs) && crebind_ifuncs_put(&ifuncs, &question));
  CHECK(crebind_ifuncs_are_open(&ifuncs));
  granted = 0;
  crebind_ifuncs_add_image(&ifuncs, &image);
  CHECK(ifuncs.lacks_memory && ifuncs.images.count == 0);
  crebind_ifuncs_end(&ifuncs);
}

// MARK: - Files

static void check_files(const char *folder) {
  char path[PATH_MAX], bytes[8];
  snprintf(path, sizeof path, "%s/limits", folder);
  int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  enum { SIZE = (1 << 16) + 100 };
  static char contents[SIZE];
  memset(contents, 'x', SIZE);
  CHECK(descriptor >= 0 && write(descriptor, contents, SIZE) == SIZE && close(descriptor) == 0);
  struct crebind_file file;
  CHECK(crebind_file_open(&file, path) == 0 && file.size == SIZE);
  CHECK(crebind_file_read(&file, SIZE - 8, bytes, 8) && bytes[0] == 'x');
  CHECK(!crebind_file_read(&file, SIZE - 7, bytes, 8));
  CHECK(!crebind_file_read(&file, SIZE + 1, bytes, 0));
  crebind_status status;
  CHECK(crebind_file_part(&file, 0, CREBIND_LARGEST_PART + 1, &status) == NULL);
  CHECK(status == CREBIND_BROKEN_FILE);
  // Of a size that no file has.
  file.size = UINT64_MAX;
  CHECK(!crebind_file_read(&file, (uint64_t)INT64_MAX + 1, bytes, 8) && file.error == EOVERFLOW);
  file.error = 0;
  CHECK(!crebind_file_read(&file, SIZE - 4, bytes, 8) && file.error == 0);
  // It is closed behind our back.
  close(file.descriptor);
  CHECK(!crebind_file_read(&file, 0, bytes, 8) && file.error == EBADF);
  CHECK(crebind_file_open(&file, folder) == EINVAL);
  CHECK(crebind_file_open(&file, "/no/such") == ENOENT);

  struct crebind_file memory = {-1, contents, SIZE, 0};
  CHECK(crebind_file_read(&memory, SIZE, bytes, 0) && crebind_file_read(&memory, 0, bytes, 8));

  // All of it, if memory allows.
  struct crebind_vector all = CREBIND_VECTOR(char);
  CHECK(crebind_file_read_all(path, &all) == 0 && all.count == SIZE);
  crebind_vector_free(&all);
  granted = 1;
  CHECK(crebind_file_read_all(path, &all) == ENOMEM && all.count == 1 << 16);
  crebind_vector_free(&all);
  CHECK(crebind_file_read_all(folder, &all) == EISDIR && all.count == 0);
  CHECK(crebind_file_read_all("/no/such", &all) == ENOENT);
  crebind_vector_free(&all);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  check_arguments();
  check_observers();
  check_threads();
  check_batches();
  check_memory();
  check_loader_answers();
  check_ifuncs();
  check_files(argv[1]);
  puts("refused");
}
