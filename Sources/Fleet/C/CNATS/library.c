#include "CNATS.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#define FUNCTIONS(EACH)                                                                                              \
  EACH(natsStatus_GetText) EACH(natsOptions_Create) EACH(natsOptions_Destroy) EACH(natsMsgHeader_Keys)              \
  EACH(natsOptions_SetServers) EACH(natsOptions_SetName) EACH(natsOptions_SetSecure) EACH(natsOptions_SetTimeout)    \
  EACH(natsOptions_LoadCATrustedCertificates) EACH(natsOptions_SetNKeyFromSeed) EACH(natsOptions_SetMaxReconnect)    \
  EACH(natsOptions_SetReconnectWait) EACH(natsOptions_SetReconnectJitter) EACH(natsOptions_SetPingInterval)          \
  EACH(natsOptions_SetMaxPingsOut) EACH(natsOptions_SetSendAsap) EACH(natsOptions_SetWriteDeadline)                  \
  EACH(natsOptions_UseGlobalMessageDelivery) EACH(natsOptions_SetErrorHandler) EACH(natsOptions_SetClosedCB)         \
  EACH(natsOptions_SetDisconnectedCB) EACH(natsOptions_SetReconnectedCB) EACH(natsOptions_SetRetryOnFailedConnect)   \
  EACH(natsConnection_Connect) EACH(natsConnection_Close) EACH(natsConnection_Destroy)                               \
  EACH(natsConnection_GetLastError) EACH(natsConnection_PublishMsg) EACH(natsConnection_Subscribe)                   \
  EACH(natsSubscription_Destroy) EACH(natsMsg_Create) EACH(natsMsg_Destroy) EACH(natsMsg_GetSubject)                 \
  EACH(natsMsg_GetReply) EACH(natsMsg_GetData) EACH(natsMsg_GetDataLength) EACH(natsMsgHeader_Set)                   \
  EACH(natsMsgHeader_Get)

static struct {
#define MEMBER(name) __typeof__(&name) name;
  FUNCTIONS(MEMBER)
} library;

static const char *fault;

#define TEXT(number) #number
// The library's interface and its name may change with each of its minor versions.
#define FILE_NAME(major, minor) "libnats.so." TEXT(major) "." TEXT(minor)

static void open_library(void) {
  void *handle = dlopen(FILE_NAME(NATS_VERSION_MAJOR, NATS_VERSION_MINOR), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fault = dlerror();
    return;
  }
#define LOOK_UP(name)                                                                                                \
  library.name = (__typeof__(&name))dlsym(handle, #name);                                                            \
  if (!library.name) {                                                                                               \
    fault = FILE_NAME(NATS_VERSION_MAJOR, NATS_VERSION_MINOR) " has no " #name;                                      \
    return;                                                                                                          \
  }
  FUNCTIONS(LOOK_UP)
}

const char *cnats_open(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return fault;
}

const char *cnats_why(natsConnection *connection) {
  const char *text = NULL;
  library.natsConnection_GetLastError(connection, &text);
  return text ? text : "";
}

static natsStatus set(
  natsOptions *options, const struct cnats_settings *settings, void *object, struct cnats_callbacks callbacks) {
  natsStatus status = NATS_OK;
#define SET(name, ...)                                                                                               \
  if (status == NATS_OK) status = library.natsOptions_##name(options, __VA_ARGS__);
  SET(SetServers, settings->servers, settings->server_count)
  SET(SetName, settings->name)
  SET(SetTimeout, 2000)
  SET(SetMaxReconnect, -1)
  SET(SetReconnectWait, 250)
  SET(SetReconnectJitter, 250, 250)
  // A hung server is detected within 15 s.
  SET(SetPingInterval, 5000)
  SET(SetMaxPingsOut, 2)
  // The library's own thread would wait a millisecond for more data.
  SET(SetSendAsap, true)
  SET(SetWriteDeadline, 2000)
  // One thread receives for all subscriptions.
  SET(UseGlobalMessageDelivery, true)
  SET(SetErrorHandler, callbacks.failed, object)
  SET(SetClosedCB, callbacks.closed, object)
  SET(SetDisconnectedCB, callbacks.lost, object)
  SET(SetReconnectedCB, callbacks.connected, object)
  SET(SetRetryOnFailedConnect, true, callbacks.connected, object)
  if (settings->public_key) SET(SetNKeyFromSeed, settings->public_key, settings->seed_file)
  if (settings->is_secure) {
    SET(SetSecure, true)
    if (settings->authority) SET(LoadCATrustedCertificates, settings->authority)
  }
  return status;
}

natsStatus cnats_connect(
  natsConnection **connection, const struct cnats_settings *settings, void *object,
  struct cnats_callbacks callbacks) {
  natsOptions *options = NULL;
  natsStatus status = library.natsOptions_Create(&options);
  if (status == NATS_OK) status = set(options, settings, object, callbacks);
  if (status == NATS_OK) status = library.natsConnection_Connect(connection, options);
  library.natsOptions_Destroy(options);
  return status;
}

natsStatus cnats_publish(
  natsConnection *connection, const char *subject, const char *reply, const char **keys, const char **values,
  int field_count, const void *payload, int length) {
  natsMsg *message = NULL;
  natsStatus status = library.natsMsg_Create(&message, subject, reply, payload, length);
  for (int index = 0; index < field_count && status == NATS_OK; index++)
    status = library.natsMsgHeader_Set(message, keys[index], values[index]);
  if (status == NATS_OK) status = library.natsConnection_PublishMsg(connection, message);
  library.natsMsg_Destroy(message);
  return status;
}

natsStatus cnats_subscribe(
  natsSubscription **subscription, natsConnection *connection, const char *subject, natsMsgHandler receive,
  void *object) {
  return library.natsConnection_Subscribe(subscription, connection, subject, receive, object);
}

void cnats_unsubscribe(natsSubscription *subscription) { library.natsSubscription_Destroy(subscription); }

const char *cnats_subject(const natsMsg *message) { return library.natsMsg_GetSubject(message); }

const char *cnats_reply(const natsMsg *message) { return library.natsMsg_GetReply(message); }

const void *cnats_payload(const natsMsg *message, int *length) {
  *length = library.natsMsg_GetDataLength(message);
  return library.natsMsg_GetData(message);
}

void cnats_fields(natsMsg *message, void *object, void (*take)(void *object, const char *key, const char *value)) {
  const char **keys = NULL;
  int count = 0;
  if (library.natsMsgHeader_Keys(message, &keys, &count) != NATS_OK) return;
  for (int index = 0; index < count; index++) {
    const char *value = NULL;
    if (library.natsMsgHeader_Get(message, keys[index], &value) == NATS_OK) take(object, keys[index], value);
  }
  free(keys);
}

void cnats_free(natsMsg *message) { library.natsMsg_Destroy(message); }

void cnats_close(natsConnection *connection) { library.natsConnection_Close(connection); }

void cnats_destroy(natsConnection *connection) { library.natsConnection_Destroy(connection); }

const char *cnats_text(natsStatus status) { return library.natsStatus_GetText(status); }
