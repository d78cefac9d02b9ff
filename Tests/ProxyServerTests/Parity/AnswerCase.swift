import HTTPSemantics

/// A sequence of requests for one URL, with the origin's response to each, sent to both sources.
struct AnswerCase: Sendable {
    let name: String
    let steps: [Step]
    /// The differences between the two sources, by step (from 1) and aspect.
    private(set) var differences: [Place: Difference] = [:]

    init(_ name: String, _ steps: Step...) {
        self.name = name
        self.steps = steps
    }

    /// A placeholder for a date relative to the case's start, in seconds; `steps(from:)` replaces it.
    static func date(_ seconds: Int64) -> String { "{\(seconds)}" }

    /// The steps with their dates.
    ///
    /// - Parameter start: seconds since 1970 at which the case begins.
    func steps(from start: Int64) -> [Step] {
        func dated(_ line: String) -> String {
            guard let open = line.firstIndex(of: "{"), let close = line.lastIndex(of: "}"),
                let seconds = Int64(line[line.index(after: open)..<close])
            else { return line }
            return line[..<open] + HTTPDate(clamping: start + seconds).description
        }
        return steps.map { step in
            var step = step
            step.request = step.request.map(dated)
            step.answer.fields = step.answer.fields.map(dated)
            return step
        }
    }

    /// One request.
    struct Step: Sendable {
        var method = "GET"
        var request: [String] = []
        var answer = ScriptedAnswer.picture()
        /// Seconds by which the clock is advanced before the request.
        var after: Int64 = 0
        /// The number of requests to the origin, through either source.
        var asked = 0
        /// Whether the origin is contacted in the background, after the response.
        var refreshes = false
        /// Whether the origin refuses connections.
        var isDead = false

        /// The origin is contacted once, with this response.
        static func asks(_ answer: ScriptedAnswer, after: Int64 = 0, with request: String...) -> Step {
            Step(request: request, answer: answer, after: after, asked: 1)
        }

        /// The origin is not contacted; it would send the same response again.
        static func remembered(_ answer: ScriptedAnswer, after: Int64 = 0) -> Step {
            Step(answer: answer, after: after)
        }

        /// The origin is not contacted; it would send the second image.
        static func stored(after: Int64 = 0, with request: String...) -> Step {
            Step(request: request, answer: .changed("Cache-Control: max-age=60"), after: after)
        }
    }

    /// An aspect of a step.
    struct Place: Hashable, Sendable {
        let step: Int
        let aspect: ToldAnswer.Aspect
    }

    /// The reason why the two sources differ.
    enum Difference: Sendable {
        case deliberate(DeliberateDifference)
    }

    /// The same with the places of a deliberate difference.
    func differs(_ difference: DeliberateDifference, _ steps: Int..., at aspects: [ToldAnswer.Aspect]) -> AnswerCase {
        adding(.deliberate(difference), steps, aspects)
    }

    private func adding(_ difference: Difference, _ steps: [Int], _ aspects: [ToldAnswer.Aspect]) -> AnswerCase {
        var test = self
        for step in steps {
            precondition(self.steps.indices.contains(step - 1), "\(name) has no step \(step)")
            for aspect in aspects {
                let old = test.differences.updateValue(difference, forKey: Place(step: step, aspect: aspect))
                precondition(old == nil, "\(name) gives two reasons why step \(step) differs in \(aspect)")
            }
        }
        return test
    }
}

extension [ToldAnswer.Aspect] {
    /// Whether and why the origin was contacted.
    static let way: [ToldAnswer.Aspect] = [.asked, .way, .forwardedStatus, .detail]
    /// The aspects of a failure.
    static let document: [ToldAnswer.Aspect] = [.cacheControl, .content]
    static let storage: [ToldAnswer.Aspect] = [.memory, .disk]
}
