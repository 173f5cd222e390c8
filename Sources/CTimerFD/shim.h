// The kernel's timers on file descriptors, which Swift's module of the C library leaves out.
#include <sys/timerfd.h>
