extension CacheControl {
    /// Parses a field value, with several fields joined by commas; never fails, since a cache must cope with any value.
    ///
    /// Of repeated directives the first counts (RFC 9111 §4.2.1). Arguments may be tokens or quoted strings, whatever the
    /// directive's own syntax is (RFC 9111 §5.2).
    package init(_ text: String) {
        self.init(text.utf8Span.span)
    }

    /// As `init(_:)`, from the field value's bytes.
    package init(_ bytes: Span<UInt8>) {
        var position = 0
        FieldSyntax.skipListSeparators(bytes, &position)
        while position < bytes.count {
            if let name = FieldSyntax.token(bytes, &position) {
                let argument = CacheControl.argument(bytes, &position)
                take(bytes, name, argument)
            }
            FieldSyntax.skipToComma(bytes, &position)
            FieldSyntax.skipListSeparators(bytes, &position)
        }
    }

    /// The argument of a directive.
    private enum Argument {
        case none
        /// The range of a token, or of a quoted string without its quotes.
        case value(Range<Int>)
        /// Neither, or followed by something else.
        case malformed
    }

    /// Parses `=value` up to the end of the member.
    ///
    /// An unclosed quote does not hide the directives after it: the member then ends at the next comma.
    private static func argument(_ bytes: Span<UInt8>, _ position: inout Int) -> Argument {
        var argument = Argument.none
        if position < bytes.count, bytes[position] == UInt8(ascii: "=") {
            position += 1
            if let quoted = FieldSyntax.quotedString(bytes, &position) {
                argument = .value(quoted)
            } else if let token = FieldSyntax.token(bytes, &position) {
                argument = .value(token)
            } else {
                return .malformed
            }
        }
        FieldSyntax.skipWhitespace(bytes, &position)
        return position == bytes.count || bytes[position] == UInt8(ascii: ",") ? argument : .malformed
    }

    private mutating func take(_ bytes: Span<UInt8>, _ name: Range<Int>, _ argument: Argument) {
        func named(_ lowercase: StaticString) -> Bool { FieldSyntax.equals(bytes, name, lowercase) }
        func seconds() -> Int64 { CacheControl.seconds(bytes, argument) }
        if named("max-age") {
            maxAge = maxAge ?? seconds()
        } else if named("s-maxage") {
            sMaxAge = sMaxAge ?? seconds()
        } else if named("stale-while-revalidate") {
            staleWhileRevalidate = staleWhileRevalidate ?? seconds()
        } else if named("stale-if-error") {
            staleIfError = staleIfError ?? seconds()
        } else if named("min-fresh") {
            minFresh = minFresh ?? seconds()
        } else if named("max-stale") {
            if case .none = argument { maxStale = maxStale ?? .max } else { maxStale = maxStale ?? seconds() }
        } else if named("no-cache") {
            noCache = CacheControl.merged(noCache, CacheControl.qualified(bytes, argument))
        } else if named("private") {
            self.private = CacheControl.merged(self.private, CacheControl.qualified(bytes, argument))
        } else {
            takeFlag(bytes, name)
        }
    }

    /// Handles a directive without an argument; if there is one, it is ignored.
    private mutating func takeFlag(_ bytes: Span<UInt8>, _ name: Range<Int>) {
        func named(_ lowercase: StaticString) -> Bool { FieldSyntax.equals(bytes, name, lowercase) }
        if named("no-store") {
            noStore = true
        } else if named("public") {
            self.public = true
        } else if named("must-revalidate") {
            mustRevalidate = true
        } else if named("proxy-revalidate") {
            proxyRevalidate = true
        } else if named("must-understand") {
            mustUnderstand = true
        } else if named("no-transform") {
            noTransform = true
        } else if named("immutable") {
            immutable = true
        } else if named("only-if-cached") {
            onlyIfCached = true
        } else if named("retry-failed") {
            retryFailed = true
        } else if named("wait-store") {
            waitStore = true
        }
    }

    /// RFC 9111 §4.2.1: an invalid number of seconds counts as stale.
    private static func seconds(_ bytes: Span<UInt8>, _ argument: Argument) -> Int64 {
        guard case .value(let range) = argument else { return 0 }
        return FieldSyntax.number(bytes, range, ceiling: ceiling) ?? 0
    }

    private static func qualified(_ bytes: Span<UInt8>, _ argument: Argument) -> Qualified {
        guard case .value(let range) = argument else { return .whole }
        return qualified(by: bytes.extracting(range))
    }

    /// A directive qualified by a list of field names; an invalid list means the whole response.
    static func qualified(by list: Span<UInt8>) -> Qualified {
        var names: [String] = []
        var position = 0
        FieldSyntax.skipListSeparators(list, &position)
        while position < list.count {
            guard let name = FieldSyntax.token(list, &position) else { return .whole }
            FieldSyntax.skipWhitespace(list, &position)
            guard position == list.count || list[position] == UInt8(ascii: ",") else { return .whole }
            names.append(FieldSyntax.lowercased(list, name))
            FieldSyntax.skipListSeparators(list, &position)
        }
        return names.isEmpty ? .whole : .fields(names)
    }

    /// Combines two occurrences of a directive: the more restrictive one counts (RFC 9111 §4.2.1).
    private static func merged(_ first: Qualified, _ second: Qualified) -> Qualified {
        switch (first, second) {
        case (.absent, let other), (let other, .absent): other
        case (.whole, _), (_, .whole): .whole
        case (.fields(let names), .fields(let more)): .fields(names + more.filter { !names.contains($0) })
        }
    }
}
