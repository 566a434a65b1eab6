#if defined(__linux__)
#include "CRebindImages.h"

static const crebind_machine machines[] = {
#define CREBIND_MACHINE_ROW(machine, bits, name, prefix, j, jn, g, gn, a, an, copy, relative, addends) \
  {machine, bits, name, prefix, j, jn, g, gn, a, an, copy, relative, CREBIND_ADDENDS_##addends},
#include "CRebindMachines.def"
};

const crebind_machine *crebind_machine_with(int machine, int bits) {
  for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
    if (machines[i].machine == machine && (machines[i].bits == 0 || machines[i].bits == bits))
      return &machines[i];
  return NULL;
}
#endif
