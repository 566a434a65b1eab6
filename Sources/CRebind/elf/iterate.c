#if defined(__linux__)
#define _GNU_SOURCE
#include "elf/iterate.h"
#include "elf/file.h"
#include "elf/symbol.h"

#include <sys/auxv.h>
#include <sys/syscall.h>
#ifdef __GLIBC__
#include <gnu/lib-names.h>
#endif

typedef int (*iterate_function)(int (*)(struct dl_phdr_info *, size_t, void *), void *);

// MARK: - The C library

/// The loader's structure for debuggers; NULL for none. The list of images in it holds
/// still for a constructor: glibc's loader is locked, and musl unloads nothing.
static const struct r_debug *find_debug(void) {
  const ElfW(Phdr) *phdr = (const ElfW(Phdr) *)getauxval(AT_PHDR);
  size_t count = getauxval(AT_PHNUM);
  const ElfW(Phdr) *own = NULL, *dynamic = NULL;
  for (size_t i = 0; phdr != NULL && i < count; i++) {
    if (phdr[i].p_type == PT_PHDR) own = &phdr[i];
    if (phdr[i].p_type == PT_DYNAMIC) dynamic = &phdr[i];
  }
  if (own == NULL || dynamic == NULL) return NULL;
  uintptr_t bias = (uintptr_t)phdr - own->p_vaddr;
  const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(bias + dynamic->p_vaddr);
  for (; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_DEBUG) return (const struct r_debug *)entry->d_un.d_ptr;
  return NULL;
}

static bool is_c_library(const struct link_map *map) {
#ifdef __GLIBC__
  return map->l_addr != 0 && crebind_equal(crebind_basename(map->l_name), LIBC_SO);
#else
  return map->l_addr != 0 && map->l_addr == getauxval(AT_BASE);
#endif
}

static const struct link_map *find_c_library(void) {
  const struct r_debug *debug = find_debug();
  const struct link_map *map = debug != NULL ? debug->r_map : NULL;
  while (map != NULL && !is_c_library(map)) map = map->l_next;
  return map;
}

/// Finds the program headers behind the ELF header, in the image's first page.
static bool describe(const struct link_map *map, struct crebind_image *image) {
  size_t page_size = crebind_runtime()->page_size;
  unsigned char is_resident;
  // It fails for what is not mapped.
  if (map->l_addr % page_size != 0
      || crebind_system_call(SYS_mincore, map->l_addr, page_size, &is_resident) != 0)
    return false;
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)map->l_addr;
  for (size_t i = 0; i < SELFMAG; i++)
    if (header->e_ident[i] != (unsigned char)ELFMAG[i]) return false;
  if (header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phoff > page_size
      || header->e_phnum > (page_size - header->e_phoff) / sizeof(ElfW(Phdr)))
    return false;
  struct dl_phdr_info info;
  memset(&info, 0, sizeof info);
  info.dlpi_addr = map->l_addr;
  info.dlpi_phdr = (const ElfW(Phdr) *)(map->l_addr + header->e_phoff);
  info.dlpi_phnum = header->e_phnum;
  crebind_image_describe(image, &info);
  return image->header == map->l_addr;
}

// MARK: - The definition

static const ElfW(Sym) * find_symbol(const struct crebind_image *image) {
  const struct crebind_name name = crebind_name_of("dl_iterate_phdr");
  struct crebind_dynamic dynamic;
  int64_t tag;
  if (crebind_dynamic_decode(image, &dynamic, &tag) != CREBIND_OK || dynamic.symbols == NULL)
    return NULL;
  struct crebind_symbol_walk walk;
  crebind_symbol_walk_begin(&walk, &dynamic, &name);
  for (size_t i; (i = crebind_symbol_walk_next(&walk)) != 0;)
    if (dynamic.symbols[i].st_shndx != SHN_UNDEF) return &dynamic.symbols[i];
  return NULL;
}

static bool is_same(const void *a, const void *b, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (((const char *)a)[i] != ((const char *)b)[i]) return false;
    CREBIND_KEEP_LOOP();
  }
  return true;
}

/// True if the file has what lies in memory from the ELF header on, program headers
/// included: as good as no other build has.
static bool has_same_headers(struct crebind_file *file, const struct crebind_image *image) {
  char bytes[sizeof(ElfW(Phdr))];
  uintptr_t end = (uintptr_t)(image->phdr + image->phnum);
  for (uintptr_t at = image->header, size; at < end; at += size) {
    size = end - at < sizeof bytes ? end - at : sizeof bytes;
    if (!crebind_file_read(file, at - image->header, bytes, size)
        || !is_same(bytes, (const void *)at, size))
      return false;
  }
  return true;
}

/// The symbol's value in the image's file; 0 if that is not sure.
static ElfW(Addr) read_value(const char *path, const struct crebind_image *image,
                             const ElfW(Sym) * symbol) {
  const ElfW(Phdr) *segment = crebind_image_segment(image, (uintptr_t)symbol, sizeof *symbol);
  struct crebind_file file;
  if (segment == NULL || crebind_file_open(&file, path) != 0) return 0;
  ElfW(Sym) original;
  uint64_t offset = (uintptr_t)symbol - (image->bias + segment->p_vaddr) + segment->p_offset;
  bool is_read = has_same_headers(&file, image)
                 && crebind_file_read(&file, offset, &original, sizeof original);
  crebind_file_close(&file);
  if (!is_read || original.st_name != symbol->st_name || original.st_size != symbol->st_size
      || original.st_info != symbol->st_info || original.st_shndx != symbol->st_shndx)
    return 0;
  return original.st_value;
}

static bool is_code(const struct crebind_image *image, uintptr_t address) {
  const ElfW(Phdr) *segment = crebind_image_segment(image, address, 1);
  return segment != NULL && (segment->p_flags & PF_X) != 0;
}

static iterate_function find(void) {
  const struct link_map *map = find_c_library();
  struct crebind_image image;
  const ElfW(Sym) *symbol =
      map != NULL && describe(map, &image) ? find_symbol(&image) : NULL;
  if (symbol == NULL) return dl_iterate_phdr;
  uintptr_t address =
      image.bias + __atomic_load_n((const uintptr_t *)&symbol->st_value, __ATOMIC_ACQUIRE);
  if (!is_code(&image, address))
    address = image.bias + read_value(map->l_name, &image, symbol);
  return is_code(&image, address) ? (iterate_function)address : dl_iterate_phdr;
}

// MARK: -

/// Atomic.
static iterate_function iterate;

static iterate_function own_function(void) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CREBIND_IS_WATCHED
#endif
#endif
#if defined(CREBIND_IS_WATCHED) || defined(__SANITIZE_THREAD__)
  // Its own function, in the program, makes it forget what it knows of the loader's data.
  return dl_iterate_phdr;
#endif
  iterate_function function = __atomic_load_n(&iterate, __ATOMIC_ACQUIRE);
  if (function != NULL) return function;
  function = find();
  __atomic_store_n(&iterate, function, __ATOMIC_RELEASE);
  return function;
}

/// While the loader is locked for constructors.
__attribute__((constructor(101))) static void start(void) { own_function(); }

int crebind_iterate(int (*callback)(struct dl_phdr_info *, size_t, void *), void *context) {
  return own_function()(callback, context);
}
#endif
