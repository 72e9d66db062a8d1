#include <spawn.h>

// glibc (2.34 and later) declares these functions only if `_GNU_SOURCE` is defined, which an imported module cannot do.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
