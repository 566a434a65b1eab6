#ifndef CALLS_IN_C_H
#define CALLS_IN_C_H

/// Calls toupper through its slot, and returns the sum of what it returned.
long call_toupper(long count);

/// Rebinds toupper to a function that calls the original, and restores it.
void apply_in_c(void);
void restore_in_c(void);

#endif
