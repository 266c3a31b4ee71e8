/// What `--version` says; the hook has this file by a link.
public enum Version {
    /// The release, as in CHANGELOG.md.
    public static let text: StaticString = "0.1.0"
}
