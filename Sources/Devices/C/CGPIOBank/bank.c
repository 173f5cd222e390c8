// The parts of chips and banks that are the same with both libraries.

#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "library.h"

int cgpiobank_chip_open(const char *path, cgpiobank_chip **chip, cgpiobank_chip_info *info) {
  *chip = NULL;
  struct stat status;
  if (stat(path, &status) != 0) return negative_errno();
  if (!S_ISCHR(status.st_mode)) return -ENODEV;
  struct gpiod_chip *opened = gpiod_chip_open(path);
  if (!opened) {
    int error = negative_errno();
    // The errors of a device that is no GPIO chip, in both versions.
    return error == -ENOTTY || error == -EINVAL || error == -ENXIO ? -ENODEV : error;
  }
  int error = library_describe(opened, info);
  if (error) gpiod_chip_close(opened);
  else *chip = opened;
  return error;
}

void cgpiobank_chip_close(cgpiobank_chip *chip) { gpiod_chip_close(chip); }

int cgpiobank_request(
    cgpiobank_chip *chip, const uint32_t *offsets, size_t count, uint32_t flags, uint64_t values, cgpiobank **result) {
  *result = NULL;
  if (count > CGPIOBANK_MAX_LINES) return -E2BIG;
  cgpiobank *bank = calloc(1, sizeof *bank);
  if (!bank) return -ENOMEM;
  bank->count = (uint32_t)count;
  bank->event_fd = -1;
  int error = library_request(bank, chip, offsets, flags, values);
  if (error) cgpiobank_release(bank);
  else *result = bank;
  return error;
}

int cgpiobank_event_fd(const cgpiobank *bank) { return bank->event_fd; }

int cgpiobank_read_events(cgpiobank *bank, cgpiobank_event *events, size_t capacity) {
  if (capacity > CGPIOBANK_MAX_EVENTS) capacity = CGPIOBANK_MAX_EVENTS;
  // Both libraries' reading blocks if there is nothing to read.
  struct pollfd waited = {.fd = bank->event_fd, .events = POLLIN};
  int ready = poll(&waited, 1, 0);
  if (ready < 0) return errno == EINTR ? 0 : negative_errno();
  if (ready == 0) return 0;
  // A line that hangs up without events to read has lost its chip.
  if (!(waited.revents & POLLIN)) return -ENODEV;
  return library_read_events(bank, events, capacity);
}

void copy_name(char destination[CGPIOBANK_NAME_SIZE], const char *source) {
  snprintf(destination, CGPIOBANK_NAME_SIZE, "%s", source ? source : "");
}

int negative_errno(void) { return errno > 0 ? -errno : -EIO; }
