#include <dlfcn.h>

void *open_through(const char *file) { return dlopen(file, RTLD_NOW); }
void *find_through(void *image, const char *name) { return dlsym(image, name); }
