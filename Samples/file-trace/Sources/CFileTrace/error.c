#define _GNU_SOURCE
#include "CFileTrace.h"

#include <string.h>

const char *file_trace_error_name(int error) { return strerrorname_np(error); }
