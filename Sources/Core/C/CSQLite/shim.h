// The system's SQLite, as a module that only HandsetStore imports.
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift cannot import, and SQLite treats the null pointer of an empty array as NULL.
// Without `copies` the bytes must stay until the statement is reset.

static inline int deskbell_bind_text(sqlite3_stmt *statement, int index, const void *utf8, long long count, int copies) {
  return sqlite3_bind_text64(statement, index, count == 0 ? "" : (const char *)utf8, (sqlite3_uint64)count,
                             copies ? SQLITE_TRANSIENT : SQLITE_STATIC, SQLITE_UTF8);
}

static inline int deskbell_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, long long count,
                                     int copies) {
  return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob64(statement, index, bytes, (sqlite3_uint64)count,
                                          copies ? SQLITE_TRANSIENT : SQLITE_STATIC);
}
