// Copies what the kernel's trace holds to standard output, as the pages that it is kept in, and leaves it empty. To
// have the kernel make text of a million events would take the guest a minute.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  static char page[4096];
  int trace = open("/sys/kernel/tracing/per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
  if (trace < 0) {
    perror("trace-pages: trace_pipe_raw");
    return 1;
  }
  for (;;) {
    ssize_t count = read(trace, page, sizeof page);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0 || (count < 0 && errno == EAGAIN)) return 0;
    if (count < 0 || write(STDOUT_FILENO, page, (size_t)count) != count) {
      perror("trace-pages");
      return 1;
    }
  }
}
