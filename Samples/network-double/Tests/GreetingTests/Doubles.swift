import Testing

/// All tests with a double. Some doubles are for the whole process, so the tests of all suites take turns.
@Suite(.serialized) enum Doubles {}
