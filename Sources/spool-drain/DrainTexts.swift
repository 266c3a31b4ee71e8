internal import Posix
internal import Settings

/// What the program says of itself.
enum DrainTexts {
    static let version = "spool-drain \(Version.text)\n"

    static let help = """
        usage: spool-drain [--config FILE] [--once]

        Moves the entries of the spool to the queue, as they come.

          --config FILE  read this configuration instead of \(Configuration.defaultPath)
          --once         move what is there and end, for cron and for trying out
          --help         print this
          --version      print the version

        SIGTERM ends it within two seconds. Restart it after a change of the configuration.

        """
}
