-- Doorbell for Dovecot: rings once a mail is saved, for the folder and the uid under which it was.
--
-- Dovecot calls it for what its LMTP and its LDA deliver; lua.conf beside this file turns it on. It runs inside
-- Dovecot, as the user whose mail it is, writes one small file and executes nothing. Whatever goes wrong is one line in
-- Dovecot's log, and never the mail's affair.
--
-- Lua can't flush a file. An entry is whole from the moment it has its name, but until spool-drain has taken it, which
-- is milliseconds while that runs, a power cut may take it: the mail is there, its wake isn't.

-- Where entries go. It needs the default access list that `make directories` sets, since Lua can't set a file's mode.
local new = "/var/spool/doorbell/new"

-- A name of at most so many bytes: UTF-8 without a control character, U+0080 to U+009F included.
local function is_name(text, limit)
    return type(text) == "string" and #text >= 1 and #text <= limit and utf8.len(text) ~= nil
        and not text:find("[\0-\31\127]") and not text:find("\194[\128-\159]")
end

-- A string of JSON; without control characters, only these two need an escape.
local function quoted(text)
    return '"' .. text:gsub('["\\]', "\\%0") .. '"'
end

-- What the mail is besides mail from somebody, with commas between. Of the header Dovecot tells little and of the
-- envelope nothing, so a Sieve script such as quiet.sieve says the rest by keywords: `Doorbell-list` is the mark `list`.
local function marks(mail)
    local found = {}
    if (mail.from_address or ""):lower():find("^mailer%-daemon@") then table.insert(found, "bounce") end
    local subject = (mail.subject or ""):lower():gsub("^%[preview%] ", "")
    if subject:find("^report domain:") then table.insert(found, "report") end
    for _, keyword in ipairs(mail.keywords or {}) do table.insert(found, keyword:match("^Doorbell%-(%l+)$")) end
    return table.concat(found, ",")
end

-- Whom the header says it was sent to.
local function recipient(mail)
    local address = mail.to_address or ""
    return #address <= 254 and not address:find('[^\33-\126]') and not address:find('["\\]') and address or ""
end

-- The entry of one mail: one JSON object and a newline, version 1 of the format in ARCHITECTURE.md.
local function entry(user, mail, at)
    assert(is_name(user, 256), "the user's name is not printable UTF-8")
    assert(is_name(mail.mailbox, 1000), "the folder's name is not printable UTF-8")
    local id = mail.message_id or ""
    if #id > 250 or id:find("[^\33-\126]") then id = "" end
    return string.format('{"v":1,"user":%s,"folder":%s,"uid":%d,"msg_id":%s,"at":%d,"uid_validity":%d,',
        quoted(user), quoted(mail.mailbox), mail.uid, quoted(id), at, mail.uid_validity)
        .. string.format('"marks":"%s","recipient":"%s"}\n', marks(mail), recipient(mail))
end

-- A name that nobody can guess: who guesses one can look at the file, or take it first. It sorts by time, and within a
-- second, which is as well as Lua knows it, by uid.
local function entry_name(at, uid)
    local source = assert(io.open("/dev/urandom", "rb"))
    source:setvbuf("no")
    local random = source:read(8)
    source:close()
    local digits = random:gsub(".", function(byte) return string.format("%02x", byte:byte()) end)
    return string.format("%016d.%s", at + uid % 1000, digits)
end

-- Writes under a dot name, which the drain leaves alone, and gives the file its own name when it is whole.
local function publish(name, text)
    local temporary = new .. "/." .. name
    local file = assert(io.open(temporary, "wb"))
    local done, why = file:write(text)
    local closed, why_not_closed = file:close()
    if done and closed then done, why = os.rename(temporary, new .. "/" .. name) end
    if not (done and closed) then
        os.remove(temporary)
        error(why or why_not_closed, 0)
    end
end

local function ring(user, mail)
    local at = os.time() * 1000
    publish(entry_name(at, mail.uid), entry(user, mail, at))
end

function dovecot_lua_notify_begin_txn(user)
    return { user = user.username, mails = {} }
end

function dovecot_lua_notify_event_message_new(delivery, mail)
    table.insert(delivery.mails, mail)
end

-- By now the mails are saved, or given up.
function dovecot_lua_notify_end_txn(delivery, success)
    if not success then return end
    for _, mail in ipairs(delivery.mails) do
        local rung, why = pcall(ring, delivery.user, mail)
        if not rung then dovecot.i_error("doorbell: " .. tostring(why) .. "; this mail does not ring") end
    end
end
