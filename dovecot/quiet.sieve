# Doorbell for Dovecot: tells doorbell.lua what the header says a mail is, by keywords that the mail keeps. quiet.conf
# beside this file has it run before each user's own script.
#
# Each keyword that begins with `Doorbell-` becomes a mark; the configuration's `quiet.kinds` says which of them ring.

require "imap4flags";

# By a script of one's own too: addflag "Doorbell-asked";
if header :is "X-Doorbell" "no" {
    addflag "Doorbell-asked";
}
if header :is ["X-Spam-Flag", "X-Spam"] "yes" {
    addflag "Doorbell-spam";
}
# The envelope isn't asked: a dovecot-lda that wasn't told its sender says that there is none.
if anyof (header :is "Return-Path" "<>", header :matches "Content-Type" ["multipart/report", "multipart/report;*"]) {
    addflag "Doorbell-bounce";
}
if exists "TLS-Report-Domain" {
    addflag "Doorbell-report";
}
if exists "List-Id" {
    addflag "Doorbell-list";
}
if anyof (header :is "Precedence" ["bulk", "list", "junk"],
          allof (exists "Auto-Submitted", not header :matches "Auto-Submitted" ["no", "no;*"])) {
    addflag "Doorbell-bulk";
}
