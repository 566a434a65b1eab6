/// A replacement that asks dlsym or dlvsym for the function behind it gets that, and not itself. It
/// may ask in a library or in the program, in a chain, while dlsym itself is hooked, by RTLD_NEXT,
/// RTLD_DEFAULT, a handle and with a version. The loader answers others' questions, questions about
/// other names, and questions after restoring.

#include "steps.h"
#include "next-symbol.h"

int value(void);
int other(void);
int caller_value(void);
function *caller_asks(const char *how, void *library);
extern const char *hooks_way;
extern void *hooks_library;
int hooks_value(void);
function *hooks_ask(const char *how, const char *name, void *library);
int hooks_call(void);
extern void *(*hooks_pointer)(void *, const char *);
void *(*hooks_address(void))(void *, const char *);

static void *library;
static function *real;

// MARK: - Replacements of the program

static const char *way = "next";
static int depth;

static int program_value(void) {
  if (depth > 3) return -10000;
  depth++;
  function *behind = ask(way, "value", library);
  int result = 1000 + (behind != NULL ? behind() : -10000);
  depth--;
  return result;
}

static crebind_handle *apply(const char *name, void *replacement, void *original,
                             const crebind_options *options) {
  crebind_report report;
  crebind_handle *handle = REBIND(name, replacement, original, options, &report);
  CHECK(report.ambiguous == 0 && report.skipped == 0 && report.pending == 0);
  return handle;
}

static void restore(crebind_handle *handle) {
  crebind_report report;
  CHECK(crebind_verify(handle, &report, NULL) == CREBIND_OK && report.changed == 0);
  CHECK(report.skipped == 0);
  CHECK(crebind_restore(handle, &report, NULL) == CREBIND_OK && report.skipped == 0);
}

static function *original;

// MARK: - Slots

struct words {
  uintptr_t items[64];
  size_t count;
};

static void add_word(const crebind_slot_contents *slot, void *context) {
  struct words *words = context;
  if (strcmp(slot->symbol, "dlsym") != 0 && strcmp(slot->symbol, "dlvsym") != 0) return;
  if (slot->is_unresolved) return;
  words->items[words->count++] = slot->word;
}

static void add_image(const crebind_image_contents *image, void *context) {
  CHECK(crebind_image_slots(image->info.header, true, add_word, context, NULL) == CREBIND_OK);
}

/// The words of all slots of dlsym and dlvsym.
static struct words words(void) {
  struct words words = {.count = 0};
  CHECK(crebind_images(add_image, &words, NULL) == CREBIND_OK);
  return words;
}

static bool are_same(struct words a, struct words b) {
  return a.count == b.count && memcmp(a.items, b.items, a.count * sizeof *a.items) == 0;
}

static void expect_ours(const crebind_finding *finding, void *context) {
  CHECK(finding->is_ours);
  *(int *)context += strcmp(finding->slot.symbol, "dlsym") == 0;
}

static void expect_value(const crebind_slot_info *slot, void *context) {
  CHECK(strcmp(slot->symbol, "value") == 0);
  ++*(size_t *)context;
}

// MARK: - Cases

static void check_library(void) {
  crebind_handle *handle = apply("value", (void *)hooks_value, &original, NULL);
  CHECK(original == real);
  for (size_t i = 0; i < WAYS; i++) {
    hooks_way = ways[i];
    CHECK(value() == 101 && caller_value() == 101 && hooks_call() == 101);
    CHECK(hooks_ask(ways[i], "value", library) == real);
    // The loader answers those that hold no replacement.
    function *told = caller_asks(ways[i], library);
    CHECK(told == hooks_value || (strncmp(ways[i], "next", 4) == 0 && told == NULL));
    CHECK(ask(ways[i], "value", library) == hooks_value);
  }
  int ours = 0;
  CHECK(crebind_audit(expect_ours, &ours, NULL) == CREBIND_OK && ours > 0);
  size_t slots = 0;
  CHECK(crebind_slots(handle, expect_value, &slots, NULL) == CREBIND_OK && slots >= 3);
  restore(handle);
}

/// Of one version, which is what is asked for without one, too.
static void check_version(void) {
#ifdef __GLIBC__
  crebind_handle *handle = apply("value@" VERSION, (void *)hooks_value, &original, NULL);
  for (size_t i = 0; i < WAYS; i++) {
    hooks_way = ways[i];
    CHECK(value() == 101 && caller_value() == 101);
  }
  CHECK(dlvsym(library, "value", "NONE") == NULL);
  restore(handle);
#endif
}

static void check_program(void) {
  crebind_handle *handle = apply("value", (void *)program_value, &original, NULL);
  for (size_t i = 0; i < WAYS; i++) {
    way = ways[i];
    CHECK(value() == 1001 && caller_value() == 1001 && hooks_call() == 1001);
    CHECK(hooks_ask("default", "value", NULL) == program_value);
    CHECK(caller_asks("default", NULL) == program_value);
  }
  restore(handle);
}

/// The function behind the program's is the library's, whichever was applied first, and
/// whichever is restored first.
static void check_chain(bool program_first, bool restores_first) {
  hooks_way = way = "next";
  void *hooks[] = {(void *)hooks_value, (void *)program_value};
  crebind_handle *first = apply("value", hooks[program_first], NULL, NULL);
  crebind_handle *second = apply("value", hooks[!program_first], NULL, NULL);
  for (size_t i = 0; i < WAYS; i++) {
    hooks_way = way = ways[i];
    CHECK(value() == 1101 && caller_value() == 1101);
  }
  restore(restores_first ? first : second);
  bool leaves_program = program_first != restores_first;
  for (size_t i = 0; i < WAYS; i++) {
    hooks_way = way = ways[i];
    CHECK(value() == (leaves_program ? 1001 : 101));
  }
  restore(restores_first ? second : first);
  CHECK(value() == 1);
}

/// Two of one image: nobody comes back from behind the first.
static int second_program_value(void) { return 10000 + original(); }

static void check_two_of_one_image(void) {
  crebind_handle *first = apply("value", (void *)program_value, NULL, NULL);
  crebind_handle *second = apply("value", (void *)second_program_value, &original, NULL);
  CHECK(value() == 11001 && ask("next", "value", library) == real);
  restore(first);
  CHECK(value() == 10001 && ask("default", "value", library) == real);
  restore(second);
}

/// Questions that the loader alone can answer, as the program's library asks them.
static void check_others(void) {
  function *next = hooks_ask("next", "other", NULL);
  function *first = hooks_ask("default", "other", NULL);
  crebind_handle *handle = apply("value", (void *)hooks_value, NULL, NULL);
  CHECK(next() == 2 && first() == 3);
  CHECK(hooks_ask("next", "other", NULL) == next);
  CHECK(hooks_ask("default", "other", NULL) == first);
  CHECK(hooks_ask("handle", "other", library) == next);
  dlerror();
  CHECK(hooks_ask("next", "no_such_name", NULL) == NULL);
  const char *error = dlerror();
  CHECK(error != NULL && strstr(error, "no_such_name") != NULL);
  CHECK(hooks_ask("default", "value", NULL) != NULL && dlerror() == NULL);
  void *empty = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (empty != NULL) {
    CHECK(hooks_ask("handle", "value", empty) == NULL && dlerror() != NULL);
    dlclose(empty);
  }
  // A pointer to dlsym that was taken meanwhile.
  void *(*kept)(void *, const char *) = hooks_address();
  CHECK((function *)kept(RTLD_DEFAULT, "value") == hooks_value);
  CHECK((function *)hooks_pointer(library, "other") == next);
  restore(handle);
  CHECK((function *)kept(RTLD_DEFAULT, "value") == real);
  CHECK((function *)kept(library, "other") == next);
}

// MARK: - dlsym hooked

static void *(*original_dlsym)(void *, const char *);
static int asked;

static void *counting_dlsym(void *handle, const char *name) {
  asked++;
  return original_dlsym(handle, name);
}

static void check_hooked_dlsym(bool dlsym_first) {
  hooks_way = way = "next";
  crebind_handle *counting = NULL, *handle;
  if (dlsym_first)
    counting = apply("dlsym", (void *)counting_dlsym, &original_dlsym, NULL);
  handle = apply("value", (void *)hooks_value, NULL, NULL);
  if (!dlsym_first)
    counting = apply("dlsym", (void *)counting_dlsym, &original_dlsym, NULL);
  CHECK(value() == 101 && caller_value() == 101);
  hooks_way = "handle";
  CHECK(value() == 101);
  asked = 0;
  CHECK(hooks_ask("handle", "other", library) != NULL && asked == 1);
  CHECK(caller_asks("default", library) == hooks_value && asked == 2);
  hooks_way = "next";
  restore(dlsym_first ? counting : handle);
  asked = 0;
  if (dlsym_first) {
    CHECK(value() == 101);
    CHECK(hooks_ask("handle", "other", library) != NULL && asked == 0);
  } else {
    CHECK(value() == 1);
    CHECK(hooks_ask("handle", "other", library) != NULL && asked == 1);
  }
  restore(dlsym_first ? handle : counting);
}

// MARK: - Left alone

static void check_left_alone(void) {
  struct words before = words();
  crebind_options options = {.scope = CREBIND_SCOPE_MAIN};
  crebind_handle *handle = apply("value", (void *)hooks_value, NULL, &options);
  CHECK(are_same(before, words()) && value() == 101 && caller_value() == 1);
  restore(handle);
  options = (crebind_options){.excludes_self = true};
  handle = apply("value", (void *)hooks_value, NULL, &options);
  CHECK(are_same(before, words()));
  restore(handle);
  // A call that fails leaves nothing.
  crebind_rebinding twice[] = {{.name = "value", .replacement = (void *)hooks_value},
                               {.name = "value", .replacement = (void *)hooks_value}};
  CHECK(crebind_apply(twice, 2, NULL, &handle, NULL, NULL) == CREBIND_DUPLICATE_NAME);
  CHECK(are_same(before, words()));
}

// MARK: - Threads

static bool is_over;

static void *ask_on(void *unused) {
  while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
    function *next = hooks_ask("next", "value", NULL), *any = hooks_ask("handle", "value", library);
    CHECK(next == real);
    CHECK(any == real);
    CHECK(hooks_ask("default", "value", NULL) == real);
  }
  return unused;
}

static void check_threads(int cycles) {
  hooks_way = way = "next";
  crebind_handle *handle = apply("value", (void *)hooks_value, NULL, NULL);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) threads[i] = START(ask_on, NULL);
  for (int i = 0; i < cycles; i++) {
    crebind_handle *other_handle = apply("other", (void *)program_value, NULL, NULL);
    crebind_handle *same = apply("value", (void *)program_value, NULL, NULL);
    CHECK(value() == 1101);
    restore(other_handle);
    restore(same);
  }
  __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
  for (int i = 0; i < 2; i++) JOIN(threads[i]);
  restore(handle);
}

int main(int count, char **arguments) {
  CHECK(count == 3);
  library = OPEN(arguments[1], RTLD_LAZY);
  hooks_library = library;
  real = (function *)dlsym(library, "value");
  for (size_t i = 0; i < WAYS; i++) {
    hooks_ask(ways[i], "value", library);
    caller_asks(ways[i], library);
    ask(ways[i], "value", library);
  }
  struct words before = words();
  check_library();
  check_version();
  check_program();
  for (int i = 0; i < 4; i++) check_chain(i & 1, i & 2);
  check_two_of_one_image();
  check_others();
  check_hooked_dlsym(true);
  check_hooked_dlsym(false);
  check_left_alone();
  check_threads(atoi(arguments[2]));
  CHECK(are_same(before, words()));
  printf("what is next\n");
}
