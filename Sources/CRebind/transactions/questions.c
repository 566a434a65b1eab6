#if defined(__linux__)
#define _GNU_SOURCE
#include "transactions/questions.h"
#include "runtime/lock.h"
#include "runtime/thread.h"
#include "world/loader.h"

#include <dlfcn.h>

/// The questions to predicates that this thread is asking, the innermost first.
static __thread struct crebind_questions *asking CREBIND_TLS;
/// How many resolvers of IFUNCs it is calling.
static __thread uint16_t resolving CREBIND_TLS;

struct predicate_question {
  uint64_t serial;  // of the batch; 0: the new one
  bool (*matches)(const crebind_image_info *, void *);
  void *context;
  uint32_t known;
  uint64_t image_serial;
  struct crebind_gathered_image image;
  uint8_t answer;  // an enum crebind_decision
};

void crebind_questions_begin(struct crebind_questions *questions) {
  questions->predicates = CREBIND_VECTOR(struct predicate_question);
  crebind_loader_answers_begin(&questions->loader);
  crebind_ifuncs_begin(&questions->ifuncs);
  crebind_strings_begin(&questions->strings);
}

void crebind_questions_end(struct crebind_questions *questions) {
  crebind_vector_free(&questions->predicates);
  crebind_loader_answers_end(&questions->loader);
  crebind_ifuncs_end(&questions->ifuncs);
  crebind_vector_free(&questions->strings.bytes);
}

// MARK: - Collecting

static crebind_status collect_predicate(struct crebind_questions *questions,
                                        const struct crebind_world *world,
                                        struct crebind_handle *handle, uint64_t serial) {
  const crebind_options *options = &handle->batch.options;
  if (options->scope != CREBIND_SCOPE_MATCHING || crebind_is_unrestored(handle))
    return CREBIND_OK;
  struct crebind_decisions *decisions = &handle->decisions;
  uint64_t last_decided;
  if (!crebind_decisions_extend(decisions, crebind_known_count(), crebind_last_image_serial(),
                                &last_decided))
    return CREBIND_OUT_OF_MEMORY;
  for (size_t i = 0; i < world->images.items.count; i++) {
    uint32_t known = crebind_world_known(world, i);
    bool is_former = serial == 0 && crebind_known_image_at(known)->serial > last_decided;
    if (crebind_decision_about(decisions, known) != CREBIND_UNDECIDED && !is_former) continue;
    if (!crebind_batch_selects(&handle->batch, crebind_world_image(world, i))
        || (serial != 0 && options->loaded_images_only)) {
      crebind_decide(decisions, known, CREBIND_REFUSED);
      continue;
    }
    struct predicate_question *question = crebind_vector_append(&questions->predicates, 1);
    if (question == NULL) return CREBIND_OUT_OF_MEMORY;
    *question = (struct predicate_question){
        serial,
        options->matches,
        options->context,
        known,
        crebind_known_image_at(known)->serial,
        crebind_gather_image(&questions->strings, world, i),
        CREBIND_UNDECIDED,
    };
    // A path that is missing would be answered for another one.
    if (questions->strings.lacks_memory) {
      crebind_vector_truncate(&questions->predicates, questions->predicates.count - 1);
      return CREBIND_OUT_OF_MEMORY;
    }
    crebind_decisions_begin_question(decisions, known);
  }
  return CREBIND_OK;
}

crebind_status crebind_questions_collect_predicates(struct crebind_questions *questions,
                                                    const struct crebind_world *world) {
  crebind_status status = CREBIND_OK;
  if (world->new_handle != NULL)
    status = collect_predicate(questions, world, world->new_handle, 0);
  for CREBIND_EACH_BATCH(handle)
    if (status == CREBIND_OK) status = collect_predicate(questions, world, handle, handle->serial);
  if (questions->predicates.count != 0 && status == CREBIND_OK) status = CREBIND_BUSY;
  return status;
}

// MARK: - Asking

/// False if the batch has been restored, by a predicate for example.
static bool is_worth_asking(const struct predicate_question *question) {
  if (question->serial == 0) return true;
  crebind_lock();
  bool is_active = crebind_handle_with_serial(question->serial) != NULL;
  crebind_unlock();
  return is_active;
}

/// CREBIND_OUT_OF_MEMORY, or else whether the resolver's own image is there.
static crebind_status hold_images(struct crebind_ifunc_image *images, size_t count) {
  crebind_status own = CREBIND_OK;
  for (size_t i = 0; i < count; i++) {
    struct crebind_ifunc_image *image = &images[i];
    crebind_status status = crebind_hold_image((const void *)image->header, image->dynamic,
                                               image->generation, &image->hold, NULL);
    if (status == CREBIND_OUT_OF_MEMORY) return status;
    if (i == 0) own = status;
  }
  return own;
}

void crebind_ifuncs_call(struct crebind_ifuncs *ifuncs) {
  while (ifuncs->answered != ifuncs->items.count) {
    const struct crebind_ifunc *ifunc = crebind_vector_at(&ifuncs->items, ifuncs->answered);
    struct crebind_ifunc_image *images = crebind_vector_at(&ifuncs->images, ifunc->first_image);
    crebind_status status = hold_images(images, ifunc->image_count);
    uintptr_t function = 0;
    resolving++;
    if (status == CREBIND_OK)
      function = crebind_call_resolver(ifunc->resolver, crebind_runtime()->hwcap);
    resolving--;
    for (size_t i = 0; i < ifunc->image_count; i++) crebind_release_image(images[i].hold);
    if (status == CREBIND_OUT_OF_MEMORY) {
      crebind_ifuncs_fail(ifuncs);
      break;
    }
    crebind_ifuncs_answer(ifuncs, function);
  }
}

bool crebind_questions_are_resolving(void) { return resolving != 0; }

/// False without memory.
static bool ask_loader(struct crebind_loader_answers *answers) {
  if (!crebind_loader_answers_are_open(answers)) return true;
  struct crebind_loader loader = crebind_loader();
  if (!loader.is_known) return false;
  bool has_all = loader.open != NULL && loader.find != NULL;
  void *global = has_all ? loader.open(NULL, RTLD_LAZY) : NULL;
  bool has_failed = false;
  while (crebind_loader_answers_are_open(answers)) {
    const struct crebind_loader_answer *question =
        crebind_vector_at(&answers->items, answers->answered);
    const char *name = crebind_loader_answers_string(answers, question->name);
    const char *version = crebind_loader_answers_string(answers, question->version);
    void *address = NULL;
    if (global != NULL && version != NULL && loader.find_version != NULL)
      address = loader.find_version(global, name, version);
    else if (global != NULL)
      address = loader.find(global, name);
    has_failed |= global != NULL && address == NULL;
    crebind_loader_answers_answer(answers, (uintptr_t)address);
  }
  // This takes the failure away: the program must not get it from dlerror.
  if (has_failed && loader.last_error != NULL) loader.last_error();
  return true;
}

bool crebind_questions_ask(struct crebind_questions *questions) {
  questions->outer = asking;
  asking = questions;
  for (size_t i = 0; i < questions->predicates.count; i++) {
    struct predicate_question *question = crebind_vector_at(&questions->predicates, i);
    if (!is_worth_asking(question)) continue;
    crebind_image_info info = crebind_image_of(&questions->strings, &question->image);
    question->answer =
        question->matches(&info, question->context) ? CREBIND_ACCEPTED : CREBIND_REFUSED;
  }
  asking = questions->outer;
  crebind_ifuncs_call(&questions->ifuncs);
  return ask_loader(&questions->loader);
}

// MARK: - Filing

void crebind_questions_file(struct crebind_questions *questions,
                            struct crebind_handle *new_handle) {
  crebind_ifuncs_file(&questions->ifuncs);
  for (size_t i = 0; i < questions->predicates.count; i++) {
    const struct predicate_question *question = crebind_vector_at(&questions->predicates, i);
    struct crebind_handle *handle =
        question->serial == 0 ? new_handle : crebind_handle_with_serial(question->serial);
    if (handle == NULL) continue;
    crebind_decisions_end_question(&handle->decisions);
    // Another image may have taken the index.
    if (crebind_known_image_at(question->known)->serial != question->image_serial) continue;
    crebind_decide(&handle->decisions, question->known,
                   (enum crebind_decision)question->answer);
  }
  crebind_vector_truncate(&questions->predicates, 0);
  crebind_vector_truncate(&questions->strings.bytes, 0);
}

// MARK: - Threads

bool crebind_questions_are_elsewhere(const struct crebind_handle *handle) {
  size_t own = 0;
  for (const struct crebind_questions *questions = asking; questions != NULL;
       questions = questions->outer)
    for (size_t i = 0; i < questions->predicates.count; i++) {
      const struct predicate_question *question = crebind_vector_at(&questions->predicates, i);
      own += question->serial == handle->serial;
    }
  return handle->decisions.asked > own;
}

/// Other threads, which do not exist in the child, ask nothing any more.
static void forked(int parent) {
  (void)parent;
  for CREBIND_EACH_BATCH(handle)
    crebind_decisions_forget_questions(&handle->decisions);
  for (const struct crebind_questions *questions = asking; questions != NULL;
       questions = questions->outer)
    for (size_t i = 0; i < questions->predicates.count; i++) {
      const struct predicate_question *question = crebind_vector_at(&questions->predicates, i);
      struct crebind_handle *handle = crebind_handle_with_serial(question->serial);
      if (handle == NULL) continue;
      bool is_known =
          crebind_known_image_at(question->known)->serial == question->image_serial;
      crebind_decisions_begin_question(&handle->decisions,
                                       is_known ? question->known : SIZE_MAX);
    }
}

__attribute__((constructor)) static void start(void) {
  static struct crebind_fork_handler handler = {forked, NULL};
  crebind_handle_forks(&handler);
}
#endif
