/// The functions of the image that holds the replacement.

#include <sys/types.h>

pid_t asker_hook(void);
void *asker_ask(void *handle);
/// Asks for the version of x86-64.
void *asker_ask_version(void *handle);
