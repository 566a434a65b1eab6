/// A static executable says at each look that it is one.

#include "steps.h"

static void count(const crebind_diagnosis *diagnosis, void *context) {
  CHECK(diagnosis->reason == CREBIND_REASON_STATIC_EXECUTABLE);
  ++*(int *)context;
}

static void check_text(const char *text, void *context) {
  CHECK(strcmp(text, crebind_status_description(CREBIND_STATIC_EXECUTABLE)) == 0);
  ++*(int *)context;
}

static void count_image(const crebind_image_contents *image, void *context) {
  *(int *)context += image->is_main;
}

int main(void) {
  const crebind_rebinding rebinding = {.name = "open"};
  int reasons = 0, texts = 0, images = 0;
  CHECK(crebind_diagnose(&rebinding, NULL, count, &reasons, NULL) == CREBIND_OK);
  CHECK(crebind_explain(&rebinding, NULL, check_text, &texts, NULL) == CREBIND_OK);
  CHECK(crebind_images(count_image, &images, NULL) == CREBIND_OK);
  CHECK(reasons == 1 && texts == 1 && images == 1);
  puts("static");
}
