import Core
import Model
import Places
import Presence
import Routing

extension Schemas {
    /// Schemas of devices and groups.
    static let devices: [Named] = [
        named(ShownDevice.output), named(Queries.RefusedInput.output), named(PositionDeletion.output),
        named(DevicePatchResult.output), named(DevicePatchResult.Entry.output), named(Queries.Group.output),
        named(GroupEdit.output),
        ("GroupPage", page("groups", of: Queries.Group.output.name)),
        (
            "GroupPatch",
            anyObject(
                "The values of a Group that change (RFC 7396): \(DeviceDefaults.names); null removes a value"
            )
        ),
        ("DevicePatch", anyObject("The fields of a Device that change (RFC 7396); null removes a field")),
        ("DevicePage", page("devices", of: "Device")), named(Queries.DeviceStatus.shape),
    ]
}
