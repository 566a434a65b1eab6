/// An image whose PLT has been rewritten into direct jumps, as glibc 2.39 does: its slots are
/// passed by, which the report and the diagnosis say. The library imitates the words that
/// `ld -z mark-plt` writes: the PLT entry's address in the addend of its slot. It also imitates
/// glibc's rewriting of the entry to `jmp rel32` and, without running it, to `jmpabs`.
///
/// Usage: rewritten-plt LIBRARY [wait]

#ifdef LIBRARY
#include <unistd.h>
pid_t call(void) { return getppid(); }
#else

#include "steps.h"
#include "looked-at.h"

static struct link_map *library;
COUNTING_HOOK(pid_t)

static uintptr_t dynamic(int64_t tag) {
  for (const ElfW(Dyn) *entry = library->l_ld; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == tag) return entry->d_un.d_ptr;
  return 0;
}

static ElfW(Rela) * find_slot(void) {
  ElfW(Rela) *relocations = (ElfW(Rela) *)dynamic(DT_JMPREL);
  const ElfW(Sym) *symbols = (const ElfW(Sym) *)dynamic(DT_SYMTAB);
  for (size_t i = 0; i < dynamic(DT_PLTRELSZ) / sizeof *relocations; i++)
    if (strcmp((const char *)dynamic(DT_STRTAB)
                   + symbols[ELF64_R_SYM(relocations[i].r_info)].st_name,
               "getppid")
        == 0)
      return &relocations[i];
  CHECK(false);
  return NULL;
}

static void open_page(void *address, int protection) {
  uintptr_t page = (uintptr_t)address & -4096UL;
  CHECK(mprotect((void *)page, 4096, protection) == 0);
}

/// The entry that ends in `jmp *slot(%rip)`: from the last place before it that is a
/// multiple of 16.
static uint8_t *find_entry(uintptr_t slot, uint8_t *code) {
  for (uint8_t *at = (uint8_t *)((uintptr_t)code & -4096UL); at < code + 4096; at++) {
    int32_t distance;
    memcpy(&distance, at + 2, sizeof distance);
    if (at[0] == 0xff && at[1] == 0x25 && (uintptr_t)at + 6 + (uintptr_t)(intptr_t)distance == slot)
      return (uint8_t *)((uintptr_t)at & -16UL);
  }
  CHECK(false);
  return NULL;
}

static void count(const crebind_diagnosis *diagnosis, void *bypassed) {
  if (diagnosis->reason == CREBIND_REASON_BYPASSED) {
    CHECK(strcmp(diagnosis->image.path, library->l_name) == 0 && diagnosis->slots == 1);
    ++*(int *)bypassed;
  }
}

/// Applies, diagnoses and restores; returns how many slots are passed by.
static size_t rebind(int expected_calls) {
  const crebind_rebinding rebinding = {
      .name = "getppid", .replacement = (void *)hook, .original = (void **)&original};
  crebind_report report;
  int diagnosed = 0;
  CHECK(crebind_diagnose(&rebinding, NULL, count, &diagnosed, NULL) == CREBIND_OK);
  crebind_handle *handle = APPLY(&rebinding, 1, NULL, &report);
  CHECK((size_t)diagnosed == report.bypassed && report.changed > 0 && report.skipped == 0);
  if (expected_calls >= 0) {
    hooked = 0;
    CHECK(CALL(library, "call") > 0 && hooked == expected_calls);
  }
  RESTORE(handle);
  return report.bypassed;
}

int main(int argc, char *argv[]) {
  CHECK(argc >= 2);
  library = OPEN(argv[1], RTLD_NOW);
  ElfW(Rela) *relocation = find_slot();
  uintptr_t slot = library->l_addr + relocation->r_offset, function = *(uintptr_t *)slot;
  uint8_t *code = find_entry(slot, FIND(library, "call"));
  CHECK(rebind(1) == 0);

  open_page(relocation, PROT_READ | PROT_WRITE);
  relocation->r_addend = (intptr_t)((uintptr_t)code - library->l_addr);
  CHECK(rebind(1) == 0);

  bool has_landing = memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0;
  open_page(code, PROT_READ | PROT_WRITE | PROT_EXEC);
  uint8_t *start = code + (has_landing ? 4 : 0);
  memset(start, 0xcc, (size_t)(code + 16 - start));
  int64_t distance = (int64_t)(function - ((uintptr_t)start + 5));
  CHECK(distance == (int32_t)distance);
  start[0] = 0xe9;
  memcpy(start + 1, &distance, 4);
  CHECK(rebind(0) == 1);
  if (argc == 3) {
    wait_to_be_looked_at();
    return 0;
  }

  memcpy(start, "\xd5\x00\xa1", 3);
  memcpy(start + 3, &function, sizeof function);
  CHECK(rebind(-1) == 1);
  // To the replacement itself: then nothing is passed by.
  uintptr_t replacement = (uintptr_t)hook;
  memcpy(start + 3, &replacement, sizeof replacement);
  CHECK(rebind(-1) == 0);
  printf("said so\n");
}
#endif
