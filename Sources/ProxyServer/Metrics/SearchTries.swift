/// How many encodes a search for a quality took.
enum SearchTries: Int, MetricLabel {
    case one = 1
    case two, three, four, five, six, seven

    static let name = "tries"
    var value: String { "\(rawValue)" }
    var index: Int { rawValue }
}
