/// What the two copies of CRebind in `two-copies` tell each other.

struct other_copy {
  void (*apply)(void);
  /// Returns how many slots it left alone.
  unsigned long (*restore)(void);
  void (*refresh)(void);
  /// How often its hook has run since it was last asked.
  int (*hooked)(void);
  const void *address;
};
