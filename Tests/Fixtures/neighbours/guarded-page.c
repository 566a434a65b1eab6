/// Code that is mapped with PROT_BTI stays so, while its page is moved and after.
///
/// Usage: guarded-page LIBRARY
///   With -DLIBRARY: a library of functions without landing pads, but marked to have
///   them; jumping to one traps where the mapping is guarded.

#ifdef LIBRARY
int number(void) { return 7; }
__asm__(
    ".text\n.globl jump_wrongly\n.type jump_wrongly, %function\n"
    "jump_wrongly: hint #34\nadr x16, 1f\nadd x9, x16, #0\nbr x9\n1: mov w0, #5\nret\n"
    ".size jump_wrongly, .-jump_wrongly\n");

#else
#include "steps.h"
#include "others.h"

#include <sys/auxv.h>

static void *library;

enum { TRAPPED = 9 };
static void end(int number) {
  (void)number;
  _exit(TRAPPED);
}

static bool is_guarded(void) {
  int (*jump)(void) = FIND(library, "jump_wrongly");
  pid_t child = fork();
  if (child == 0) {
    signal(SIGILL, end);
    _exit(jump());
  }
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 5 || WEXITSTATUS(status) == TRAPPED);
  return WEXITSTATUS(status) == TRAPPED;
}

static int hook(void) { return 8; }

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  library = OPEN(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if ((getauxval(AT_HWCAP2) >> 17 & 1) == 0) {
    printf("no guarded pages here\n");
    return 0;
  }
  CHECK(is_guarded());
  crebind_handle *handle = REBIND("number", hook, NULL, NULL, NULL);
  CHECK(((int (*)(void))find_as_others(library, "number"))() == 8);
  CHECK(is_guarded());
  RESTORE(handle);
  CHECK(CALL(library, "number") == 7);
  CHECK(is_guarded());
  printf("guarded\n");
}
#endif
