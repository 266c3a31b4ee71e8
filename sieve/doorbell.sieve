# Doorbell for Sieve: rings for mail that goes to INBOX, just before it is saved there.
#
# doorbell.conf beside this file has it run after the user's own script, and only if that keeps the mail: what is filed
# elsewhere, discarded or forwarded never comes here. dovecot/doorbell.lua is the better one: it rings for every
# folder, afterwards, and knows the uid.

require ["copy", "environment", "variables", "vnd.dovecot.environment", "vnd.dovecot.pipe"];

# Whose mail it is.
if environment :matches "vnd.dovecot.username" "*" {
    set "user" "${1}";
}

# `:copy` lets the mail go where it goes; with `:try` a program that fails, or isn't there, is none of its affairs.
pipe :copy :try "doorbell-ring" ["${user}", "INBOX"];
