/// An IFUNC's resolver is called without any lock. Meanwhile another thread loads an image and
/// looks a name up. The resolver may make its first call of a function: the loader takes its lock
/// to note that the resolver's image needs the other one. Its image stays until it has returned,
/// whoever closes it.
///
/// Usage: resolver-locks ROOT PLUGIN
///
/// The root needs the resolver's image and, unlike that one, the image with the function.

#include "steps.h"
#include "CRebindImages.h"

static void *root;
static const char *plugin;
static sem_t wanted, done;
static int runs;
static bool closes, ends;

/// The other thread.
static void *load_meanwhile(void *unused) {
  while (sem_wait(&wanted) == 0 && !ends) {
    void *image = OPEN(plugin, RTLD_LAZY);
    CHECK(dlclose(image) == 0);
    if (closes) CHECK(dlclose(root) == 0);
    closes = false;
    CHECK(crebind_lookup("getppid") != NULL);
    CHECK(sem_post(&done) == 0);
  }
  return unused;
}

/// By the resolver. With a lock held, it waits for ever.
static void wait_for_other(void) {
  CHECK(crebind_lookup("getppid") != NULL);
  runs++;
  CHECK(sem_post(&wanted) == 0 && sem_wait(&done) == 0);
}

static int hook(void) { return 8; }
static int (*original)(void);

static void open_root(const char *path) {
  root = OPEN(path, RTLD_LAZY);
  ((void (*)(void (*)(void)))FIND(root, "set_run"))(wait_for_other);
}

static void check_called(int *before) {
  CHECK(runs > *before);
  *before = runs;
}

static void ignore_finding(const crebind_finding *finding, void *unused) {
  (void)finding, (void)unused;
}
static void ignore_slot(const crebind_slot_contents *slot, void *unused) {
  (void)slot, (void)unused;
}
static void ignore_diagnosis(const crebind_diagnosis *diagnosis, void *unused) {
  (void)diagnosis, (void)unused;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  CHECK(sem_init(&wanted, 0, 0) == 0 && sem_init(&done, 0, 0) == 0);
  plugin = argv[2];
  open_root(argv[1]);
  pthread_t other = START(load_meanwhile, NULL);
  int (*call)(void) = FIND(root, "call_pick"), before = 0;
  const crebind_rebinding rebinding = {
      .name = "pick", .replacement = (void *)hook, .original = (void **)&original};
  const crebind_options options = {.slots_only = true};

  crebind_handle *handle = APPLY(&rebinding, 1, NULL, NULL);
  check_called(&before);
  CHECK(call() == 8 && original() == 7);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK && call() == 7);
  before = runs;
  CHECK(crebind_audit(ignore_finding, NULL, NULL) == CREBIND_OK);
  check_called(&before);
  CHECK(crebind_image_slots(crebind_image_containing((void *)call), true, ignore_slot, NULL, NULL)
        == CREBIND_OK);
  check_called(&before);
  CHECK(crebind_diagnose(&rebinding, NULL, ignore_diagnosis, NULL, NULL) == CREBIND_OK);
  check_called(&before);

  // The other thread's is the last reference but ours.
  CHECK(dlclose(root) == 0);
  open_root(argv[1]);
  closes = true;
  handle = APPLY(&rebinding, 1, &options, NULL);
  check_called(&before);
  CHECK(dlopen(argv[1], RTLD_LAZY | RTLD_NOLOAD) == NULL);
  RESTORE(handle);

  ends = true;
  CHECK(sem_post(&wanted) == 0);
  JOIN(other);
  puts("no lock was held");
}
