/// Refers to `number` without saying where it comes from.
int number(void);
int call_weak(void) { return number(); }
