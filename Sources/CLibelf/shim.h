// Everything that rebind-inspect uses of libelf (elfutils), in one module.
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
