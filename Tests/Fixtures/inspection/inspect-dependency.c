// A library that a program needs by another name than its own.

int depended_on(void) { return 1; }
