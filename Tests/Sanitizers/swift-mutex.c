// The thread sanitizer does not see Swift's Mutex when threads meet at it: a lock that is free is taken by code that
// the compiler puts in place and the sanitizer follows, but one that is not is waited for in the Swift runtime, which
// is not built for it. What the mutex protects is then reported as a race. Loaded before the runtime, this file reports the locks to it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

// Weak: programs that a test starts have no sanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

// The mutex is the word that the code in place changes atomically, so both speak of the same address.
SWIFT void lock_slow(uint32_t thread, SELF mutex) __asm__(LOCK);
SWIFT void unlock_slow(SELF mutex) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF mutex) {
  SWIFT void (*runtime)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
  runtime(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void unlock_slow(SELF mutex) {
  SWIFT void (*runtime)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(mutex);
  runtime(mutex);
}
