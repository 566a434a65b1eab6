#if defined(__linux__)
#define _GNU_SOURCE
#include "looking/annotation-listener.h"
#include "binding/records.h"
#include "elf/note.h"
#include "runtime/lock.h"
#include "runtime/status.h"
#include "sections/hold.h"
#include "world/gather.h"
#include "world/loader.h"
#include "world/look.h"

/// The function that images call, which the note leads to: NULL until somebody wants to
/// know.
void (*crebind_told)(const void *address, uint32_t event)
    __attribute__((used, visibility("hidden")));

#if __SIZEOF_POINTER__ == 8
#define CREBIND_WORD_DIRECTIVE ".quad"
#else
#define CREBIND_WORD_DIRECTIVE ".long"
#endif

// The same as REBIND_NOTE in RebindAnnotations.h.
__asm__(".pushsection .note.rebind,\"a\",%note\n"
        ".balign 4\n"
        ".long 7, 2f - 1f, 2\n"
        ".asciz \"" CREBIND_NOTE_OWNER "\"\n"
        ".balign 4\n"
        "1:" CREBIND_WORD_DIRECTIVE " crebind_told - .\n"
        "2:.balign 4\n"
        ".popsection\n");

enum { LOADED = 1, UNLOADING = 2 };

// MARK: - Exit

/// Images that unload while the process exits are not reported. A program's own destructors run
/// before those of its libraries. So ours is first if this code is part of the program, or else the
/// program's own announcement is. If this code is in a library, exit(3) tells us before any
/// destructor runs.
static bool is_exiting;

static void note_exit(void *unused) {
  (void)unused;
  __atomic_store_n(&is_exiting, true, __ATOMIC_RELEASE);
}

__attribute__((destructor)) static void end(void) { note_exit(NULL); }

/// Needs this code to stay loaded.
static void ask_for_exit(void) {
  struct crebind_loader loader = crebind_loader();
  if (loader.at_exit != NULL) loader.at_exit(note_exit, NULL, NULL);
}

// MARK: - Events

/// Guarded by the lock.
static struct {
  crebind_annotation_listener *call;
  void *context;
} listener;

struct told {
  uintptr_t address;
  uint32_t event;
  const void *header;
  bool is_main;
};

static crebind_status mark(struct crebind_look *look, void *context) {
  struct told *told = context;
  struct crebind_world *world = &look->world;
  size_t index = crebind_world_image_with(world, told->address);
  if (index == SIZE_MAX) return CREBIND_NO_SUCH_IMAGE;
  const struct crebind_image *image = crebind_world_image(world, index);
  uint32_t known = crebind_world_known(world, index);
  told->header = (const void *)image->header;
  told->is_main = image->is_main;
  if (told->event == UNLOADING) {
    crebind_known_leave(known);
  } else if (crebind_known_image_at(known)->is_leaving) {
    // The one that left is gone: this is the same file, loaded again at its place.
    crebind_known_replace(known);
  }
  return CREBIND_OK;
}

static void tell(const void *address, uint32_t event) {
  if (__atomic_load_n(&is_exiting, __ATOMIC_ACQUIRE) || (event != LOADED && event != UNLOADING))
    return;
  struct told told = {(uintptr_t)address, event, NULL, false};
  crebind_look(mark, &told, NULL);
  crebind_annotation_event();
  // The program itself is unloaded when the process exits.
  if (told.is_main && event == UNLOADING) note_exit(NULL);
  if (told.header == NULL || __atomic_load_n(&is_exiting, __ATOMIC_ACQUIRE)) return;
  crebind_lock();
  crebind_annotation_listener *call = listener.call;
  void *context = listener.context;
  crebind_unlock();
  if (call != NULL) call(told.header, event == LOADED, context);
}

void crebind_listen(void) { __atomic_store_n(&crebind_told, tell, __ATOMIC_RELEASE); }

void crebind_listen_for_annotations(crebind_annotation_listener *call, void *context) {
  static uint32_t has_asked;  // RISC-V has no exchange of a byte.
  crebind_lock();
  listener.call = call;
  listener.context = context;
  crebind_unlock();
  crebind_listen();
  if (call == NULL) return;
  // Last, since it may wait for the loader; until then the caller keeps them.
  crebind_hold_image_with((uintptr_t)call);
  bool is_held = crebind_hold_image_with((uintptr_t)&crebind_told) == CREBIND_OK;
  if (is_held && !__atomic_exchange_n(&has_asked, 1, __ATOMIC_ACQ_REL)) ask_for_exit();
}

// MARK: - Copies

struct copies {
  struct crebind_vector images;  // struct crebind_gathered_image
  struct crebind_strings strings;
};

static crebind_status gather_copies(struct crebind_look *look, void *context) {
  struct copies *copies = context;
  struct crebind_world *world = &look->world;
  crebind_vector_truncate(&copies->images, 0);
  for (size_t i = 0; i < world->images.items.count; i++) {
    const struct crebind_image *image = crebind_world_image(world, i);
    if (!crebind_image_has_copy(image)) continue;
    struct crebind_gathered_image *item = crebind_vector_append(&copies->images, 1);
    if (item == NULL) return CREBIND_OUT_OF_MEMORY;
    *item = crebind_gather_image(&copies->strings, world, i);
    if (crebind_image_segment(image, (uintptr_t)&crebind_told, 1) == NULL) continue;
    struct crebind_gathered_image *first = crebind_vector_at(&copies->images, 0), own = *item;
    for (; item > first; item--) {
      *item = item[-1];
      CREBIND_KEEP_LOOP();
    }
    *first = own;
  }
  return copies->strings.lacks_memory ? CREBIND_OUT_OF_MEMORY : CREBIND_OK;
}

crebind_status crebind_copies(void (*visit)(const crebind_image_info *image, void *context),
                              void *context, crebind_error *error) {
  if (visit == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  struct copies copies = {.images = CREBIND_VECTOR(struct crebind_gathered_image)};
  crebind_strings_begin(&copies.strings);
  crebind_status status = crebind_look(gather_copies, &copies, error);
  for (size_t i = 0; i < copies.images.count && status == CREBIND_OK; i++) {
    crebind_image_info info =
        crebind_image_of(&copies.strings, crebind_vector_at(&copies.images, i));
    visit(&info, context);
  }
  crebind_vector_free(&copies.images);
  crebind_vector_free(&copies.strings.bytes);
  return status;
}
#endif
