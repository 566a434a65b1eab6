/// `number` in two versions, the newer one being the default.

#ifdef VERSIONED
int number_old(void) { return 1; }
int number_new(void) { return 2; }
__asm__(".symver number_old, number@V1");
__asm__(".symver number_new, number@@V2");
#else
int number(void) { return RESULT; }
#endif
