#ifndef READING_H
#define READING_H

#include <CRebind.h>

/// Visits the records of the image that this is linked into.
void read_records(void (*visit)(const crebind_record *record));

#endif
