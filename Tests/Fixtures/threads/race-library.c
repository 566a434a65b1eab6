/// 2,000 functions f0000 to f1999, or with -DCALLERS as many stubs that call
/// them, each through a lazy slot of its own.

#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) \
  ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) \
  TEN(n##7) TEN(n##8) TEN(n##9)
#define THOUSAND(n) HUNDRED(n##0) HUNDRED(n##1) HUNDRED(n##2) HUNDRED(n##3) HUNDRED(n##4) \
  HUNDRED(n##5) HUNDRED(n##6) HUNDRED(n##7) HUNDRED(n##8) HUNDRED(n##9)
#define ALL THOUSAND(0) THOUSAND(1)

#ifdef CALLERS

#define ONE(n)                                \
  int f##n(void);                             \
  static int call_##n(void) { return f##n(); }
ALL
#undef ONE
#define ONE(n) call_##n,
int (*const callers[])(void) = {ALL};

#else

#define ONE(n) \
  int f##n(void) { return 1; }
ALL

#endif
