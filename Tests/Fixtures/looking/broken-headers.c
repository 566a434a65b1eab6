/// A loaded library whose headers, dynamic table and symbols say what no linker writes. Looks go on
/// past it, and say what can be said.
///
/// Usage: broken-headers LIBRARY

#include "broken.h"

static ElfW(Ehdr) * elf_header;
static ElfW(Phdr) * headers;

static void visit_section(const crebind_section *section, void *context) {
  (void)context;
  CHECK(section->name != NULL);
}
static void visit_annotation(const crebind_annotation *annotation, void *context) {
  (void)annotation, (void)context;
}
static void visit_sentence(const char *text, void *context) {
  (void)context;
  CHECK(text[0] != 0);
}

/// Everything, and all is as it was.
static void look_and_put_back(void) {
  look();
  crebind_sections(header, visit_section, NULL, NULL);
  crebind_section_data(header, ".text", visit_section, NULL, NULL);
  crebind_annotations(NULL, visit_annotation, NULL, NULL);
  const crebind_rebinding own = {.name = "no_such_function_of_anybody"};
  crebind_explain(&own, NULL, visit_sentence, NULL, NULL);
  crebind_image_containing(header);
  make_writable();
  put_back();
  // The image can be read whole before it is broken.
  int slots = 0;
  CHECK(crebind_image_slots(header, true, visit_contents, &slots, NULL) == CREBIND_OK);
}

/// An entry that nobody needs any more.
static ElfW(Dyn) * spare_entry(void) {
  for (size_t i = 0; i < dynamic_count; i++)
    if (dynamic[i].d_tag == DT_NULL) return &dynamic[i];
  CHECK(!"spare");
  return NULL;
}

static ElfW(Sym) * symbol_of(const char *name) {
  ElfW(Sym) *symbols = (ElfW(Sym) *)table(DT_SYMTAB);
  const char *strings = table(DT_STRTAB);
  for (size_t i = 1; i < 64; i++)
    if (strcmp(strings + symbols[i].st_name, name) == 0) return &symbols[i];
  CHECK(!"there");
  return NULL;
}

/// Changes each segment that is loaded, and looks.
#define CHANGE_LOADED(change)                                                         \
  do {                                                                                \
    for (size_t i = 0; i < elf_header->e_phnum; i++)                                  \
      if (headers[i].p_type == PT_LOAD) headers[i].change;                            \
    look_and_put_back();                                                              \
  } while (0)

int main(int argc, char *argv[]) {
  CHECK(argc == 2 && getppid() > 0);
  alarm(60);
  open_library(argv[1]);
  elf_header = (ElfW(Ehdr) *)header;
  headers = (ElfW(Phdr) *)((char *)elf_header + elf_header->e_phoff);
  look_and_put_back();

  // No ELF header, or one that cannot be read, or that is elsewhere.
  for (int i = 0; i < 2; i++) {
    elf_header->e_ident[i] = 'X';
    look_and_put_back();
  }
  CHANGE_LOADED(p_flags = 0);
  CHANGE_LOADED(p_offset += 4096);
  CHANGE_LOADED(p_filesz = 0);
  CHANGE_LOADED(p_type = PT_NULL);

  // A dynamic table without an end, and one that says what is seldom said.
  for (size_t i = 0; i < dynamic_count; i++)
    if (dynamic[i].d_tag == DT_NULL) dynamic[i].d_tag = DT_DEBUG;
  look_and_put_back();
  const ElfW(Dyn) seldom[] = {
      {.d_tag = DT_TEXTREL},
      {.d_tag = DT_FLAGS, .d_un.d_val = DF_TEXTREL},
      {.d_tag = DT_FLAGS, .d_un.d_val = DF_BIND_NOW},
      {.d_tag = DT_NEEDED, .d_un.d_val = (ElfW(Addr))-1},
      {.d_tag = DT_SONAME, .d_un.d_val = (ElfW(Addr))-1},
  };
  for (size_t i = 0; i < sizeof seldom / sizeof *seldom; i++) {
    *spare_entry() = seldom[i];
    look_and_put_back();
  }
  const ElfW(Sxword) tags[] = {DT_VERSYM, DT_STRTAB, DT_SYMTAB, DT_GNU_HASH, DT_HASH, DT_VERNEED};
  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
    ElfW(Dyn) *entry = entry_of(tags[i]);
    if (entry == NULL) continue;
    entry->d_tag = DT_DEBUG;
    look_and_put_back();
  }

  // A definition of each type and place; the resolver of an IFUNC lies in no code.
  const unsigned char types[] = {STT_NOTYPE, STT_OBJECT, STT_COMMON, STT_TLS, STT_GNU_IFUNC};
  for (size_t i = 0; i < sizeof types; i++) {
    ElfW(Sym) *symbol = symbol_of("broken_parent");
    symbol->st_info = (unsigned char)(STB_GLOBAL << 4 | types[i]);
    if (types[i] == STT_GNU_IFUNC) symbol->st_value = end - bias - 8;
    look_and_put_back();
  }
  ElfW(Sym) *symbol = symbol_of("broken_parent");
  symbol->st_info = STB_GLOBAL << 4 | STT_GNU_IFUNC;
  symbol->st_value = end - bias + (1 << 24);
  look_and_put_back();
  symbol->st_shndx = SHN_ABS;
  look_and_put_back();
  symbol->st_value = 0;
  look_and_put_back();
  symbol->st_size = 1 << 20;
  look_and_put_back();
  printf("told\n");
}
