import Delivery
import HTTPServer
import Model
import Operations
import Settings

extension ServerCertificate {
    /// A certificate is reported this many days before it expires.
    private static let reportedDays = 21

    /// What is wrong with the certificate that the settings name; empty if they name none.
    package static func findings(_ settings: Settings, at now: Instant) -> [DoctorFinding] {
        let certificate: ServerCertificate
        do throws(Problem) {
            guard let read = try ServerCertificate(settings) else { return [] }
            certificate = read
        } catch {
            return [.problem(error, .certificate, source: nil)]
        }
        var findings: [DoctorFinding] = []
        let days = Int(((certificate.validity.upperBound - now) / 86_400).rounded(.down))
        if let problem = certificate.problem(at: now) {
            findings.append(.problem(problem, .certificate, source: nil))
        } else if days < reportedDays {
            findings.append(.certificateExpires(at: certificate.validity.upperBound, days: days))
        }
        if let host = publicHost(settings), !certificate.names(host) { findings.append(.certificateForOthers(host: host)) }
        return findings
    }

    /// The host by which clients on other machines check the certificate; nil if it is unknown, or if a proxy shows them another one.
    private static func publicHost(_ settings: Settings) -> String? {
        if let url = settings.publicURL { return settings.trustedProxies.isEmpty ? WebAddress.host(of: url) : nil }
        let host = settings.listen.host
        return settings.listen.isLoopback || host == "0.0.0.0" || host == "::" ? nil : host
    }
}
