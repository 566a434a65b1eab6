/// Imports open under two other names; or a function that nothing defines.

#ifdef UNDEFINED

int defined_nowhere(void);
int call_nowhere(void) { return defined_nowhere(); }

#else

int open64(const char *, int, ...);
int __open_2(const char *, int);
int open_large(const char *path) { return open64(path, 0); }
int open_fortified(const char *path) { return __open_2(path, 0); }

#endif
