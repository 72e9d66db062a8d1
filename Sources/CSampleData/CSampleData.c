#include "CSampleData.h"

// `#embed` is a part of C23. The compiler of Swift's toolchain also knows it in earlier versions of C, and warns about that.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char geofences[] = {
#embed "../../data/geofences.geojson"
};
static const unsigned char devices[] = {
#embed "../../data/devices.json"
};
static const unsigned char family_day[] = {
#embed "../../data/tracks/family-day.csv"
};
static const unsigned char fleet_morning[] = {
#embed "../../data/tracks/fleet-morning.csv"
};

static const picket_sample_file files[] = {
    {"geofences.geojson", geofences, sizeof geofences},
    {"devices.json", devices, sizeof devices},
    {"tracks/family-day.csv", family_day, sizeof family_day},
    {"tracks/fleet-morning.csv", fleet_morning, sizeof fleet_morning},
};

const picket_sample_file *picket_sample_file_at(size_t index) {
    return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
