// Swift's runtime has no `main` to take the arguments from, and searches the stack from `environ` on. If a preloaded
// library has set a variable, `environ` has moved away, and no argument is found.

#include "arguments.h"

#include <stddef.h>

static char *none[] = {NULL};
static char **all = none;

// glibc passes the arguments of `main` to constructors.
__attribute__((constructor)) static void keep(int count, char **arguments) {
  (void)count;
  all = arguments;
}

char **program_arguments(void) { return all; }
