#include "CPageChecksums.h"

#include <sqlite3.h>
#include <string.h>

enum { page_size = 4096, content_size = page_size - picket_checksum_size, header_size = 56 };

// MARK: The checksum

static uint64_t word_at(const unsigned char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

// For a given word this is a permutation of the lanes, and for a given lane a permutation of the words. So two pages that differ
// in only one word never have the same checksum.
static uint64_t mixed(uint64_t lane, uint64_t word) {
    lane ^= word;
    return (lane << 29 | lane >> 35) * 0x9E3779B97F4A7C15;
}

/// The checksum of a page, which is never 0.
///
/// Four lanes do not wait for each other's multiplications. The checksum includes the page's number, because a disk can write a
/// page in the wrong place.
static uint64_t checksum(const unsigned char *page, uint64_t number) {
    uint64_t a = mixed(1, number), b = 2, c = 3, d = 4;
    int at = 0;
    for (; at + 32 <= content_size; at += 32) {
        a = mixed(a, word_at(page + at));
        b = mixed(b, word_at(page + at + 8));
        c = mixed(c, word_at(page + at + 16));
        d = mixed(d, word_at(page + at + 24));
    }
    for (; at < content_size; at += 8) a = mixed(a, word_at(page + at));
    uint64_t sum = mixed(mixed(mixed(a, b), c), d);
    return sum == 0 ? 1 : sum;
}

// MARK: Remains of removed data

/// In a file with more pages than this, the first byte of a page can be that of a page number. Such files are written as they
/// are.
enum { most_cleared_pages = 0x01FFFFFF };

static uint64_t page_number_at(const unsigned char *bytes) {
    return (uint64_t)bytes[0] << 24 | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 8 | bytes[3];
}

static int number_at(const unsigned char *bytes) { return bytes[0] << 8 | bytes[1]; }

static int is_clear(const unsigned char *bytes, int count) {
    return count <= 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, (size_t)count - 1) == 0);
}

/// Clears the space of a page that no cell uses, or only checks whether it is clear.
///
/// SQLite leaves copies of cells that it has moved to another page in that space, even with `secure_delete`. Nothing reads them
/// (https://www.sqlite.org/fileformat2.html, section 1.6). Pages that are not of a table or an index stay as they are: they begin
/// with the number of a page, whose first byte is 0 in a file that is not too large.
///
/// Returns whether the space was clear.
static int clear_unused(unsigned char *page, uint64_t number, int only_looks) {
    unsigned char *header = page + (number == 1 ? 100 : 0);
    int type = header[0], is_inner = type == 2 || type == 5;
    if (!is_inner && type != 10 && type != 13) return 1;
    int begin = (int)(header - page) + (is_inner ? 12 : 8) + 2 * number_at(header + 3);
    int end = number_at(header + 5);
    if (end > content_size || begin > end) return 1;
    int was_clear = is_clear(page + begin, end - begin);
    if (!only_looks) memset(page + begin, 0, (size_t)(end - begin));
    // Each free block begins with the offset of the next one and its own size.
    int block = number_at(header + 1), last = end - 1;
    while (block > last && block + 4 <= content_size) {
        int size = number_at(page + block + 2);
        if (size < 4 || block + size > content_size) break;
        if (!is_clear(page + block + 4, size - 4)) was_clear = 0;
        if (!only_looks) memset(page + block + 4, 0, (size_t)size - 4);
        last = block;
        block = number_at(page + block);
    }
    return was_clear;
}

// MARK: Files

/// What is known about the pages of a file.
enum state {
    state_unknown,
    state_without,
    state_with,
    /// See `picket_expect_checksums`.
    state_expected
};

/// An open database file. The file of the VFS below follows in memory.
struct summed_file {
    sqlite3_file file;
    sqlite3_file *below;
    enum state state;
    /// Whether pages were written with checksums since the last checkpoint began.
    int has_written;
    /// Whether some pages are a map of others (`auto_vacuum`). They cannot be distinguished from those of tables.
    int has_map;
    uint32_t wrong_page;
    uint8_t *marks;
    uint32_t mark_count;
};

static struct summed_file *summed(sqlite3_file *file) { return (struct summed_file *)file; }
static sqlite3_file *below(sqlite3_file *file) { return summed(file)->below; }

/// Whether a file that begins with these bytes has checksums.
static int says_checksums(const unsigned char *header) {
    return memcmp(header, "SQLite format 3", 16) == 0 && header[16] == page_size >> 8 && header[17] == (page_size & 0xFF)
        && header[20] == picket_checksum_size;
}

/// Whether a file that begins with these bytes has pages that are a map of others.
static int says_map(const unsigned char *header) { return page_number_at(header + 52) != 0; }

/// Finds out whether the pages have checksums. The state stays unknown while the file is empty.
static void read_state(struct summed_file *file) {
    unsigned char header[header_size];
    int code = file->below->pMethods->xRead(file->below, header, header_size, 0);
    if (code == SQLITE_OK) file->has_map = says_map(header);
    file->state = code == SQLITE_IOERR_SHORT_READ ? state_unknown : code == SQLITE_OK && says_checksums(header) ? state_with : state_without;
}

static void mark(struct summed_file *file, uint64_t number, enum picket_page_mark found) {
    if (file->marks && number <= file->mark_count) file->marks[number - 1] = (uint8_t)found;
}

static int is_empty(const unsigned char *page) { return page[0] == 0 && memcmp(page, page + 1, page_size - 1) == 0; }

/// Compares the checksum of a page that was read.
static enum picket_page_mark compared(struct summed_file *file, const unsigned char *page, uint64_t number) {
    uint64_t stored = word_at(page + content_size);
    if (file->state == state_without || file->state == state_unknown) return picket_page_unprotected;
    // No page in use is empty. A disk that loses a page reads as zeros.
    if (stored == 0) return is_empty(page) ? picket_page_wrong : picket_page_unprotected;
    return stored == checksum(page, number) ? picket_page_right : picket_page_wrong;
}

static int read_page(sqlite3_file *given, void *bytes, int count, sqlite3_int64 offset) {
    struct summed_file *file = summed(given);
    int code = file->below->pMethods->xRead(file->below, bytes, count, offset);
    if (code != SQLITE_OK || count != page_size || offset % page_size != 0) return code;
    unsigned char *page = bytes;
    uint64_t number = (uint64_t)(offset / page_size) + 1;
    if (number == 1) {
        file->state = says_checksums(page) ? state_with : state_without;
        file->has_map = says_map(page);
    } else if (file->state == state_unknown) {
        read_state(file);
    }
    enum picket_page_mark found = compared(file, page, number);
    if (found == picket_page_wrong && file->state == state_with && number != 1) {
        // Another connection may have replaced the content of the file.
        read_state(file);
        found = compared(file, page, number);
    }
    mark(file, number, found);
    if (found == picket_page_unprotected) return SQLITE_OK;
    int is_summed = word_at(page + content_size) != 0;
    memset(page + content_size, 0, picket_checksum_size);
    // SQLite may read an empty page when it takes it into use, so only a check counts it.
    if (found == picket_page_right || !is_summed || file->marks) return SQLITE_OK;
    file->wrong_page = (uint32_t)number;
    return SQLITE_IOERR_DATA;
}

static int write_page(sqlite3_file *given, const void *bytes, int count, sqlite3_int64 offset) {
    struct summed_file *file = summed(given);
    if (count != page_size || offset % page_size != 0) return file->below->pMethods->xWrite(file->below, bytes, count, offset);
    uint64_t number = (uint64_t)(offset / page_size) + 1;
    if (number == 1) {
        enum state written = says_checksums(bytes) ? state_with : state_without;
        // The checksums in the other pages would be content.
        if (file->has_written && written == state_without) return SQLITE_IOERR_WRITE;
        file->state = written;
        file->has_map = says_map(bytes);
    } else if (file->state == state_unknown) {
        read_state(file);
    }
    if (file->state != state_with && file->state != state_expected) {
        return file->below->pMethods->xWrite(file->below, bytes, count, offset);
    }
    unsigned char page[page_size];
    memcpy(page, bytes, content_size);
    sqlite3_int64 size = 0;
    int code = file->below->pMethods->xFileSize(file->below, &size);
    if (code != SQLITE_OK) return code;
    if (!file->has_map && number <= most_cleared_pages && size / page_size <= most_cleared_pages) clear_unused(page, number, 0);
    uint64_t sum = checksum(page, number);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    sum = __builtin_bswap64(sum);
#endif
    memcpy(page + content_size, &sum, sizeof sum);
    file->has_written = 1;
    return file->below->pMethods->xWrite(file->below, page, count, offset);
}

static int control(sqlite3_file *given, int operation, void *argument) {
    struct summed_file *file = summed(given);
    // Another process may have rewritten the file. A checkpoint writes pages in their order, so it brings a new first page first.
    if (operation == SQLITE_FCNTL_CKPT_START) {
        file->state = state_unknown;
        file->has_written = 0;
    }
    return file->below->pMethods->xFileControl(file->below, operation, argument);
}

static int capabilities(sqlite3_file *file) {
    int all = below(file)->pMethods->xDeviceCharacteristics(below(file));
#ifdef SQLITE_IOCAP_SUBPAGE_READ
    // SQLite would read parts of pages, whose checksums cannot be compared.
    all &= ~SQLITE_IOCAP_SUBPAGE_READ;
#endif
    return all;
}

static int close_file(sqlite3_file *file) { return below(file)->pMethods->xClose(below(file)); }
static int truncate_file(sqlite3_file *file, sqlite3_int64 size) { return below(file)->pMethods->xTruncate(below(file), size); }
static int sync_file(sqlite3_file *file, int flags) { return below(file)->pMethods->xSync(below(file), flags); }
static int size_of_file(sqlite3_file *file, sqlite3_int64 *size) { return below(file)->pMethods->xFileSize(below(file), size); }
static int lock_file(sqlite3_file *file, int level) { return below(file)->pMethods->xLock(below(file), level); }
static int unlock_file(sqlite3_file *file, int level) { return below(file)->pMethods->xUnlock(below(file), level); }
static int is_reserved(sqlite3_file *file, int *result) { return below(file)->pMethods->xCheckReservedLock(below(file), result); }
static int sector_size(sqlite3_file *file) { return below(file)->pMethods->xSectorSize(below(file)); }
static int map_memory(sqlite3_file *file, int region, int size, int extend, void volatile **result) {
    return below(file)->pMethods->xShmMap(below(file), region, size, extend, result);
}
static int lock_memory(sqlite3_file *file, int offset, int count, int flags) {
    return below(file)->pMethods->xShmLock(below(file), offset, count, flags);
}
static void order_memory(sqlite3_file *file) { below(file)->pMethods->xShmBarrier(below(file)); }
static int unmap_memory(sqlite3_file *file, int remove) { return below(file)->pMethods->xShmUnmap(below(file), remove); }

// Version 2 has no xFetch, which would map the file into memory and so pass over `read_page`.
static const sqlite3_io_methods methods = {
    2, close_file, read_page, write_page, truncate_file, sync_file, size_of_file, lock_file, unlock_file, is_reserved, control, sector_size,
    capabilities, map_memory, lock_memory, order_memory, unmap_memory, 0, 0,
};
// Without locks there is no shared memory either.
static const sqlite3_io_methods methods_without_memory = {
    1, close_file, read_page, write_page, truncate_file, sync_file, size_of_file, lock_file, unlock_file, is_reserved, control, sector_size,
    capabilities, 0, 0, 0, 0, 0, 0,
};

// MARK: The layers

static sqlite3_vfs *base(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *given, int flags, int *result) {
    if (!(flags & SQLITE_OPEN_MAIN_DB)) return base(vfs)->xOpen(base(vfs), name, given, flags, result);
    struct summed_file *file = summed(given);
    memset(file, 0, sizeof *file);
    file->below = (sqlite3_file *)(file + 1);
    int code = base(vfs)->xOpen(base(vfs), name, file->below, flags, result);
    const sqlite3_io_methods *those = file->below->pMethods;
    if (those) file->file.pMethods = those->iVersion >= 2 && those->xShmMap ? &methods : &methods_without_memory;
    return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync) { return base(vfs)->xDelete(base(vfs), name, sync); }
static int has_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    return base(vfs)->xAccess(base(vfs), name, flags, result);
}
static int full_path(sqlite3_vfs *vfs, const char *name, int size, char *result) {
    return base(vfs)->xFullPathname(base(vfs), name, size, result);
}
static int random_bytes(sqlite3_vfs *vfs, int count, char *result) { return base(vfs)->xRandomness(base(vfs), count, result); }
static int wait(sqlite3_vfs *vfs, int microseconds) { return base(vfs)->xSleep(base(vfs), microseconds); }
static int day_now(sqlite3_vfs *vfs, double *result) { return base(vfs)->xCurrentTime(base(vfs), result); }
static int last_error(sqlite3_vfs *vfs, int size, char *result) { return base(vfs)->xGetLastError(base(vfs), size, result); }
static int time_now(sqlite3_vfs *vfs, sqlite3_int64 *result) { return base(vfs)->xCurrentTimeInt64(base(vfs), result); }

// SQLite loads no extensions unless an application requests it, so these functions are missing.
#define LAYER(name) \
    { .iVersion = 2, .zName = name, .xOpen = open_file, .xDelete = delete_file, .xAccess = has_access, .xFullPathname = full_path, \
      .xRandomness = random_bytes, .xSleep = wait, .xCurrentTime = day_now, .xGetLastError = last_error, .xCurrentTimeInt64 = time_now }

static int register_layer(sqlite3_vfs *layer, const char *name) {
    sqlite3_vfs *found = sqlite3_vfs_find(name);
    if (!found || found->iVersion < 2) return SQLITE_NOTFOUND;
    layer->pAppData = found;
    layer->mxPathname = found->mxPathname;
    layer->szOsFile = (int)sizeof(struct summed_file) + found->szOsFile;
    return sqlite3_vfs_register(layer, 0);
}

int picket_register_checksums(void) {
    static sqlite3_vfs layer = LAYER(PICKET_VFS);
    static sqlite3_vfs layer_without_locks = LAYER(PICKET_VFS_WITHOUT_LOCKS);
    int code = register_layer(&layer, "unix");
    return code == SQLITE_OK ? register_layer(&layer_without_locks, "unix-none") : code;
}

// MARK: Questions

/// The file of a database; NULL if it has none, or one of another VFS.
static struct summed_file *file_of(sqlite3 *database) {
    sqlite3_file *file = 0;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file) return 0;
    return file->pMethods == &methods || file->pMethods == &methods_without_memory ? summed(file) : 0;
}

int picket_keeps_checksums(sqlite3 *database) {
    struct summed_file *file = file_of(database);
    if (file && file->state != state_expected) read_state(file);
    return file && file->state == state_with;
}

void picket_expect_checksums(sqlite3 *database, sqlite3 *source) {
    struct summed_file *file = file_of(database), *of_source = file_of(source);
    if (!file) return;
    read_state(file);
    if (file->state != state_unknown) return;
    file->state = state_expected;
    file->has_map = !of_source || of_source->has_map;
}

void picket_record_pages(sqlite3 *database, uint8_t *marks, uint32_t count) {
    struct summed_file *file = file_of(database);
    if (!file) return;
    file->marks = marks;
    file->mark_count = count;
}

uint32_t picket_wrong_page(sqlite3 *database) {
    struct summed_file *file = file_of(database);
    return file ? file->wrong_page : 0;
}

int picket_has_remains(sqlite3 *database) {
    struct summed_file *file = file_of(database);
    if (!file) return -1;
    const sqlite3_io_methods *those = file->below->pMethods;
    sqlite3_int64 size = 0;
    unsigned char page[page_size];
    if (those->xFileSize(file->below, &size) != SQLITE_OK) return -1;
    uint64_t count = (uint64_t)(size / page_size);
    if (count == 0) return 0;
    if (count > most_cleared_pages) return 1;
    for (uint64_t number = 1; number <= count; number++) {
        if (those->xRead(file->below, page, page_size, (sqlite3_int64)(number - 1) * page_size) != SQLITE_OK) return -1;
        if (number == 1 && (!says_checksums(page) || says_map(page))) return 1;
        if (!clear_unused(page, number, 1)) return 1;
    }
    // The unused pages: a list of pages, each with the number of the next one, a count, and that many numbers of other pages.
    // After these, numbers of pages that are used again may remain.
    if (those->xRead(file->below, page, page_size, 0) != SQLITE_OK) return -1;
    uint64_t list = page_number_at(page + 32), most = page_number_at(page + 36);
    for (; list != 0 && most > 0; most--) {
        unsigned char unused[page_size];
        if (list > count) return 1;
        if (those->xRead(file->below, page, page_size, (sqlite3_int64)(list - 1) * page_size) != SQLITE_OK) return -1;
        uint64_t listed = page_number_at(page + 4);
        for (int at = 8; at < content_size; at += 4) {
            uint64_t number = page_number_at(page + at);
            if (number > count) return 1;
            if ((uint64_t)(at - 8) / 4 >= listed || number == 0) continue;
            if (those->xRead(file->below, unused, page_size, (sqlite3_int64)(number - 1) * page_size) != SQLITE_OK) return -1;
            if (!is_clear(unused, content_size)) return 1;
        }
        list = page_number_at(page);
    }
    return 0;
}
