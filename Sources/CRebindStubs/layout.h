/// The numbers and the memory that C and assembly share.

#if defined(__linux__) && !defined(CREBIND_STUBS_LAYOUT_H)
#define CREBIND_STUBS_LAYOUT_H

/// The number of trampolines, a power of two: so many calls of a process can be pending.
#define CREBIND_STUBS_TRAMPOLINES 16384

/// The bytes of the code of a stub, of a trampoline, and of a true return address with what is beside it. The last
/// two are equal: an entry of .eh_frame counts on it.
#define CREBIND_STUBS_CODE_SIZE 16

#include "CRebindStubs.h"

#ifndef __ASSEMBLER__

#define CREBIND_STUBS_HIDDEN __attribute__((visibility("hidden")))

/// 16 bytes of code.
typedef struct crebind_stubs_block {
  char code[CREBIND_STUBS_CODE_SIZE];
} crebind_stubs_block;

/// In the assembly files. No call returns to the first trampoline: unwinders look in front of a return address.
extern const crebind_stubs_block crebind_stubs_entries[] CREBIND_STUBS_HIDDEN;
extern const crebind_stubs_block crebind_stubs_resuming_entries[] CREBIND_STUBS_HIDDEN;
extern const crebind_stubs_block crebind_stubs_trampolines[] CREBIND_STUBS_HIDDEN;

/// A stub's data.
typedef union crebind_stubs_data {
  crebind_stub stub;
  char bytes[CREBIND_STUBS_SIZE];
} crebind_stubs_data;

extern crebind_stubs_data crebind_stubs_all[CREBIND_STUBS_COUNT] CREBIND_STUBS_HIDDEN;
extern crebind_stubs_handler *crebind_stubs_asked CREBIND_STUBS_HIDDEN;
extern crebind_stubs_handler *crebind_stubs_hot CREBIND_STUBS_HIDDEN;

/// The true return address of a pending call, as far behind the first as the trampoline is behind the
/// first trampoline.
typedef struct crebind_stubs_return {
  const void *address;
  /// Where the trampoline's address stands in its place.
  const void **place;
} crebind_stubs_return;

extern crebind_stubs_return crebind_stubs_returns[CREBIND_STUBS_TRAMPOLINES] CREBIND_STUBS_HIDDEN;

/// Hears of the end of a call, and puts the true return address in its place.
typedef void crebind_stubs_teller(const crebind_stubs_block *trampoline, uint64_t *results,
                                  const void **place);
extern crebind_stubs_teller *crebind_stubs_told CREBIND_STUBS_HIDDEN;
crebind_stubs_teller crebind_stubs_end CREBIND_STUBS_HIDDEN;

_Static_assert(sizeof(crebind_stubs_data) == CREBIND_STUBS_SIZE, "the stubs count on it");
_Static_assert(offsetof(crebind_stub, is_asked) == 8, "the stubs count on it");
_Static_assert(sizeof(crebind_stubs_return) == CREBIND_STUBS_CODE_SIZE, ".eh_frame counts on it");

#endif
#endif
