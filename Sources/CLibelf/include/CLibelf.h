/// The part of libelf (elfutils) that files are read with, as libelf.h and gelf.h declare it. Where these are,
/// the functions are libelf's. Elsewhere libelf.so.1 is opened at run time, so that nothing has to be
/// installed to build; a test compares this with the headers.

#ifndef CLIBELF_H
#define CLIBELF_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CLIBELF_HAS_TYPES

typedef struct Elf Elf;
typedef struct Elf_Scn Elf_Scn;
typedef Elf64_Ehdr GElf_Ehdr;

typedef enum {
  ELF_T_BYTE,
  ELF_T_ADDR,
  ELF_T_DYN,
  ELF_T_EHDR,
  ELF_T_HALF,
  ELF_T_OFF,
  ELF_T_PHDR,
  ELF_T_RELA,
  ELF_T_REL,
  ELF_T_SHDR,
  ELF_T_SWORD,
  ELF_T_SYM,
  ELF_T_WORD,
  ELF_T_XWORD,
  ELF_T_SXWORD,
  ELF_T_VDEF,
  ELF_T_VDAUX,
  ELF_T_VNEED,
  ELF_T_VNAUX,
  ELF_T_NHDR,
  ELF_T_SYMINFO,
  ELF_T_MOVE,
  ELF_T_LIB,
  ELF_T_GNUHASH,
  ELF_T_AUXV,
  ELF_T_CHDR,
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
