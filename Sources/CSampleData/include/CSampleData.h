// The files of the folder `data` that `picket demo` needs, as bytes within the program.
#ifndef CSAMPLEDATA_H
#define CSAMPLEDATA_H

#include <stddef.h>

/// A file of the sample data.
typedef struct {
    /// The path in the folder `data`.
    const char *path;
    const unsigned char *bytes;
    size_t count;
} picket_sample_file;

/// The file with this index; NULL after the last one.
const picket_sample_file *picket_sample_file_at(size_t index);

#endif
