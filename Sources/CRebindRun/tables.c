/// The tables of threads, and the first call from each place.
///
/// All of this may run inside malloc, under any lock of the program, and in signal handlers. It takes no lock,
/// allocates nothing but room in the file, and calls nothing that does.

#if defined(__linux__)
#define _GNU_SOURCE

#include "run.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST_CELLS 256u
#define MOST_CELLS 0x40000u
/// Once so much of the file is given away, the tables of threads that have ended are used again.
#define PLENTY 0x4000000u

uint32_t crebind_run_namespace;

static crebind_run_table *table_at(uint32_t place) {
  return place == 0 ? NULL : (crebind_run_table *)(void *)(crebind_run_file + place);
}

static crebind_run_cell *cells_of(crebind_run_table *table) {
  return (crebind_run_cell *)(void *)(table + 1);
}

static uint32_t *rows_of(crebind_run_table *table) {
  return (uint32_t *)(void *)(cells_of(table) + table->cells);
}

/// Adds the calls to the rows, and frees the cells.
static void empty(crebind_run_table *table) {
  crebind_run_cell *cells = cells_of(table);
  for (uint32_t i = 0; i < table->cells; i++) {
    if (cells[i].key == 0) continue;
    crebind_run_add(rows_of(table)[i], __atomic_exchange_n(&cells[i].calls, 0, __ATOMIC_RELAXED));
    cells[i].key = 0;
  }
}

/// Whether nobody counts in a table any more. The numbers of other namespaces say nothing here.
static bool is_left(uint64_t owner) {
  if (owner >> 32 != crebind_run_namespace) return owner == 0;
  return owner == 0 || (syscall(SYS_tkill, (pid_t)(uint32_t)owner, 0) != 0 && errno == ESRCH);
}

/// A table for this thread with all cells free; NULL if the file is full.
static crebind_run_table *new_table(uint32_t cells, uint64_t owner) {
  crebind_run_head *head = crebind_run_shared();
  uint32_t last = __atomic_load_n(&head->last_table, __ATOMIC_ACQUIRE);
  if (__atomic_load_n(&head->used, __ATOMIC_RELAXED) > PLENTY)
    for (crebind_run_table *table = table_at(last); table != NULL; table = table_at(table->next)) {
      uint64_t former = __atomic_load_n(&table->owner, __ATOMIC_ACQUIRE);
      if (table->cells != cells || !is_left(former)
          || !__atomic_compare_exchange_n(&table->owner, &former, owner, false, __ATOMIC_ACQUIRE,
                                          __ATOMIC_RELAXED))
        continue;
      empty(table);
      return table;
    }
  uint32_t place = crebind_run_allocate(sizeof(crebind_run_table)
                                        + cells * (sizeof(crebind_run_cell) + sizeof(uint32_t)));
  if (place == 0) return NULL;
  crebind_run_table *table = table_at(place);
  table->owner = owner;
  table->cells = cells;
  do table->next = last;
  while (!__atomic_compare_exchange_n(&head->last_table, &last, place, false, __ATOMIC_RELEASE,
                                      __ATOMIC_ACQUIRE));
  return table;
}

/// Gives the thread a table of so many cells, and gives up the one that it had in this process.
static void change_table(crebind_run_thread *here, uint32_t cells, bool has_former) {
  crebind_run_table *former =
      has_former ? (crebind_run_table *)(void *)here->cells - 1 : NULL;
  crebind_run_table *table = new_table(cells, here->owner);
  if (former != NULL) empty(former);
  here->filled = 0;
  if (table == NULL) {
    if (former == NULL) here->cells = NULL;
    return;
  }
  if (former != NULL) __atomic_store_n(&former->owner, 0, __ATOMIC_RELEASE);
  here->cells = cells_of(table);
  here->rows = rows_of(table);
  here->mask = cells - 1;
}

/// The process, with a number and a generation. A fork may have wiped it.
crebind_run_process *crebind_run_enter(void) {
  crebind_run_process *process = crebind_run_process_here;
  if (process->generation == 0) {
    process->number = __atomic_add_fetch(&crebind_run_shared()->processes, 1, __ATOMIC_RELAXED);
    process->generation = CREBIND_RUN_FIRST_GENERATION;
  }
  return process;
}

/// Gives the thread a table in this process.
static void begin_table(crebind_run_thread *here) {
  here->owner = (uint64_t)crebind_run_namespace << 32 | (uint32_t)syscall(SYS_gettid);
  change_table(here, FIRST_CELLS, false);
}

void crebind_run_enter_thread(void) {
  crebind_run_process *process = crebind_run_enter();
  begin_table(&crebind_run_here);
  crebind_run_here.process = process->number;
}

/// Counts a call in a cell of its own. False if the table is full.
static bool count_in_cell(crebind_run_thread *here, uint64_t key, int64_t row) {
  crebind_run_process *process = crebind_run_enter();
  bool is_of_process = here->cells != NULL && here->process == process->number;
  // A signal handler leaves the table alone as long as it changes.
  here->generation = CREBIND_RUN_NO_GENERATION;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  uint64_t generation = process->generation;
  if (!is_of_process) {
    begin_table(here);
  } else if (here->filled * 2 >= here->mask + 1) {
    uint32_t cells = (uint32_t)here->mask + 1;
    if (cells < MOST_CELLS) change_table(here, cells * 4, true);
  }
  here->process = process->number;
  if (here->cells == NULL) return false;
  crebind_run_table *table = (crebind_run_table *)(void *)here->cells - 1;
  if (table->generation != generation) {
    empty(table);
    here->filled = 0;
    table->generation = generation;
  }
  uint64_t i = crebind_run_hash(key);
  while (here->cells[i & here->mask].key != 0 && here->cells[i & here->mask].key != key) i++;
  crebind_run_cell *cell = &here->cells[i & here->mask];
  if (cell->key == 0 && here->filled * 2 < here->mask + 1) {
    here->rows[i & here->mask] = (uint32_t)row;
    cell->key = key;
    here->filled++;
  }
  bool is_counted = cell->key == key;
  if (is_counted) __atomic_fetch_add(&cell->calls, 1, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  here->generation = generation;
  return is_counted;
}

/// The row of a function's name and the image that an address lies in.
static int64_t row_from(const void *address, uint32_t function) {
  uint32_t image = crebind_run_name(CREBIND_RUN_IMAGE, crebind_run_image_at(address));
  return crebind_run_row_of(function, image);
}

void crebind_run_add_from(const void *return_address, uint32_t function) {
  crebind_run_add(row_from(return_address, function), 1);
}

void crebind_run_count_slowly(crebind_run_stub *stub, const void *return_address) {
  if (!stub->is_wanted) return;
  int error = errno;
  crebind_run_thread *here = &crebind_run_here;
  int64_t row = row_from(return_address, stub->function);
  uint64_t key = (uint64_t)(uintptr_t)return_address << 16 | stub->index;
  bool is_counted = false;
  if (row >= 0 && !here->is_busy) {
    here->is_busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    is_counted = count_in_cell(here, key, row);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    here->is_busy = false;
  }
  if (!is_counted) crebind_run_add(row, 1);
  errno = error;
}
#endif
