// The parts of a bank that are the same with both libraries: the checks of a request, and the search for a busy line.

#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"

static int check_flags(uint32_t flags, size_t count) {
  uint32_t valid =
      CGPIOBANK_OUTPUTS | CGPIOBANK_ACTIVE_LOW | CGPIOBANK_PULL_UP | CGPIOBANK_PULL_DOWN | CGPIOBANK_BIAS_DISABLED;
  valid |= flags & CGPIOBANK_OUTPUTS ? CGPIOBANK_OPEN_DRAIN : CGPIOBANK_EDGES;
  if (flags & ~valid || (flags & CGPIOBANK_EDGES && count > 1)) return -EINVAL;
  uint32_t bias = flags & (CGPIOBANK_PULL_UP | CGPIOBANK_PULL_DOWN | CGPIOBANK_BIAS_DISABLED);
  return (bias & (bias - 1)) == 0 ? 0 : -EINVAL;
}

static int check_offsets(cgpiobank_chip *chip, const uint32_t *offsets, size_t count, cgpiobank_line_info *culprit) {
  for (size_t i = 0; i < count; i++) {
    int error = cgpiobank_chip_line_info(chip, offsets[i], culprit);
    if (error) return error;
    for (size_t j = 0; j < i; j++) {
      if (offsets[j] == offsets[i]) return -EEXIST;
    }
  }
  return 0;
}

static void blame_none(cgpiobank_line_info *culprit) {
  memset(culprit, 0, sizeof *culprit);
  culprit->offset = UINT32_MAX;
}

/// Finds the line that is in use. The request failed a moment ago, so the line may be free again by now.
static void find_busy_line(cgpiobank_chip *chip, const cgpiobank *bank, cgpiobank_line_info *culprit) {
  for (uint32_t i = 0; i < bank->count; i++) {
    if (cgpiobank_chip_line_info(chip, bank->offsets[i], culprit) == 0 && culprit->is_used) return;
  }
  blame_none(culprit);
}

static int reopen(const cgpiobank_chip *chip, struct gpiod_chip **own) {
  *own = gpiod_chip_open(chip->info.path);
  if (!*own) return errno == ENOENT ? -ENODEV : negative_errno();
  cgpiobank_chip_info info;
  int error = library_describe(*own, &info);
  // Numbers change: after a hot plug the path may lead to another chip.
  if (!error && (strcmp(info.label, chip->info.label) != 0 || info.line_count != chip->info.line_count)) {
    error = -ENODEV;
  }
  return error;
}

int cgpiobank_request(
    cgpiobank_chip *chip, const uint32_t *offsets, size_t count, uint32_t flags, uint64_t values, cgpiobank **result,
    cgpiobank_line_info *culprit) {
  blame_none(culprit);
  *result = NULL;
  if (count > CGPIOBANK_MAX_LINES) return -E2BIG;
  if (!chip || !offsets || count == 0) return -EINVAL;
  int error = check_flags(flags, count);
  if (!error) error = check_offsets(chip, offsets, count, culprit);
  if (error) return error;

  blame_none(culprit);
  cgpiobank *bank = calloc(1, sizeof *bank);
  if (!bank) return -ENOMEM;
  memcpy(bank->offsets, offsets, count * sizeof *offsets);
  bank->count = (uint32_t)count;
  bank->flags = flags;
  bank->event_fd = -1;
  error = reopen(chip, &bank->chip);
  if (!error) error = library_request(bank, values);
  if (error == -EBUSY) find_busy_line(chip, bank, culprit);
  if (error) {
    cgpiobank_release(bank);
    return error;
  }
  *result = bank;
  return 0;
}

void cgpiobank_release(cgpiobank *bank) {
  if (!bank) return;
  library_release(bank);
  // With libgpiod 1 this releases the lines.
  if (bank->chip) gpiod_chip_close(bank->chip);
  free(bank);
}

int cgpiobank_event_fd(const cgpiobank *bank) { return bank->event_fd < 0 ? -EPERM : bank->event_fd; }

int cgpiobank_read_events(cgpiobank *bank, cgpiobank_event *events, size_t capacity) {
  if (bank->event_fd < 0) return -EPERM;
  if (capacity > CGPIOBANK_MAX_EVENTS) capacity = CGPIOBANK_MAX_EVENTS;
  if (capacity == 0) return 0;
  // Both libraries' reading blocks if there is nothing to read.
  struct pollfd waited = {.fd = bank->event_fd, .events = POLLIN};
  int ready = poll(&waited, 1, 0);
  if (ready < 0) return errno == EINTR ? 0 : negative_errno();
  if (ready == 0) return 0;
  // A line that hangs up without events to read has lost its chip.
  if (!(waited.revents & POLLIN)) return -ENODEV;
  return library_read_events(bank, events, capacity);
}
