/// Loops that allocate, whose calls no compiler leaves out.

#ifndef ALLOCATING_LOOPS_H
#define ALLOCATING_LOOPS_H

/// Allocates and frees a small block so many times: nanoseconds for a pair.
double allocate(long pairs);

/// The same on so many threads at once, each all of the pairs: wall time for a pair of all.
double allocate_on_threads(int threads, long pairs);

#endif
