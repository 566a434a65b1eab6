// A library of whose notes a page is taken away when it has been loaded.

#include "check.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGEST_PAGE = 65536 };
extern const char far_note[];
__asm__(".pushsection .note.far, \"a\", %note\n"
        ".balign 4\n"
        ".hidden far_note\n"
        ".globl far_note\n"
        "far_note: .long 4, 3 * 65536, 1\n"
        ".asciz \"Far\"\n"
        ".zero 3 * 65536\n"
        ".popsection");

__attribute__((constructor)) static void take_page(void) {
  uintptr_t page = ((uintptr_t)far_note + 2 * LARGEST_PAGE) / LARGEST_PAGE * LARGEST_PAGE;
  CHECK(munmap((void *)page, LARGEST_PAGE) == 0);
}
