#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast, which Swift cannot import as a macro.
static inline sqlite3_destructor_type picket_sqlite_transient(void) { return SQLITE_TRANSIENT; }
