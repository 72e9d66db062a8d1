// How the store contains devices that are erased or being erased.

extension PicketStore {
    /// The id of the placeholder device that replaces erased devices. It contains a control character, so that no real device has
    /// it.
    package static let erasedName = "\u{1A}erased"

    /// The name of the setting with the sequence number of the newest event at the last erasure of a device.
    package static let erasedUpTo = "erased_up_to"

    /// The name of the setting with the erasures that are not finished: a JSON list of objects, with the number of the device while its
    /// records are removed in steps.
    package static let unfinishedErasuresSetting = "unfinished_erasures"

    /// The keys of the devices that are being erased in steps, as a query.
    package static let devicesBeingErased = """
        SELECT json_extract(e.value, '$.device') FROM setting s, json_each(s.value) e
        WHERE s.name = '\(unfinishedErasuresSetting)' AND json_extract(e.value, '$.device') IS NOT NULL
        """
}
