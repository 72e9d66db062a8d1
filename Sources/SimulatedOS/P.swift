// What should be registered, what is, and what to do about it.
