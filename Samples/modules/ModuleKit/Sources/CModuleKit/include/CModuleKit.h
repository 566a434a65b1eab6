/// The declarations of a plug-in in C: a module, or a service, as the pointer that the accessor of
/// its annotation answers with.

#ifndef CMODULEKIT_H
#define CMODULEKIT_H

#include <stddef.h>

/// Of the group `modules`. Each function may be NULL.
struct module_functions {
  void (*set_up)(void);
  void (*start)(void);
  void (*tear_down)(void);
  /// A system event has no details.
  void (*handle)(const char *event, const char *details);
};

/// Of the group `services`.
struct service_functions {
  /// Writes the answer into `answer`, with a zero byte at its end; 0 for an unknown method.
  int (*call)(const char *method, const char *argument, char *answer, size_t size);
};

#endif
