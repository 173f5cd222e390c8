// The VFS stands between SQLite and its own files, and changes pages of the main database file only: the last eight
// bytes, which SQLite leaves alone there, are a checksum on the disk and zero in memory.
//
// The write-ahead log keeps its bytes. It has SQLite's checksums, which are computed before the VFS sees a frame. So its
// pages end in zeros, and get their checksum when a checkpoint writes them into the database. Another program's
// checkpoint, after this one was killed, leaves zeros there: such a page is accepted as it is. SQLite writes each frame
// as a header and a page; here the frames of a commit are one write to the file.

#include "CPageChecks.h"

#include <endian.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NAME "deskbell-page-checks"
#define PAGE PAGE_CHECKS_PAGE_SIZE
#define CONTENT (PAGE - PAGE_CHECKS_RESERVE)
#define LANES 4
/// SQLITE_IOCAP_SUBPAGE_READ, which older headers do not have.
#define SUBPAGE_READ 0x00008000
/// The code of a damaged page; SQLite's own codes are below 100.
#define DAMAGED_PAGE 1146244972

/// The bytes before each page of a log [SQLite, Database File Format, 4.1].
#define FRAME_HEADER 24

#define FRAME (FRAME_HEADER + PAGE)
/// The frames that one write to a log has at most: SQLite's VFS takes less than 131,072 bytes.
#define FRAMES 31

/// A file of a main database or of a log. The file of SQLite's VFS follows in memory; a temporary file has only that one.
struct file {
  sqlite3_file base;
  bool has_checksums;
  sqlite3_int64 damaged_page;
  /// The bytes that wait to be written to a log: whole frames, and maybe the header of the next one. SQLite learns that
  /// they cannot be written before the commit ends, as it does of any write.
  unsigned char *frames;
  int waiting;
  /// Their place in the log.
  sqlite3_int64 start;
  sqlite3_int64 last_read;
};

static struct {
  sqlite3_vfs checked;
  sqlite3_vfs *system;
} vfs;

static sqlite3_file *below(sqlite3_file *file) { return (sqlite3_file *)((struct file *)file + 1); }

// MARK: The checksum

/// Mixes a word into a sum. A change of either one alone changes the result, because the multiplier is odd.
static uint64_t mix(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * 0x9E3779B97F4A7C15;
  return sum ^ sum >> 32;
}

/// Returns the checksum of a page whose last word is its number, which detects misplaced pages. A change within one
/// word always changes the sum. The last line, which makes two different sums in 2^95 equal, keeps two of its bytes
/// from being zero, so that no change of one byte makes it the zeros of a page without a sum. The lanes are for speed.
static uint64_t checksum(const unsigned char *page) {
  uint64_t lanes[LANES] = {1, 2, 3, 4}, words[LANES];
  for (const unsigned char *next = page; next < page + PAGE; next += sizeof words) {
    memcpy(words, next, sizeof words);
    for (int lane = 0; lane < LANES; lane++) lanes[lane] = mix(lanes[lane], le64toh(words[lane]));
  }
  uint64_t sum = 0;
  for (int lane = 0; lane < LANES; lane++) sum = mix(sum, lanes[lane]);
  return (uint32_t)sum == 0 || sum >> 32 == 0 ? ~sum : sum;
}

static uint64_t last_word(const unsigned char *page) {
  uint64_t word;
  memcpy(&word, page + CONTENT, sizeof word);
  return le64toh(word);
}

static void set_last_word(unsigned char *page, uint64_t word) {
  word = htole64(word);
  memcpy(page + CONTENT, &word, sizeof word);
}

/// Makes equal the fields that SQLite rewrites in the first page of a copy, or for another journal mode [SQLite,
/// Database File Format, 1.3]: the format versions, which are 1 or 2, the change counter, the schema cookie, and the
/// counter and the version of SQLite that go with the change counter. None of them is part of the stored data.
static void leave_out_counters(unsigned char *page) {
  for (int format = 18; format <= 19; format++)
    if (page[format] == 1) page[format] = 2;
  memset(page + 24, 0, 4);
  memset(page + 40, 0, 4);
  memset(page + 92, 0, 8);
}

static uint64_t checksum_of(const unsigned char *bytes, uint64_t number, bool has_counters) {
  unsigned char page[PAGE];
  memcpy(page, bytes, CONTENT);
  set_last_word(page, number);
  if (number == 1 && !has_counters) leave_out_counters(page);
  return checksum(page);
}

/// Versions before 0.7.1 wrote a sum of the whole first page.
bool page_checks_is_intact(const unsigned char *page, unsigned long long number) {
  uint64_t stored = last_word(page);
  // A page of zeros is a failing card's substitute for a block, and is no page of a database.
  if (stored == 0) return page[0] != 0 || memcmp(page, page + 1, PAGE - 1) != 0;
  return stored == checksum_of(page, number, false) || (number == 1 && stored == checksum_of(page, number, true));
}

void page_checks_seal(unsigned char *page, unsigned long long number) {
  set_last_word(page, checksum_of(page, number, false));
}

// MARK: Reading and writing

/// Returns true if the header [SQLite, Database File Format, 1.3] has our page size, big-endian, and reserved bytes.
static bool reserves(const unsigned char *header) {
  return header[16] << 8 == PAGE && header[17] == 0 && header[20] == PAGE_CHECKS_RESERVE;
}

static bool is_header(int length, sqlite3_int64 offset) { return offset == 0 && length > 20; }
static bool is_page(int length, sqlite3_int64 offset) { return length == PAGE && offset % PAGE == 0; }

/// Compares the sum of a page that was read, and sets the last word to zero, as SQLite has it in memory.
static int check(struct file *file, unsigned char *page, sqlite3_int64 number) {
  bool is_intact = page_checks_is_intact(page, (unsigned long long)number);
  set_last_word(page, 0);
  if (is_intact) return SQLITE_OK;
  file->damaged_page = number;
  return SQLITE_IOERR_DATA;
}

/// Reads bytes of pages by reading the pages: since 3.45, SQLite reads only the bytes that it needs from a long row's
/// pages (SQLITE_DIRECT_OVERFLOW_READ).
static int read_parts(struct file *file, unsigned char *bytes, int length, sqlite3_int64 offset) {
  sqlite3_file *system = below(&file->base);
  while (length > 0) {
    unsigned char page[PAGE];
    int start = (int)(offset % PAGE);
    int count = length < PAGE - start ? length : PAGE - start;
    int code = system->pMethods->xRead(system, page, PAGE, offset - start);
    if (code == SQLITE_OK) code = check(file, page, offset / PAGE + 1);
    if (code != SQLITE_OK) {
      // SQLite requires zeros for bytes that are missing at the end of the file.
      memset(bytes, 0, (size_t)length);
      return code;
    }
    memcpy(bytes, page + start, (size_t)count);
    bytes += count;
    offset += count;
    length -= count;
  }
  return SQLITE_OK;
}

static int read_file(sqlite3_file *base, void *bytes, int length, sqlite3_int64 offset) {
  struct file *file = (struct file *)base;
  bool is_whole = is_page(length, offset), is_start = is_header(length, offset);
  if (file->has_checksums && !is_whole && !is_start) return read_parts(file, bytes, length, offset);
  int code = below(base)->pMethods->xRead(below(base), bytes, length, offset);
  if (code != SQLITE_OK) return code;
  // A header that no longer says that there are checksums is damaged, and fails by its page's checksum. SQLite reads
  // the header alone once, when it opens the file, and the whole page before it uses anything else.
  if (is_start && reserves(bytes)) file->has_checksums = true;
  return file->has_checksums && is_whole ? check(file, bytes, offset / PAGE + 1) : SQLITE_OK;
}

/// Writes pages. The first page decides about the others. A checkpoint writes it before them; if it is left for the
/// next one, pages are written without a checksum.
static int write_file(sqlite3_file *base, const void *bytes, int length, sqlite3_int64 offset) {
  struct file *file = (struct file *)base;
  unsigned char page[PAGE];
  if (is_header(length, offset)) file->has_checksums = reserves(bytes);
  if (file->has_checksums && is_page(length, offset)) {
    memcpy(page, bytes, CONTENT);
    page_checks_seal(page, (unsigned long long)(offset / PAGE + 1));
    bytes = page;
  }
  return below(base)->pMethods->xWrite(below(base), bytes, length, offset);
}

/// Removes reads of less than a page, each of which would cost a whole one (SQLite 3.48).
static int characteristics(sqlite3_file *base) {
  return below(base)->pMethods->xDeviceCharacteristics(below(base)) & ~SUBPAGE_READ;
}

static int control(sqlite3_file *base, int operation, void *argument) {
  if (operation != DAMAGED_PAGE) return below(base)->pMethods->xFileControl(below(base), operation, argument);
  *(sqlite3_int64 *)argument = ((struct file *)base)->damaged_page;
  return SQLITE_OK;
}

// MARK: Functions that pass through

#define PASS(name, parameters, ...)                                \
  static int name parameters {                                     \
    return below(file)->pMethods->name(below(file), ##__VA_ARGS__); \
  }
PASS(xClose, (sqlite3_file * file))
PASS(xTruncate, (sqlite3_file * file, sqlite3_int64 size), size)
PASS(xSync, (sqlite3_file * file, int flags), flags)
PASS(xFileSize, (sqlite3_file * file, sqlite3_int64 *size), size)
PASS(xLock, (sqlite3_file * file, int level), level)
PASS(xUnlock, (sqlite3_file * file, int level), level)
PASS(xCheckReservedLock, (sqlite3_file * file, int *is_held), is_held)
PASS(xSectorSize, (sqlite3_file * file))
PASS(xShmMap, (sqlite3_file * file, int page, int size, int extend, void volatile **map), page, size, extend, map)
PASS(xShmLock, (sqlite3_file * file, int offset, int count, int flags), offset, count, flags)
PASS(xShmUnmap, (sqlite3_file * file, int should_delete), should_delete)
static void xShmBarrier(sqlite3_file *file) { below(file)->pMethods->xShmBarrier(below(file)); }

/// Version 2: SQLite maps the log's index, and not the database, of which it would see the checksums.
static const sqlite3_io_methods methods = {
    2,     xClose,  read_file,          write_file, xTruncate,   xSync,                  xFileSize,
    xLock, xUnlock, xCheckReservedLock, control,    xSectorSize, characteristics, xShmMap,
    xShmLock, xShmBarrier, xShmUnmap, NULL, NULL};

// MARK: The log

/// Writes what waits. If it cannot be written, the log ends before it, as if SQLite's own write had failed.
static int write_waiting(struct file *log) {
  int length = log->waiting;
  log->waiting = 0;
  return length == 0 ? SQLITE_OK : below(&log->base)->pMethods->xWrite(below(&log->base), log->frames, length, log->start);
}

static bool ends_commit(const unsigned char *header) {
  static const unsigned char none[4];
  return memcmp(header + 4, none, sizeof none) != 0;
}

/// Writes a commit's frames when its last one is complete: its header has the size of the database. So another
/// connection never misses a frame of a commit.
static int write_log(sqlite3_file *base, const void *bytes, int length, sqlite3_int64 offset) {
  struct file *log = (struct file *)base;
  int incomplete = log->waiting % FRAME;
  bool follows = log->waiting > 0 && offset == log->start + log->waiting;
  if (follows && incomplete == FRAME_HEADER && length == PAGE) {
    unsigned char *header = log->frames + log->waiting - FRAME_HEADER;
    memcpy(log->frames + log->waiting, bytes, PAGE);
    log->waiting += PAGE;
    return ends_commit(header) || log->waiting == FRAMES * FRAME ? write_waiting(log) : SQLITE_OK;
  }
  // A header that SQLite rewrites, after it has read the frame, comes without its page.
  bool begins_frame = length == FRAME_HEADER && offset > 0 && offset != log->last_read;
  if (!(follows && incomplete == 0 && begins_frame)) {
    int code = write_waiting(log);
    if (code != SQLITE_OK) return code;
    log->start = offset;
  }
  if (!begins_frame || !log->frames) return below(base)->pMethods->xWrite(below(base), bytes, length, offset);
  memcpy(log->frames + log->waiting, bytes, FRAME_HEADER);
  log->waiting += FRAME_HEADER;
  return SQLITE_OK;
}

static int read_log(sqlite3_file *base, void *bytes, int length, sqlite3_int64 offset) {
  ((struct file *)base)->last_read = offset;
  int code = write_waiting((struct file *)base);
  return code == SQLITE_OK ? below(base)->pMethods->xRead(below(base), bytes, length, offset) : code;
}

static int truncate_log(sqlite3_file *base, sqlite3_int64 size) {
  int code = write_waiting((struct file *)base);
  return code == SQLITE_OK ? xTruncate(base, size) : code;
}

static int sync_log(sqlite3_file *base, int flags) {
  int code = write_waiting((struct file *)base);
  return code == SQLITE_OK ? xSync(base, flags) : code;
}

static int size_of_log(sqlite3_file *base, sqlite3_int64 *size) {
  int code = write_waiting((struct file *)base);
  return code == SQLITE_OK ? xFileSize(base, size) : code;
}

static int close_log(sqlite3_file *base) {
  struct file *log = (struct file *)base;
  int code = write_waiting(log), closed = xClose(base);
  free(log->frames);
  return code == SQLITE_OK ? closed : code;
}

static const sqlite3_io_methods log_methods = {
    1,     close_log, read_log,           write_log, truncate_log, sync_log,       size_of_log,
    xLock, xUnlock,   xCheckReservedLock, control,   xSectorSize,  characteristics, NULL, NULL, NULL, NULL, NULL, NULL};

static int open_file(sqlite3_vfs *unused, const char *name, sqlite3_file *base, int flags, int *opened) {
  bool is_log = flags & SQLITE_OPEN_WAL;
  if (!is_log && !(flags & SQLITE_OPEN_MAIN_DB)) return vfs.system->xOpen(vfs.system, name, base, flags, opened);
  struct file *file = (struct file *)base;
  memset(file, 0, sizeof *file);
  int code = vfs.system->xOpen(vfs.system, name, below(base), flags, opened);
  // Without its methods a file is not closed.
  if (!below(base)->pMethods) return code;
  file->base.pMethods = is_log ? &log_methods : &methods;
  // Without memory each write is passed on as it is.
  if (is_log) file->frames = malloc(FRAMES * FRAME);
  return code;
}

const char *page_checks_vfs(void) {
  if (vfs.system) return NAME;
  // Turns off SQLite's counts of memory, which take a lock at each allocation. Once SQLite has begun it refuses to.
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3_vfs *system = sqlite3_vfs_find("unix");
  if (!system) return NULL;
  // All its other functions are the system's own, which find the same data here.
  vfs.checked = *system;
  vfs.checked.zName = NAME;
  vfs.checked.szOsFile = (int)sizeof(struct file) + system->szOsFile;
  vfs.checked.xOpen = open_file;
  if (sqlite3_vfs_register(&vfs.checked, 0) != SQLITE_OK) return NULL;
  vfs.system = system;
  return NAME;
}

long long page_checks_damaged_page(sqlite3 *database) {
  sqlite3_int64 page = 0;
  return sqlite3_file_control(database, "main", DAMAGED_PAGE, &page) == SQLITE_OK ? page : 0;
}
