// A library that calls what another one has that is loaded later.

int hook_of_its_own(void);

int call_later(void) { return hook_of_its_own(); }
