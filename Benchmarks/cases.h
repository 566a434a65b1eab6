/// The cases that are measured, each in a process of its own.

#ifndef CASES_H
#define CASES_H

#include "libraries.h"
#include "loops.h"

/// Nanoseconds, but for the counts.
struct sample {
  struct census census;
  double scan, first, again, restore_again, restore, restore_below;
  size_t slots, patched_images;
  /// The peak of the core's mapped memory, and of the resident part.
  size_t peak_mapped, peak_resident;
  bool is_valid;
};

enum case_kind { CASE_FISHHOOK, CASE_REBIND, CASE_MEMORY };

/// Loads the libraries in a child and measures there: nothing was rebound
/// before, and the pages are as the loader left them.
struct sample measure_case(enum case_kind kind, size_t name_count,
                           const struct libraries *libraries, size_t image_limit);

#endif
