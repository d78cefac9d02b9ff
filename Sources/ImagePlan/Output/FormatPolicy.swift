/// Which formats a source reads and writes (`formats` in the configuration).
package struct FormatPolicy: Hashable, Sendable {
    /// The use of a format by a source.
    package enum Use: String, Hashable, Sendable, CaseIterable {
        case on
        case off
        /// Originals may have the format, but results may not.
        case read
        /// Results may have the format, but originals may not.
        case write

        package var reads: Bool { self == .on || self == .read }
        package var writes: Bool { self == .on || self == .write }
    }

    private var uses: [ImageFormat: Use] = [:]

    /// Creates the defaults: every format except PDF is on.
    package init() {}

    /// The formats with a setting: compressed SVG shares that of SVG.
    package static let formats = ImageFormat.allCases.filter { $0 != .svgz }

    /// The formats that have an encoder; the others are only read.
    package static let writable: Set<ImageFormat> = [.jpeg, .png, .gif, .webp, .avif, .tiff, .jxl]

    /// The formats with an encoder that browsers show, at least some of them: TIFF is written by name only.
    package static let shown = writable.subtracting([.tiff])

    /// The use of a format.
    package subscript(format: ImageFormat) -> Use {
        get { uses[Self.setting(of: format)] ?? Self.standard(format) }
        set {
            let format = Self.setting(of: format)
            uses[format] = newValue == Self.standard(format) ? nil : newValue
        }
    }

    private static func setting(of format: ImageFormat) -> ImageFormat { format == .svgz ? .svg : format }
    private static func standard(_ format: ImageFormat) -> Use { format == .pdf ? .off : .on }

    /// The formats that results may not have.
    package var unwritten: Set<ImageFormat> { Set(uses.filter { !$0.value.writes }.keys) }

    /// Whether every format that another policy reads is read.
    package func readsAll(of other: FormatPolicy) -> Bool {
        Self.formats.allSatisfy { self[$0].reads || !other[$0].reads }
    }

    /// Whether every format that another policy writes is written.
    package func writesAll(of other: FormatPolicy) -> Bool {
        Self.formats.allSatisfy { self[$0].writes || !other[$0].writes }
    }

    /// The canonical text for cache keys: the formats that are not written, which changes what `format=auto` chooses.
    package var keyText: String {
        let names = unwritten.map { "\($0)" }.sorted()
        return names.isEmpty ? "" : "unwritten=" + names.joined(separator: ",")
    }
}
