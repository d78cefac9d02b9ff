import LinuxSystem
import TestSupport

/// A sequence of requests for one URL, with the origin's response to each and the expected behaviour of the cache.
struct CacheCase: Sendable {
    let name: String
    let steps: [Step]

    init(_ name: String, _ steps: Step...) {
        self.name = name
        self.steps = steps
    }

    /// One request.
    struct Step: Sendable {
        /// The expected source of the response.
        enum Source: Sendable { case cache, origin, validated }

        var method = "GET"
        /// The suffix of the case's path.
        var suffix = ""
        var request: [String] = []
        /// The origin's response, if it is contacted; `nil` closes the connection.
        var origin: (status: String, fields: [String], body: String)? = ("200 OK", [], "other")
        /// The origin's interim responses, each with one field, which a raw source forwards to the client that caused them.
        var interim: [InterimLine] = []
        var source: Source? = Source.cache
        var status = 200
        /// The expected value, or `nil` for any.
        var body: String?
        /// Field lines that the response must have.
        var has: [String] = []
        /// Fields that the response must not have.
        var lacks: [String] = []

        /// An interim response with one field line; the field is empty for none.
        struct InterimLine: Hashable, Sendable {
            var status: String
            var field = ""
        }

        /// Adds interim responses of the origin.
        func after(_ interim: InterimLine...) -> Step {
            var step = self
            step.interim = interim
            return step
        }

        /// The origin responds for the first time.
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

        /// The first response of the origin comes from the cache.
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

        /// The origin responds again, with another response.
        static func miss(_ request: String..., answer fields: [String] = [], status: String = "200 OK") -> Step {
            Step(
                request: request,
                origin: (status, fields, "two"),
                source: .origin,
                status: Int(status.prefix(3)) ?? 0,
                body: "two"
            )
        }

        /// The origin validates the stored response.
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
