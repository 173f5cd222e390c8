// The calls of libmosquitto that are used here. The library is opened when the first client is created: it loads
// OpenSSL, whose memory is wasted without a broker.

#pragma once

#include <mosquitto.h>
#include <stdbool.h>
#include <stdint.h>

/// Opens the library, once for the process.
/// @return NULL if it is open, else the reason.
const char *cmosquitto_open(void);

/// The callbacks of a client. Each is called on the thread that connects or runs the loop, within that call.
struct cmosquitto_callbacks {
  /// @param code 0, or the reason why the broker refuses the connection.
  void (*connected)(struct mosquitto *client, void *object, int code);
  /// The broker has acknowledged that publication.
  void (*published)(struct mosquitto *client, void *object, int message);
  void (*received)(struct mosquitto *client, void *object, const struct mosquitto_message *message);
  /// The library's own words; errors are its only report about TLS.
  void (*logged)(struct mosquitto *client, void *object, int level, const char *text);
};

/// @param object passed to each callback.
/// @return NULL if there is no memory.
struct mosquitto *cmosquitto_new(const char *identifier, void *object, struct cmosquitto_callbacks callbacks);

// All others return MOSQ_ERR_SUCCESS or an error. Those that other threads than the loop's may call are marked.

int cmosquitto_password(struct mosquitto *client, const char *user, const char *password);
/// Enables TLS 1.2 or later; the broker's certificate and name are checked.
/// @param authority a file of certificates; NULL for the system's.
int cmosquitto_tls(struct mosquitto *client, const char *authority);
int cmosquitto_will(struct mosquitto *client, const char *topic, const void *payload, int length);
/// Waits for the connection, not for the broker's answer.
int cmosquitto_connect(struct mosquitto *client, const char *host, int port, int keep_alive);
/// Sends and receives what is ready, or waits for it.
int cmosquitto_loop(struct mosquitto *client, int milliseconds);
/// Publishes with QoS 1. On any thread.
/// @param message set to the publication's number.
int cmosquitto_publish(
  struct mosquitto *client, int *message, const char *topic, const void *payload, int length, bool retain);
/// Subscribes with QoS 1. On any thread.
int cmosquitto_subscribe(struct mosquitto *client, const char *pattern);
/// Disconnects, which ends the loop. On any thread.
int cmosquitto_disconnect(struct mosquitto *client);
void cmosquitto_destroy(struct mosquitto *client);

/// Returns the meaning of a returned value. MOSQ_ERR_ERRNO: see errno.
const char *cmosquitto_error(int code);
/// Returns the meaning of the broker's refusal.
const char *cmosquitto_refusal(int code);
