// Everything that rebind-inspect uses of libelf (elfutils), in one module.
#if !__has_include(<gelf.h>)
#error "install libelf-dev (sudo apt-get install libelf-dev): RebindFiles and rebind-inspect need libelf"
#endif
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
