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

#include <stdbool.h>
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
  VALUE(ELF_T_DYN);
  VALUE(ELF_T_HALF);
  VALUE(ELF_T_PHDR);
  VALUE(ELF_T_RELA);
  VALUE(ELF_T_REL);
  VALUE(ELF_T_SHDR);
  VALUE(ELF_T_SYM);
  VALUE(ELF_T_WORD);
  VALUE(ELF_T_XWORD);
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

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

void describe_headers(char *text);

static bool is_missing;

static void *open_unless_missing(const char *path, int flags) {
  return is_missing ? NULL : dlopen(path, flags);
}

/// Where the library is missing, its package is named and every function fails.
static void fail_without_library(void) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    is_missing = true;
    CHECK(strstr(crebind_libelf_lack(), "install libelf1") != NULL);
    CHECK(crebind_elf_version(EV_CURRENT) == EV_NONE);
    CHECK(crebind_elf_begin(STDIN_FILENO, ELF_C_READ, NULL) == NULL);
    CHECK(crebind_elf_memory(NULL, 0) == NULL && crebind_elf_errmsg(-1) == NULL);
    CHECK(crebind_gelf_getehdr(NULL, NULL) == NULL);
    CHECK(crebind_elf_getdata_rawchunk(NULL, 0, 4, ELF_T_BYTE) == NULL);
    CHECK(crebind_elf_getscn(NULL, 0) == NULL && crebind_elf_getdata(NULL, NULL) == NULL);
    CHECK(crebind_elf_compress(NULL, 0, 0) == -1 && crebind_elf_end(NULL) == 0);
    exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

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
  fail_without_library();
  read_itself();
  printf("as libelf has it\n");
  return 0;
}

// The functions of a machine that has no headers.
#define CLIBELF_OPENS_LIBRARY
#define dlopen open_unless_missing
#include <libelf.c>
#endif
