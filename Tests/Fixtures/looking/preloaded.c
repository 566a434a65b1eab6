/// Interposes getppid by LD_PRELOAD.
#include <unistd.h>
pid_t getppid(void) { return 77; }
