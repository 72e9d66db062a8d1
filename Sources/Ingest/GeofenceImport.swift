import Model

/// The result of reading a file of geofences.
package struct GeofenceImport: Sendable {
    /// A geofence and its position in the file.
    package struct ImportedGeofence: Sendable {
        package var geofence: Geofence
        /// The number of the feature or record in the file, from 1.
        package var index: Int
        /// The line of the file where the feature or record starts.
        package var line: Int
        package var idSource: IDSource
        /// Whether the file states that the outline is meant as written, even with edges that span more than 180°.
        package var isAsWritten = false
    }

    /// The origin of a geofence's id.
    package enum IDSource: Sendable {
        /// The file gives the id. No other geofence of the file has it.
        case given
        /// The id is derived from the name. Other geofences of the file may have the same.
        case name
        /// There is neither an id nor a name.
        case none
    }

    /// The geofences in the order of the file.
    package var entries: [ImportedGeofence] = []
    /// The refused features or records in the order of the file.
    package var refusals = BoundedList<RefusedGeofence>()
    /// Remarks on how the file was read.
    package var remarks: [Phrase] = []
}
