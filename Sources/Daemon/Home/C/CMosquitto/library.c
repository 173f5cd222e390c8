#include "CMosquitto.h"

#include <dlfcn.h>
#include <pthread.h>

#define FUNCTIONS(EACH)                                                                                              \
  EACH(lib_init) EACH(new) EACH(destroy) EACH(username_pw_set) EACH(tls_set) EACH(tls_opts_set) EACH(int_option)     \
  EACH(will_set) EACH(threaded_set) EACH(connect) EACH(disconnect) EACH(loop) EACH(publish) EACH(subscribe)          \
  EACH(connect_callback_set) EACH(publish_callback_set) EACH(message_callback_set) EACH(log_callback_set)            \
  EACH(strerror) EACH(connack_string)

static struct {
#define MEMBER(name) __typeof__(&mosquitto_##name) name;
  FUNCTIONS(MEMBER)
} library;

static const char *fault;

static void open_library(void) {
  // The runtime name, which exists in Debian's package without the package of the headers.
  void *handle = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fault = dlerror();
    return;
  }
#define LOOK_UP(name)                                                                                                \
  library.name = (__typeof__(&mosquitto_##name))dlsym(handle, "mosquitto_" #name);                                   \
  if (!library.name) {                                                                                               \
    fault = "libmosquitto.so.1 has no mosquitto_" #name;                                                             \
    return;                                                                                                          \
  }
  FUNCTIONS(LOOK_UP)
  library.lib_init();
}

const char *cmosquitto_open(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return fault;
}

struct mosquitto *cmosquitto_new(const char *identifier, void *object, struct cmosquitto_callbacks callbacks) {
  struct mosquitto *client = library.new(identifier, true, object);
  if (!client) return NULL;
  // Publications of other threads end the loop's wait, instead of being written on those threads.
  library.threaded_set(client, true);
  library.connect_callback_set(client, callbacks.connected);
  library.publish_callback_set(client, callbacks.published);
  library.message_callback_set(client, callbacks.received);
  library.log_callback_set(client, callbacks.logged);
  return client;
}

void cmosquitto_destroy(struct mosquitto *client) { library.destroy(client); }

int cmosquitto_password(struct mosquitto *client, const char *user, const char *password) {
  return library.username_pw_set(client, user, password);
}

int cmosquitto_tls(struct mosquitto *client, const char *authority) {
  int code = authority ? library.tls_set(client, authority, NULL, NULL, NULL, NULL)
                       : library.int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
  return code == MOSQ_ERR_SUCCESS ? library.tls_opts_set(client, 1, "tlsv1.2", NULL) : code;
}

int cmosquitto_will(struct mosquitto *client, const char *topic, const void *payload, int length) {
  return library.will_set(client, topic, length, payload, 1, true);
}

int cmosquitto_connect(struct mosquitto *client, const char *host, int port, int keep_alive) {
  return library.connect(client, host, port, keep_alive);
}

int cmosquitto_loop(struct mosquitto *client, int milliseconds) { return library.loop(client, milliseconds, 1); }

int cmosquitto_publish(
  struct mosquitto *client, int *message, const char *topic, const void *payload, int length, bool retain) {
  return library.publish(client, message, topic, length, payload, 1, retain);
}

int cmosquitto_subscribe(struct mosquitto *client, const char *pattern) {
  return library.subscribe(client, NULL, pattern, 1);
}

int cmosquitto_disconnect(struct mosquitto *client) { return library.disconnect(client); }

const char *cmosquitto_error(int code) { return library.strerror(code); }

const char *cmosquitto_refusal(int code) { return library.connack_string(code); }
