/// Everything that the service can be asked.
enum Routes {
    static let all: [Route] =
        PositionRoutes.all + EventRoutes.all + GeofenceRoutes.all + DeviceRoutes.all + ProcessRoutes.all
}
