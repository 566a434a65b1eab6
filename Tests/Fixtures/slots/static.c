/// A statically linked program has no slots: the answer says so.

#include "steps.h"

static pid_t (*original)(void);
static pid_t hook(void) { return -1; }

int main(void) {
  struct rebinding rebinding = {"getppid", (void *)hook, (void **)&original};
  CHECK(rebind_symbols(&rebinding, 1) == -1 && errno == ENOTSUP);
  CHECK(original == NULL && getppid() != -1);
  crebind_error error;
  crebind_handle *handle;
  crebind_rebinding one = {.name = "getppid", .replacement = (void *)hook};
  CHECK(crebind_apply(&one, 1, NULL, &handle, NULL, &error) == CREBIND_STATIC_EXECUTABLE);
  CHECK(error.status == CREBIND_STATIC_EXECUTABLE);
  printf("%s\n", crebind_status_description(error.status));
}
