/// Threads open and close annotated plug-ins while others look at all annotations, hold what they
/// have found and call its accessors. Nothing deadlocks, and nothing that has gone is read or
/// called.
///
/// Usage: annotations-race MILLISECONDS PLUGIN...: copies of annotations-plugin.c, which may
/// be ones that tell nothing of themselves.

#include "steps.h"
#include "RebindAnnotations.h"

REBIND_ANNOTATE(modules, "Program")

static atomic_bool is_done;
static atomic_long opened, looks, called;

static void *open_and_close(void *plugin) {
  while (!atomic_load(&is_done)) {
    void *image = OPEN(plugin, RTLD_NOW);
    // The other threads may never have the loader's lock while it is loaded otherwise.
    if (atomic_load(&called) == 0 && atomic_load(&opened) % 8 == 7)
      sleep_for(1);
    CHECK(dlclose(image) == 0);
    atomic_fetch_add(&opened, 1);
  }
  return NULL;
}

struct things {
  int count;
  crebind_annotation items[16];
};

static void note(const crebind_annotation *annotation, void *context) {
  const crebind_record *record = &annotation->record;
  struct things *things = context;
  CHECK(record->fault == CREBIND_RECORD_VALID);
  // Not before it is relocated.
  CHECK((strcmp(record->group, "things") == 0) == (record->accessor != 0));
  if (record->accessor != 0 && things->count < 16) things->items[things->count++] = *annotation;
}

/// A registry's work: what is found is held before it is called.
static void call(const crebind_annotation *annotation) {
  crebind_image_hold *hold;
  if (crebind_hold_image(annotation->image.header, annotation->dynamic, annotation->generation,
                         &hold, NULL)
      != CREBIND_OK)
    return;
  int *thing = NULL;
  CHECK(((rebind_accessor *)(uintptr_t)annotation->record.accessor)(REBIND_REQUEST_POINTER,
                                                                    &thing)
        == 1);
  CHECK(*thing == 42);
  crebind_release_image(hold);
  atomic_fetch_add(&called, 1);
}

static void *look(void *unused) {
  (void)unused;
  while (!atomic_load(&is_done)) {
    struct things things = {.count = 0};
    crebind_status status = crebind_annotations(NULL, note, &things, NULL);
    CHECK(status == CREBIND_OK || status == CREBIND_BUSY);
    for (int i = 0; i < things.count; i++) call(&things.items[i]);
    CHECK(crebind_annotations_generation() != 0);
    atomic_fetch_add(&looks, 1);
  }
  return NULL;
}

static void count(const crebind_annotation *annotation, void *context) {
  *(int *)context += annotation->record.fault == CREBIND_RECORD_VALID;
}

/// On the thread that loads, with the loader's lock held.
static void listen(const void *header, bool is_loaded, void *context) {
  (void)header, (void)is_loaded, (void)context;
  int annotations = 0;
  CHECK(crebind_annotations("modules", count, &annotations, NULL) == CREBIND_OK);
  CHECK(annotations >= 1);
}

int main(int argc, char *argv[]) {
  CHECK(argc >= 3 && argc <= 8);
  crebind_listen_for_annotations(listen, NULL);
  pthread_t threads[10];
  int thread_count = 0;
  for (int i = 2; i < argc; i++) threads[thread_count++] = START(open_and_close, argv[i]);
  for (int i = 0; i < 2; i++) threads[thread_count++] = START(look, NULL);
  let_work(atol(argv[1]));
  // Longer beside others on an emulated machine.
  while (atomic_load(&called) == 0) sleep_for(10);
  atomic_store(&is_done, true);
  while (thread_count > 0) JOIN(threads[--thread_count]);
  CHECK(atomic_load(&opened) > 0 && atomic_load(&looks) > 0);
  CHECK(atomic_load(&called) > 0);
  puts("done");
}
