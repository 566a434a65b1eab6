#ifndef CFILETRACE_H
#define CFILETRACE_H

#include <stdbool.h>

/// The path of the image that called into this one; "" for the program, NULL for code of
/// no image. Takes no lock, unlike dladdr.
///
/// This function is provided because Swift has no `__builtin_frame_address`.
const char *_Nullable file_trace_calling_image(void);

/// The name of an error, such as "ENOENT"; NULL for an unknown error.
///
/// This function is provided because Swift's Glibc has no `strerrorname_np`.
const char *_Nullable file_trace_error_name(int error);

/// False if Swift must not use the heap yet: its arrays ask malloc_usable_size how many elements
/// they have room for, and before its own constructor tcmalloc answers 0.
///
/// This function is provided because Swift must not be asked.
bool file_trace_heap_is_ready(void);

#endif
