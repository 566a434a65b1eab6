/// Streams of numbers that look random, one for each task of a scope.
///
/// The numbers of a task depend on the seed, on how many it has drawn, and on its place among its creator's tasks. So
/// tasks that draw at the same time do so without an order between them, and their numbers are the same in each run.
///
/// A stream is made by the thread that makes the task, and used by the task's. No lock is taken.

#if defined(__linux__) && !defined(CREBIND_TESTING_STREAMS_H)
#define CREBIND_TESTING_STREAMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct crebind_testing_stream {
  /// The number of the task or block, and 1; 0 while the place is free.
  _Atomic uint64_t task;
  /// 0 until it is known.
  _Atomic uint64_t seed;
  /// How many numbers have been drawn, and how many tasks made.
  _Atomic uint64_t draws, children;
  /// Whatever else its owner keeps.
  _Atomic(void *_Nullable) state;
} crebind_testing_stream;

typedef struct crebind_testing_streams crebind_testing_streams;

/// \param task The number of the task that the scope begins in.
/// \returns NULL if memory runs out.
crebind_testing_streams *_Nullable crebind_testing_streams_make(uint64_t seed, uint64_t task);
void crebind_testing_streams_free(crebind_testing_streams *streams);

/// Gives a new task the next stream of its creator's.
void crebind_testing_streams_add(crebind_testing_streams *streams, uint64_t creator,
                                 uint64_t task);

/// Whether a task has a stream.
bool crebind_testing_streams_have(crebind_testing_streams *streams, uint64_t task);

/// The stream of a task. One that was not seen to begin has the next one of those.
crebind_testing_stream *crebind_testing_streams_find(crebind_testing_streams *streams,
                                                     uint64_t task);

/// How many tasks were not seen to begin, and have streams in the order in which they came. Where a million others have
/// taken all places, each draw counts.
uint64_t crebind_testing_streams_unordered(const crebind_testing_streams *streams);

/// The next number.
uint64_t crebind_testing_draw(crebind_testing_stream *stream);

#pragma clang assume_nonnull end

#endif
