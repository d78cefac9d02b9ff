import AdminPages

/// The forms of the *Live* page, which work with and without scripts.
enum LiveForms {
    /// A form that is only a button.
    ///
    /// - Parameters:
    ///   - action: the name of the form's route.
    ///   - name: the text of the button.
    ///   - fields: the hidden fields.
    ///   - key: identifies the button on the page, so that it keeps the focus when a script replaces its row.
    ///   - label: what the button does, if its text alone does not say so.
    static func button(
        _ action: String,
        _ name: String,
        _ fields: KeyValuePairs<String, String>,
        key: String,
        label: String = ""
    ) -> HTML {
        let hidden = fields.map { "<input type=\"hidden\" name=\"\($0)\" value=\"\($1)\">" as HTML }
        let meaning: HTML = label.isEmpty ? "" : " aria-label=\"\(label)\""
        return """
            <form method="post" action="/actions/\(action)" data-form>\(hidden)\
            <button class="small" data-key="\(key)"\(meaning)>\(name)</button></form>
            """
    }

    /// The form that purges.
    static let purge: HTML = {
        let selections = FormRoute.selections.map { "<option value=\"\($0.0)\">\($0.1)</option>" as HTML }
        return """
            <section class="panel" aria-labelledby="h-purge"><h2 id="h-purge">Purge</h2>
            <form method="post" action="/actions/purge" data-form>
            <p><label for="what">What</label><select id="what" name="what">\(selections)</select></p>
            <p><label for="value">Value</label><input id="value" name="value" autocomplete="off" spellcheck="false" \
            placeholder="/photos/cat.jpg"></p>
            <p><label for="tier">From</label><select id="tier" name="tier"><option value="">all tiers</option>\
            <option value="memory">memory only</option><option value="disk">disk only</option></select></p>
            <p class="check"><label><input type="checkbox" name="soft" value="1"> Only mark as stale</label></p>
            <p class="buttons"><button name="dry" value="1">Count</button><button class="main">Purge</button></p>
            </form></section>
            """
    }()

    /// The form that starts a warm job.
    static let warm: HTML = """
        <section class="panel" aria-labelledby="h-warm"><h2 id="h-warm">Warm</h2>
        <form method="post" action="/actions/warm" data-form>
        <p><label for="urls">Paths or URLs, one in each line</label>\
        <textarea id="urls" name="urls" rows="3" spellcheck="false" required placeholder="/photos/cat.jpg?w=640"></textarea></p>
        <p><label for="presets">Presets</label><input id="presets" name="presets" autocomplete="off" spellcheck="false"></p>
        <p><label for="formats">Formats</label><input id="formats" name="formats" autocomplete="off" spellcheck="false" \
        placeholder="avif, webp"></p>
        <p class="buttons"><button class="main">Warm</button></p>
        </form></section>
        """

    /// The form that explains how a request is resolved, by which rules.
    ///
    /// - Parameters:
    ///   - path: the path that was asked for; empty for none.
    ///   - explanation: the result.
    static func explain(_ path: String, _ explanation: String?) -> HTML {
        let result = explanation ?? ""
        let hidden: HTML = result.isEmpty ? " hidden" : ""
        return """
            <section class="panel" aria-labelledby="h-explain"><h2 id="h-explain">Explain</h2>
            <form method="get" action="/#explained" id="explain">
            <p><label for="explain-path">Path of a request</label><input id="explain-path" name="explain" value="\(path)" \
            required autocomplete="off" spellcheck="false" placeholder="/photos/cat.jpg?w=640"></p>
            <p class="buttons"><button class="main">Explain</button></p>
            </form>
            <pre id="explained" tabindex="0"\(hidden)>\(result)</pre></section>
            """
    }
}
