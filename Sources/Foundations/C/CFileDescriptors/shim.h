// The kernel's counters and timers on file descriptors, which Swift's module of the C library lacks.
#include <sys/eventfd.h>
#include <sys/timerfd.h>
// Declared here, because the compiler's own module of the C library leaves out the extensions of GNU.
#include <pthread.h>
const char *strerrorname_np(int code);
int pthread_setname_np(pthread_t thread, const char *name);
