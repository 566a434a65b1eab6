/// A copy of CRebind is loaded while the loader's data look odd. It still walks over the images: it
/// finds the C library's own dl_iterate_phdr, or takes the one that everybody finds. This file writes
/// the answers of the kernel and the loader about the program and the C library.
///
/// With -DLIBRARY the library with the copy.
///
/// Usage: found-again LIBRARY FOLDER: a folder to write to

#ifdef LIBRARY
#include "CRebind.h"

static void count(const crebind_image_contents *image, void *context) {
  (void)image;
  ++*(int *)context;
}

int count_images(void);
int count_images(void) {
  int images = 0;
  return crebind_images(count, &images, 0) == CREBIND_OK ? images : -1;
}
#else
#include "steps.h"

#include <sys/auxv.h>

extern char **environ;
static const char *library, *folder;
static int images_then;

// MARK: - The kernel's and the loader's words

static ElfW(auxv_t) * word_of(uint64_t type) {
  char **last = environ;
  while (*last != NULL) last++;
  ElfW(auxv_t) *word = (ElfW(auxv_t) *)(last + 1);
  while (word->a_type != AT_NULL && word->a_type != type) word++;
  CHECK(word->a_type == type);
  return word;
}

enum { MOST_HEADERS = 32 };
/// The program's headers, copied.
static ElfW(Phdr) headers[MOST_HEADERS];
static ElfW(Phdr) * phdr_of(uint32_t type) {
  for (size_t i = 0; i < MOST_HEADERS; i++)
    if (headers[i].p_type == type) return &headers[i];
  CHECK(!"there");
  return NULL;
}

static uintptr_t bias;
static void copy_headers(void) {
  ElfW(auxv_t) *word = word_of(AT_PHDR);
  size_t count = getauxval(AT_PHNUM);
  CHECK(count <= MOST_HEADERS);
  memcpy(headers, (const void *)word->a_un.a_val, count * sizeof *headers);
  bias = word->a_un.a_val - phdr_of(PT_PHDR)->p_vaddr;
  phdr_of(PT_PHDR)->p_vaddr = (ElfW(Addr))headers - bias;
  word->a_un.a_val = (uintptr_t)headers;
}

static ElfW(Dyn) * debug_entry(void) {
  ElfW(Dyn) *entry = (ElfW(Dyn) *)(bias + phdr_of(PT_DYNAMIC)->p_vaddr);
  while (entry->d_tag != DT_DEBUG) entry++;
  uintptr_t page = (uintptr_t)entry & -4096UL;
  CHECK(mprotect((void *)page, 8192, PROT_READ | PROT_WRITE) == 0);
  return entry;
}

// MARK: - A C library

enum { SIZE = 8 * 4096 };
/// The loader's data about it, and its file's contents.
static char *memory;
static char path[PATH_MAX];
static struct link_map map;
static struct r_debug debug;

static ElfW(Ehdr) * elf_header;
static ElfW(Phdr) * segments;
static ElfW(Sym) * symbols;
static ElfW(Dyn) * tags;

enum { TAGS_AT = 1024, SYMBOLS_AT = 1280, STRINGS_AT = 1408, HASH_AT = 1472, CODE_AT = 4096 };

static void write_file(size_t size) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  CHECK(file >= 0 && write(file, memory, size) == (ssize_t)size && close(file) == 0);
}

/// A C library that has dl_iterate_phdr in no code, as if it had been hooked.
static void make_library(void) {
  memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  elf_header = (ElfW(Ehdr) *)memory;
  segments = (ElfW(Phdr) *)(memory + 64);
  tags = (ElfW(Dyn) *)(memory + TAGS_AT);
  symbols = (ElfW(Sym) *)(memory + SYMBOLS_AT);
  memcpy(elf_header->e_ident, ELFMAG, SELFMAG);
  elf_header->e_phentsize = sizeof *segments;
  elf_header->e_phoff = 64;
  elf_header->e_phnum = 3;
  segments[0] = (ElfW(Phdr)){
      .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = CODE_AT, .p_memsz = CODE_AT};
  segments[1] = (ElfW(Phdr)){.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = CODE_AT,
                             .p_vaddr = CODE_AT, .p_filesz = 4096, .p_memsz = 4096};
  segments[2] =
      (ElfW(Phdr)){.p_type = PT_DYNAMIC, .p_vaddr = TAGS_AT, .p_memsz = 16 * sizeof *tags};
  tags[0] = (ElfW(Dyn)){.d_tag = DT_SYMTAB, .d_un.d_ptr = SYMBOLS_AT};
  tags[1] = (ElfW(Dyn)){.d_tag = DT_STRTAB, .d_un.d_ptr = STRINGS_AT};
  tags[2] = (ElfW(Dyn)){.d_tag = DT_STRSZ, .d_un.d_val = 32};
  tags[3] = (ElfW(Dyn)){.d_tag = DT_HASH, .d_un.d_ptr = HASH_AT};
  symbols[1] = (ElfW(Sym)){.st_name = 1, .st_info = STB_GLOBAL << 4 | STT_FUNC, .st_shndx = 1,
                           .st_value = CODE_AT, .st_size = 8};
  strcpy(memory + STRINGS_AT + 1, "dl_iterate_phdr");
  Elf_Symndx *hash = (Elf_Symndx *)(memory + HASH_AT);
  hash[0] = 1;
  hash[1] = 2;
  hash[2] = 1;
  snprintf(path, sizeof path, "%s/libc.so.6", folder);
  unlink(path);
  write_file(SIZE);
  map = (struct link_map){.l_addr = (ElfW(Addr))memory, .l_name = path};
  debug.r_map = &map;
  copy_headers();
  debug_entry()->d_un.d_ptr = (uintptr_t)&debug;
}

// MARK: - Oddities

static void nothing(void) {}
/// Hooked, with the value in the file.
static void hook(void) {
  make_library();
  symbols[1].st_value = 0;
}
/// A symbol of the same name, at another place.
static void rename_symbol(void) {
  strcpy(memory + STRINGS_AT + 17, "dl_iterate_phdr");
  tags[2].d_un.d_val = 48;
  symbols[1].st_name = 17;
}

/// Each oddity, and the step before it.
#define ODDITIES(X)                                                       \
  X(no_headers, nothing, word_of(AT_PHDR)->a_un.a_val = 0)                \
  X(no_own_header, copy_headers, phdr_of(PT_PHDR)->p_type = PT_NULL)      \
  X(no_dynamic_table, copy_headers, phdr_of(PT_DYNAMIC)->p_type = PT_NULL) \
  X(no_debug, copy_headers, debug_entry()->d_tag = DT_HIOS)               \
  X(no_images, copy_headers, debug_entry()->d_un.d_ptr = (uintptr_t)&debug) \
  X(no_page_size, nothing, word_of(AT_PAGESZ)->a_un.a_val = 0)            \
  X(no_vdso, nothing, word_of(AT_SYSINFO_EHDR)->a_un.a_val = 0)           \
  X(unaligned, make_library, map.l_addr += 8)                             \
  X(unmapped, make_library, CHECK(munmap(memory, SIZE) == 0))             \
  X(no_elf, make_library, memory[1] = 'X')                                \
  X(header_size, make_library, elf_header->e_phentsize++)                 \
  X(header_offset, make_library, elf_header->e_phoff = 4097)              \
  X(header_count, make_library, elf_header->e_phnum = 1000)               \
  X(begins_elsewhere, make_library, segments[0].p_offset = 1)             \
  X(broken_table, make_library, tags[0].d_un.d_ptr = SIZE * 2)            \
  X(no_symbols, make_library, tags[0].d_tag = DT_NULL)                    \
  X(another_name, make_library, memory[STRINGS_AT + 1] = 'X')             \
  X(undefined, make_library, symbols[1].st_shndx = SHN_UNDEF)             \
  X(no_file, hook, CHECK(unlink(path) == 0))                              \
  X(short_file, hook, write_file(100))                                    \
  X(shorter_file, hook, write_file(SYMBOLS_AT))                           \
  X(other_file, hook, elf_header->e_flags++)                              \
  X(other_symbol_name, hook, rename_symbol())                             \
  X(other_symbol_size, hook, symbols[1].st_size++)                        \
  X(other_symbol_kind, hook, symbols[1].st_info = STB_WEAK << 4 | STT_FUNC) \
  X(other_symbol_section, hook, symbols[1].st_shndx++)                    \
  X(no_code, hook, write_file(SIZE))

#define DEFINE(name, prepare, change) \
  static void name(void) {            \
    prepare();                        \
    change;                           \
  }
ODDITIES(DEFINE)
#define ROW(name, prepare, change) {#name, name},
static const struct {
  const char *name;
  void (*make)(void);
} oddities[] = {ODDITIES(ROW)};

static void try(void (*oddity)(void)) {
  oddity();
  void *copy = OPEN(library, RTLD_NOW);
  CHECK(CALL(copy, "count_images") == images_then);
}

static int count_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)info, (void)size, (void)context;
  images_then++;
  return 0;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  library = argv[1];
  folder = argv[2];
  dl_iterate_phdr(count_image, NULL);
  images_then++;
  for (size_t i = 0; i < sizeof oddities / sizeof *oddities; i++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      try(oddities[i].make);
      _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    if (status != 0) fprintf(stderr, "%s: status %#x\n", oddities[i].name, (unsigned)status);
    CHECK(status == 0);
  }
  puts("found");
}
#endif
