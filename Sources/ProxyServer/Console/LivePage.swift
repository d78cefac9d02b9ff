import AdminPages

/// The *Live* page.
struct LivePage {
    let reading: LiveReading
    var notice: Notices.Notice?
    /// The path that the reader asked to have explained; empty for none.
    var path = ""
    var explanation: String?
    var canSignOut = false

    /// The document.
    var text: String {
        AdminPages.page(
            title: "Live",
            current: "/",
            body: body.text,
            scripts: ["live.js"],
            canSignOut: canSignOut
        )
    }

    private var body: HTML {
        let fragments = Dictionary(LiveFragments(reading: reading).all.map { ($0.id, $0.html) }) { first, _ in first }
        func part(_ id: String) -> HTML { fragments[id] ?? "" }
        return """
            <div class="title"><h1>Live</h1>\(version)<button id="pause" class="quiet" hidden aria-pressed="false">Pause</button></div>
            \(notices)
            <div class="panel strip"><div id="status">\(part("status"))</div>\
            <canvas id="rate" class="spark" hidden role="img" aria-label="Requests per second, last two minutes"></canvas></div>
            <div class="grid">
            \(answers(part("answers")))
            \(queues(part("queues")))
            \(workers(part("lanes")))
            \(requests(part("recent"), part("slowest"), part("failed")))
            \(pictures(part("pictures")))
            \(stored(part("tiers"), part("stored")))
            \(failures(part("failures")))
            \(sources(part("sources"), warm: part("warm")))
            \(LiveForms.purge)
            \(LiveForms.warm)
            \(LiveForms.explain(path, explanation))
            </div>
            """
    }

    private var version: HTML {
        "<span class=\"muted\">Edgeprint \(reading.statistics.version)</span><span id=\"connection\" class=\"muted\"></span>"
    }

    /// Where results of forms are shown; empty at first, so that a screen reader announces what is added.
    private var notices: HTML {
        let shown = notice.map { notice -> HTML in
            notice.isError ? "<p class=\"notice bad\">\(notice.text)</p>" : "<p class=\"notice\">\(notice.text)</p>"
        }
        return "<div id=\"notice\" role=\"status\" tabindex=\"-1\">\(shown ?? "")</div>"
    }

    private func answers(_ rows: HTML) -> HTML {
        """
        <section class="panel wide" aria-labelledby="h-answers"><h2 id="h-answers">Answers by tier</h2>
        <canvas id="ribbon" class="ribbon" hidden role="img" \
        aria-label="Answers per second by tier, last two minutes; the table has the totals"></canvas>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="h-answers"><table><thead><tr><th scope="col">Result</th><th scope="col">Count</th>\
        <th scope="col">Share</th><th scope="col" title="Of the sampled requests">p50</th>\
        <th scope="col" title="Of the sampled requests">p99</th></tr></thead>
        <tbody id="answers" class="numbers">\(rows)</tbody></table></div></section>
        """
    }

    private func queues(_ rows: HTML) -> HTML {
        """
        <section class="panel third" aria-labelledby="h-queues"><h2 id="h-queues">Queues</h2>
        <canvas id="queue" class="spark" hidden role="img" aria-label="Queued transforms in milliseconds, last two minutes"></canvas>
        <table><thead class="sr"><tr><th scope="col">Queue</th><th scope="col">Load</th><th scope="col">Time</th></tr></thead>
        <tbody id="queues" class="last">\(rows)</tbody></table></section>
        """
    }

    private func workers(_ rows: HTML) -> HTML {
        """
        <section class="panel full" aria-labelledby="h-workers"><h2 id="h-workers">Workers</h2>
        <canvas id="timeline" class="timeline" hidden role="img" \
        aria-label="Jobs of each worker in the last 30 seconds; the table has the latest"></canvas>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="h-workers"><table><thead><tr><th scope="col">Slot</th><th scope="col">State</th>\
        <th scope="col">Job</th><th scope="col">Time</th><th scope="col">Jobs</th><th scope="col">Memory</th></tr></thead>
        <tbody id="lanes" class="from3">\(rows)</tbody></table></div></section>
        """
    }

    private func requests(_ recent: HTML, _ slowest: HTML, _ failed: HTML) -> HTML {
        let lists: [(String, String, HTML)] = [
            ("recent", "Recent", recent), ("slowest", "Slowest of ten minutes", slowest), ("failed", "Failed", failed),
        ]
        let tables = lists.map { id, name, rows -> HTML in
            """
            <details name="requests"\(id == "recent" ? " open" : "")><summary>\(name)</summary>
            <div class="scroll" tabindex="0" role="group" aria-label="\(name)"><table><thead><tr><th scope="col">UTC</th><th scope="col">Request</th>\
            <th scope="col">Result</th><th scope="col">Status</th><th scope="col">Time</th><th scope="col">Stages</th>\
            <th scope="col">Sent</th></tr></thead><tbody id="\(id)" class="from4">\(rows)</tbody></table></div></details>

            """
        }
        let stages = ["fetch", "queue", "decode", "transform", "encode", "store"].map {
            "<li><i class=\"s-\($0)\"></i>\($0)</li>" as HTML
        }
        return """
            <section class="panel full" aria-labelledby="h-requests"><h2 id="h-requests">Requests</h2>
            <ul class="legend" aria-label="Stages">\(stages)</ul>
            \(tables)</section>
            """
    }

    private func pictures(_ rows: HTML) -> HTML {
        """
        <section class="panel" aria-labelledby="h-pictures"><h2 id="h-pictures">Top pictures</h2>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="h-pictures"><table><thead><tr><th scope="col">Picture</th>\
        <th scope="col">Share</th><th scope="col"><span class="sr">Relative to the first</span></th></tr></thead>
        <tbody id="pictures">\(rows)</tbody></table></div></section>
        """
    }

    private func stored(_ tiers: HTML, _ rows: HTML) -> HTML {
        """
        <section class="panel" aria-labelledby="h-stored"><h2 id="h-stored">Memory and disk by source</h2>
        <div id="tiers">\(tiers)</div>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="h-stored"><table><thead><tr><th scope="col">Source</th>\
        <th scope="col">Memory</th><th scope="col">Originals</th><th scope="col">Variants</th></tr></thead>
        <tbody id="stored" class="numbers">\(rows)</tbody></table></div></section>
        """
    }

    private func failures(_ rows: HTML) -> HTML {
        """
        <section class="panel full" aria-labelledby="h-failures"><div class="title"><h2 id="h-failures">Remembered failures</h2>\
        \(LiveForms.button("forget", "Clear all", [:], key: "forget-all"))</div>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="h-failures"><table><thead><tr><th scope="col">Original</th>\
        <th scope="col">Class</th><th scope="col">Status</th><th scope="col">Reason</th><th scope="col">Tries</th>\
        <th scope="col">Next</th><th scope="col"><span class="sr">Action</span></th></tr></thead>
        <tbody id="failures">\(rows)</tbody></table></div></section>
        """
    }

    private func sources(_ rows: HTML, warm: HTML) -> HTML {
        """
        <section class="panel" aria-labelledby="h-sources"><h2 id="h-sources">Sources</h2>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="h-sources"><table><thead><tr><th scope="col">Source</th>\
        <th scope="col">Origin</th><th scope="col"><span class="sr">Action</span></th></tr></thead>
        <tbody id="sources">\(rows)</tbody></table></div></section>
        <section class="panel" aria-labelledby="h-jobs"><h2 id="h-jobs">Warm jobs</h2>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="h-jobs"><table><thead><tr><th scope="col">Job</th>\
        <th scope="col">State</th><th scope="col">Progress</th><th scope="col">Targets</th><th scope="col">Failed</th>\
        <th scope="col"><span class="sr">Action</span></th></tr></thead>
        <tbody id="warm">\(warm)</tbody></table></div></section>
        """
    }
}
