import Model
import Registrations
import Routing
import Service

/// The route of the diagnosis.
enum DoctorRoutes {
    typealias Route = Routing.Route<API>

    static let all = [diagnosis]

    private static let diagnosis = Route(
        "GET", "/v1/doctor", access: .admin,
        about: .init(
            "Diagnoses the installation, with advice: settings, certificate, clock, disk, store, devices, phones "
                + "and geofences. It reads the whole store, unless the store is large", query: [.timeZone], answer: "Diagnosis"),
        work: .task { api, call throws(Problem) in
            let locale = AnswerLocale(call.head.language, zone: try call.timeZone() ?? .utc, contact: api.supportContact)
            do throws(Problem) {
                return try await call.store.heavyReaders.ask(for: call.client) { service in
                    api.diagnose(.success(service), in: locale)
                }
            } catch {
                return api.diagnose(.failure(error), in: locale)
            }
        })
}

extension API {
    /// - Parameter store: The reader of the store, or the problem why there is none.
    fileprivate func diagnose(_ store: Result<Queries, Problem>, in locale: AnswerLocale) -> Response {
        let (settings, now) = (self.store.settings, self.store.clock.now())
        let directory = DataDirectory(path: settings.dataDirectory)
        var doctor = Doctor(of: directory, settings: .success(settings), machine: MachineFacts(of: directory), at: now) {
            ServerCertificate.findings($0, at: now)
        }
        doctor.examine(store, phones: Doctor.checkPhones)
        var diagnosis = Diagnosis(version: site.version, at: now)
        diagnosis.add(doctor.findings, in: locale)
        return .json(diagnosis.json)
    }
}
