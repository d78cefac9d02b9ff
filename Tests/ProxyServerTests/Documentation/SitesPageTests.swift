import Testing

@testable import ProxyServer

/// The page 'Sites' says which keys a site has.
@Suite(.timeLimit(.minutes(1)))
struct SitesPageTests {
    private func names(in cell: String) -> Set<String> {
        let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
        return Set(parts.indices.filter { !$0.isMultiple(of: 2) }.map { String(parts[$0]) })
    }

    /// The keys, or the sections that contain them.
    private func sections(_ keys: some Sequence<String>) -> Set<String> {
        Set(keys.map { key in String(key.prefix { $0 != "." }) })
    }

    @Test func `names the keys of a site, and which of them it inherits`() throws {
        let page = "Sources/ProxyServer/ProxyServer.docc/Sites.md"
        let rows = try MarkdownTable(in: page, below: "## What sites share, and what they do not").rows
        try #require(rows.count == 4)
        let inherited = sections(InheritedSetting.all.map(\.top.name))
        let all = sections(SiteSchema.table.settings.map(\.name))
        #expect(names(in: rows[0][0]) == all.subtracting(inherited).subtracting(["hosts", "prefix"]))
        #expect(names(in: rows[1][0]) == inherited)
        #expect(rows[2][0] == "`rules`")
    }
}
