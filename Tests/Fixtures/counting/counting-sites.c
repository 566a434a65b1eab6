/// Counters tell by which images and at which sites calls were made, for a thread, a task and the process.
///
/// Usage: counting-sites LATER

#if defined(LATER)

#include <stdlib.h>

int allocate(void) {
  void *volatile block = malloc(1);
  free(block);
  return block != NULL;
}

#else

#include "counting.h"

/// So that no call is left out.
static void *volatile block;

// MARK: - Images

/// Images are told apart, for each reach: libc allocates for strdup.
static void count_images(crebind_counting_reach reach) {
  crebind_counting_scope *scope = crebind_counting_make(reach);
  CHECK(crebind_counting_watch_images(scope, true));
  crebind_counting_begin(scope, NULL, false);
  task_value = scope;
  has_task = reach == CREBIND_COUNTING_TASK;
  block = strdup("libc's own call");
  free(block);
  block = malloc(1);
  free(block);
  has_task = false;
  crebind_counting_end(scope);
  free(malloc(1));
  uint64_t calls[CREBIND_COUNTING_FUNCTION_COUNT], mallocs = 0;
  const char *path;
  for (size_t i = 0; (path = crebind_counting_image(scope, i, calls)) != NULL; i++) {
    bool is_program = path[0] == 0;
    CHECK(calls[CREBIND_COUNTING_FREE] == (is_program ? 2 : 0));
    CHECK(!is_program || calls[CREBIND_COUNTING_MALLOC] == 1);
    CHECK(strcmp(path, CREBIND_COUNTING_ELSEWHERE) != 0 || calls[CREBIND_COUNTING_MALLOC] == 0);
    mallocs += calls[CREBIND_COUNTING_MALLOC];
  }
  CHECK(mallocs == 2);
  crebind_counting_free(scope);
}

// MARK: - Sites

#if defined(__GLIBC__)
#define LEAST_FRAMES 3
#else
/// The caller alone.
#define LEAST_FRAMES 1
#endif

/// Where the last call of `allocate_here` came from.
static uintptr_t return_address;

__attribute__((noinline)) static void allocate_here(size_t size) {
  return_address = (uintptr_t)__builtin_return_address(0);
  block = malloc(size);
}

static void free_here(void) {
  free(block);
  block = NULL;
}

/// The sites of malloc, two of them at most. A site's second frame is where its function was called.
static size_t sites_of_malloc(const crebind_counting_scope *scope, crebind_reach_site *sites) {
  size_t position = 0, count = 0;
  crebind_reach_site site;
  while (crebind_counting_next_site(scope, &position, &site)) {
    CHECK(site.frame_count >= LEAST_FRAMES && site.frame_count <= CREBIND_REACH_SITE_FRAMES);
    if (site.function != CREBIND_COUNTING_MALLOC) continue;
    CHECK(count < 2);
    sites[count++] = site;
  }
  return count;
}

static void count_sites(crebind_counting_reach reach) {
  crebind_counting_scope *scope = crebind_counting_make(reach);
  CHECK(crebind_counting_watch_sites(scope, ~0u, 1000));
  task_value = scope;
  crebind_counting_begin(scope, NULL, false);
  has_task = reach == CREBIND_COUNTING_TASK;
  uintptr_t first = 0, second = 0;
  // One call, however the compiler would unroll the loop.
  for (volatile int i = 0; i < 3; i++) {
    allocate_here(10);
    first = return_address;
    free_here();
  }
  allocate_here(7);
  second = return_address;
  free_here();
  has_task = false;
  crebind_counting_end(scope);
  allocate_here(7);
  free_here();

  crebind_reach_site sites[2];
  CHECK(crebind_counting_dropped_calls(scope) == 0);
  size_t count = sites_of_malloc(scope, sites);
  if (LEAST_FRAMES == 1) {
    CHECK(count == 1 && sites[0].calls == 4 && sites[0].amount == 37);
    crebind_counting_free(scope);
    return;
  }
  CHECK(first != second && count == 2);
  crebind_reach_site *three = sites[0].calls == 3 ? &sites[0] : &sites[1];
  crebind_reach_site *one = sites[0].calls == 3 ? &sites[1] : &sites[0];
  CHECK(three->calls == 3 && three->amount == 30 && three->frames[1] == first);
  CHECK(one->calls == 1 && one->amount == 7 && one->frames[1] == second);
  // main is among the frames, and called this.
  CHECK(three->frames[0] == one->frames[0] && three->frame_count == one->frame_count);
  CHECK(three->frames[2] == one->frames[2] && three->frames[2] == (uintptr_t)__builtin_return_address(0));
  crebind_counting_free(scope);
}

__attribute__((noinline)) static void allocate_deep(int depth) {
  if (depth == 0) allocate_here(1);
  else allocate_deep(depth - 1);
  // So that no compiler makes a loop of it.
  __asm__ volatile("");
}

/// Too many sites are dropped, and too many frames are cut: both are said.
static void count_many_sites(void) {
  if (LEAST_FRAMES == 1) return;
  crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_THREAD);
  // Calls of other groups have none.
  CHECK(crebind_counting_install(CREBIND_COUNTING_MAPPINGS) == 0);
  CHECK(crebind_counting_watch_sites(scope, 1 << CREBIND_COUNTING_MEMORY, 4));
  crebind_counting_begin(scope, NULL, false);
  CHECK(munmap(NULL, 1) == 0);
  for (int i = 0; i < 10; i++) {
    allocate_deep(i);
    crebind_counting_suppress_begin();
    free_here();
    crebind_counting_suppress_end();
  }
  CHECK(crebind_counting_dropped_calls(scope) == 6);
  crebind_counting_counts counts = end(scope);
  CHECK(counts.calls[CREBIND_COUNTING_MALLOC] == 10 && counts.calls[CREBIND_COUNTING_MUNMAP] == 1);
  crebind_counting_uninstall(CREBIND_COUNTING_MAPPINGS);

  scope = crebind_counting_make(CREBIND_COUNTING_THREAD);
  CHECK(crebind_counting_watch_sites(scope, ~0u, 4));
  crebind_counting_begin(scope, NULL, false);
  allocate_deep(2 * CREBIND_REACH_SITE_FRAMES);
  crebind_counting_end(scope);
  crebind_reach_site sites[2];
  CHECK(sites_of_malloc(scope, sites) == 1);
  CHECK(sites[0].is_cut && sites[0].frame_count == CREBIND_REACH_SITE_FRAMES);
  crebind_counting_free(scope);
  free_here();
}

#if defined(__x86_64__)
// Functions without a table of frames, which call their argument. The second one has something else in the
// register of the frame pointer. That of the third one leads to itself.
__asm__(".text\n.type without_table, %function\nwithout_table:\n"
        "push %rbp\n mov %rsp, %rbp\n call *%rdi\n pop %rbp\n ret\n"
        ".type without_frame, %function\nwithout_frame:\n"
        "push %rbp\n lea 24(%rsp), %rbp\n and $-4096, %rbp\n add $16384, %rbp\n call *%rdi\n"
        "pop %rbp\n ret\n"
        ".type with_circle, %function\nwith_circle:\n"
        "push %rbp\n sub $16, %rsp\n mov %rsp, %rbp\n mov %rbp, (%rsp)\n"
        "lea with_circle(%rip), %rax\n mov %rax, 8(%rsp)\n call *%rdi\n"
        "add $16, %rsp\n pop %rbp\n ret\n");
#define HAS_FRAME_POINTERS (LEAST_FRAMES > 1)
#elif defined(__aarch64__)
__asm__(".text\n.type without_table, %function\nwithout_table:\n"
        "stp x29, x30, [sp, #-16]!\n mov x29, sp\n blr x0\n ldp x29, x30, [sp], #16\n ret\n"
        ".type without_frame, %function\nwithout_frame:\n"
        "stp x29, x30, [sp, #-16]!\n mov x29, #8\n blr x0\n ldp x29, x30, [sp], #16\n ret\n"
        ".type with_circle, %function\nwith_circle:\n"
        "stp x29, x30, [sp, #-32]!\n add x29, sp, #16\n adr x9, with_circle\n"
        "stp x29, x9, [sp, #16]\n blr x0\n ldp x29, x30, [sp], #32\n ret\n");
#define HAS_FRAME_POINTERS (LEAST_FRAMES > 1)
#else
#define without_table(function) function()
#define without_frame(function) function()
#define with_circle(function) function()
#define HAS_FRAME_POINTERS 0
#endif

#if defined(__x86_64__) || defined(__aarch64__)
void without_table(void (*function)(void));
void without_frame(void (*function)(void));
void with_circle(void (*function)(void));
#endif

static void allocate_one(void) {
  allocate_here(1);
  __asm__ volatile("");
}

static uintptr_t outer_return_address;

__attribute__((noinline)) static void call_without_table(void) {
  outer_return_address = (uintptr_t)__builtin_return_address(0);
  without_table(allocate_one);
  __asm__ volatile("");
}

__attribute__((noinline)) static void call_without_frame(void) {
  without_frame(allocate_one);
  __asm__ volatile("");
}

__attribute__((noinline)) static void call_with_circle(void) {
  with_circle(allocate_one);
  __asm__ volatile("");
}

__attribute__((noinline)) static void call_deep(int depth) {
  if (depth == 0) call_without_table();
  else call_deep(depth - 1);
  __asm__ volatile("");
}

static void call_below_many(void) { call_deep(2 * CREBIND_REACH_SITE_FRAMES); }

static void check_that_it_is_cut(void (*call)(void), size_t least, size_t most) {
  crebind_reach_site site;
  crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_THREAD);
  CHECK(crebind_counting_watch_sites(scope, ~0u, 4));
  crebind_counting_begin(scope, NULL, false);
  call();
  crebind_counting_end(scope);
  CHECK(sites_of_malloc(scope, &site) == 1);
  CHECK(site.is_cut && site.frame_count >= least && site.frame_count <= most);
  crebind_counting_free(scope);
  free_here();
}

/// A backtrace goes on by frame pointers at a function without a table, or says that it is cut.
static void count_sites_without_tables(void) {
  if (!HAS_FRAME_POINTERS) return;
  crebind_reach_site site;
  crebind_counting_scope *scope = crebind_counting_make(CREBIND_COUNTING_THREAD);
  CHECK(crebind_counting_watch_sites(scope, ~0u, 4));
  crebind_counting_begin(scope, NULL, false);
  errno = 77;
  call_without_table();
  CHECK(errno == 77);
  crebind_counting_end(scope);
  CHECK(sites_of_malloc(scope, &site) == 1);
  size_t i = 0;
  while (i < site.frame_count && site.frames[i] != outer_return_address) i++;
  // The callers of malloc, allocate_here, allocate_one, without_table and call_without_table.
  CHECK(i == 4);
  crebind_counting_free(scope);
  free_here();

  check_that_it_is_cut(call_without_frame, 3, 7);
  check_that_it_is_cut(call_with_circle, 3, 7);
  check_that_it_is_cut(call_below_many, CREBIND_REACH_SITE_FRAMES, CREBIND_REACH_SITE_FRAMES);
}

/// The loader's own functions, whose calls CRebind does not see.
static void *(*open_unseen)(const char *, int);
static void *(*find_unseen)(void *, const char *);

static void find_loader(void) {
  *(void **)&open_unseen = dlsym(RTLD_DEFAULT, "dlopen");
  *(void **)&find_unseen = dlsym(RTLD_DEFAULT, "dlsym");
}

/// Between two countings, which leave the slots as they are, an image is loaded unseen: it is counted, too.
static void count_image_between(const char *path) {
  void *later = open_unseen(path, RTLD_NOW);
  CHECK(later != NULL);
  int (*allocate)(void);
  *(void **)&allocate = find_unseen(later, "allocate");
  CHECK(crebind_counting_install(CREBIND_COUNTING_MEMORY) == 0);
  crebind_counting_scope *scope = begin(CREBIND_COUNTING_THREAD);
  CHECK(allocate() == 1);
  CHECK(end(scope).calls[CREBIND_COUNTING_MALLOC] == 1);
  crebind_counting_uninstall(CREBIND_COUNTING_MEMORY);
  CHECK(dlclose(later) == 0);
}

int main(int count, char **paths) {
  CHECK(count == 2);
  find_loader();
  start_counting();
  count_images(CREBIND_COUNTING_TASK);
  count_images(CREBIND_COUNTING_THREAD);
  count_images(CREBIND_COUNTING_PROCESS);
  count_sites(CREBIND_COUNTING_TASK);
  count_sites(CREBIND_COUNTING_THREAD);
  count_sites(CREBIND_COUNTING_PROCESS);
  count_many_sites();
  count_sites_without_tables();
  crebind_counting_uninstall(CREBIND_COUNTING_MEMORY);
  count_image_between(paths[1]);
  printf("all calls were told apart\n");
  return 0;
}

#endif
