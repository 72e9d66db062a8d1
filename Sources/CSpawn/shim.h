#include <spawn.h>

// glibc (2.34 and later) declares them for programs that ask for all that GNU has, which an imported module cannot.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
