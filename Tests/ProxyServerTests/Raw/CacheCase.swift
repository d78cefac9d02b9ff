import LinuxSystem
import TestSupport

/// A sequence of requests for one URL, with what its origin would answer to each, and what is expected of the cache.
struct CacheCase: Sendable {
    let name: String
    let steps: [Step]

    init(_ name: String, _ steps: Step...) {
        self.name = name
        self.steps = steps
    }

    /// One request.
    struct Step: Sendable {
        /// Who must have answered.
        enum Source: Sendable { case cache, origin, validated }

        var method = "GET"
        /// Behind the case's own path.
        var suffix = ""
        var request: [String] = []
        /// What the origin answers, should it be asked; `nil` cuts the connection.
        var origin: (status: String, fields: [String], body: String)? = ("200 OK", [], "other")
        var source: Source? = Source.cache
        var status = 200
        /// `nil` where it does not matter.
        var body: String?
        /// Lines that the answer must have.
        var has: [String] = []
        /// Fields that it must not have.
        var lacks: [String] = []

        /// The origin answers for the first time.
        static func first(
            _ fields: String...,
            status: String = "200 OK",
            to request: [String] = [],
            body: String = "one"
        ) -> Step {
            Step(
                request: request,
                origin: (status, fields, body),
                source: .origin,
                status: Int(status.prefix(3)) ?? 0,
                body: body
            )
        }

        /// What the origin answered first comes from the cache.
        static func hit(
            _ request: String...,
            status: Int = 200,
            body: String = "one",
            has: [String] = [],
            lacks: [String] = []
        )
            -> Step
        {
            Step(request: request, source: .cache, status: status, body: body, has: has, lacks: lacks)
        }

        /// The origin answers again, and differently.
        static func miss(_ request: String..., answer fields: [String] = [], status: String = "200 OK") -> Step {
            Step(
                request: request,
                origin: (status, fields, "two"),
                source: .origin,
                status: Int(status.prefix(3)) ?? 0,
                body: "two"
            )
        }

        /// The origin confirms what is stored.
        static func confirmed(_ request: String..., answer fields: [String] = [], status: Int = 200, has: [String] = [])
            -> Step
        {
            Step(
                request: request,
                origin: ("304 Not Modified", fields, ""),
                source: .validated,
                status: status,
                body: status == 304 ? "" : "one",
                has: has
            )
        }
    }
}
