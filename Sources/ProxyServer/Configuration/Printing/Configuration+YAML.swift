extension Configuration {
    /// The effective configuration as a file would say it, secrets redacted.
    var yaml: String { YAMLValue(table: ConfigurationSchema.root, root: self).document }
}
