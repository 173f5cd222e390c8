// A bank with libgpiod 2. It builds objects and frees them again, where version 1 fills a structure.

#define _GNU_SOURCE
#include "library.h"

#ifndef GPIOD_LINE_BULK_MAX_LINES

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *cgpiobank_library_version(void) { return gpiod_api_version(); }

int library_describe(struct gpiod_chip *chip, cgpiobank_chip_info *info) {
  memset(info, 0, sizeof *info);
  struct gpiod_chip_info *known = gpiod_chip_get_info(chip);
  if (!known) return negative_errno();
  copy_name(info->name, gpiod_chip_info_get_name(known));
  copy_name(info->label, gpiod_chip_info_get_label(known));
  info->line_count = (uint32_t)gpiod_chip_info_get_num_lines(known);
  gpiod_chip_info_free(known);
  return 0;
}

int cgpiobank_chip_line_info(cgpiobank_chip *chip, uint32_t offset, cgpiobank_line_info *info) {
  struct gpiod_line_info *known = gpiod_chip_get_line_info(chip, offset);
  if (!known) return negative_errno();
  copy_name(info->name, gpiod_line_info_get_name(known));
  copy_name(info->consumer, gpiod_line_info_get_consumer(known));
  info->is_used = gpiod_line_info_is_used(known);
  gpiod_line_info_free(known);
  return 0;
}

static void unpack(uint64_t values, uint32_t count, enum gpiod_line_value levels[CGPIOBANK_MAX_LINES]) {
  for (uint32_t i = 0; i < count; i++) {
    levels[i] = values >> i & 1 ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
  }
}

static enum gpiod_line_bias request_bias(uint32_t flags) {
  if (flags & CGPIOBANK_PULL_UP) return GPIOD_LINE_BIAS_PULL_UP;
  if (flags & CGPIOBANK_PULL_DOWN) return GPIOD_LINE_BIAS_PULL_DOWN;
  if (flags & CGPIOBANK_BIAS_DISABLED) return GPIOD_LINE_BIAS_DISABLED;
  return GPIOD_LINE_BIAS_AS_IS;
}

static int configure_settings(struct gpiod_line_settings *settings, uint32_t flags) {
  gpiod_line_settings_set_active_low(settings, flags & CGPIOBANK_ACTIVE_LOW);
  int failed = gpiod_line_settings_set_direction(
      settings, flags & CGPIOBANK_EDGES ? GPIOD_LINE_DIRECTION_INPUT : GPIOD_LINE_DIRECTION_OUTPUT);
  failed |= gpiod_line_settings_set_bias(settings, request_bias(flags));
  failed |= gpiod_line_settings_set_drive(
      settings, flags & CGPIOBANK_OPEN_DRAIN ? GPIOD_LINE_DRIVE_OPEN_DRAIN : GPIOD_LINE_DRIVE_PUSH_PULL);
  failed |= gpiod_line_settings_set_edge_detection(
      settings, flags & CGPIOBANK_EDGES ? GPIOD_LINE_EDGE_BOTH : GPIOD_LINE_EDGE_NONE);
  return failed ? negative_errno() : 0;
}

static int configure_lines(
    struct gpiod_line_config *configuration, struct gpiod_line_settings *settings, const uint32_t *offsets,
    uint32_t count, uint32_t flags, uint64_t values) {
  if (gpiod_line_config_add_line_settings(configuration, offsets, count, settings) != 0) return negative_errno();
  if (flags & CGPIOBANK_EDGES) return 0;
  enum gpiod_line_value levels[CGPIOBANK_MAX_LINES];
  unpack(values, count, levels);
  return gpiod_line_config_set_output_values(configuration, levels, count) == 0 ? 0 : negative_errno();
}

int library_request(
    cgpiobank *bank, struct gpiod_chip *chip, const uint32_t *offsets, uint32_t flags, uint64_t values) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  struct gpiod_line_config *configuration = gpiod_line_config_new();
  struct gpiod_request_config *terms = gpiod_request_config_new();
  int error = settings && configuration && terms ? 0 : -ENOMEM;
  if (!error) error = configure_settings(settings, flags);
  if (!error) error = configure_lines(configuration, settings, offsets, bank->count, flags, values);
  if (!error) {
    gpiod_request_config_set_consumer(terms, CGPIOBANK_CONSUMER);
    bank->request = gpiod_chip_request_lines(chip, terms, configuration);
    if (!bank->request) error = negative_errno();
  }
  gpiod_request_config_free(terms);
  gpiod_line_config_free(configuration);
  gpiod_line_settings_free(settings);
  if (error || !(flags & CGPIOBANK_EDGES)) return error;
  bank->event_fd = gpiod_line_request_get_fd(bank->request);
  bank->buffer = gpiod_edge_event_buffer_new(CGPIOBANK_MAX_EVENTS);
  return bank->buffer ? 0 : -ENOMEM;
}

void cgpiobank_release(cgpiobank *bank) {
  gpiod_edge_event_buffer_free(bank->buffer);
  if (bank->request) gpiod_line_request_release(bank->request);
  free(bank);
}

int cgpiobank_set(cgpiobank *bank, uint64_t values) {
  enum gpiod_line_value levels[CGPIOBANK_MAX_LINES];
  unpack(values, bank->count, levels);
  return gpiod_line_request_set_values(bank->request, levels) == 0 ? 0 : negative_errno();
}

int cgpiobank_get(cgpiobank *bank, uint64_t *values) {
  enum gpiod_line_value levels[CGPIOBANK_MAX_LINES];
  if (gpiod_line_request_get_values(bank->request, levels) != 0) return negative_errno();
  uint64_t result = 0;
  for (uint32_t i = 0; i < bank->count; i++) {
    result |= (uint64_t)(levels[i] == GPIOD_LINE_VALUE_ACTIVE) << i;
  }
  *values = result;
  return 0;
}

int library_read_events(cgpiobank *bank, cgpiobank_event *events, size_t capacity) {
  int count = gpiod_line_request_read_edge_events(bank->request, bank->buffer, capacity);
  if (count < 0) return negative_errno();
  for (int i = 0; i < count; i++) {
    struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(bank->buffer, (unsigned long)i);
    events[i] = (cgpiobank_event){
        .timestamp_nanoseconds = (int64_t)gpiod_edge_event_get_timestamp_ns(event),
        .is_rising = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE,
    };
  }
  return count;
}

#endif
