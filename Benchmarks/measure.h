/// Clocks, medians and the process's memory.

#ifndef MEASURE_H
#define MEASURE_H

#include <stddef.h>

/// Nanoseconds of a clock that only runs forward.
double now(void);

/// Sorts `values` and returns the one in the middle.
double median(double *values, size_t count);

/// A line of /proc/self/status in bytes, such as "VmPeak"; 0 without it.
size_t status_bytes(const char *key);

/// Makes the peaks that the kernel keeps equal to what is in use now, so that
/// whatever comes next raises them.
void level_peaks(void);

#endif
