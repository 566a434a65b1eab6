/// An IFUNC whose resolver runs the function that it was given, and makes its first call of another
/// image's function. With -DDEFINER that function; with -DCALLER the caller of the IFUNC; and with
/// -DROOT an image that needs them all.

#ifdef DEFINER

int seven(void);
int seven(void) { return 7; }

#elif defined CALLER

int pick(void);
int call_pick(void);
int call_pick(void) { return pick(); }

#elif !defined ROOT

int seven(void);
static void (*run)(void);

void set_run(void (*function)(void));
void set_run(void (*function)(void)) { run = function; }

static int own_seven(void) { return 7; }

__attribute__((used)) static int (*resolve(void))(void) {
  if (run == 0) return own_seven;
  run();
  return seven() == 7 ? own_seven : 0;
}

int pick(void) __attribute__((ifunc("resolve")));

#endif
