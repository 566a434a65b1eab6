/// The counters of Swift's runtime: a function, its symbol, and its counter's name.
///
/// They are in the order of `crebind_counting_function`. Assembly reads this, too.

#define CREBIND_COUNTING_REFERENCES_LIST(X) \
  X(9, retain, RETAIN) \
  X(10, retain_n, RETAIN_N) \
  X(11, bridgeObjectRetain, BRIDGE_OBJECT_RETAIN) \
  X(12, bridgeObjectRetain_n, BRIDGE_OBJECT_RETAIN_N) \
  X(13, unknownObjectRetain, UNKNOWN_OBJECT_RETAIN) \
  X(14, unknownObjectRetain_n, UNKNOWN_OBJECT_RETAIN_N) \
  X(15, release, RELEASE) \
  X(16, release_n, RELEASE_N) \
  X(17, bridgeObjectRelease, BRIDGE_OBJECT_RELEASE) \
  X(18, bridgeObjectRelease_n, BRIDGE_OBJECT_RELEASE_N) \
  X(19, unknownObjectRelease, UNKNOWN_OBJECT_RELEASE) \
  X(20, unknownObjectRelease_n, UNKNOWN_OBJECT_RELEASE_N)
