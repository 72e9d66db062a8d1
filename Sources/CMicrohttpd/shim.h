#include <microhttpd.h>

// glibc declares this function only if `_GNU_SOURCE` is defined, which an imported module cannot do.
int accept4(int listening, struct sockaddr *address, socklen_t *length, int flags);

// Both are variadic: a line each.
static inline struct MHD_Daemon *picket_mhd_start(unsigned int flags, MHD_AccessHandlerCallback handler, void *context,
                                                  const struct MHD_OptionItem *options) {
    return MHD_start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static inline const union MHD_ConnectionInfo *picket_mhd_info(struct MHD_Connection *connection, enum MHD_ConnectionInfoType type) {
    return MHD_get_connection_info(connection, type);
}
