import Core
import Places
import Routing

extension Schemas {
    /// Schemas of enrollment and waiting devices.
    static let enrollments: [Named] = [
        named(EnrollmentRequest.output), named(EnrollmentDocument.output), named(PhoneSetup.ownTracksOutput),
        named(PhoneSetup.traccarOutput), named(PhoneSetup.curlOutput), named(PhoneSetup.qrOutput),
        named(WaitingDeviceList.shape), named(WaitingDevice.shape), named(Queries.RefusedDevice.shape),
    ]
}
