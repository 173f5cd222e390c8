// A checksum for each page of an SQLite database, so that a changed byte is an error when the page is read and not
// another value. SQLite's own interface for that is a VFS, which is a table of C functions.

#pragma once

#include <stdbool.h>

struct sqlite3;

/// Bytes of a page. A database with pages of another size has no checksums.
#define PAGE_CHECKS_PAGE_SIZE 4096

/// Bytes that the database has to reserve at the end of each page (SQLITE_FCNTL_RESERVE_BYTES). If it reserves another
/// number of them it has no checksums.
#define PAGE_CHECKS_RESERVE 8

/// Registers the VFS, on top of SQLite's own for Unix. Not to be called by two threads at once.
/// @return its name, to open databases with; NULL if SQLite has none for Unix.
const char *page_checks_vfs(void);

/// Returns the number of the page that was last found to be damaged (SQLITE_IOERR_DATA), from 1; 0 if none was.
/// @param database a connection that was opened with the VFS.
long long page_checks_damaged_page(struct sqlite3 *database);

/// Compares the checksum of a page as it is in the file. A checksum of zero is intact, unless the page is all zeros.
/// @param page PAGE_CHECKS_PAGE_SIZE bytes.
/// @param number of the page, from 1.
bool page_checks_is_intact(const unsigned char *page, unsigned long long number);

/// Writes the checksum into the end of a page.
void page_checks_seal(unsigned char *page, unsigned long long number);
