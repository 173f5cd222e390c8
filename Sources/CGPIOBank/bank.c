// What a bank does the same way with both libraries: the checks of a request, whom to blame for a busy line, waiting.

#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "chip.h"
#include "library.h"

static int check_flags(const struct bank_request *request) {
  uint32_t valid = CGPIOBANK_ACTIVE_LOW | CGPIOBANK_PULL_UP | CGPIOBANK_PULL_DOWN | CGPIOBANK_BIAS_DISABLED;
  valid |= request->is_output ? CGPIOBANK_OPEN_DRAIN : CGPIOBANK_EDGES;
  if (request->flags & ~valid) return -EINVAL;
  uint32_t bias = request->flags & (CGPIOBANK_PULL_UP | CGPIOBANK_PULL_DOWN | CGPIOBANK_BIAS_DISABLED);
  return (bias & (bias - 1)) == 0 ? 0 : -EINVAL;
}

static int check_offsets(cgpiobank_chip *chip, const struct bank_request *request, cgpiobank_line_info *culprit) {
  for (uint32_t i = 0; i < request->count; i++) {
    int error = cgpiobank_chip_line_info(chip, request->offsets[i], culprit);
    if (error) return error;
    for (uint32_t j = 0; j < i; j++) {
      if (request->offsets[j] == request->offsets[i]) return -EEXIST;
    }
  }
  return 0;
}

/// Finds the line that somebody uses. The request failed a moment ago: by now the line may be free again.
static void find_busy_line(cgpiobank_chip *chip, const struct bank_request *request, cgpiobank_line_info *culprit) {
  for (uint32_t i = 0; i < request->count; i++) {
    if (cgpiobank_chip_line_info(chip, request->offsets[i], culprit) == 0 && culprit->is_used) return;
  }
  memset(culprit, 0, sizeof *culprit);
  culprit->offset = UINT32_MAX;
}

/// The bank has a chip object of its own, so that it neither outlives its chip nor shares it with another thread.
static int reopen(const cgpiobank_chip *chip, struct gpiod_chip **own) {
  *own = library_open(chip->info.path);
  if (!*own) return errno == ENOENT ? -ENODEV : negative_errno();
  cgpiobank_chip_info info;
  int error = library_describe(*own, &info);
  // Numbers move: after a hot plug the path may lead to another chip.
  if (!error && (strcmp(info.label, chip->info.label) != 0 || info.line_count != chip->info.line_count)) {
    error = -ENODEV;
  }
  if (error) library_close(*own);
  return error;
}

static int request_lines(
    cgpiobank_chip *chip, size_t count, struct bank_request *request, cgpiobank **bank, cgpiobank_line_info *culprit) {
  cgpiobank_line_info unwanted;
  if (!culprit) culprit = &unwanted;
  memset(culprit, 0, sizeof *culprit);
  culprit->offset = UINT32_MAX;
  if (!bank) return -EINVAL;
  *bank = NULL;
  if (count > CGPIOBANK_MAX_LINES) return -E2BIG;
  if (!chip || !request->offsets || count == 0) return -EINVAL;
  request->count = (uint32_t)count;

  int error = check_flags(request);
  if (error) return error;
  error = check_offsets(chip, request, culprit);
  if (error) return error;
  struct gpiod_chip *own;
  error = reopen(chip, &own);
  if (!error) error = library_request(own, request, bank);
  if (error == -EBUSY) {
    find_busy_line(chip, request, culprit);
  } else {
    memset(culprit, 0, sizeof *culprit);
    culprit->offset = UINT32_MAX;
  }
  return error;
}

int cgpiobank_request_outputs(
    cgpiobank_chip *chip, const uint32_t *offsets, size_t count, uint32_t flags, uint64_t values, cgpiobank **bank,
    cgpiobank_line_info *culprit) {
  struct bank_request request = {.offsets = offsets, .flags = flags, .values = values, .is_output = true};
  return request_lines(chip, count, &request, bank, culprit);
}

int cgpiobank_request_inputs(
    cgpiobank_chip *chip, const uint32_t *offsets, size_t count, uint32_t flags, cgpiobank **bank,
    cgpiobank_line_info *culprit) {
  struct bank_request request = {.offsets = offsets, .flags = flags, .is_output = false};
  return request_lines(chip, count, &request, bank, culprit);
}

int cgpiobank_event_fd(const cgpiobank *bank) {
  int descriptor = bank_lines(bank)->event_fd;
  return descriptor < 0 ? -EPERM : descriptor;
}

int cgpiobank_wait_events(cgpiobank *bank, int64_t timeout_nanoseconds) {
  int descriptor = cgpiobank_event_fd(bank);
  if (descriptor < 0) return descriptor;
  struct timespec timeout = {
      .tv_sec = (time_t)(timeout_nanoseconds / 1000000000), .tv_nsec = (long)(timeout_nanoseconds % 1000000000)};
  struct pollfd waited = {.fd = descriptor, .events = POLLIN};
  int ready = ppoll(&waited, 1, timeout_nanoseconds < 0 ? NULL : &timeout, NULL);
  if (ready < 0) return negative_errno();
  if (ready == 0) return 0;
  return waited.revents & POLLIN ? 1 : -ENODEV;
}

uint32_t bank_place(const struct bank_lines *lines, uint32_t offset) {
  uint32_t place = 0;
  while (place < lines->count && lines->offsets[place] != offset) place++;
  return place;
}
