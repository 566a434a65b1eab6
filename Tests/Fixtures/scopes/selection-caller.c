/// Calls `number`, by the version that it was linked with or the one named.

#include <unistd.h>

#ifdef OLD_VERSION
int number_by_old_version(void);
__asm__(".symver number_by_old_version, number@V1");
#define number number_by_old_version
#else
int number(void);
#endif

int CALLER(void) { return number(); }

pid_t call_parent(void) { return getppid(); }
