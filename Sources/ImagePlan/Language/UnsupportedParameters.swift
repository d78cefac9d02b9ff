/// The language's parameters that this version does not know: refused by name, and reserved against forwarding.
///
/// Steps and settings are looked up before this list: a name may stay here when its step is registered.
package enum UnsupportedParameters {
    package static let names: Set<String> = [
        "frame", "page", "anim", "strict", "speed", "loop", "reverse",
    ]
}
