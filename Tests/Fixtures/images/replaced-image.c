/// An image is closed and another one loaded in its place, at the same address with the dynamic
/// table at the same address. Facts about the first do not count for the second.
///
/// Usage: replaced-image PLUGIN OTHER-PLUGIN PATH-FOR-EITHER

#include "steps.h"

COUNTING_HOOK(pid_t)

static pid_t parent, group;
static const char *paths[2];
/// A link to the one that was opened last: both then have one path, as a plug-in
/// has that is built anew.
static const char *link_path;

struct plugin {
  void *image;
  struct link_map *map;
  pid_t (*call)(void);
  int (*number)(void);
};

static struct plugin open_plugin(int which) {
  struct plugin plugin;
  const char *path = paths[which];
  if (link_path != NULL) {
    unlink(link_path);
    CHECK(symlink(path, link_path) == 0);
    path = link_path;
  }
  plugin.image = OPEN(path, RTLD_LAZY);
  CHECK(dlinfo(plugin.image, RTLD_DI_LINKMAP, &plugin.map) == 0);
  plugin.call = FIND(plugin.image, "plugin_call");
  plugin.number = FIND(plugin.image, "plugin_number");
  return plugin;
}

/// Opens one and puts the other in its place.
static struct plugin replace(int first, bool calls_first) {
  struct plugin old = open_plugin(first);
  ElfW(Addr) place = old.map->l_addr;
  ElfW(Dyn) *dynamic = old.map->l_ld;
  if (calls_first) old.call();
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  CHECK(dlclose(old.image) == 0);
  struct plugin new = open_plugin(1 - first);
  // The loader gives the place that has just become free.
  CHECK(new.map->l_addr == place && new.map->l_ld == dynamic);
  return new;
}

/// Checks that the plug-in does what it should, and whether the hook runs.
static void expect(const struct plugin *plugin, int which, bool is_hooked) {
  hooked = 0;
  CHECK(plugin->number() == 1 + which);
  CHECK(plugin->call() == (which == 0 ? parent : group));
  CHECK(hooked == (is_hooked && which == 0));
}

static bool has_path(const crebind_image_info *image, void *name) {
  return strcmp(image->path, name) == 0;
}

static void replace_under(const crebind_options *options, bool selects_other) {
  for (int first = 0; first <= 1; first++)
    for (int calls_first = 0; calls_first <= 1; calls_first++) {
      crebind_handle *handle = REBIND("getppid", hook, &original, options, NULL);
      struct plugin plugin = replace(first, calls_first);
      CHECK(crebind_verify(handle, NULL, NULL) == CREBIND_OK);
      expect(&plugin, 1 - first, !selects_other);
      RESTORE(handle);
      expect(&plugin, 1 - first, false);
      CHECK(dlclose(plugin.image) == 0);
    }
}

/// Applied while the first is open: the second has none of its slots.
static void replace_applied(void) {
  for (int first = 0; first <= 1; first++) {
    struct plugin old = open_plugin(first);
    struct link_map map = *old.map;
    crebind_handle *handle = REBIND("getppid", hook, &original, NULL, NULL);
    expect(&old, first, true);
    CHECK(dlclose(old.image) == 0);
    struct plugin new = open_plugin(1 - first);
    CHECK(new.map->l_addr == map.l_addr && new.map->l_ld == map.l_ld);
    expect(&new, 1 - first, true);
    RESTORE(handle);
    expect(&new, 1 - first, false);
    CHECK(dlclose(new.image) == 0);
  }
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  paths[0] = argv[1];
  paths[1] = argv[2];
  parent = getppid();
  group = getpgrp();
  const crebind_options matching = {
      .scope = CREBIND_SCOPE_MATCHING, .matches = has_path, .context = argv[1]};
  const crebind_options none = {
      .scope = CREBIND_SCOPE_MATCHING, .matches = has_path, .context = argv[2]};
  replace_under(NULL, false);
  replace_under(&matching, false);
  replace_under(&none, true);
  replace_applied();
  link_path = argv[3];
  replace_under(NULL, false);
  replace_applied();
  printf("each image had its own\n");
}
