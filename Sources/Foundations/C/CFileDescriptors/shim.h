// The kernel's counters and timers on file descriptors, which Swift's module of the C library lacks.
#include <sys/eventfd.h>
#include <sys/timerfd.h>
