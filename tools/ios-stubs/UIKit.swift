// The part of UIKit that the example uses, as Apple's SDK declares it. For type checks only.

import Foundation

public enum UIBackgroundRefreshStatus: Int, Sendable {
    case restricted, denied, available
}

@MainActor
open class UIApplication: NSObject {
    public static let shared = UIApplication()
    public var backgroundRefreshStatus: UIBackgroundRefreshStatus { .available }
}
