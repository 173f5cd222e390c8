// The functions of libmosquitto that are used here. The library is opened when the first client is created: it loads
// OpenSSL, whose memory is wasted without a broker.

#pragma once

#include <mosquitto.h>

/// The functions by their names without `mosquitto_`.
#define CMOSQUITTO_FUNCTIONS(EACH)                                                                                   \
  EACH(lib_init) EACH(new) EACH(destroy) EACH(username_pw_set) EACH(tls_set) EACH(tls_opts_set) EACH(int_option)     \
  EACH(will_set) EACH(threaded_set) EACH(connect) EACH(disconnect) EACH(loop) EACH(publish) EACH(subscribe)          \
  EACH(connect_callback_set) EACH(publish_callback_set) EACH(message_callback_set) EACH(log_callback_set)            \
  EACH(user_data_set) EACH(strerror) EACH(connack_string)

struct cmosquitto {
#define CMOSQUITTO_MEMBER(name) __typeof__(&mosquitto_##name) _Nonnull name;
  CMOSQUITTO_FUNCTIONS(CMOSQUITTO_MEMBER)
};

/// Opens the library, once for the process.
/// @return NULL if it is open, else the reason.
const char *_Nullable cmosquitto_open(void);

/// Returns the functions, once the library is open.
const struct cmosquitto *_Nonnull cmosquitto_library(void);
