#include <RebindAnnotations.h>

REBIND_ANNOTATE_VALUE(package, "c", "in C", 1)
