/// Whatever images import is rebound at once: each definition is asked about once, whichever images
/// and versions lead to it, and has a rebinding and an original of its own. So has what later images
/// bring.
///
/// Usage: imports LATER

#if defined(LATER)

#include <dlfcn.h>
#include <unistd.h>

int early(void);
int late(void), lauD(void);
int number(void);
extern const int table[2];
int sum(void) { return table[0] + table[1]; }
int during;
int call_late(void) { return late(); }
int call_lauD(void) { return lauD(); }
int call_number(void) { return number(); }
pid_t call_group(void) { return getpgrp(); }
int look_up_early(void) {
  int (*found)(void);
  *(void **)&found = dlsym(RTLD_DEFAULT, "early");
  return found();
}
__attribute__((constructor)) static void call_both(void) { during = early() * 1000 + late(); }

#elif defined(DATA)

int early(void) { return 4; }
int late(void) { return 7; }
/// Its hash is that of `late`.
int lauD(void) { return 9; }
int common(void) { return 9; }
/// Data among the code, as some libraries have it.
__asm__(".pushsection .text\n.global table\n.type table, %object\n.size table, 8\n"
        ".balign 8\ntable: .long 5, 6\n.popsection");

#elif defined(SYMBOLIC)

/// It is bound to itself, through slots.
int lauD(void) { return 8; }
int common(void) { return 8; }
int call_own(void) { return lauD() + common(); }

#else

#include "steps.h"

int early(void), common(void);
static int (*call_old)(void), (*call_new)(void), (*call_other)(void), (*call_bare)(void);

// MARK: - Stubs, each of which adds 100 and calls its original

enum { STUBS = 64 };
static int (*originals[STUBS])(void);
static int counts[STUBS];
#define STUB(n) \
  static int stub_##n(void) { return counts[n]++, 100 + originals[n](); }
STUB(0) STUB(1) STUB(2) STUB(3) STUB(4) STUB(5) STUB(6) STUB(7)
static int (*const stubs[])(void) = {stub_0, stub_1, stub_2, stub_3, stub_4, stub_5, stub_6, stub_7};

// MARK: - The predicate

/// A line for each question.
static char asked[1 << 16];
static int chosen, questions;
static const char *wanted[8];
/// The predicate opens this image once.
static const char *opens;

static void choose(const crebind_import *import, crebind_import_choice *choice, void *context) {
  CHECK(strcmp(context, "context") == 0 && choice->replacement == NULL);
  CHECK(import->image.header != NULL && import->definer.header != NULL);
  questions++;
  // No lock is held: the loader, another thread and this interface may be asked.
  CHECK(dlsym(RTLD_DEFAULT, "close") != NULL && crebind_lookup("close") != NULL);
  char line[512];
  snprintf(line, sizeof line, "\n%s@%s of %s\n", import->name,
           import->version != NULL ? import->version : "", file_name(import->definer.path));
  CHECK(strstr(asked, line) == NULL);
  strcat(asked, line);
  if (strcmp(import->name, "table") == 0) CHECK(!import->is_function && import->type == STT_OBJECT);
  if (opens != NULL) {
    const char *path = opens;
    opens = NULL;
    OPEN(path, RTLD_LAZY);
  }
  bool is_wanted = false;
  for (int i = 0; wanted[i] != NULL; i++) is_wanted |= strcmp(import->name, wanted[i]) == 0;
  if (!is_wanted) return;
  CHECK(import->is_function && chosen < (int)(sizeof stubs / sizeof *stubs));
  choice->replacement = (void *)stubs[chosen];
  choice->original = (void **)&originals[chosen];
  chosen++;
}

static bool was_asked(const char *line) {
  char whole[256];
  snprintf(whole, sizeof whole, "\n%s\n", line);
  return strstr(asked, whole) != NULL;
}

static crebind_imports *apply(const crebind_options *options, crebind_report *report) {
  asked[0] = 0;
  chosen = questions = 0;
  crebind_imports *imports;
  crebind_error error;
  crebind_status status =
      crebind_apply_imports(choose, "context", options, &imports, report, &error);
  if (status != CREBIND_OK) fprintf(stderr, "%s\n", crebind_status_description(status));
  CHECK(status == CREBIND_OK);
  return imports;
}

static void expect_unhooked(void) {
  CHECK(call_old() == 1 && call_new() == 2 && call_bare() == 1 && call_other() == 3 && early() == 4);
}

static void count_slot(const crebind_slot_info *slot, void *context) {
  CHECK(slot->rebinding < (size_t)chosen && slot->value == (uintptr_t)stubs[slot->rebinding]);
  CHECK(slot->original == (void *)originals[slot->rebinding]);
  ++*(int *)context;
}

static void count_planned(const crebind_slot_info *slot, void *context) {
  CHECK(slot->value == (uintptr_t)stubs[slot->rebinding] && slot->current != slot->value);
  ++*(int *)context;
}

// MARK: - Cases

/// Two versions of one library, one of them asked for without a version, and another library's
/// function of the same name.
static void hook_loaded(void) {
  int planned = 0;
  CHECK(crebind_plan_imports(choose, "context", NULL, count_planned, &planned, NULL)
        == CREBIND_OK);
  CHECK(planned == 5 && chosen == 4 && originals[0] == NULL);
  expect_unhooked();

  char *maps = read_maps();
  crebind_report report;
  crebind_imports *imports = apply(NULL, &report);
  CHECK(chosen == 4 && was_asked("number@V1 of libversioned.so") && early() == 104);
  CHECK(was_asked("number@V2 of libversioned.so") && was_asked("number@ of libplain.so"));
  CHECK(report.changed == 5 && report.ambiguous == 0 && report.left_alone == 0);
  CHECK(report.unreached == 0 && report.pending == 0);
  CHECK(call_old() == 101 && call_new() == 102 && call_bare() == 101 && call_other() == 103);
  int slots = 0;
  CHECK(crebind_imports_slots(imports, count_slot, &slots, NULL) == CREBIND_OK && slots == 5);
  CHECK(crebind_verify_imports(imports, &report, NULL) == CREBIND_OK && report.unchanged == 5);
  CHECK(crebind_restore_imports(imports, &report, NULL) == CREBIND_OK && report.changed == 5);
  expect_unhooked();
  CHECK(strcmp(maps, read_maps()) == 0);
}

/// A later image brings a name that nobody imported, and asks for one that is hooked.
static void hook_later(const char *path, bool names_image) {
  crebind_options options = {.loaded_images_only = names_image};
  crebind_imports *imports = apply(&options, NULL);
  CHECK(chosen == 4 && !was_asked("late@ of libdata.so"));
  int before = questions;
  void *later = OPEN(path, RTLD_LAZY);
  int (*call_late)(void) = FIND(later, "call_late"), (*call_number)(void) =
                                                         FIND(later, "call_number");
  if (names_image) {
    CHECK(questions == before && call_late() == 7 && call_number() < 100);
  } else {
    CHECK(was_asked("late@ of libdata.so") && questions > before && chosen == 5);
    CHECK(call_late() == 107 && call_number() == 102);
    CHECK(was_asked("table@ of libdata.so") && CALL(later, "sum") == 11);
    CHECK(was_asked("lauD@ of libdata.so") && CALL(later, "call_lauD") == 9);
    // Its constructor came before the new name, and after the one that is hooked already.
    CHECK(*(int *)FIND(later, "during") == 104 * 1000 + 7);
    int slots = 0;
    CHECK(crebind_imports_slots(imports, count_slot, &slots, NULL) == CREBIND_OK && slots == 8);
  }
  CHECK(crebind_restore_imports(imports, NULL, NULL) == CREBIND_OK);
  CHECK(call_late() == 7 && call_number() == 2);
  before = questions;
#ifdef __GLIBC__
  CHECK(dlclose(later) == 0 && dlopen(path, RTLD_NOLOAD | RTLD_LAZY) == NULL);
#endif
  dlclose(OPEN(path, RTLD_LAZY));
  CHECK(questions == before);
  expect_unhooked();
}

/// An image that comes while the predicate is asked is served by the same call.
static void hook_opened(const char *path) {
  opens = path;
  crebind_imports *imports = apply(NULL, NULL);
  CHECK(was_asked("late@ of libdata.so") && chosen == 5);
  void *later = OPEN(path, RTLD_LAZY);
  CHECK(CALL(later, "call_late") == 107 && CALL(later, "call_number") == 102);
  CHECK(crebind_restore_imports(imports, NULL, NULL) == CREBIND_OK);
  CHECK(CALL(later, "call_late") == 7 && dlclose(later) == 0 && dlclose(later) == 0);
  expect_unhooked();
}

static bool is_old(const crebind_image_info *image, void *context) {
  CHECK(context == asked);
  return strcmp(file_name(image->path), "libold.so") == 0;
}

/// Only images in scope are looked at.
static void hook_in_scope(void) {
  crebind_options options = {
      .scope = CREBIND_SCOPE_MATCHING, .matches = is_old, .context = asked};
  crebind_imports *imports = apply(&options, NULL);
  CHECK(chosen == 1 && call_old() == 101 && call_new() == 2 && call_bare() == 1);
  CHECK(crebind_restore_imports(imports, NULL, NULL) == CREBIND_OK);
  const void *headers[] = {header_of((void *)call_new), header_of((void *)call_other)};
  for (int count = 1; count <= 2; count++) {
    options = (crebind_options){
        .scope = CREBIND_SCOPE_IMAGES, .images = headers, .image_count = (size_t)count};
    imports = apply(&options, NULL);
    CHECK(chosen == count && call_new() == 102 && call_old() == 1);
    CHECK(call_other() == (count > 1 ? 103 : 3));
    CHECK(crebind_restore_imports(imports, NULL, NULL) == CREBIND_OK);
  }
}

/// On top of and below another batch.
static void hook_beside_others(void) {
  static int (*other_original)(void);
  crebind_rebinding other = {.name = "number", .version = "V1", .replacement = (void *)stubs[7],
                             .original = (void **)&originals[7]};
  crebind_handle *handle = APPLY(&other, 1, NULL, NULL);
  crebind_imports *imports = apply(NULL, NULL);
  CHECK(chosen == 4 && call_old() == 201 && call_new() == 102);
  RESTORE(handle);
  CHECK(call_old() == 101);
  other.original = (void **)&other_original;
  other.replacement = (void *)call_other;
  handle = APPLY(&other, 1, NULL, NULL);
  CHECK(call_old() == 103);
  CHECK(crebind_restore_imports(imports, NULL, NULL) == CREBIND_OK);
  CHECK(call_old() == 3 && other_original() == 1);
  RESTORE(handle);
  expect_unhooked();
}

/// A name that another image looks up leads to the stub, unless slots alone are rebound.
static void hook_slots_only(const char *path) {
  void *later = OPEN(path, RTLD_LAZY);
  for (int slots_only = 0; slots_only < 2; slots_only++) {
    const crebind_options options = {.slots_only = slots_only};
    crebind_imports *imports = apply(&options, NULL);
    CHECK(was_asked("lauD@ of libsymbolic.so") && was_asked("lauD@ of libdata.so"));
    CHECK(was_asked("common@ of libsymbolic.so") && common() == 9);
    CHECK(early() == 104 && CALL(later, "look_up_early") == (slots_only ? 4 : 104));
    CHECK(crebind_restore_imports(imports, NULL, NULL) == CREBIND_OK);
    CHECK(CALL(later, "look_up_early") == 4);
  }
  CHECK(dlclose(later) == 0);
}

/// None of our wrappers is left.
static void expect_foreign(const crebind_finding *finding, void *context) {
  (void)context;
  CHECK(!finding->is_ours);
}

static void choose_nothing(const char *path) {
  crebind_imports *imports;
  crebind_options options = {.expects = CREBIND_EXPECT_DEFINED};
  wanted[0] = NULL;
  asked[0] = 0;
  CHECK(crebind_apply_imports(choose, "context", &options, &imports, NULL, NULL)
        == CREBIND_UNREACHED);
  asked[0] = 0;
  options = (crebind_options){.expects = CREBIND_EXPECT_LATER, .loaded_images_only = true};
  CHECK(crebind_apply_imports(choose, "context", &options, &imports, NULL, NULL)
        == CREBIND_UNREACHED);
  options.loaded_images_only = false;
  opens = path;
  imports = apply(&options, NULL);
  CHECK(chosen == 0 && crebind_restore_imports(imports, NULL, NULL) == CREBIND_OK);
  CHECK(dlclose(OPEN(path, RTLD_LAZY)) == 0);
  CHECK(crebind_audit(expect_foreign, NULL, NULL) == CREBIND_OK);
  int planned = 0;
  asked[0] = 0;
  CHECK(crebind_plan_imports(choose, "context", NULL, count_planned, &planned, NULL) == CREBIND_OK);
  CHECK(planned == 0 && was_asked("early@ of libdata.so"));
  const void *gone = &options;
  options = (crebind_options){.scope = CREBIND_SCOPE_IMAGES, .images = &gone, .image_count = 1};
  CHECK(crebind_apply_imports(choose, NULL, &options, &imports, NULL, NULL)
        == CREBIND_NO_SUCH_IMAGE);
}

int main(int count, char **paths) {
  CHECK(count == 2);
  call_old = FIND(OPEN("libold.so", RTLD_LAZY), "call_old");
  call_new = FIND(OPEN("libnew.so", RTLD_LAZY), "call_new");
  call_bare = FIND(OPEN("libbare.so", RTLD_LAZY), "call_bare");
  call_other = FIND(OPEN("libother.so", RTLD_LAZY), "call_other");
  expect_unhooked();
  wanted[0] = "number";
  wanted[1] = "late";
  wanted[2] = "early";
  hook_loaded();
  hook_in_scope();
  hook_beside_others();
  hook_later(paths[1], false);
  hook_later(paths[1], true);
  hook_opened(paths[1]);
  hook_slots_only(paths[1]);
  choose_nothing(paths[1]);
  expect_unhooked();
  printf("each definition once\n");
}

#endif
