/// The public calls that change what is active: each does its work, and then brings the
/// wrappers around dlopen and dlclose in line with who needs them.

#if defined(__linux__)
#define _GNU_SOURCE
#include "runtime/status.h"
#include "transactions/notice.h"
#include "transactions/observe.h"
#include "transactions/transaction.h"

#include <errno.h>

static crebind_status finish(crebind_status status, int saved_errno) {
  crebind_notice_update();
  errno = saved_errno;
  return status;
}

// MARK: - Batches

crebind_status crebind_apply(const crebind_rebinding *rebindings, size_t count,
                             const crebind_options *options, crebind_handle **result,
                             crebind_report *report, crebind_error *error) {
  int saved_errno = errno;
  if (result == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  return finish(crebind_apply_batch(rebindings, NULL, count, options, crebind_notice_join, result,
                                    report, error),
                saved_errno);
}

crebind_status crebind_verify(crebind_handle *handle, crebind_report *report,
                              crebind_error *error) {
  int saved_errno = errno;
  if (handle == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  return finish(crebind_verify_batch(handle, report, error), saved_errno);
}

crebind_status crebind_restore(crebind_handle *handle, crebind_report *report,
                               crebind_error *error) {
  int saved_errno = errno;
  if (handle == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  return finish(crebind_restore_batch(handle, report, error), saved_errno);
}

// MARK: - Images

crebind_status crebind_refresh(crebind_error *error) {
  int saved_errno = errno;
  crebind_status status = finish(crebind_look_for_images(error), saved_errno);
  crebind_tell_observers();
  return status;
}

crebind_status crebind_observe(const crebind_image_observer *observer,
                               crebind_observation **result, crebind_error *error) {
  if (observer == NULL || result == NULL || (observer->added == NULL && observer->removed == NULL))
    return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  crebind_notice_install();
  crebind_status status = crebind_observation_begin(observer, result, error);
  if (status == CREBIND_OK)
    crebind_tell_observers();
  else
    crebind_notice_remove();
  return status;
}

void crebind_unobserve(crebind_observation *observation) {
  if (observation != NULL && crebind_observation_end(observation)) crebind_notice_remove();
}
#endif
