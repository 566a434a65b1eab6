// A note of each kind that is not the compiler's or the linker's own. It needs no libc, so that it
// builds for every target.

#if __SIZEOF_POINTER__ == 8
#define WORD ".quad "
#else
#define WORD ".long "
#endif

#define NOTE(section, flags, type, name, contents)       \
  __asm__(                                               \
      ".pushsection " section ",\"" flags "\",%note\n"   \
      ".balign 4\n"                                      \
      ".long 2f - 1f, 4f - 3f, " type "\n"               \
      "1: .asciz \"" name "\"\n"                         \
      "2: .balign 4\n"                                   \
      "3: " contents                                     \
      "4: .balign 4\n"                                   \
      ".popsection\n")

NOTE(".note.ABI-tag", "a", "1", "GNU", ".long 0, 3, 2, 0\n");
NOTE(".note.package", "a", "0xcafe1a7e", "FDO",
     ".asciz \"{\\\"type\\\":\\\"deb\\\",\\\"name\\\":\\\"notes\\\",\\\"version\\\":\\\"1\\\"}\"\n");
NOTE(".note.go.buildid", "a", "4", "Go", ".ascii \"abc/def\"\n");
NOTE(".note.unknown", "a", "77", "Nobody", ".byte 1, 2, 0xff\n");
NOTE(".note.empty", "a", "5", "", "");
NOTE(".note.stapsdt", "", "3", "stapsdt",
     WORD "0x1234, 0x1000, 0x4000\n"
     ".asciz \"provider\"\n"
     ".asciz \"probe\"\n"
     ".asciz \"-4@%edi 8@-16(%rbp)\"\n");
NOTE(".note.stapsdt", "", "3", "stapsdt",
     WORD "0x1238, 0x1000, 0\n"
     ".asciz \"provider\"\n"
     ".asciz \"other\"\n"
     ".asciz \"\"\n");
// Too short for what its type says: its bytes are shown.
NOTE(".note.stapsdt", "", "3", "stapsdt", ".long 7\n");

int described;
