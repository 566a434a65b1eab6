/// The tables that a loaded library's dynamic table leads to are filled with hostile words: names,
/// symbol indices, offsets and hash chains that lead anywhere. The core may answer anything, but it
/// does not crash, does not hang, and leaves other images alone.
///
/// Usage: broken-contents MILLISECONDS LIBRARY, of processor time

#include "broken.h"
#include "chance.h"

static uint32_t next(void) { return (uint32_t)(any() >> 16); }

static uint32_t hostile_word(uint32_t word) {
  switch (next() % 12) {
  case 0: return 0;
  case 1: return 1;
  case 2: return UINT32_MAX;
  case 3: return 0x7fffffff;
  case 4: return 0x80000000;
  case 5: return 0xfffffff0;
  case 6: return word & ~1u;
  case 7: return word + 1;
  case 8: return next() % 64;
  case 9: return (uint32_t)(end - bias);
  case 10: return word ^ 1u << next() % 32;
  default: return next();
  }
}

/// An IFUNC's resolver has to be called to know what it stands for, and one that
/// leads into other code cannot be told from a good one.
static void take_resolvers_away(ElfW(Sym) * symbols, size_t count) {
  for (size_t i = 0; i < count; i++)
    if ((symbols[i].st_info & 0xf) == STT_GNU_IFUNC) symbols[i].st_info ^= 1;
}

static void use(void) {
  const crebind_options options = {
      .scope = CREBIND_SCOPE_IMAGES, .images = &header, .image_count = 1};
  for (int is_all = 0; is_all <= 1; is_all++) {
    crebind_handle *handle;
    crebind_error error;
    crebind_status status =
        crebind_apply(rebindings, COUNT, is_all ? NULL : &options, &handle, NULL, &error);
    if (status == CREBIND_OK) {
      CHECK(crebind_verify(handle, NULL, NULL) == CREBIND_OK);
      CHECK(crebind_slots(handle, visit_slot, NULL, NULL) == CREBIND_OK);
      RESTORE(handle);
    } else {
      // A word that is no address of the image counts as not relocated yet.
      bool is_refused = status == CREBIND_BROKEN_IMAGE || status == CREBIND_BUSY;
      CHECK(is_refused && strcmp(error.image, path) == 0);
    }
    CHECK(getppid() > 0);
  }
  look();
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  open_library(argv[2]);
  ElfW(Sym) *symbols = (ElfW(Sym) *)table(DT_SYMTAB);
  size_t symbol_count = (size_t)(table(DT_STRTAB) - (char *)symbols) / sizeof *symbols;

  // Tables of which every word is wrong in the same way.
  const ElfW(Sxword) whole[] = {DT_GNU_HASH, DT_HASH, DT_SYMTAB, DT_VERSYM, DT_VERNEED, DT_RELA,
                                DT_JMPREL};
  for (size_t w = 0; w < sizeof whole / sizeof whole[0]; w++)
    for (int kind = 0; kind < 6; kind++) {
      uint32_t *words = (uint32_t *)table(whole[w]);
      if (words == NULL) continue;
      // The hash tables begin with their sizes, which stay.
      for (size_t i = whole[w] == DT_GNU_HASH ? 8 : 2; i < 24; i++)
        words[i] = kind == 0 ? 0 : kind == 1 ? UINT32_MAX : kind == 2 ? 1 : kind == 3 ? (uint32_t)i
                 : kind == 4 ? words[i] & ~1u : (uint32_t)(end - bias);
      take_resolvers_away(symbols, symbol_count);
      use();
      put_back();
    }

  long stop = milliseconds_of(CLOCK_PROCESS_CPUTIME_ID) + atol(argv[1]);
  while (milliseconds_of(CLOCK_PROCESS_CPUTIME_ID) < stop) {
    unsigned edits = 1 + next() % 16;
    for (unsigned i = 0; i < edits; i++) {
      uint32_t *word = (uint32_t *)tables + next() % (tables_size / sizeof(uint32_t));
      *word = hostile_word(*word);
    }
    take_resolvers_away(symbols, symbol_count);
    use();
    put_back();
  }
  printf("unharmed\n");
}
