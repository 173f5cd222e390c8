// A person at a terminal: runs a program on a terminal of its own, and answers it.
//
//   answers FILE PROGRAM [ARGUMENT…]
//
// A line of FILE has the end of a question, the answer, and a command of the shell that is run before the answer, with
// tabs between them. An answer @TEXT is the number in front of the choice that ends with TEXT. Writes everything that the
// terminal shows. Ends with the program's code; with 99 if a question does not come.

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char shown[64 * 1024];
static size_t length;

// Reads on; false at the end, or after a minute of silence.
static bool read_more(int terminal) {
  struct pollfd ready = {.fd = terminal, .events = POLLIN};
  if (length + 1 >= sizeof shown || poll(&ready, 1, 60 * 1000) <= 0) return false;
  ssize_t count;
  do count = read(terminal, shown + length, sizeof shown - length - 1);
  while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  fwrite(shown + length, 1, (size_t)count, stdout);
  fflush(stdout);
  length += (size_t)count;
  shown[length] = 0;
  return true;
}

static bool ends_with(const char *text, size_t count, const char *end) {
  size_t size = strlen(end);
  return size <= count && memcmp(text + count - size, end, size) == 0;
}

// The number of the last choice that was shown with this end; 0 if there is none.
static int number_of(const char *choice) {
  int number = 0;
  for (char *line = shown; line != NULL && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    size_t count = strcspn(line, "\r\n");
    if (ends_with(line, count, choice) && atoi(line) > 0) number = atoi(line);
  }
  return number;
}

int main(int count, char **arguments) {
  if (count < 3) {
    fprintf(stderr, "usage: answers FILE PROGRAM [ARGUMENT…]\n");
    return 2;
  }
  FILE *file = fopen(arguments[1], "r");
  int terminal;
  const pid_t child = file ? forkpty(&terminal, NULL, NULL, NULL) : -1;
  if (child < 0) {
    perror(arguments[1]);
    return 2;
  }
  if (child == 0) {
    execvp(arguments[2], arguments + 2);
    perror(arguments[2]);
    _exit(127);
  }
  char line[512];
  while (fgets(line, sizeof line, file)) {
    char *rest = line;
    const char *question = strsep(&rest, "\t\n"), *answer = strsep(&rest, "\t\n"), *command = strsep(&rest, "\n");
    while (!ends_with(shown, length, question)) {
      if (read_more(terminal)) continue;
      printf("\nno question '%s'\n", question);
      kill(child, SIGKILL);
      return 99;
    }
    if (command && *command && system(command) != 0) return 98;
    if (answer && answer[0] == '@') dprintf(terminal, "%d\n", number_of(answer + 1));
    else dprintf(terminal, "%s\n", answer ? answer : "");
  }
  while (read_more(terminal)) continue;
  int status;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}
