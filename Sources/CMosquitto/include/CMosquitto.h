// The calls of libmosquitto that are made here. The library is opened when the first client is made: it brings OpenSSL,
// whose memory only those should pay for who have a broker.

#ifndef CMOSQUITTO_H
#define CMOSQUITTO_H

#include <mosquitto.h>
#include <stdbool.h>
#include <stdint.h>

/// Opens the library, once for the process.
/// @return NULL where it is there, else why not.
const char *cmosquitto_open(void);

/// What a client reports. Each is called on the thread that connects or runs the loop, within that call.
struct cmosquitto_callbacks {
  /// @param code 0, or why the broker refuses the connection.
  void (*connected)(void *object, int code);
  /// The broker has acknowledged that publication.
  void (*published)(void *object, int message);
  void (*received)(void *object, const char *topic, const void *payload, int length, bool is_retained);
  /// An error in the library's own words, which is all that it says of TLS.
  void (*failed)(void *object, const char *text);
};

/// @param object given to each callback.
/// @return NULL where there is no memory.
struct mosquitto *cmosquitto_new(const char *identifier, void *object, struct cmosquitto_callbacks callbacks);

// All others return MOSQ_ERR_SUCCESS or why not. Those that may be called on another thread than the loop's say so.

int cmosquitto_password(struct mosquitto *client, const char *user, const char *password);
/// TLS 1.2 or later; the broker's certificate and name are checked.
/// @param authority a file of certificates; NULL for the system's.
int cmosquitto_tls(struct mosquitto *client, const char *authority);
int cmosquitto_will(struct mosquitto *client, const char *topic, const void *payload, int length);
/// Waits for the connection, not for the broker's answer.
int cmosquitto_connect(struct mosquitto *client, const char *host, int port, int keep_alive);
/// Sends and receives what there is, or waits for it.
int cmosquitto_loop(struct mosquitto *client, int milliseconds);
/// QoS 1. On any thread.
/// @param message set to its number.
int cmosquitto_publish(
  struct mosquitto *client, int *message, const char *topic, const void *payload, int length, bool retain);
/// QoS 1. On any thread.
int cmosquitto_subscribe(struct mosquitto *client, const char *pattern);
/// On any thread; the loop ends.
int cmosquitto_disconnect(struct mosquitto *client);
void cmosquitto_destroy(struct mosquitto *client);

/// What a returned value means. MOSQ_ERR_ERRNO: see errno.
const char *cmosquitto_error(int code);
/// What the broker's refusal means.
const char *cmosquitto_refusal(int code);

#endif
