#define _GNU_SOURCE
#include "cases.h"
#include "measure.h"
#include "names.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SCANS = 5 };

/// Replacements: addresses only, for nothing is called while they are in place.
static char replacements[2][NAME_COUNT];

static void *originals[NAME_COUNT];

static const crebind_rebinding *batch(int layer, size_t count) {
  static crebind_rebinding batches[2][NAME_COUNT];
  for (size_t i = 0; i < count; i++)
    batches[layer][i] = (crebind_rebinding){
        .name = names[i], .replacement = &replacements[layer][i], .original = &originals[i]};
  return batches[layer];
}

static double time_of_scan(struct census *census) {
  double times[SCANS];
  *census = scan();
  for (int i = 0; i < SCANS; i++) {
    double start = now();
    census->sum += scan().sum;
    times[i] = now() - start;
  }
  return median(times, SCANS);
}

static void measure_fishhook(struct sample *sample, size_t count) {
  const crebind_rebinding *rebindings = batch(0, count);
  double start = now();
  sample->slots = fishhook_loop(rebindings, count);
  sample->first = now() - start;
  sample->is_valid = true;
}

static void measure_rebind(struct sample *sample, size_t count) {
  const crebind_rebinding *rebindings = batch(0, count), *others = batch(1, count);
  crebind_handle *handle, *other;
  crebind_report report;
  double times[7];
  times[0] = now();
  if (crebind_apply(rebindings, count, NULL, &handle, &report, NULL) != CREBIND_OK) return;
  times[1] = now();
  if (crebind_apply(others, count, NULL, &other, NULL, NULL) != CREBIND_OK) return;
  times[2] = now();
  if (crebind_restore(other, NULL, NULL) != CREBIND_OK) return;
  times[3] = now();
  if (crebind_restore(handle, NULL, NULL) != CREBIND_OK) return;
  times[4] = now();
  if (crebind_apply(rebindings, count, NULL, &handle, NULL, NULL) != CREBIND_OK) return;
  if (crebind_apply(others, count, NULL, &other, NULL, NULL) != CREBIND_OK) return;
  times[5] = now();
  if (crebind_restore(handle, NULL, NULL) != CREBIND_OK) return;
  times[6] = now();
  if (crebind_restore(other, NULL, NULL) != CREBIND_OK) return;
  sample->first = times[1] - times[0];
  sample->again = times[2] - times[1];
  sample->restore_again = times[3] - times[2];
  sample->restore = times[4] - times[3];
  sample->restore_below = times[6] - times[5];
  sample->slots = report.changed;
  sample->patched_images = report.images;
  sample->is_valid = true;
}

static void measure_memory(struct sample *sample, size_t count) {
  const crebind_rebinding *rebindings = batch(0, count);
  level_peaks();
  size_t mapped = status_bytes("VmPeak"), resident = status_bytes("VmHWM");
  crebind_handle *handle;
  if (crebind_apply(rebindings, count, NULL, &handle, NULL, NULL) != CREBIND_OK) return;
  if (crebind_restore(handle, NULL, NULL) != CREBIND_OK) return;
  sample->peak_mapped = status_bytes("VmPeak") - mapped;
  sample->peak_resident = status_bytes("VmHWM") - resident;
  sample->is_valid = true;
}

static void run_case(struct sample *sample, enum case_kind kind, size_t count) {
  sample->scan = time_of_scan(&sample->census);
  switch (kind) {
  case CASE_FISHHOOK: measure_fishhook(sample, count); break;
  case CASE_REBIND: measure_rebind(sample, count); break;
  case CASE_MEMORY: measure_memory(sample, count); break;
  }
}

struct sample measure_case(enum case_kind kind, size_t name_count,
                           const struct libraries *libraries, size_t image_limit) {
  struct sample sample = {.is_valid = false};
  int ends[2];
  if (pipe(ends) != 0) return sample;
  pid_t child = fork();
  if (child == 0) {
    int nowhere = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3; i++) dup2(nowhere, i);
    load_libraries(libraries, image_limit);
    run_case(&sample, kind, name_count);
    // Past fishhook's loop, write and _exit are no longer what they were.
    syscall(SYS_write, ends[1], &sample, sizeof sample);
    syscall(SYS_exit_group, 0);
  }
  close(ends[1]);
  if (child < 0 || read(ends[0], &sample, sizeof sample) != (ssize_t)sizeof sample)
    sample = (struct sample){.is_valid = false};
  close(ends[0]);
  if (child > 0) waitpid(child, NULL, 0);
  return sample;
}
