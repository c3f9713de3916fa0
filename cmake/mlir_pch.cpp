// Carries the precompiled header that the libraries of the compiler share.
