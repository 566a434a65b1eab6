/// The calls that a scope reaches: the lists that `crebind_testing_select` goes through.

#if defined(__linux__)
#include "CRebindReach.h"
#include "counts.h"
#include "scope.h"
#include "thread.h"

#include <sched.h>

static void begin(crebind_testing_scope *scope) {
  static _Atomic uint64_t serial;
  scope->serial = ++serial;
  scope->arrivals_before = crebind_testing_arrivals(scope->members, scope->member_count);
  crebind_reach_hooks++;
  for (size_t i = 0; i < scope->member_count; i++) scope->members[i].hook->stub.is_asked++;
}

static void end(crebind_testing_scope *scope) {
  scope->arrivals_after = crebind_testing_arrivals(scope->members, scope->member_count);
  scope->ended = true;
  for (size_t i = 0; i < scope->member_count; i++) scope->members[i].hook->stub.is_asked--;
  crebind_reach_hooks--;
}

// MARK: - A task

static const void *_Nullable task_key;

void crebind_testing_set_task_key(const void *key) { task_key = key; }

static bool has_live(const void *scopes) {
  const crebind_testing_scope *scope = scopes;
  while (scope != NULL && scope->ended) scope = scope->outer;
  return scope != NULL;
}

void crebind_testing_follow_queues(const void *type) {
  crebind_reach_take_along(task_key, type, has_live);
}

crebind_testing_scope *crebind_testing_task_scopes(void) {
  crebind_testing_scope *const *value = crebind_reach_task_value(task_key);
  return value != NULL ? *value : NULL;
}

void crebind_testing_begin_task(crebind_testing_scope *scope, crebind_testing_scope *outer) {
  scope->outer = outer;
  begin(scope);
}

void crebind_testing_end_task(crebind_testing_scope *scope) { end(scope); }

/// The scopes stay meanwhile, as the thread's task leads to them.
static void tell_scopes(uint64_t number) {
  uint64_t creator = crebind_reach_task_or_block();
  for (crebind_testing_scope *scope = crebind_testing_task_scopes(); scope != NULL;
       scope = scope->outer)
    if (scope->adopt != NULL && !scope->ended) scope->adopt(scope, creator, number);
}

void crebind_testing_follow_tasks(void) { crebind_reach_set_new_task(tell_scopes); }

// MARK: - A thread

void crebind_testing_begin_thread(crebind_testing_scope *scope) {
  scope->outer = crebind_testing_this_thread.scopes;
  begin(scope);
  crebind_testing_this_thread.scopes = scope;
}

void crebind_testing_end_thread(crebind_testing_scope *scope) {
  crebind_testing_this_thread.scopes = scope->outer;
  end(scope);
}

// MARK: - The process

void crebind_testing_begin_process(crebind_testing_scope *scope) {
  scope->reaches_process = true;
  begin(scope);
  for (size_t i = 0; i < scope->member_count; i++) {
    crebind_testing_member *member = &scope->members[i];
    member->outer = member->hook->process;
    member->hook->process = member;
  }
}

void crebind_testing_end_process(crebind_testing_scope *scope) {
  for (size_t i = 0; i < scope->member_count; i++) {
    crebind_testing_member *member = &scope->members[i];
    _Atomic(crebind_testing_member *) *link = &member->hook->process;
    while (*link != member) link = &(*link)->outer;
    *link = member->outer;
  }
  end(scope);
  // A call that has found the scope counts itself in `calls` before it stops
  // reading the list.
  for (size_t i = 0; i < scope->member_count; i++)
    while (scope->members[i].hook->readers != 0) sched_yield();
}
#endif
