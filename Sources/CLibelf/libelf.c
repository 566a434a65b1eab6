#if defined(__linux__)
#if __has_include(<gelf.h>) && !defined(CLIBELF_OPENS_LIBRARY)

#include <gelf.h>
#include <libelf.h>
#define CLIBELF_HAS_TYPES
#include "CLibelf.h"

// The program is linked with libelf because of this file alone: a manifest does not see whether the header
// is there. swiftc reads this section of all objects.
__asm__(".pushsection .swift1_autolink_entries,\"e\",@progbits\n"
        ".asciz \"-lelf\"\n"
        ".popsection");

const char *crebind_libelf_lack(void) { return NULL; }

#define FORWARD(result, name, parameters, arguments, failure) \
  result crebind_##name parameters { return name arguments; }

#else

#include "CLibelf.h"

#include <dlfcn.h>
#include <pthread.h>

/// libelf.so.1; NULL if it is not there.
static void *library;

static void open_library(void) { library = dlopen("libelf.so.1", RTLD_NOW); }

static void *find(const char *name) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return library == NULL ? NULL : dlsym(library, name);
}

const char *crebind_libelf_lack(void) {
  return find("elf_begin") != NULL
             ? NULL
             : "libelf, which reads ELF files, is not there: install libelf1 (sudo apt-get install "
               "libelf1, or elfutils-libelf for Fedora)";
}

#define FORWARD(result, name, parameters, arguments, failure)      \
  result crebind_##name parameters {                               \
    static result(*_Atomic function) parameters;                   \
    if (function == NULL) function = (result(*) parameters)find(#name); \
    return function == NULL ? (failure) : function arguments;      \
  }

#endif

FORWARD(unsigned int, elf_version, (unsigned int version), (version), EV_NONE)
FORWARD(Elf *, elf_begin, (int file, Elf_Cmd command, Elf *archive), (file, command, archive), NULL)
FORWARD(Elf *, elf_memory, (char *image, size_t size), (image, size), NULL)
FORWARD(int, elf_end, (Elf * elf), (elf), 0)
FORWARD(GElf_Ehdr *, gelf_getehdr, (Elf * elf, GElf_Ehdr *header), (elf, header), NULL)
FORWARD(Elf_Data *, elf_getdata_rawchunk, (Elf * elf, int64_t offset, size_t size, Elf_Type type),
        (elf, offset, size, type), NULL)
FORWARD(Elf_Scn *, elf_getscn, (Elf * elf, size_t index), (elf, index), NULL)
FORWARD(int, elf_compress, (Elf_Scn * section, int type, unsigned int flags), (section, type, flags),
        -1)
FORWARD(Elf_Data *, elf_getdata, (Elf_Scn * section, Elf_Data *data), (section, data), NULL)
FORWARD(const char *, elf_errmsg, (int error), (error), NULL)
#endif
