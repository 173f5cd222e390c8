// Swift's runtime has no `main` that it could take the arguments from, and searches the stack from `environ` on. A library
// that is preloaded and sets a variable has moved `environ` away by then, and no argument is found.

#include "arguments.h"

#include <stddef.h>

static char *none[] = {NULL};
static char **all = none;

// glibc gives a constructor what it gives `main`.
__attribute__((constructor)) static void keep(int count, char **arguments) {
  (void)count;
  all = arguments;
}

char **program_arguments(void) { return all; }
