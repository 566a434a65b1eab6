/// Refers to `number` without saying where it comes from, and asks for it.

#include <dlfcn.h>

int number(void);
int call_weak(void) { return number(); }
void *find_weak(void *image) { return dlsym(image, "number"); }
