// Asks for a line of memory that will be read soon, without waiting for it. Any address will do: what is not there is not asked for.
static inline void prefetch(const void *_Nullable address) { __builtin_prefetch(address); }
