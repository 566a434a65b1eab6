/// The stubs, by their index, and the functions whose ends are not awaited.

#if defined(__linux__)
#include "layout.h"
#include "processor.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "Rebind has stubs for x86-64 and AArch64 only"
#endif

crebind_stub *crebind_stubs_at(size_t index) {
  crebind_stub *stub = &crebind_stubs_all[index].stub;
  stub->code = crebind_stubs_entries[index].code;
  stub->resuming_code = crebind_stubs_resuming_entries[index].code;
  return stub;
}

size_t crebind_stubs_index(const crebind_stub *stub) {
  return (size_t)((const crebind_stubs_data *)stub - crebind_stubs_all);
}

static void prepare(void) {
  crebind_stubs_told = crebind_stubs_end;
  crebind_stubs_look_at_processor();
}

void crebind_stubs_prepare(crebind_stubs_handler *handler) {
  crebind_stubs_asked = handler;
  prepare();
}

void crebind_stubs_prepare_hot(crebind_stubs_handler *handler) {
  crebind_stubs_hot = handler;
  prepare();
}

static bool matches(const char *pattern, const char *name) {
  while (*pattern != 0 && *pattern == *name) pattern++, name++;
  return *pattern == '*' || (*pattern == 0 && *name == 0);
}

const char *crebind_stubs_entry_only(const char *name) {
  static const char *const reasons[][2] = {
#define CREBIND_ENTRY_ONLY(pattern, reason) {pattern, reason},
#include "CRebindEntryOnly.def"
  };
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (matches(reasons[i][0], name)) return reasons[i][1];
  return NULL;
}
#endif
