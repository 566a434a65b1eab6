/// CLibelf declares libelf's part as libelf's own headers do. Each half of the program prints the declarations
/// of one of them.

#if defined(HEADERS)
#include <gelf.h>
#include <libelf.h>
#define DESCRIBE describe_headers
#else
#include "CLibelf.h"
#define DESCRIBE describe_own
#endif

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define VALUE(name) length += snprintf(text + length, 8192 - length, #name " %d\n", (int)(name))
#define FIELD(type, field)                                                        \
  length += snprintf(text + length, 8192 - length, #type "." #field " %zu %zu\n", \
                     offsetof(type, field), sizeof(((type *)NULL)->field))

void DESCRIBE(char *text);
void DESCRIBE(char *text) {
  size_t length = 0;
  VALUE(ELF_T_BYTE);
  VALUE(ELF_T_ADDR);
  VALUE(ELF_T_DYN);
  VALUE(ELF_T_EHDR);
  VALUE(ELF_T_HALF);
  VALUE(ELF_T_OFF);
  VALUE(ELF_T_PHDR);
  VALUE(ELF_T_RELA);
  VALUE(ELF_T_REL);
  VALUE(ELF_T_SHDR);
  VALUE(ELF_T_SWORD);
  VALUE(ELF_T_SYM);
  VALUE(ELF_T_WORD);
  VALUE(ELF_T_XWORD);
  VALUE(ELF_T_SXWORD);
  VALUE(ELF_T_VDEF);
  VALUE(ELF_T_VDAUX);
  VALUE(ELF_T_VNEED);
  VALUE(ELF_T_VNAUX);
  VALUE(ELF_T_NHDR);
  VALUE(ELF_T_SYMINFO);
  VALUE(ELF_T_MOVE);
  VALUE(ELF_T_LIB);
  VALUE(ELF_T_GNUHASH);
  VALUE(ELF_T_AUXV);
  VALUE(ELF_T_CHDR);
  VALUE(ELF_C_READ);
  VALUE(ELF_C_READ_MMAP);
  VALUE(EV_CURRENT);
  VALUE(sizeof(GElf_Ehdr));
  VALUE(sizeof(Elf_Data));
  FIELD(Elf_Data, d_buf);
  FIELD(Elf_Data, d_type);
  FIELD(Elf_Data, d_version);
  FIELD(Elf_Data, d_size);
  FIELD(Elf_Data, d_off);
  FIELD(Elf_Data, d_align);
}

#if !defined(HEADERS)
#include "check.h"

#include <fcntl.h>
#include <unistd.h>

void describe_headers(char *text);

/// The library that is opened reads this program.
static void read_itself(void) {
  CHECK(crebind_libelf_lack() == NULL && crebind_elf_version(EV_CURRENT) == EV_CURRENT);
  int file = open("/proc/self/exe", O_RDONLY);
  Elf *elf = crebind_elf_begin(file, ELF_C_READ_MMAP, NULL);
  GElf_Ehdr header;
  CHECK(elf != NULL && crebind_gelf_getehdr(elf, &header) == &header);
  Elf_Data *data = crebind_elf_getdata_rawchunk(elf, 0, 4, ELF_T_BYTE);
  CHECK(data != NULL && data->d_size == 4 && memcmp(data->d_buf, ELFMAG, 4) == 0);
  CHECK(crebind_elf_end(elf) == 0 && close(file) == 0);
}

int main(void) {
  static char own[8192], headers[8192];
  describe_own(own);
  describe_headers(headers);
  if (strcmp(own, headers) != 0) fprintf(stderr, "%s\nbut in the headers\n%s", own, headers);
  CHECK(strcmp(own, headers) == 0);
  read_itself();
  printf("as libelf has it\n");
  return 0;
}

// The functions of a machine that has no headers.
#define CLIBELF_OPENS_LIBRARY
#include <libelf.c>
#endif
