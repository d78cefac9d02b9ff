import Testing

extension ConformanceTests {
    @Test(arguments: CacheRig.Kind.allCases)
    func `interim responses are forwarded and never stored`(kind: CacheRig.Kind) throws {
        typealias Interim = CacheCase.Step.InterimLine
        let fresh = "Cache-Control: max-age=60"
        let hints = Interim(status: "103 Early Hints", field: "Link: </styles.css>; rel=preload; as=style")
        try run(
            through: kind,
            [
                CacheCase("102", .first(fresh).after(Interim(status: "102 Processing")), .hit()),
                CacheCase("103", .first(fresh).after(hints), .hit(lacks: ["Link"])),
                CacheCase(
                    "103 twice",
                    .first(fresh).after(hints, Interim(status: "103 Early Hints", field: "Link: </b>")),
                    .hit(lacks: ["Link"])
                ),
                CacheCase(
                    "no-store in a 103",
                    .first(fresh).after(Interim(status: "103 Early Hints", field: "Cache-Control: no-store")),
                    .hit()
                ),
                CacheCase(
                    "freshness in a 103",
                    .first().after(Interim(status: "103 Early Hints", field: fresh)),
                    .miss().after(Interim(status: "103 Early Hints", field: fresh))
                ),
                CacheCase(
                    "103 before a 304",
                    .first(fresh, "Age: 90", "ETag: \"a\""),
                    .confirmed(answer: [fresh, "ETag: \"a\""]).after(hints),
                    .hit(lacks: ["Link"])
                ),
            ]
        )
    }
}
