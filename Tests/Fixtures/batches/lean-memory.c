/// Each piece of memory that a call asks for may be missing, even one that needs no system call. Each
/// time that a call looks at the images, others may have come. The call does its work, or says that it
/// could not and does all of it the next time.
///
/// Usage: lean-memory CALLER REPLACEMENT LATER OTHER ANNOTATED STEP
///          [OPERATION [LACK NUMBER once|on]]
///   The libraries of sweep.c, another one that defines what LATER defines, and one with
///   annotations. STEP: try each number that it divides.

#define _GNU_SOURCE
#include "elf/snapshot.h"
#include "patching/patch.h"
enum { BATCH = 4 };
#include "sweep.h"

// MARK: - What is lacking

enum lack { MEMORY, REST, LACKS };
static const char *const lacks[] = {"memory", "rest"};
static enum lack lacking;

/// How many requests are granted until one fails; -1 for all.
static long granted = -1;
static bool goes_on, has_failed;

static bool is_refused(enum lack asked) {
  if (asked != lacking || granted < 0 || granted-- > 0) return false;
  has_failed = true;
  if (goes_on) granted = 0;
  return true;
}

WRAPPED(void *, crebind_vector_append, struct crebind_vector *vector, size_t count) {
  // A batch has reserved this memory for itself.
  bool is_reserved = vector->is_lent && count <= vector->capacity - vector->count;
  return !is_reserved && is_refused(MEMORY) ? NULL : __real_crebind_vector_append(vector, count);
}
WRAPPED(size_t, crebind_vector_append_string, struct crebind_vector *vector, const char *string) {
  return is_refused(MEMORY) ? SIZE_MAX : __real_crebind_vector_append_string(vector, string);
}
WRAPPED(void *, crebind_memory, size_t size) {
  return is_refused(MEMORY) ? NULL : __real_crebind_memory(size);
}
WRAPPED(void *, crebind_pages, size_t size) {
  return is_refused(MEMORY) ? NULL : __real_crebind_pages(size);
}

WRAPPED(crebind_status, crebind_images_with_lock, struct crebind_counts counts,
        crebind_status (*body)(void *), void *context) {
  return is_refused(REST) ? CREBIND_BUSY : __real_crebind_images_with_lock(counts, body, context);
}
WRAPPED(void, crebind_sleep, long nanoseconds) {
  if (lacking != REST) __real_crebind_sleep(nanoseconds);
}

/// Pages that cannot be closed, and words that cannot be taken back then.
static bool gets_stuck;
WRAPPED(crebind_status, crebind_patch_close, const struct crebind_world *world,
        struct crebind_change *changes, size_t count, bool gives_up,
        struct crebind_patch_failure *failure) {
  if (!gets_stuck || gives_up)
    return __real_crebind_patch_close(world, changes, count, gives_up, failure);
  *failure = (struct crebind_patch_failure){ENOMEM, changes->address, 0};
  return CREBIND_LEFT_OPEN;
}
WRAPPED(size_t, crebind_patch_take_back, const struct crebind_world *world,
        struct crebind_change *changes, size_t count) {
  if (!gets_stuck) return __real_crebind_patch_take_back(world, changes, count);
  size_t stuck = 0;
  for (size_t i = 0; i < count; i++) {
    changes[i].is_stuck = !changes[i].is_refused && changes[i].from != changes[i].to
                          && crebind_load_word(changes[i].address) == changes[i].to;
    stuck += changes[i].is_stuck;
  }
  return stuck;
}

// MARK: - What is rebound

static const char *other_path, *annotated_path;
static void *other;
static int (*real_dlclose)(void *);

static time_t (*original_time)(time_t *);
static int times;
static time_t time_hook(time_t *place) {
  times++;
  return original_time(place);
}
static crebind_rebinding batch[BATCH] = {
    {.name = "getppid"},
    {.name = "sweep_number", .replacement = (void *)number_hook,
     .original = (void **)&original_number, .library = "libdefiner.so"},
    {.name = "sweep_pending", .replacement = (void *)pending_hook,
     .original = (void **)&original_pending},
    // Another kind of definition, where the C library has it so: an IFUNC.
    {.name = "time", .replacement = (void *)time_hook, .original = (void **)&original_time},
};

static bool matches(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
  return true;
}
static const crebind_options matching = {.scope = CREBIND_SCOPE_MATCHING, .matches = matches};

static crebind_status apply_matching(void) {
  return crebind_apply(batch, BATCH, &matching, &handle, NULL, NULL);
}
static bool is_later(const crebind_image_info *image, void *context) {
  (void)context;
  return strcmp(image->path, later_path) == 0;
}
static crebind_status apply_upper_later(void) {
  const crebind_options options = {.scope = CREBIND_SCOPE_MATCHING, .matches = is_later};
  return crebind_apply(&upper, 1, &options, &upper_handle, NULL, NULL);
}
static void must_apply_matching(void) { must(apply_matching()); }

static void check_calls(int lower, int on_top) {
  *replacement_count = uppers = times = 0;
  CHECK(getppid() == parent && caller_parent() == parent);
  CHECK(*replacement_count == 2 * lower && uppers == 2 * on_top);
  CHECK(caller_number() == 7 + lower);
  CHECK(time(NULL) > 0 && times == lower);
  CHECK(replacement_next() != NULL && replacement_next() != batch[0].replacement);
}

/// At the latest the next call serves what is loaded.
static void check_later(void) {
  if (later == NULL) later = dlopen(later_path, RTLD_NOW);
  CHECK(later != NULL);
  must(crebind_refresh(NULL));
  int (*call)(void) = (int (*)(void))dlsym(later, "later_pending");
  pid_t (*later_parent)(void) = (pid_t(*)(void))dlsym(later, "later_parent");
  *replacement_count = 0;
  CHECK(later_parent() == parent && *replacement_count == 1 && call() == 71);
}
static void check_applied(void) {
  check_lower();
  check_later();
}
/// The image has both replacements, and the others have one.
static void check_upper_later(void) {
  check_lower();
  check_later();
  CHECK(uppers == 1);
}
static void must_restore_all(void) {
  must_restore_both();
  unload();
}
static void load_matching_unseen(void) {
  must_apply_matching();
  later = real_dlopen(later_path, RTLD_NOW);
}
static void unload_unseen(void) {
  must_apply_both();
  check_later();
  CHECK(real_dlclose(later) == 0);
  later = NULL;
}
static crebind_status refresh(void) { return crebind_refresh(NULL); }
static crebind_status load(void) {
  if (later == NULL) later = dlopen(later_path, RTLD_NOW);
  CHECK(later != NULL);
  return crebind_refresh(NULL);
}
static crebind_status verify_imports(void) {
  return crebind_verify_imports(imports, NULL, NULL);
}
static void must_restore_imports(void) { must(restore_imports()); }
static void open_later(void) {
  if (later == NULL) later = dlopen(later_path, RTLD_NOW);
}
static void load_in_question(void) { in_question = open_later; }
/// First restores what the call before could not take back.
static crebind_status apply_imports_again(void) {
  if (imports != NULL) must(restore_imports());
  imports = NULL;
  crebind_status status = apply_imports();
  CHECK((status == CREBIND_OK || status == CREBIND_NOT_TAKEN_BACK) == (imports != NULL));
  return status == CREBIND_NOT_TAKEN_BACK ? CREBIND_OUT_OF_MEMORY : status;
}
static void apply_imports_and_load(void) {
  must_apply_imports();
  must(load());
}
static void apply_imports_and_unload(void) {
  apply_imports_and_load();
  unload();
}
static crebind_status plan_imports(void) {
  const crebind_options options = {
      .scope = CREBIND_SCOPE_IMAGES, .images = &caller_header, .image_count = 1};
  return crebind_plan_imports(choose, NULL, &options, visit_slot, NULL, NULL);
}
LOOK(list_imports, crebind_imports_slots(imports, visit_slot, NULL, NULL))
/// Whoever applied the imports hears by verify that a later image could not be served.
static crebind_status load_and_verify_imports(void) {
  open_later();
  CHECK(later != NULL);
  return verify_imports();
}
// MARK: - Stuck words

static void get_stuck(void) {
  gets_stuck = true;
  CHECK(apply() == CREBIND_NOT_TAKEN_BACK);
  gets_stuck = false;
}
static void get_stuck_and_load(void) {
  get_stuck();
  later = real_dlopen(later_path, RTLD_NOW);
}
static void get_stuck_on_top(void) {
  must(apply_upper());
  get_stuck();
}
static void get_stuck_and_refresh(void) {
  get_stuck();
  must(crebind_refresh(NULL));
}
/// A call that does its own work gives back what it can; what is left is the next one's.
static void check_given_back(void) {
  must(crebind_refresh(NULL));
  check_none();
}
static void check_given_back_and_unload(void) {
  check_given_back();
  unload();
}
static void check_applied_again(void) {
  must(crebind_refresh(NULL));
  check_lower();
}

// MARK: - Two local definers

static int (*original_top)(void);
static int top_hook(void) { return original_top() + 100; }
static const crebind_rebinding top = {.name = "sweep_pending", .replacement = (void *)top_hook,
                                      .original = (void **)&original_top};
static crebind_handle *top_handle;

static int call_pending(void *image) { return ((int (*)(void))dlsym(image, "later_pending"))(); }
static void open_first(void) {
  must_apply();
  must(crebind_apply(&top, 1, NULL, &top_handle, NULL, NULL));
  CHECK((later = dlopen(later_path, RTLD_NOW)) != NULL);
  must(crebind_refresh(NULL));
  CHECK(call_pending(later) == 171);
}
static crebind_status open_second(void) {
  if (other == NULL) CHECK((other = dlopen(other_path, RTLD_NOW)) != NULL);
  return crebind_refresh(NULL);
}
static void open_both(void) {
  open_first();
  must(open_second());
}
static crebind_status restore_top(void) { return crebind_restore(top_handle, NULL, &last_error); }
static crebind_status close_second(void) {
  if (other != NULL) CHECK(dlclose(other) == 0);
  other = NULL;
  return crebind_refresh(NULL);
}
static crebind_status close_first(void) {
  unload();
  return crebind_refresh(NULL);
}
/// The first definer's calls are led to us as before.
static void check_first(void) { CHECK(call_pending(later) == 171); }
static void check_top_gone(void) { CHECK(call_pending(later) == 71); }
static void close_both(void) {
  must_restore();
  if (later != NULL) CHECK(call_pending(later) == 70);
  unload();
  must(close_second());
}
static void restore_all(void) {
  must(restore_top());
  close_both();
}

// MARK: - fishhook

static void *fishhook_original;
static struct rebinding fishhook = {"sweep_number", (void *)number_hook, &fishhook_original};
static crebind_status of_fishhook(int result) {
  CHECK(result == 0 || errno == ENOMEM || errno == EAGAIN);
  original_number = (int (*)(void))fishhook_original;
  return result == 0 ? CREBIND_OK : errno == ENOMEM ? CREBIND_OUT_OF_MEMORY : CREBIND_BUSY;
}
static crebind_status rebind(void) { return of_fishhook(rebind_symbols(&fishhook, 1)); }
static crebind_status rebind_image(void) {
  return of_fishhook(rebind_symbols_image((void *)caller_header,
                                          (intptr_t)caller_header, &fishhook, 1));
}
static void check_fishhook(void) { CHECK(caller_number() == 8); }

// MARK: - Observers and holds

static void check_told(void) {
  CHECK(crebind_refresh(NULL) == CREBIND_OK && added == 1 && removed == 0);
  CHECK(strcmp(told, later_path) == 0);
  unload();
  CHECK(crebind_refresh(NULL) == CREBIND_OK && added == 1 && removed == 1);
}

static void observe_and_load(void) {
  must_apply();
  must_observe();
  must(load());
}
static void check_gone(void) { CHECK(added == 1 && removed == 1); }
static void unobserve_and_restore(void) {
  unobserve();
  must_restore();
}

static void release(void) {
  if (hold_result != NULL) crebind_release_image(hold_result);
}

// MARK: - Looks

static void visit_text(const char *text, void *context) {
  (void)context;
  visit_string(text);
}

static crebind_status ask_about(const char *name, const char *version, const char *library) {
  const crebind_rebinding rebinding = {.name = name, .version = version, .library = library};
  return crebind_diagnose(&rebinding, NULL, visit_diagnosis, NULL, NULL);
}
LOOK(diagnose_own, ask_about("visit_finding", NULL, NULL))
LOOK(diagnose_similar, ask_about("getpppid", NULL, NULL))
LOOK(diagnose_version, ask_about("getppid", "V9", "libnone.so"))
static crebind_status explain(void) {
  const crebind_rebinding rebinding = {.name = "getpppid"};
  return crebind_explain(&rebinding, &matching, visit_text, NULL, NULL);
}
static crebind_status other_names(void) {
  return crebind_other_names("open", (crebind_name_visitor *)visit_text, NULL);
}
static void annotate(void) { CHECK((later = dlopen(annotated_path, RTLD_NOW)) != NULL); }
static crebind_status look_up(void) {
  visit_word(1);
  if (crebind_lookup("getppid") != NULL) return CREBIND_OK;
  return lacking == MEMORY ? CREBIND_OUT_OF_MEMORY : CREBIND_BUSY;
}
static crebind_status find_image(void) {
  visit_word(1);
  return crebind_image_containing((const void *)caller_parent) == caller_header
             ? CREBIND_OK
             : CREBIND_OUT_OF_MEMORY;
}

// MARK: - Operations

static const struct operation {
  const char *name;
  void (*prepare)(void);
  crebind_status (*run)(void);
  /// NULL: a look, which the next one repeats.
  void (*check)(void);
  void (*finish)(void);
} operations[] = {
    {"apply", nothing, apply, check_applied, restore_and_unload},
    {"apply where it matches", nothing, apply_matching, check_applied, restore_and_unload},
    {"apply on top", must_apply, apply_upper, check_both, must_restore_both},
    {"apply on top of later images", must_apply, apply_upper_later, check_upper_later, must_restore_all},
    {"restore", must_apply, restore, check_none, nothing},
    {"restore where it matches", must_apply_matching, restore, check_none, nothing},
    {"restore from below", must_apply_both, restore, check_upper, must_restore_upper},
    {"restore on top", must_apply_both, restore_upper, check_lower, must_restore},
    {"apply imports", load_in_question, apply_imports_again, check_applied, restore_imports_and_unload},
    {"restore imports", apply_imports_and_load, restore_imports, check_none, unload},
    {"verify imports", must_apply_imports, verify_imports, check_lower, must_restore_imports},
    {"dlopen with imports", apply_imports_and_unload, load_and_verify_imports, check_later, restore_imports_and_unload},
    {"plan imports", nothing, plan_imports, NULL, nothing},
    {"slots of imports", apply_imports_and_load, list_imports, NULL, restore_imports_and_unload},
    {"verify", must_apply, verify, check_lower, must_restore},
    {"refresh", load_unseen, refresh, check_later, restore_and_unload},
    {"refresh where it matches", load_matching_unseen, refresh, check_later, restore_and_unload},
    {"refresh after dlclose", unload_unseen, refresh, check_both, must_restore_both},
    {"dlopen", must_apply, load, check_later, restore_and_unload},
    {"refresh after being stuck", get_stuck, refresh, check_given_back, nothing},
    {"refresh with a stuck image", get_stuck_and_load, refresh, check_given_back_and_unload,
     nothing},
    {"apply after being stuck", get_stuck, apply, check_applied_again, must_restore},
    {"apply after giving back", get_stuck_and_refresh, apply, check_applied_again, must_restore},
    {"restore after being stuck", get_stuck_on_top, restore_upper, check_given_back, nothing},
    {"dlopen of another definer", open_first, open_second, check_first, restore_all},
    {"dlclose of another definer", open_both, close_second, check_first, restore_all},
    {"dlclose of the first definer", open_both, close_first, nothing, restore_all},
    {"restore beside another definer", open_both, restore_top, check_top_gone, close_both},
    {"observe", nothing, observe, nothing, unobserve},
    {"dlopen while observing", must_observe, load, check_told, unobserve},
    {"dlclose while observing", observe_and_load, close_first, check_gone, unobserve_and_restore},
    {"unobserve", must_observe, end_observing, nothing, nothing},
    {"hold", prepare_hold, hold, nothing, release},
    {"rebind_symbols", nothing, rebind, check_fishhook, nothing},
    {"rebind_symbols_image", nothing, rebind_image, check_fishhook, nothing},
    {"plan", nothing, plan, NULL, nothing},
    {"slots", must_apply, list_slots, NULL, must_restore},
    {"section", nothing, section, NULL, nothing},
    {"sections", nothing, list_sections, NULL, nothing},
    {"images", nothing, list_images, NULL, nothing},
    {"symbols", nothing, list_symbols, NULL, nothing},
    {"image slots", nothing, list_contents, NULL, nothing},
    {"audit", must_apply, audit, NULL, must_restore},
    {"diagnose an import", nothing, diagnose, NULL, nothing},
    {"diagnose an own function", nothing, diagnose_own, NULL, nothing},
    {"diagnose a similar name", nothing, diagnose_similar, NULL, nothing},
    {"diagnose a version", nothing, diagnose_version, NULL, nothing},
    {"explain", nothing, explain, NULL, nothing},
    {"other names", nothing, other_names, NULL, nothing},
    {"annotations", annotate, list_annotations, NULL, unload},
    {"describe", nothing, describe, NULL, nothing},
    {"copies", nothing, list_copies, NULL, nothing},
    {"look up", nothing, look_up, NULL, nothing},
    {"find an image", nothing, find_image, NULL, nothing},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/// The exit status of a child.
enum { DONE = 10, REFUSED, NO_SUCH_REQUEST };

static int try(const struct operation *operation, long number) {
  operation->prepare();
  visited = 0;
  granted = number;
  crebind_status status = operation->run();
  granted = -1;
  if (!has_failed) must(status);
  if (status != CREBIND_OK) {
    // A page of symbols is changed by a copy of it.
    bool is_copy = status == CREBIND_PROTECTION && last_error.system_error == ENOMEM;
    crebind_status expected = lacking == MEMORY ? CREBIND_OUT_OF_MEMORY : CREBIND_BUSY;
    // A function of the loader that is not found counts as lacking memory.
    bool is_expected = status == expected || is_copy || status == CREBIND_OUT_OF_MEMORY;
    if (!is_expected) fprintf(stderr, "status %d\n", status);
    CHECK(is_expected);
    visited = 0;
    must(operation->run());
  }
  if (operation->check != NULL)
    operation->check();
  else
    check_visited(operation->run);
  operation->finish();
  must(crebind_refresh(NULL));
  return !has_failed ? NO_SUCH_REQUEST : status == CREBIND_OK ? DONE : REFUSED;
}

static int try_in_child(const struct operation *operation, enum lack lack, long number, bool on) {
  pid_t child = fork();
  if (child == 0) {
    alarm(30);
    lacking = lack;
    goes_on = on;
    parent = getppid();
    _exit(try(operation, number));
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) >= DONE) return WEXITSTATUS(status);
  fprintf(stderr, "%s %s %ld %s: %s %d\n", operation->name, lacks[lack], number,
          on ? "on" : "once", WIFEXITED(status) ? "exit" : "signal",
          WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  return 0;
}

int main(int argc, char *argv[]) {
  CHECK(argc >= 7);
  long step = atol(argv[6]);
  CHECK(step > 0);
  load_images(argv + 1);
  other_path = argv[4];
  annotated_path = argv[5];
  real_dlclose = (int (*)(void *))dlsym(RTLD_DEFAULT, "dlclose");
  int deviations = 0;
  for (size_t i = 0; i < OPERATIONS * LACKS * 2; i++) {
    const struct operation *operation = &operations[i / 2 / LACKS];
    enum lack lack = i / 2 % LACKS;
    bool on = i % 2 != 0;
    if (argc > 7 && strcmp(argv[7], operation->name) != 0) continue;
    if (argc > 10) {
      if (strcmp(argv[8], lacks[lack]) == 0 && strcmp(argv[10], on ? "on" : "once") == 0)
        printf("%d\n", try_in_child(operation, lack, atol(argv[9]), on));
      continue;
    }
    long refused = 0, wrong = 0, number = 0;
    for (int outcome = DONE; wrong < 5; number += step) {
      outcome = try_in_child(operation, lack, number, on);
      if (outcome == NO_SUCH_REQUEST) break;
      refused += outcome == REFUSED;
      wrong += outcome == 0;
    }
    deviations += wrong != 0;
    // Each asks for memory.
    CHECK(lack != MEMORY || number != 0);
    if (number == 0) continue;
    printf("%-30s %-6s %-4s %5ld %7ld\n", operation->name, lacks[lack], on ? "on" : "once", number,
           refused);
    fflush(stdout);
  }
  if (deviations == 0) printf("nothing was lost\n");
  return deviations != 0;
}
