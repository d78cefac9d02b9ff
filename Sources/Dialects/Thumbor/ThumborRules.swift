/// What differs between thumbor and imagor, which has thumbor's paths.
package enum ThumborRules: Sendable {
    case thumbor
    case imagor

    /// The scheme of an image's address that has none: that of the default loader.
    var scheme: String { self == .thumbor ? "http" : "https" }

    /// The filters by name.
    var filters: [String: ThumborFilter.Meaning] { self == .thumbor ? ThumborFilter.thumbor : ThumborFilter.imagor }

    /// Our gravity for `smart`: thumbor detects faces and features, imagor asks libvips.
    var smartGravity: String { self == .thumbor ? "subject" : "attention" }
}
