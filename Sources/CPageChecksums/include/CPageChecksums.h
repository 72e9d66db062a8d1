#pragma once
#include <stdint.h>

// Checksums of the pages of SQLite databases: a layer between SQLite and its access to files (https://www.sqlite.org/vfs.html).
//
// SQLite can leave bytes at the end of each page unused (https://www.sqlite.org/fileformat2.html, "reserved space"). In a file
// with pages of 4096 bytes, of which exactly 8 are reserved, these 8 bytes are a checksum of the other bytes of the page and of
// its number. It is written whenever the page is written into the database file, and compared whenever the page is read from that
// file. All other files are passed through unchanged: SQLite's logs and journals, and databases without these 8 bytes.
//
// Space of a page that no cell uses is cleared when the page is written: SQLite leaves copies of cells there that it has moved.
// So with SQLite's `secure_delete`, the file contains no remains of removed data after the log has been written into it.
//
// SQLite itself gets each page with zeros instead of its checksum. So a page that another program writes from the log into the
// file has no checksum, instead of the checksum of its earlier content. Every program does this when it is the last one to close
// a database.

struct sqlite3;

/// The name of the layer above the VFS `unix`.
#define PICKET_VFS "picket"
/// The name of the layer above the VFS `unix-none`, which takes no locks.
#define PICKET_VFS_WITHOUT_LOCKS "picket-none"

enum {
    /// The number of unused bytes that a page with a checksum has.
    picket_checksum_size = 8
};

/// The result of reading a page.
enum picket_page_mark {
    /// The page was not read from the file. Its content may be in the log.
    picket_page_unread = 0,
    /// The checksum is that of the page.
    picket_page_right = 1,
    /// The page has no checksum.
    picket_page_unprotected = 2,
    /// The checksum is not that of the page.
    picket_page_wrong = 3
};

/// Registers both layers with SQLite. Must be called once, before a database is opened with one of them.
///
/// Returns a result code of SQLite.
int picket_register_checksums(void);

/// Whether the pages of a database have checksums, according to the beginning of its file. 0 if the file is empty.
int picket_keeps_checksums(struct sqlite3 *_Nonnull database);

/// Declares that the pages that will be written into an empty file are those of a database with checksums. SQLite writes the first page, which
/// says so, when many others are in the file already. Has no effect on a file that is not empty.
///
/// `source` is the database with these pages.
void picket_expect_checksums(struct sqlite3 *_Nonnull database, struct sqlite3 *_Nonnull source);

/// Lets reads of pages with a wrong checksum succeed, and stores the result for each page (`picket_page_mark`).
///
/// `marks` has a byte for each of `count` pages, the first for page 1, and must exist until the next call. NULL ends the recording.
void picket_record_pages(struct sqlite3 *_Nonnull database, uint8_t *_Nullable marks, uint32_t count);

/// The number of the page whose wrong checksum has made the last read fail (`SQLITE_IOERR_DATA`); 0 if there was none.
uint32_t picket_wrong_page(struct sqlite3 *_Nonnull database);

/// Whether the file of a database may contain remains of removed data that SQLite does not read: 1 if it may, 0 if not, -1 if
/// this is unknown. Reads the whole file, but not the log.
///
/// A file has no remains if all of its pages were written through this layer and with `secure_delete`.
int picket_has_remains(struct sqlite3 *_Nonnull database);
