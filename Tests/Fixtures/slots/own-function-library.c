/// Calls its own function through a slot, as exported functions are called.

static volatile int base = 40;

int own_function(int number) { return base + number; }
int call_own_function(int number) { return own_function(number); }
