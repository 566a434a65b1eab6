/// One thread makes first calls through lazy slots while another rebinds the functions that it is
/// about to call, timed to land in the loader's resolver. Once the rebinding call has returned,
/// every call reaches the hook.
///
/// Usage: race all|images|loaded|naive LIBRARY-OF-CALLERS ROUNDS. `naive` is the
/// control: a plain store into the slot, which the resolver overwrites. That takes luck, so it tries
/// in up to five programs.

#include "steps.h"

#include <sched.h>

#ifdef __aarch64__
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#else
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#endif

enum { MOST = 2000, SMALL_STEP = 50, LARGE_STEP = 20000, LONGEST = 10000000, SECONDS = 4 };

static int (*const *callers)(void);
static uintptr_t bias;
static const void *header;
static void **slots[MOST];
static int rounds;

static int hook(void) { return 2; }

/// Each thread on a processor of its own, on a machine with two.
static cpu_set_t allowed;

static void take_processor(int number) {
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &allowed) && number-- == 0) CPU_SET(i, &one);
  if (CPU_COUNT(&one) == 1) sched_setaffinity(0, sizeof one, &one);
}

// MARK: - The caller

/// The first call of number `turn` is made `delay` steps after the turn is given.
static atomic_int turn = -1, answered = -1;
static atomic_long delay;
static int first_answer;

static void spin(long steps) {
  for (long i = 0; i < steps; i++) __asm__ volatile("" ::: "memory");
}

static void *call(void *unused) {
  (void)unused;
  take_processor(1);
  for (int i = 0; i < rounds; i++) {
    while (atomic_load(&turn) < i) {}
    spin(atomic_load(&delay));
    first_answer = callers[i]();
    atomic_store(&answered, i);
  }
  return NULL;
}

// MARK: - Finding the slots

static ElfW(Addr) tag(const ElfW(Dyn) * dynamic, ElfW(Sxword) wanted) {
  for (; dynamic->d_tag != DT_NULL; dynamic++)
    if (dynamic->d_tag == wanted) return dynamic->d_un.d_ptr;
  CHECK(!"has the tag");
  return 0;
}

/// glibc relocates the table in place, musl does not.
static uintptr_t pointer(const ElfW(Dyn) * dynamic, ElfW(Sxword) wanted) {
  ElfW(Addr) value = tag(dynamic, wanted);
  return value < bias ? bias + value : value;
}

static int find_slots(struct dl_phdr_info *info, size_t size, void *path) {
  (void)size;
  if (strcmp(info->dlpi_name, path) != 0) return 0;
  const ElfW(Dyn) *dynamic = NULL;
  bias = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    uintptr_t start = bias + info->dlpi_phdr[i].p_vaddr;
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)start;
    if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_offset == 0)
      header = (const void *)start;
  }
  const ElfW(Sym) *symbols = (const ElfW(Sym) *)pointer(dynamic, DT_SYMTAB);
  const char *strings = (const char *)pointer(dynamic, DT_STRTAB);
  const ElfW(Rela) *relocations = (const ElfW(Rela) *)pointer(dynamic, DT_JMPREL);
  size_t count = tag(dynamic, DT_PLTRELSZ) / sizeof *relocations;
  for (size_t i = 0; i < count; i++) {
    const char *name = strings + symbols[ELF64_R_SYM(relocations[i].r_info)].st_name;
    int number, length = 0;
    if (ELF64_R_TYPE(relocations[i].r_info) != JUMP_SLOT) continue;
    if (sscanf(name, "f%4d%n", &number, &length) == 1 && length == 5 && name[5] == 0)
      slots[number] = (void **)(bias + relocations[i].r_offset);
  }
  return 1;
}

// MARK: - The rebinder

static double seconds(clockid_t clock) {
  struct timespec now;
  CHECK(clock_gettime(clock, &now) == 0);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void rebind(const char *mode, int number, crebind_handle **handle) {
  if (strcmp(mode, "naive") == 0) {
    __atomic_store_n(slots[number], (void *)hook, __ATOMIC_RELEASE);
    return;
  }
  char name[8];
  snprintf(name, sizeof name, "f%04d", number);
  crebind_options options = {.scope = CREBIND_SCOPE_ALL};
  if (strcmp(mode, "images") == 0) {
    options.scope = CREBIND_SCOPE_IMAGES;
    options.images = &header;
    options.image_count = 1;
  }
  options.loaded_images_only = strcmp(mode, "loaded") == 0;
  *handle = REBIND(name, hook, NULL, &options, NULL);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  rounds = atoi(argv[3]);
  CHECK(rounds <= MOST);
  void *library = OPEN(argv[2], RTLD_LAZY);
  callers = FIND(library, "callers");
  CHECK(dl_iterate_phdr(find_slots, argv[2]) == 1);
  bool is_naive = strcmp(argv[1], "naive") == 0;
  sched_getaffinity(0, sizeof allowed, &allowed);
  take_processor(0);
  pthread_t thread = START(call, NULL);

  int lost = 0, early = 0, late = 0, former = 0;
  long lead = 0, step = SMALL_STEP;
  double start = seconds(CLOCK_MONOTONIC), start_of_work = seconds(CLOCK_PROCESS_CPUTIME_ID);
  int run = 0;
  // Both threads work all the time.
  double end = start_of_work + 2 * SECONDS;
  for (int i = 0; i < rounds && seconds(CLOCK_PROCESS_CPUTIME_ID) < end; run = ++i) {
    CHECK(slots[i] != NULL);
    crebind_handle *handle;
    // Around the time at which the calls before have met the store.
    long jitter = rand() % 400 - 200;
    atomic_store(&delay, lead + jitter > 0 ? lead + jitter : 0);
    atomic_store(&turn, i);
    if (is_naive) spin(lead + jitter < 0 ? -lead - jitter : 0);
    rebind(argv[1], i, &handle);
    int at_once = callers[i]();
    while (atomic_load(&answered) < i) {}
    // Towards the store, faster as long as it is on the same side.
    step = first_answer == former ? step * 2 : step / 4;
    if (step < SMALL_STEP) step = SMALL_STEP;
    if (step > LARGE_STEP) step = LARGE_STEP;
    lead += first_answer == 1 ? step : -step;
    // A naive store takes no time, so that it may have to wait for the caller.
    if (lead < (is_naive ? -LONGEST : 0)) lead = is_naive ? -LONGEST : 0;
    if (lead > LONGEST) lead = LONGEST;
    former = first_answer;
    early += first_answer == 1;
    late += first_answer == 2;
    lost += at_once != 2 || callers[i]() != 2;
    if (is_naive && lost != 0) {
      printf("a naive store is lost\n");
      exit(0);
    }
    if (is_naive) continue;
    RESTORE(handle);
    CHECK(callers[i]() == 1);
  }
  atomic_store(&turn, rounds);
  JOIN(thread);
  bool have_met = early > run / 100 && late > run / 100;
  // Both threads work all the time, if the processors are theirs.
  double work = seconds(CLOCK_PROCESS_CPUTIME_ID) - start_of_work;
  if ((is_naive || !have_met) && work < 1.6 * (seconds(CLOCK_MONOTONIC) - start)) {
    printf("the processors were busy\n");
    return lost != 0;
  }
  if (is_naive) {
    const char *tries = getenv("RACE_TRIES");
    if (tries == NULL) tries = "5";
    if (tries[0] > '1') {
      // Each slot is bound once in a process.
      CHECK(setenv("RACE_TRIES", (char[]){(char)(tries[0] - 1), 0}, 1) == 0);
      CHECK(sched_setaffinity(0, sizeof allowed, &allowed) == 0);
      execv("/proc/self/exe", argv);
    }
    printf("no naive store was lost\n");
    exit(0);
  }
  CHECK(have_met);
  printf("%d lost\n", lost);
}
