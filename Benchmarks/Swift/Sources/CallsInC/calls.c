#include "CallsInC.h"
#include "CRebind.h"

#include <stdlib.h>

// Not the header's, which may have a macro or an inline function.
extern int toupper(int character);

long call_toupper(long count) {
  long sum = 0;
  for (long i = 0; i < count; i++) sum += toupper((int)(i & 127));
  return sum;
}

static int (*original)(int);
static int replacement(int character) { return original(character); }
static crebind_handle *handle;

void apply_in_c(void) {
  const crebind_rebinding rebinding = {
      .name = "toupper", .replacement = (void *)replacement, .original = (void **)&original};
  if (crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) != CREBIND_OK) abort();
}

void restore_in_c(void) {
  if (crebind_restore(handle, NULL, NULL) != CREBIND_OK) abort();
}
