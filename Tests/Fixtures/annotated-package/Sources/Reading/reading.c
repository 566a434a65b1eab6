#include "Reading.h"

extern const char __start_rebind_annotations[] __attribute__((visibility("hidden")));
extern const char __stop_rebind_annotations[] __attribute__((visibility("hidden")));

void read_records(void (*visit)(const crebind_record *record)) {
  const size_t size = (size_t)(__stop_rebind_annotations - __start_rebind_annotations);
  const crebind_record_format format = {.is_64_bit = sizeof(void *) == 8};
  crebind_record record;
  for (size_t offset = 0;
       crebind_next_record(__start_rebind_annotations, size, format, offset, &record);
       offset = record.offset + record.size) {
    visit(&record);
  }
}
