#include <zlib.h>

// A macro, which Swift does not see. Window bits 15, and 16 for the format of gzip.
static inline int picket_begin_gzip(z_streamp stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
}
