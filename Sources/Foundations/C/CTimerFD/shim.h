// The kernel's timers on file descriptors, which Swift's module of the C library lacks.
#include <sys/timerfd.h>
