import Core
import Model
import Routing
import Service

/// The route of the diagnosis.
enum DoctorRoutes {
    typealias Route = Routing.Route<ServiceFacts>

    static let all: [Route] = [diagnosis]

    private static let diagnosis = Route(
        "GET", "/v1/doctor", access: .admin,
        about: .init(
            "Diagnoses the installation, with advice: settings, certificate, clock, disk, store, devices, phones "
                + "and geofences. It reads the whole store, unless the store is large", query: [.timeZone], answer: "Diagnosis"),
        work: .task { facts, call throws(Problem) in
            let locale = AnswerLocale(
                call.head.language, zone: try call.timeZone() ?? .utc, contact: call.store.settings.supportContact)
            do throws(Problem) {
                return try await call.store.heavyReaders.ask(for: call.client) { service in
                    facts.diagnose(.success(service), for: call, in: locale)
                }
            } catch {
                return facts.diagnose(.failure(error), for: call, in: locale)
            }
        })
}

extension ServiceFacts {
    /// - Parameter store: The reader of the store, or the problem that prevents reading it.
    fileprivate func diagnose(_ store: Result<Queries, Problem>, for call: Call, in locale: AnswerLocale) -> Response {
        let (settings, now) = (call.store.settings, call.store.clock.now())
        let directory = DataDirectory(path: settings.dataDirectory)
        var doctor = Doctor(of: directory, settings: .success(settings), machine: MachineFacts(of: directory), at: now) {
            certificate($0, now)
        }
        doctor.examine(store)
        var diagnosis = Diagnosis(version: version, at: now)
        diagnosis.add(doctor.findings, in: locale)
        return .json(diagnosis.json)
    }
}
