import LinuxSystem
import TestSupport

/// An origin whose images change from time to time, and which answers validations of unchanged ones with 304.
final class CrashOrigin: Sendable {
    static let pictures = 12
    /// The number of successive contents of an image.
    static let versions = 3

    private let current = Lock([Int](repeating: 0, count: pictures))
    private let bodies: [[[UInt8]]]

    init() {
        bodies = (0..<Self.pictures).map { number in
            (0..<Self.versions).map { Self.picture(number, $0) }
        }
    }

    /// An image that differs from all others.
    private static func picture(_ number: Int, _ version: Int) -> [UInt8] {
        let (width, height) = (48 + number * 8, 40)
        var pixels: [UInt8] = []
        for row in 0..<height {
            for column in 0..<width {
                pixels += [
                    UInt8(truncatingIfNeeded: row * 5 + number * 19), UInt8(truncatingIfNeeded: column * 3),
                    UInt8(version * 80), 255,
                ]
            }
        }
        return TestImages.png(width: width, height: height, rgba: pixels)
    }

    /// The possible contents of an image.
    func contents(of number: Int) -> [[UInt8]] { bodies[number] }

    /// Changes an image.
    func change(_ number: Int) {
        current.withLock { $0[number] = ($0[number] + 1) % Self.versions }
    }

    var script: ScriptedOrigin.Script {
        { [self] request, connection in
            let digits = request.target.dropFirst(2).prefix { $0.isNumber }
            guard let number = Int(digits), number < Self.pictures else {
                connection.respond("404 Not Found", text: "no")
                return
            }
            let version = current.withLock { $0[number] }
            let tag = "\"\(number)-\(version)\""
            // Fresh for a second, so that most requests of a run cause validations.
            let fields = ["ETag: \(tag)", "Cache-Control: max-age=\(number % 3)"]
            if request.head.contains(tag) {
                connection.respond("304 Not Modified", fields)
            } else {
                connection.respond("200 OK", fields, body: bodies[number][version])
            }
        }
    }
}
