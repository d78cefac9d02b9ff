import HTTPSemantics

/// A sequence of requests for one URL with what its origin would answer to each, asked of both sources.
struct AnswerCase: Sendable {
    let name: String
    let steps: [Step]
    /// Where the two sources differ, by step (from 1) and aspect.
    private(set) var differences: [Place: Difference] = [:]

    init(_ name: String, _ steps: Step...) {
        self.name = name
        self.steps = steps
    }

    /// Stands in a field for a date so many seconds from the case's start, which `steps(from:)` puts in its place.
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
        /// How often the origin is asked, through either source.
        var asked = 0
        /// Whether the origin is asked in the background, after the answer.
        var refreshes = false
        /// Whether the origin refuses connections.
        var isDead = false

        /// The origin is asked once, and answers so.
        static func asks(_ answer: ScriptedAnswer, after: Int64 = 0, with request: String...) -> Step {
            Step(request: request, answer: answer, after: after, asked: 1)
        }

        /// The origin is not asked; it would answer so once more.
        static func remembered(_ answer: ScriptedAnswer, after: Int64 = 0) -> Step {
            Step(answer: answer, after: after)
        }

        /// The origin is not asked; it would answer with the second picture.
        static func stored(after: Int64 = 0, with request: String...) -> Step {
            Step(request: request, answer: .changed("Cache-Control: max-age=60"), after: after)
        }
    }

    /// An aspect of a step.
    struct Place: Hashable, Sendable {
        let step: Int
        let aspect: ToldAnswer.Aspect
    }

    /// Why the two sources differ.
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
                precondition(old == nil, "\(name) says twice why step \(step) differs in \(aspect)")
            }
        }
        return test
    }
}

extension [ToldAnswer.Aspect] {
    /// Whether and why the origin was asked.
    static let way: [ToldAnswer.Aspect] = [.asked, .way, .forwardedStatus, .detail]
    /// What a failure brings.
    static let document: [ToldAnswer.Aspect] = [.cacheControl, .content]
    static let storage: [ToldAnswer.Aspect] = [.memory, .disk]
}
