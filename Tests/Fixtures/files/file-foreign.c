// The same for machines that this one has no headers of: by Documentation/ABI/Annotations.md
// alone.
typedef __UINT32_TYPE__ word32;
typedef __INT32_TYPE__ signed32;
typedef __UINTPTR_TYPE__ word;

unsigned char accessor(word32 request, void *result) { return request == 0 && result == 0; }

#define RECORD(name, priority, accessor, group, key, value)                              \
  __attribute__((section("rebind_annotations"), used, aligned(sizeof(word)))) struct {   \
    word32 magic, size;                                                                  \
    signed32 given_priority;                                                             \
    word32 line;                                                                         \
    unsigned char (*given_accessor)(word32, void *);                                     \
    char given_group[sizeof group], given_key[sizeof key], given_value[sizeof value];    \
  } __attribute__((aligned(sizeof(word)))) name = {                                      \
      0x31414252, sizeof name, priority, __LINE__, accessor, group, key, value};

RECORD(mail, 0, 0, "modules", "Mail", "")
RECORD(service, 10, 0, "services", "mail", "Mail Service")
RECORD(calendar, -3, accessor, "services", "calendar", "")

#if __SIZEOF_POINTER__ == 8
#define WORD ".quad "
#else
#define WORD ".long "
#endif
__asm__(
    ".pushsection .note.rebind,\"a\",%note\n"
    ".balign 4\n"
    ".long 7, 3f - 2f, 1\n"
    ".asciz \"Rebind\"\n"
    ".balign 4\n"
    "2:" WORD "__start_rebind_annotations - .\n" WORD "__stop_rebind_annotations - .\n"
    ".asciz \"rebind_annotations\"\n"
    "3: .balign 4\n"
    ".popsection\n"
    ".hidden __start_rebind_annotations, __stop_rebind_annotations\n");

int exported = 4;
extern int imported;

#define IN_NAMES __attribute__((section("names"), used)) static
IN_NAMES const char *first = "first name";
IN_NAMES const char *second = "second";
IN_NAMES int *third = &exported;
IN_NAMES int *fourth = &imported;
IN_NAMES void *fifth = 0;
