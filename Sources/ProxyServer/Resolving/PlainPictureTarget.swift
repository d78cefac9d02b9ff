import ImagePlan

/// The request of a plain image, `/placeholder/WIDTHxHEIGHT/COLOUR.FORMAT`.
struct PlainPictureTarget: Sendable {
    /// The first segment of the path, which no source can have as its name.
    static let name = "placeholder"
    static let prefix = Array("/\(name)/".utf8)
    private static let standardColor = "e0e0e0"
    private static let form = "use /\(name)/WIDTHxHEIGHT/COLOUR.FORMAT, such as /\(name)/300x200/ff8800.png"

    var picture: PlainPicture
    /// `nil` if the path names none.
    var format: PlainPicture.Format?
    /// The seconds until the request expires; `nil` for never.
    var secondsLeft: Int64?

    /// Checks the query and the signature, and parses the path.
    init(_ target: [UInt8], by resolver: RequestResolver, longest: Int, now: Int64) throws(Problem) {
        let parts = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let path = Array(parts[0])
        guard longest > 0 else {
            throw Problem(404, "Plain images are not served here (placeholders.largest is 0).")
        }
        let query: ParsedQuery
        do throws(RequestError) {
            query = try RequestLanguage.parse(
                query: parts.count > 1 ? Array(parts[1]) : [],
                options: ParseOptions()
            )
        } catch {
            throw Problem(error)
        }
        guard query.isBare else { throw Problem(400, "A plain image takes no parameters; \(Self.form).") }
        try resolver.permission?.check(query, path: path)
        if let expires = query.expires, expires <= now { throw ExpiringAnswer.refusal }
        try self.init(path.dropFirst(Self.prefix.count), longest: longest)
        secondsLeft = query.expires.map { $0 - now }
    }

    private init(_ path: ArraySlice<UInt8>, longest: Int) throws(Problem) {
        var parts = String(decoding: path, as: UTF8.self).split(separator: "/", omittingEmptySubsequences: false)
        if let last = parts.last, let dot = last.lastIndex(of: ".") {
            format = try Self.format(last[last.index(after: dot)...])
            parts[parts.count - 1] = last[..<dot]
        }
        guard (1...2).contains(parts.count) else { throw Self.problem("has the wrong number of segments") }
        let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1],
            (1...longest).contains(width), (1...longest).contains(height)
        else { throw Self.problem("must begin with sides from 1 to \(longest) (placeholders.largest)") }
        let color: Color
        do throws(RequestError) {
            color = try Color(parsing: Parameter("path", parts.count == 2 ? String(parts[1]) : Self.standardColor))
        } catch {
            throw Problem(error)
        }
        picture = PlainPicture(size: PixelSize(width: width, height: height), color: color)
    }

    private static func format(_ text: Substring) throws(Problem) -> PlainPicture.Format {
        if text == "jpg" { return .jpeg }
        if let format = PlainPicture.Format(rawValue: String(text)) { return format }
        let names = PlainPicture.Format.allCases.map(\.rawValue)
        let hint = NearestName.hint(String(text.prefix(16)), among: names)
        throw problem("must end with .png, .webp, .jpeg or .jpg\(hint)")
    }

    private static func problem(_ what: String) -> Problem {
        Problem(400, "path: \(what); \(form).", parameter: "path")
    }

    /// Whether a target below the prefix of its site names a plain image.
    static func takes(_ target: some Collection<UInt8>, in table: SourceTable) -> Bool {
        // All paths of a site with a dialect are the other server's.
        table.dialect == nil && target.starts(with: prefix)
    }

    /// The refusal of a target of such an image, or `nil` if its image is served.
    static func refusal(of target: [UInt8], by resolver: RequestResolver, longest: Int, now: Int64) -> Problem? {
        do throws(Problem) {
            _ = try PlainPictureTarget(target, by: resolver, longest: longest, now: now)
            return nil
        } catch {
            return error
        }
    }
}
