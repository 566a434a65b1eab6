#if defined(__linux__)
#define _GNU_SOURCE
#include "world/loader.h"
#include "runtime/thread.h"
#include "runtime/lock.h"
#include "world/look.h"

/// Guarded by our lock.
static struct crebind_loader kept;

static bool is_there_for_good(struct crebind_world *world, size_t image) {
  bool may_be_unloaded;
  return crebind_scopes_may_be_unloaded(&world->scopes, image, &may_be_unloaded) == CREBIND_OK
         && !may_be_unloaded;
}

struct search {
  struct crebind_world *world;
  /// All that has been found stays loaded.
  bool lasts;
  crebind_status status;
};

/// The function that a name leads to, or NULL.
static void *find_function(struct search *search, const char *string) {
  struct crebind_name name = crebind_name_of(string);
  uintptr_t function;
  size_t definer;
  if (search->status == CREBIND_OK)
    search->status = crebind_world_resolve(search->world, 0, &name, NULL, true, &function,
                                           &definer);
  if (search->status != CREBIND_OK || function == 0) return NULL;
  search->lasts &= is_there_for_good(search->world, definer);
  return (void *)function;
}

static crebind_status find(struct crebind_look *look, void *context) {
  struct crebind_loader *loader = context;
  struct search search = {&look->world, true, CREBIND_OK};
  *loader = (struct crebind_loader){
      .is_known = true,
      .open = (void *(*)(const char *, int))find_function(&search, "dlopen"),
      .close = (int (*)(void *))find_function(&search, "dlclose"),
      .find = (void *(*)(void *, const char *))find_function(&search, "dlsym"),
      .find_version =
          (void *(*)(void *, const char *, const char *))find_function(&search, "dlvsym"),
      .information = (int (*)(void *, int, void *))find_function(&search, "dlinfo"),
      .address_information =
          (int (*)(const void *, void *, void **, int))find_function(&search, "dladdr1"),
      .last_error = (char *(*)(void))find_function(&search, "dlerror"),
      .at_exit =
          (int (*)(void (*)(void *), void *, void *))find_function(&search, "__cxa_atexit"),
  };
  // Where nothing defines dlopen yet, a later image may.
  if (search.status == CREBIND_OK && search.lasts && loader->open != NULL) kept = *loader;
  return search.status;
}

struct crebind_loader crebind_loader(void) {
  crebind_lock();
  struct crebind_loader loader = kept;
  crebind_unlock();
  if (!loader.is_known && crebind_look(find, &loader, NULL) != CREBIND_OK)
    loader = (struct crebind_loader){.is_known = false};
  return loader;
}

/// How many calls this thread is in.
static __thread uint16_t calls CREBIND_TLS;

void crebind_loader_begin_call(void) { calls++; }

bool crebind_loader_end_call(void) { return --calls == 0; }

bool crebind_loader_is_called(void) { return calls != 0; }
#endif
