/// The part of libelf (elfutils) that files are read with, as libelf.h and gelf.h declare it. Where the
/// compiler finds these headers, the functions call libelf, which the program is linked with. Where it does
/// not, they open libelf.so.1 at run time, so nothing has to be installed to build. A test compares these
/// declarations with the headers.

#if defined(__linux__) && !defined(CLIBELF_H)
#define CLIBELF_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CLIBELF_HAS_TYPES

typedef struct Elf Elf;
typedef struct Elf_Scn Elf_Scn;
typedef Elf64_Ehdr GElf_Ehdr;

typedef enum {
  ELF_T_BYTE = 0,
  ELF_T_DYN = 2,
  ELF_T_HALF = 4,
  ELF_T_PHDR = 6,
  ELF_T_RELA = 7,
  ELF_T_REL = 8,
  ELF_T_SHDR = 9,
  ELF_T_SYM = 11,
  ELF_T_WORD = 12,
  ELF_T_XWORD = 13,
  ELF_T_CHDR = 25,
} Elf_Type;

typedef enum { ELF_C_READ = 1, ELF_C_READ_MMAP = 8 } Elf_Cmd;

typedef struct {
  void *d_buf;
  Elf_Type d_type;
  unsigned int d_version;
  size_t d_size;
  int64_t d_off;
  size_t d_align;
} Elf_Data;

#endif

/// A sentence that says which package to install; NULL if libelf can be called.
const char *crebind_libelf_lack(void);

/// libelf's functions. Without libelf they fail.
#define CLIBELF_NAME(name) __attribute__((swift_name(name)))
unsigned int crebind_elf_version(unsigned int version) CLIBELF_NAME("elf_version(_:)");
Elf *crebind_elf_begin(int file, Elf_Cmd command, Elf *archive) CLIBELF_NAME("elf_begin(_:_:_:)");
Elf *crebind_elf_memory(char *image, size_t size) CLIBELF_NAME("elf_memory(_:_:)");
int crebind_elf_end(Elf *elf) CLIBELF_NAME("elf_end(_:)");
GElf_Ehdr *crebind_gelf_getehdr(Elf *elf, GElf_Ehdr *header) CLIBELF_NAME("gelf_getehdr(_:_:)");
Elf_Data *crebind_elf_getdata_rawchunk(Elf *elf, int64_t offset, size_t size, Elf_Type type)
    CLIBELF_NAME("elf_getdata_rawchunk(_:_:_:_:)");
Elf_Scn *crebind_elf_getscn(Elf *elf, size_t index) CLIBELF_NAME("elf_getscn(_:_:)");
int crebind_elf_compress(Elf_Scn *section, int type, unsigned int flags)
    CLIBELF_NAME("elf_compress(_:_:_:)");
Elf_Data *crebind_elf_getdata(Elf_Scn *section, Elf_Data *data) CLIBELF_NAME("elf_getdata(_:_:)");
const char *crebind_elf_errmsg(int error) CLIBELF_NAME("elf_errmsg(_:)");

#endif
