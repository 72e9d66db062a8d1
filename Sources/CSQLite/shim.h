#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast, which Swift cannot import as a macro.
static inline sqlite3_destructor_type picket_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// Swift cannot call functions with variable arguments.
static inline int picket_sqlite_keep_log(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
