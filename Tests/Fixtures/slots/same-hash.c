/// Two names have the same DT_GNU_HASH hash and length, and the same first four characters. A
/// rebinding of one leaves the other one alone.

#ifdef LIBRARY

int same_Ez(void);
int same_FY(void);
int same_Ez(void) { return 1; }
int same_FY(void) { return 2; }

#else

#include "steps.h"

int same_Ez(void);
int same_FY(void);

COUNTING_HOOK(int)

int main(void) {
  REBIND("same_Ez", hook, &original, NULL, NULL);
  CHECK(same_FY() == 2 && hooked == 0);
  CHECK(same_Ez() == 1 && hooked == 1);
  printf("told apart\n");
}

#endif
