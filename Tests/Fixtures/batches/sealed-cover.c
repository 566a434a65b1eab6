/// The image of a replacement, whose slots of dlsym are in sealed pages. A batch with a replacement
/// of that image fails, unless it leaves sealed images as they are. Others do not mind.
///
/// Usage: sealed-cover CALLER REPLACEMENT: the libraries of sweep.c

#define _GNU_SOURCE
#include "patching/patch.h"
#include "steps.h"

static const char *sealed_path;
static bool is_sealed;

WRAPPED(crebind_status, crebind_patch_open, const struct crebind_world *world,
        struct crebind_change *changes, size_t count, enum crebind_patch_part part,
        struct crebind_patch_failure *failure) {
  const struct crebind_image *image = crebind_world_image(world, changes->image);
  if (!is_sealed || strcmp(crebind_image_path(&world->images, image), sealed_path) != 0)
    return __real_crebind_patch_open(world, changes, count, part, failure);
  memset(failure, 0, sizeof *failure);
  return CREBIND_SEALED;
}

static int (*original_number)(void);
static int number_hook(void) { return original_number() + 1; }
static crebind_rebinding sealed = {.name = "getppid"};
static const crebind_rebinding other = {.name = "sweep_number", .replacement = (void *)number_hook,
                                        .original = (void **)&original_number};

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  void *caller = dlopen(argv[1], RTLD_LAZY), *replacement = dlopen(argv[2], RTLD_NOW);
  CHECK(caller != NULL && replacement != NULL);
  int (*caller_number)(void) = (int (*)(void))dlsym(caller, "caller_number");
  int *count = dlsym(replacement, "replacement_count");
  sealed.replacement = dlsym(replacement, "replacement");
  sealed.original = dlsym(replacement, "replacement_original");
  sealed_path = argv[2];
  is_sealed = true;

  crebind_handle *handle, *second;
  crebind_error error;
  CHECK(crebind_apply(&sealed, 1, NULL, &handle, NULL, &error) == CREBIND_SEALED);
  CHECK(strcmp(error.image, sealed_path) == 0 && getppid() > 0 && *count == 0);
  const crebind_options skips = {.skips_sealed_images = true};
  CHECK(crebind_apply(&sealed, 1, &skips, &handle, NULL, NULL) == CREBIND_OK);
  CHECK(getppid() > 0 && *count == 1);
  // Later calls would cover the image as well.
  CHECK(crebind_apply(&other, 1, NULL, &second, NULL, NULL) == CREBIND_OK);
  CHECK(caller_number() == 8 && crebind_refresh(NULL) == CREBIND_OK);
  CHECK(crebind_restore(second, NULL, NULL) == CREBIND_OK && caller_number() == 7);
  is_sealed = false;
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  CHECK(getppid() > 0 && *count == 1);
  puts("covered");
}
