// The least work that `rebind-inspect slots` can be: map the file, walk the relocation sections that
// are loaded, join symbols, versions and sections, write the same lines through one buffer. It reads
// x86-64 only.
//
//     cc -O2 -o slots-floor Benchmarks/slots-floor.c
//     cmp <(./slots-floor FILE) <(rebind-inspect slots FILE)
//     hyperfine -N './slots-floor FILE' 'rebind-inspect slots FILE'

#include "floor.h"

static const char *file;
static const Elf64_Shdr *sections, *symbols;
static const char *section_names;
static Elf64_Phdr relro;
static bool is_bound_now;

static void put_slots(const Elf64_Shdr *table, unsigned section_count, const Elf64_Phdr *segments,
                      unsigned segment_count) {
  const Elf64_Sym *symbol_table = (const void *)(file + symbols->sh_offset);
  const char *names = file + sections[symbols->sh_link].sh_offset;
  const Elf64_Rela *entry = (const void *)(file + table->sh_offset);
  const Elf64_Shdr *section = NULL;
  for (size_t i = 0; i < table->sh_size / sizeof *entry; i++, entry++) {
    unsigned type = ELF64_R_TYPE(entry->r_info), index = ELF64_R_SYM(entry->r_info);
    if (index == 0 || (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64))
      continue;
    const Elf64_Sym *symbol = &symbol_table[index];
    const char *name = names + symbol->st_name;
    if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL || ELF64_ST_TYPE(symbol->st_info) == STT_TLS
        || ELF64_ST_VISIBILITY(symbol->st_other) == STV_HIDDEN
        || ELF64_ST_VISIBILITY(symbol->st_other) == STV_INTERNAL || *name == 0)
      continue;
    put_hexadecimal(entry->r_offset);
    bool is_lazy = false;
    if (type == R_X86_64_JUMP_SLOT) {
      put_text(" R_X86_64_JUMP_SLOT jumpSlot ");
      is_lazy = !is_bound_now;
    } else if (type == R_X86_64_GLOB_DAT) {
      put_text(" R_X86_64_GLOB_DAT globDat ");
    } else {
      put_text(" R_X86_64_64 absolute ");
    }
    if (section == NULL || entry->r_offset - section->sh_addr >= section->sh_size) {
      section = NULL;
      for (unsigned s = 1; s < section_count && section == NULL; s++)
        if ((sections[s].sh_flags & SHF_ALLOC) != 0
            && !((sections[s].sh_flags & SHF_TLS) != 0 && sections[s].sh_type == SHT_NOBITS)
            && entry->r_offset - sections[s].sh_addr < sections[s].sh_size)
          section = &sections[s];
    }
    put_text(section ? section_names + section->sh_name : "-");
    put_text(is_lazy ? " lazy " : " now ");
    bool is_relro = entry->r_offset - relro.p_vaddr < relro.p_memsz, is_protected = is_relro;
    for (unsigned s = 0; s < segment_count && !is_protected; s++)
      is_protected = segments[s].p_type == PT_LOAD && (segments[s].p_flags & PF_W) == 0
                     && entry->r_offset - segments[s].p_vaddr < segments[s].p_memsz;
    put_text(is_relro ? "relro " : "- ");
    put_text(is_protected ? "mprotect " : "store ");
    if (entry->r_addend < 0) put("-", 1);
    put_hexadecimal(entry->r_addend < 0 ? -(unsigned long)entry->r_addend
                                        : (unsigned long)entry->r_addend);
    put(" ", 1);
    // glibc adds it in data alone.
    bool is_added = ELF64_R_TYPE(entry->r_info) == R_X86_64_64;
    if (is_added && entry->r_addend < 0) put("-", 1);
    put_hexadecimal(!is_added             ? 0
                    : entry->r_addend < 0 ? -(unsigned long)entry->r_addend
                                          : (unsigned long)entry->r_addend);
    put(" ", 1);
    put_text(name);
    put_version(symbol, index, name);
  }
}

static void print(const char *bytes) {
  file = bytes;
  const Elf64_Ehdr *header = (const void *)file;
  const Elf64_Phdr *segments = (const void *)(file + header->e_phoff);
  sections = (const void *)(file + header->e_shoff);
  section_names = file + sections[header->e_shstrndx].sh_offset;
  symbols = NULL;
  is_bound_now = false;
  memset(&relro, 0, sizeof relro);
  forget_versions();
  for (unsigned i = 0; i < header->e_phnum; i++)
    if (segments[i].p_type == PT_GNU_RELRO) relro = segments[i];
  for (unsigned i = 0; i < header->e_shnum; i++) {
    const char *data = file + sections[i].sh_offset;
    if (sections[i].sh_type == SHT_DYNSYM) symbols = &sections[i];
    if (sections[i].sh_type == SHT_DYNAMIC)
      for (const Elf64_Dyn *tag = (const void *)data; tag->d_tag != DT_NULL; tag++)
        if (tag->d_tag == DT_BIND_NOW || (tag->d_tag == DT_FLAGS && tag->d_un.d_val & DF_BIND_NOW)
            || (tag->d_tag == DT_FLAGS_1 && tag->d_un.d_val & DF_1_NOW))
          is_bound_now = true;
    read_versions(&sections[i], data, file + sections[sections[i].sh_link].sh_offset);
  }
  if (!symbols) return;
  for (unsigned i = 0; i < header->e_shnum; i++)
    if (sections[i].sh_type == SHT_RELA && (sections[i].sh_flags & SHF_ALLOC) != 0)
      put_slots(&sections[i], header->e_shnum, segments, header->e_phnum);
}
