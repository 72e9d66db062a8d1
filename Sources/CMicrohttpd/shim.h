#include <microhttpd.h>

// MHD_start_daemon, MHD_set_connection_option and MHD_get_connection_info are variadic or return unions: a line each for what is used.
static inline struct MHD_Daemon *picket_mhd_start(unsigned int flags, MHD_AccessHandlerCallback handler, void *context,
                                                  const struct MHD_OptionItem *options) {
    return MHD_start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static inline int picket_mhd_set_timeout(struct MHD_Connection *connection, unsigned int seconds) {
    return MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}
