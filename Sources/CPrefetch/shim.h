// Prefetches a cache line that will be read soon, without waiting for it. Any address is allowed; an invalid one has no effect.
static inline void prefetch(const void *_Nullable address) { __builtin_prefetch(address); }
