// SPDX-License-Identifier: GPL-2.0-or-later
// The chip of a display at gpio-sim's lines, as far as it answers: it acknowledges bytes, and a TM1638 also sends its
// keys. A part of the module gpio-sim; its parameters are in /sys/module/gpio_sim/parameters:
//
//   display    TYPE and the numbers of CLOCK, DATA and, for a tm1638, STROBE; at first none. They are lines of every
//              simulated chip: there is one at a time.
//   supply     N: the chip answers nothing; the resistors at its lines still pull up
//   addresses  of the HT16K33s that are there; bit 0 is 0x70
//   keys       of the TM1638 that are down; bit 0 is key 1
//
// Sources: Titan Micro Electronics, TM1637 data sheet V2.4, TM1638 V1.3, TM1650 V1.10; Holtek, HT16K33 Rev. 1.10.

#include <linux/gpio/driver.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/string.h>

static bool supply = true;
module_param(supply, bool, 0600);
static unsigned char addresses;
module_param(addresses, byte, 0600);
static unsigned char keys;
module_param(keys, byte, 0600);

enum line { CLOCK, DATA, STROBE, LINES };
enum type { NONE, TM1637, TM1650, HT16K33, TM1638 };
static const char *const type_names[] = {"none", "tm1637", "tm1650", "ht16k33", "tm1638"};

static struct {
  enum type type;
  unsigned int lines, offsets[LINES];
  // The levels as the board drives them. The chip must not take the end of its own answer for the board's stop.
  bool is_high[LINES];
  bool is_selected;
  // The clocks since the last answer of a two-wire chip, since the strobe of a TM1638.
  unsigned int clocks;
  u8 byte;
  // The bytes before this one, and whether the chip knows the first.
  unsigned int bytes;
  bool is_known;
  bool pulls_data;
} chip;
static DEFINE_MUTEX(chip_lock);

static void begin(void) {
  chip.is_selected = true;
  chip.clocks = chip.bytes = chip.byte = 0;
  chip.pulls_data = false;
}

static void end(void) { chip.is_selected = chip.pulls_data = false; }

static bool acknowledges(void) {
  bool is_first = chip.bytes++ == 0;
  switch (chip.type) {
  case TM1637:
    return true;
  case TM1650:
    // An address and its value: 0x48, or 0x68, 0x6A, 0x6C, 0x6E.
    if (is_first) chip.is_known = chip.byte == 0x48 || (chip.byte & ~0x06) == 0x68;
    return chip.is_known && chip.bytes <= 2;
  default:
    // 0x70 to 0x77 and the bit for writing.
    if (is_first) chip.is_known = (chip.byte & 0xF1) == 0xE0 && addresses >> (chip.byte >> 1 & 7) & 1;
    return chip.is_known;
  }
}

static void two_wire_edge(enum line line, bool is_high) {
  if (line == DATA) {
    if (!chip.is_high[CLOCK]) return;
    if (is_high) end();
    else begin();
  } else if (!chip.is_selected) {
    return;
  } else if (is_high) {
    if (chip.clocks++ < 8)
      chip.byte = chip.type == TM1637 ? chip.byte >> 1 | chip.is_high[DATA] << 7 : chip.byte << 1 | chip.is_high[DATA];
    // Unlike the others, a TM1650 ends its answer when the ninth clock rises. [Data transmission]
    else if (chip.type == TM1650) chip.pulls_data = false;
  } else if (chip.clocks == 8) {
    chip.pulls_data = acknowledges();
  } else if (chip.clocks == 9) {
    chip.pulls_data = false;
    chip.clocks = 0;
  }
}

static void three_wire_edge(enum line line, bool is_high) {
  if (line == STROBE) {
    if (is_high) end();
    else begin();
  } else if (line == DATA || !chip.is_selected) {
    return;
  } else if (is_high) {
    if (chip.clocks++ < 8) chip.byte = chip.byte >> 1 | chip.is_high[DATA] << 7;
  } else if (chip.clocks >= 8 && chip.byte == 0x42) {
    // Each fall of the clock puts the next of four bytes' bits on data. Bit 0 of a byte is a key from 1 to 4, bit 4 one
    // from 5 to 8, and the other bits are 0.
    unsigned int bit = chip.clocks - 8;
    chip.pulls_data = bit < 32 && !(bit % 4 == 0 && keys >> (bit / 8 + bit % 8) & 1);
  }
}

static int (*simulated_input)(struct gpio_chip *, unsigned int);
static int (*simulated_output)(struct gpio_chip *, unsigned int, int);

static void drive(struct gpio_chip *gc, unsigned int offset, bool is_high) {
  enum line line = 0;

  mutex_lock(&chip_lock);
  while (line < chip.lines && chip.offsets[line] != offset) line++;
  if (line < chip.lines) {
    if (!supply) end();
    else if (is_high != chip.is_high[line]) (chip.type == TM1638 ? three_wire_edge : two_wire_edge)(line, is_high);
    chip.is_high[line] = is_high;
    // gpio-sim leaves a released line at its last level. Here the display's resistors pull it up, unless the chip pulls
    // it down.
    for (line = 0; line < chip.lines; line++)
      if (chip.offsets[line] < gc->ngpio)
        gc->set(gc, chip.offsets[line], chip.is_high[line] && !(line == DATA && chip.pulls_data));
  }
  mutex_unlock(&chip_lock);
}

// The kernel emulates an open-drain line: released, it is an input.
static int input(struct gpio_chip *gc, unsigned int offset) {
  int error = simulated_input(gc, offset);
  if (!error) drive(gc, offset, true);
  return error;
}

static int output(struct gpio_chip *gc, unsigned int offset, int value) {
  int error = simulated_output(gc, offset, value);
  if (!error) drive(gc, offset, value);
  return error;
}

// Takes the place of devm_gpiochip_add_data_with_key() in gpio-sim (kernel.sh), whose source stays as it is.
int add_with_display(
    struct device *device, struct gpio_chip *gc, void *data, struct lock_class_key *lock,
    struct lock_class_key *request) {
  simulated_input = gc->direction_input;
  simulated_output = gc->direction_output;
  gc->direction_input = input;
  gc->direction_output = output;
  return devm_gpiochip_add_data_with_key(device, gc, data, lock, request);
}

static int set_display(const char *text, const struct kernel_param *parameter) {
  char name[8];
  unsigned int offsets[LINES] = {};
  int lines = sscanf(text, "%7s %u %u %u", name, &offsets[CLOCK], &offsets[DATA], &offsets[STROBE]) - 1;
  int type = lines < 0 ? -EINVAL : match_string(type_names, ARRAY_SIZE(type_names), name);

  if (type < 0 || lines != (type == NONE ? 0 : type == TM1638 ? 3 : 2)) return -EINVAL;
  mutex_lock(&chip_lock);
  end();
  chip.type = type;
  chip.lines = lines;
  memcpy(chip.offsets, offsets, sizeof offsets);
  memset(chip.is_high, true, sizeof chip.is_high);
  mutex_unlock(&chip_lock);
  return 0;
}

static const struct kernel_param_ops display_operations = {.set = set_display};
module_param_cb(display, &display_operations, NULL, 0200);
