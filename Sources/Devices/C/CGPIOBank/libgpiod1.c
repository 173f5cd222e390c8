// A bank with libgpiod 1.6.

#define _GNU_SOURCE
#include "library.h"

#ifdef GPIOD_LINE_BULK_MAX_LINES

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *cgpiobank_library_version(void) { return gpiod_version_string(); }

int library_describe(struct gpiod_chip *chip, cgpiobank_chip_info *info) {
  memset(info, 0, sizeof *info);
  copy_name(info->name, gpiod_chip_name(chip));
  copy_name(info->label, gpiod_chip_label(chip));
  info->line_count = gpiod_chip_num_lines(chip);
  return 0;
}

int cgpiobank_chip_line_info(cgpiobank_chip *chip, uint32_t offset, cgpiobank_line_info *info) {
  struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
  // The chip keeps its line objects, whose information may be outdated.
  if (!line || gpiod_line_update(line) != 0) return negative_errno();
  copy_name(info->name, gpiod_line_name(line));
  copy_name(info->consumer, gpiod_line_consumer(line));
  info->is_used = gpiod_line_is_used(line);
  return 0;
}

static int request_flags(uint32_t flags) {
  int result = 0;
  if (flags & CGPIOBANK_ACTIVE_LOW) result |= GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW;
  if (flags & CGPIOBANK_OPEN_DRAIN) result |= GPIOD_LINE_REQUEST_FLAG_OPEN_DRAIN;
  if (flags & CGPIOBANK_PULL_UP) result |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
  if (flags & CGPIOBANK_PULL_DOWN) result |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
  if (flags & CGPIOBANK_BIAS_DISABLED) result |= GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
  return result;
}

static void unpack(uint64_t values, uint32_t count, int levels[CGPIOBANK_MAX_LINES]) {
  for (uint32_t i = 0; i < count; i++) levels[i] = (int)(values >> i & 1);
}

int library_request(
    cgpiobank *bank, struct gpiod_chip *chip, const uint32_t *offsets, uint32_t flags, uint64_t values) {
  gpiod_line_bulk_init(&bank->bulk);
  for (uint32_t i = 0; i < bank->count; i++) {
    struct gpiod_line *line = gpiod_chip_get_line(chip, offsets[i]);
    if (!line) return negative_errno();
    gpiod_line_bulk_add(&bank->bulk, line);
  }
  bool has_events = flags & CGPIOBANK_EDGES;
  struct gpiod_line_request_config configuration = {
      .consumer = CGPIOBANK_CONSUMER,
      .request_type = has_events ? GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES : GPIOD_LINE_REQUEST_DIRECTION_OUTPUT,
      .flags = request_flags(flags),
  };
  int levels[CGPIOBANK_MAX_LINES];
  unpack(values, bank->count, levels);
  if (gpiod_line_request_bulk(&bank->bulk, &configuration, levels) != 0) return negative_errno();
  if (!has_events) return 0;
  bank->event_fd = gpiod_line_event_get_fd(bank->bulk.lines[0]);
  return bank->event_fd < 0 ? negative_errno() : 0;
}

/// Closing the chip releases the lines.
void cgpiobank_release(cgpiobank *bank) { free(bank); }

int cgpiobank_set(cgpiobank *bank, uint64_t values) {
  int levels[CGPIOBANK_MAX_LINES];
  unpack(values, bank->count, levels);
  return gpiod_line_set_value_bulk(&bank->bulk, levels) == 0 ? 0 : negative_errno();
}

int cgpiobank_get(cgpiobank *bank, uint64_t *values) {
  int levels[CGPIOBANK_MAX_LINES];
  if (gpiod_line_get_value_bulk(&bank->bulk, levels) != 0) return negative_errno();
  uint64_t result = 0;
  for (uint32_t i = 0; i < bank->count; i++) result |= (uint64_t)(levels[i] != 0) << i;
  *values = result;
  return 0;
}

int library_read_events(cgpiobank *bank, cgpiobank_event *events, size_t capacity) {
  struct gpiod_line_event buffer[CGPIOBANK_MAX_EVENTS];
  int count = gpiod_line_event_read_fd_multiple(bank->event_fd, buffer, (unsigned)capacity);
  if (count < 0) return negative_errno();
  for (int i = 0; i < count; i++) {
    events[i] = (cgpiobank_event){
        .timestamp_nanoseconds = (int64_t)buffer[i].ts.tv_sec * 1000000000 + buffer[i].ts.tv_nsec,
        .is_rising = buffer[i].event_type == GPIOD_LINE_EVENT_RISING_EDGE,
    };
  }
  return count;
}

#endif
