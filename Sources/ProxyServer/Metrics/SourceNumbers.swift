import LinuxSystem

/// The numbers of sources, by which `AnswerTag` names them, from 1 in the order of their first configuration; any thread.
///
/// A source keeps its number until the daemon ends, also if a reload removes it, so that counters never change their meaning.
final class SourceNumbers: Sendable {
    private struct State {
        var names: [String] = []
        var numbers: [String: Int] = [:]
    }

    private let state = Lock(State())

    /// The number of a source; 0, as for no source, if `AnswerTag.largestSource` sources have one.
    func number(of name: String) -> Int {
        state.withLock { state in
            if let known = state.numbers[name] { return known }
            guard state.names.count < AnswerTag.largestSource else { return 0 }
            state.names.append(name)
            state.numbers[name] = state.names.count
            return state.names.count
        }
    }

    /// The name of the source with a number; `nil` for 0.
    func name(of number: Int) -> String? {
        state.withLock { $0.names.indices.contains(number - 1) ? $0.names[number - 1] : nil }
    }

    /// The names by number; the first has number 1.
    var names: [String] { state.withLock { $0.names } }
}
