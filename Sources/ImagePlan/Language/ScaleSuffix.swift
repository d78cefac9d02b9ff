/// The ratio of pixels in a file's name, such as `cat@2x.jpg` (SDWebImage: `SDImageScaleFactorForKey`).
package enum ScaleSuffix {
    /// Splits a path whose file name has `@2x` or `@3x` before its extension, also percent-encoded.
    ///
    /// - Returns: the path without the suffix, and the ratio; `nil` if the name has none.
    package static func split(_ path: RequestPath) -> (path: RequestPath, ratio: Int)? {
        guard let name = path.rawSegments.last, let dot = name.lastIndex(of: ".") else { return nil }
        for ratio in 2...3 {
            for suffix in ["@\(ratio)x", "%40\(ratio)x"] where name[..<dot].hasSuffix(suffix) {
                let stem = name[..<dot].dropLast(suffix.count)
                guard !stem.isEmpty else { return nil }
                let raw = path.rawSegments.dropLast() + [String(stem + name[dot...])]
                let plain = try? RequestPath.parse("/\(path.source)/\(raw.joined(separator: "/"))")
                return plain.map { ($0, ratio) }
            }
        }
        return nil
    }
}
