import Core
import Places
import Routing
import Service

extension Schemas {
    /// Schemas of enrollment, waiting devices and the sample data.
    static let enrollments: [Named] = [
        named(EnrollmentRequest.output), named(EnrollmentDocument.output), named(PhoneSetup.ownTracksOutput),
        named(PhoneSetup.traccarOutput), named(PhoneSetup.curlOutput), named(PhoneSetup.qrOutput),
        named(WaitingDeviceList.shape), named(WaitingDevice.shape), named(Queries.RefusedDevice.shape),
        (
            "SampleData",
            object(
                "The sample data",
                [
                    "isAvailable": flag("Whether it is installed"), "geofences": integer("From the sample data, in the store"),
                    "devices": integer("From the sample data, in the store"),
                ])
        ),
        named(SampleChange.shape),
    ]
}
