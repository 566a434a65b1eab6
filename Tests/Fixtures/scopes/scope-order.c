/// The originals of slots that are not bound yet are the functions that the loader would bind.
/// Images that were opened with RTLD_GLOBAL go before an image's own dependencies, in the order of
/// opening. Another image with one of an image's names says nothing of its other names.

#if defined(LIBRARY)

#ifdef NUMBER
int number(void) { return NUMBER; }
#endif
#ifdef OTHER
int other(void) { return OTHER; }
int unused(void) { return 7; }
#endif
#ifdef ELSEWHERE
int elsewhere(void) { return 6; }
#endif
#ifdef PICKED
// The function that the resolver picks is another image's.
int elsewhere(void);
__attribute__((used)) static int (*resolve(void))(void) { return elsewhere; }
int picked(void) __attribute__((ifunc("resolve")));
#endif

#elif defined(CALLER)

int number(void);
int call_number(void) { return number(); }
#ifdef OTHER
int other(void);
int call_other(void) { return other(); }
#endif
#ifdef PICKED
int picked(void);
int call_picked(void) { return picked(); }
#endif

#else

#include "steps.h"

static int (*original_number)(void), (*original_other)(void), (*original_picked)(void);
static int hook_number(void) { return 100 + original_number(); }
static int hook_other(void) { return 100 + original_other(); }
static int hook_picked(void) { return 100 + original_picked(); }
static int hook(void) { return -1; }

static void *open_image(const char *name, int mode) { return OPEN(name, RTLD_LAZY | mode); }

#ifdef __GLIBC__
/// Both of the caller's dependencies define `number`. With the first one's hidden,
/// as a careless linker leaves it, the loader takes the other.
static void skip_hidden_definition(void) {
  void *caller = open_image("both.so", RTLD_LOCAL);
  Dl_info info;
  ElfW(Sym) * symbol;
  CHECK(dladdr1(dlsym(caller, "number"), &info, (void **)&symbol, RTLD_DL_SYMENT) != 0);
  size_t size = (size_t)sysconf(_SC_PAGESIZE);
  void *page = (void *)((uintptr_t)symbol & ~(size - 1));
  CHECK(mprotect(page, 2 * size, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
  unsigned char visible = symbol->st_other;
  symbol->st_other = STV_HIDDEN;

  const void *header = header_of(FIND(caller, "call_number"));
  crebind_options options = {
      .scope = CREBIND_SCOPE_IMAGES, .images = &header, .image_count = 1};
  crebind_handle *handle = REBIND("number", hook_number, &original_number, &options, NULL);
  CHECK(CALL(caller, "call_number") == 102);
  RESTORE(handle);
  CHECK(CALL(caller, "call_number") == 2);
  symbol->st_other = visible;
}
#endif

int main(void) {
  // Loaded first, and bound to its own dependency's `number`.
  void *early = open_image("early.so", RTLD_LOCAL);
  CHECK(CALL(early, "call_number") == 9);
  // `first` is loaded first and opened globally last.
  open_image("first.so", RTLD_LOCAL);
#ifdef __GLIBC__
  skip_hidden_definition();
#endif
  open_image("second.so", RTLD_GLOBAL);
  open_image("first.so", RTLD_GLOBAL);
  void *caller = open_image("caller.so", RTLD_LOCAL);

  crebind_rebinding rebindings[] = {
      {.name = "other", .replacement = (void *)hook_other, .original = (void **)&original_other},
      {.name = "number", .replacement = (void *)hook_number,
       .original = (void **)&original_number},
      {.name = "picked", .replacement = (void *)hook_picked,
       .original = (void **)&original_picked},
  };
#ifdef PICKED
  size_t count = 3;
#else
  size_t count = 2;
#endif
  const void *header = header_of(FIND(caller, "call_number"));
  crebind_options options = {
      .scope = CREBIND_SCOPE_IMAGES, .images = &header, .image_count = 1};
  crebind_report report;
  crebind_handle *handle = APPLY(rebindings, count, &options, &report);
  CHECK(report.changed == count && report.skipped == 0 && report.pending == 0);
  CHECK(dlerror() == NULL);
  CHECK(CALL(caller, "call_number") == 102);
  CHECK(CALL(caller, "call_other") == 105);
#ifdef PICKED
  CHECK(CALL(caller, "call_picked") == 106);
#endif
  RESTORE(handle);

  // A slot that leads to another function, beside a name that the loader has to be asked
  // about: the call looks again, and the report says so all the same.
  crebind_rebinding ambiguous[] = {
      {.name = "number", .replacement = (void *)hook},
      {.name = "unused", .replacement = (void *)hook},
  };
  options = (crebind_options){.loaded_images_only = true};
  handle = APPLY(ambiguous, 2, &options, &report);
  CHECK(report.left_alone == 1 && report.ambiguous == 0 && report.pending == 0);
  RESTORE(handle);

  // The loader's own word on it.
  CHECK(CALL(caller, "call_number") == 2);
  CHECK(CALL(caller, "call_other") == 5);
#ifdef PICKED
  CHECK(CALL(caller, "call_picked") == 6);
#endif
  CHECK(CALL(early, "call_number") == 9);
  printf("in order\n");
}

#endif
