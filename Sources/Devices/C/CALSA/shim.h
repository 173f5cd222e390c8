// alsa-lib for Swift: its error handler takes variable arguments, which Swift cannot implement.

#pragma once

#include <alsa/asoundlib.h>

static inline void calsa_say_nothing(
    const char *file, int line, const char *function, int error, const char *format, ...) {
  (void)file, (void)line, (void)function, (void)error, (void)format;
}

/// Keeps alsa-lib from printing to standard error: every error is also a return value, and is reported from there.
static inline int calsa_silence_errors(void) { return snd_lib_error_set_handler(calsa_say_nothing); }
