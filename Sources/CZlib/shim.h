#include <zlib.h>

// Macros that Swift cannot import. Window bits 15, and 16 for the format of gzip.
static inline int picket_begin_gzip(z_streamp stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
}

// Negative window bits mean a stream without a header, as in ZIP archives.
static inline int picket_begin_inflate(z_streamp stream) { return inflateInit2(stream, -15); }
static inline int picket_begin_gunzip(z_streamp stream) { return inflateInit2(stream, 15 + 16); }
