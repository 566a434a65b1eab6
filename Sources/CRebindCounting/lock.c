#include "lock.h"
#include "readers.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void begin_child(void) {
  crebind_counting_forget_readers();
  crebind_counting_unlock();
}

static void keep_through_forks(void) {
  pthread_atfork(crebind_counting_lock, crebind_counting_unlock, begin_child);
}

void crebind_counting_lock(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, keep_through_forks);
  pthread_mutex_lock(&mutex);
}

void crebind_counting_unlock(void) { pthread_mutex_unlock(&mutex); }
