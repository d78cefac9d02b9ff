/// How reading the configuration again ended.
enum ReloadResult: Int, MetricLabel {
    case applied, refused

    static let name = "result"
    var value: String { "\(self)" }
    var index: Int { rawValue }
}
