/// The functions that open and close descriptors, and the arguments and results that say which.

#if defined(__linux__) && !defined(CREBIND_TESTING_DESCRIPTOR_FUNCTIONS_H)
#define CREBIND_TESTING_DESCRIPTOR_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The ways in which a function opens and closes descriptors.
typedef enum descriptor_rule {
  /// Returns a descriptor, a stream or a folder.
  OPENS,
  OPENS_STREAM,
  OPENS_FOLDER,
  /// Stores two descriptors where the first or the fourth argument points.
  OPENS_PAIR,
  OPENS_PAIR_AT_FOURTH,
  /// Returns a descriptor for some commands.
  CONTROLS,
  /// Receives descriptors in a message.
  RECEIVES,
  // A hook watches all calls of those that follow.
  /// Closes its second argument, unless it is the first one, and returns it opened anew.
  OPENS_ONTO,
  /// Closes its third argument, a stream, and returns it opened anew.
  OPENS_STREAM_ANEW,
  CLOSES,
  CLOSES_STREAM,
  CLOSES_FOLDER,
  CLOSES_RANGE,
  CLOSES_FROM,
  /// Does any of this, by a number.
  CALLS_KERNEL,
  /// Makes a process that may share this one's memory.
  FORKS,
} descriptor_rule;

/// A library that has an event loop may keep for good what it opens by a function.
typedef struct descriptor_function {
  const char *name;
  descriptor_rule rule;
  bool is_kept_by_loops;
} descriptor_function;

#define DESCRIPTOR_FUNCTIONS 62

extern const descriptor_function crebind_testing_descriptor_functions[DESCRIPTOR_FUNCTIONS]
    __attribute__((visibility("hidden")));

/// Whether a system call returns a descriptor, and whether it makes a process.
bool crebind_testing_opens_descriptor(uint64_t number);
bool crebind_testing_forks(uint64_t number);

/// The place where the kernel stores a descriptor of the child that a system call makes; 0 for none. A child in this
/// process's memory would return by the way of this call, so that its parent's end cannot be awaited.
uint64_t crebind_testing_place_of_child(const uint64_t *registers);

/// The descriptor of a stream or a folder; -1 for NULL.
int crebind_testing_of_stream(uint64_t stream);
int crebind_testing_of_folder(uint64_t folder);

/// Numbers from the first to the last one; none if the first one is greater.
typedef struct descriptor_range {
  uint32_t first, last;
} descriptor_range;

/// The numbers that a call may close, of those up to a limit.
descriptor_range crebind_testing_closed_by(descriptor_rule rule, const uint64_t *registers,
                                           uint32_t limit);

#pragma clang assume_nonnull end

#endif
