<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en">
<context>
    <name></name>
    <message numerus="yes">
        <source>%n tokens</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>draft %n tokens</source>
        <translation>
            <numerusform>draft %n token</numerusform>
            <numerusform>draft %n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n attachments</source>
        <translation>
            <numerusform>%n attachment</numerusform>
            <numerusform>%n attachments</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages</source>
        <translation>
            <numerusform>%n message</numerusform>
            <numerusform>%n messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n parts could not be read</source>
        <translation>
            <numerusform>%n part could not be read</numerusform>
            <numerusform>%n parts could not be read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n new messages</source>
        <translation>
            <numerusform>%n new message</numerusform>
            <numerusform>%n new messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages found</source>
        <translation>
            <numerusform>%n message found</numerusform>
            <numerusform>%n messages found</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n requests, of which no tokens were reported</source>
        <translation>
            <numerusform>%n request, of which no tokens were reported</numerusform>
            <numerusform>%n requests, of which no tokens were reported</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n requests</source>
        <translation>
            <numerusform>%n request</numerusform>
            <numerusform>%n requests</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{tokens} tokens freed by %n operations</source>
        <translation>
            <numerusform>{tokens} tokens freed by %n operation</numerusform>
            <numerusform>{tokens} tokens freed by %n operations</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Show %n empty categories</source>
        <translation>
            <numerusform>Show %n empty category</numerusform>
            <numerusform>Show %n empty categories</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{used} of %n memories</source>
        <translation>
            <numerusform>{used} of %n memory</numerusform>
            <numerusform>{used} of %n memories</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories</source>
        <translation>
            <numerusform>%n memory</numerusform>
            <numerusform>%n memories</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} memories</source>
        <translation>
            <numerusform>{count} memory</numerusform>
            <numerusform>{count} memories</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} messages</source>
        <translation>
            <numerusform>{count} message</numerusform>
            <numerusform>{count} messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n new</source>
        <translation>
            <numerusform>%n new</numerusform>
            <numerusform>%n new</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{tokens} tokens freed · %n tool results</source>
        <translation>
            <numerusform>{tokens} tokens freed · %n tool result</numerusform>
            <numerusform>{tokens} tokens freed · %n tool results</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{before} → {after} tokens · %n messages</source>
        <translation>
            <numerusform>{before} → {after} tokens · %n message</numerusform>
            <numerusform>{before} → {after} tokens · %n messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n duplicates removed</source>
        <translation>
            <numerusform>%n duplicate removed</numerusform>
            <numerusform>%n duplicates removed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n outdated</source>
        <translation>
            <numerusform>%n outdated</numerusform>
            <numerusform>%n outdated</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n inputs of failed calls cleared</source>
        <translation>
            <numerusform>%n input of a failed call cleared</numerusform>
            <numerusform>%n inputs of failed calls cleared</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n oversized, truncated</source>
        <translation>
            <numerusform>%n oversized, truncated</numerusform>
            <numerusform>%n oversized, truncated</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n trimmed</source>
        <translation>
            <numerusform>%n trimmed</numerusform>
            <numerusform>%n trimmed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n results summarized</source>
        <translation>
            <numerusform>%n result summarized</numerusform>
            <numerusform>%n results summarized</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n reduced to one line</source>
        <translation>
            <numerusform>%n reduced to one line</numerusform>
            <numerusform>%n reduced to one line</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{tokens} tokens in %n pinned messages</source>
        <translation>
            <numerusform>{tokens} tokens in %n pinned message</numerusform>
            <numerusform>{tokens} tokens in %n pinned messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tokens; the model’s context window is not known yet.</source>
        <translation>
            <numerusform>%n token; the model’s context window is not known yet.</numerusform>
            <numerusform>%n tokens; the model’s context window is not known yet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tokens above the window limit</source>
        <translation>
            <numerusform>%n token above the window limit</numerusform>
            <numerusform>%n tokens above the window limit</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tokens more than the window holds</source>
        <translation>
            <numerusform>%n token more than the window holds</numerusform>
            <numerusform>%n tokens more than the window holds</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Reserved for the reply: %n tokens</source>
        <translation>
            <numerusform>Reserved for the reply: %n token</numerusform>
            <numerusform>Reserved for the reply: %n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tokens.</source>
        <translation>
            <numerusform>%n token.</numerusform>
            <numerusform>%n tokens.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n replies</source>
        <translation>
            <numerusform>%n reply</numerusform>
            <numerusform>%n replies</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n operations</source>
        <translation>
            <numerusform>%n operation</numerusform>
            <numerusform>%n operations</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n summaries: {amount}</source>
        <translation>
            <numerusform>%n summary: {amount}</numerusform>
            <numerusform>%n summaries: {amount}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Old results shortened %n times: {amount}</source>
        <translation>
            <numerusform>Old results shortened once: {amount}</numerusform>
            <numerusform>Old results shortened %n times: {amount}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n results truncated: {amount}</source>
        <translation>
            <numerusform>%n result truncated: {amount}</numerusform>
            <numerusform>%n results truncated: {amount}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{share} of %n operations succeeded, {count} as intended</source>
        <translation>
            <numerusform>{share} of %n operation succeeded, {count} as intended</numerusform>
            <numerusform>{share} of %n operations succeeded, {count} as intended</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n conversations</source>
        <translation>
            <numerusform>%n conversation</numerusform>
            <numerusform>%n conversations</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Restore what was stored on {time}, %n conversations? Anything said since then leaves the list. The current state is kept as a copy, which then appears in the list above and can be restored as well.</source>
        <translation>
            <numerusform>Restore what was stored on {time}, %n conversation? Anything said since then leaves the list. The current state is kept as a copy, which then appears in the list above and can be restored as well.</numerusform>
            <numerusform>Restore what was stored on {time}, %n conversations? Anything said since then leaves the list. The current state is kept as a copy, which then appears in the list above and can be restored as well.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n deleted conversations with {messages} are erased for good.</source>
        <translation>
            <numerusform>%n deleted conversation with {messages} is erased for good.</numerusform>
            <numerusform>%n deleted conversations with {messages} are erased for good.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other items are removed.</source>
        <translation>
            <numerusform>%n other item is removed.</numerusform>
            <numerusform>%n other items are removed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n items are removed.</source>
        <translation>
            <numerusform>%n item is removed.</numerusform>
            <numerusform>%n items are removed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of them are still in backups or copies, the newest from {time}.</source>
        <translation>
            <numerusform>%n of them is still in backups or copies, the newest from {time}.</numerusform>
            <numerusform>%n of them are still in backups or copies, the newest from {time}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n earlier days in the CSV</source>
        <translation>
            <numerusform>%n earlier day in the CSV</numerusform>
            <numerusform>%n earlier days in the CSV</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n conversations deleted</source>
        <translation>
            <numerusform>%n conversation deleted</numerusform>
            <numerusform>%n conversations deleted</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n conversations archived</source>
        <translation>
            <numerusform>%n conversation archived</numerusform>
            <numerusform>%n conversations archived</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n conversations unarchived</source>
        <translation>
            <numerusform>%n conversation unarchived</numerusform>
            <numerusform>%n conversations unarchived</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n models are listed</source>
        <translation>
            <numerusform>%n model is listed</numerusform>
            <numerusform>%n models are listed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>It streams: the answer came in %n pieces</source>
        <translation>
            <numerusform>It streams: the answer came in %n piece</numerusform>
            <numerusform>It streams: the answer came in %n pieces</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{model} is describing %n images…</source>
        <translation>
            <numerusform>{model} is describing %n image…</numerusform>
            <numerusform>{model} is describing %n images…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages are in the context window again</source>
        <translation>
            <numerusform>%n message is in the context window again</numerusform>
            <numerusform>%n messages are in the context window again</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories removed</source>
        <translation>
            <numerusform>%n memory removed</numerusform>
            <numerusform>%n memories removed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories saved</source>
        <translation>
            <numerusform>%n memory saved</numerusform>
            <numerusform>%n memories saved</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Shortened %n tool results · {before} → {after} tokens</source>
        <translation>
            <numerusform>Shortened %n tool result · {before} → {after} tokens</numerusform>
            <numerusform>Shortened %n tool results · {before} → {after} tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n old tool results shortened</source>
        <translation>
            <numerusform>%n old tool result shortened</numerusform>
            <numerusform>%n old tool results shortened</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages in the summary</source>
        <translation>
            <numerusform>%n message in the summary</numerusform>
            <numerusform>%n messages in the summary</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>… and %n more messages</source>
        <translation>
            <numerusform>… and %n more message</numerusform>
            <numerusform>… and %n more messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages come along unchanged</source>
        <translation>
            <numerusform>%n message comes along unchanged</numerusform>
            <numerusform>%n messages come along unchanged</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages stay unchanged</source>
        <translation>
            <numerusform>%n message stays unchanged</numerusform>
            <numerusform>%n messages stay unchanged</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages left out</source>
        <translation>
            <numerusform>%n message left out</numerusform>
            <numerusform>%n messages left out</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages summarized</source>
        <translation>
            <numerusform>%n message summarized</numerusform>
            <numerusform>%n messages summarized</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pins stay word for word</source>
        <translation>
            <numerusform>%n pin stays word for word</numerusform>
            <numerusform>%n pins stay word for word</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rules stay word for word</source>
        <translation>
            <numerusform>%n rule stays word for word</numerusform>
            <numerusform>%n rules stay word for word</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pins</source>
        <translation>
            <numerusform>%n pin</numerusform>
            <numerusform>%n pins</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rules</source>
        <translation>
            <numerusform>%n rule</numerusform>
            <numerusform>%n rules</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rules do not fit</source>
        <translation>
            <numerusform>%n rule does not fit</numerusform>
            <numerusform>%n rules do not fit</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other facts do not fit</source>
        <translation>
            <numerusform>%n other fact does not fit</numerusform>
            <numerusform>%n other facts do not fit</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n facts do not fit</source>
        <translation>
            <numerusform>%n fact does not fit</numerusform>
            <numerusform>%n facts do not fit</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n facts are lost</source>
        <translation>
            <numerusform>%n fact is lost</numerusform>
            <numerusform>%n facts are lost</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Keep unchanged: %n messages</source>
        <translation>
            <numerusform>Keep unchanged: %n message</numerusform>
            <numerusform>Keep unchanged: %n messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Keep unchanged: the last %n tokens</source>
        <translation>
            <numerusform>Keep unchanged: the last %n token</numerusform>
            <numerusform>Keep unchanged: the last %n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{read} tokens to read, at most {written} to write, in %n requests</source>
        <translation>
            <numerusform>{read} tokens to read, at most {written} to write, in %n request</numerusform>
            <numerusform>{read} tokens to read, at most {written} to write, in %n requests</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>It would summarize %n messages now: {before} → {after} tokens.</source>
        <translation>
            <numerusform>It would summarize %n message now: {before} → {after} tokens.</numerusform>
            <numerusform>It would summarize %n messages now: {before} → {after} tokens.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>It would shorten %n messages now: {before} → {after} tokens.</source>
        <translation>
            <numerusform>It would shorten %n message now: {before} → {after} tokens.</numerusform>
            <numerusform>It would shorten %n messages now: {before} → {after} tokens.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n summaries</source>
        <translation>
            <numerusform>%n summary</numerusform>
            <numerusform>%n summaries</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n summaries under each</source>
        <translation>
            <numerusform>%n summary under each</numerusform>
            <numerusform>%n summaries under each</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n summaries instead of {before}</source>
        <translation>
            <numerusform>%n summary instead of {before}</numerusform>
            <numerusform>%n summaries instead of {before}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>In %n requests: {found}.</source>
        <translation>
            <numerusform>In %n request: {found}.</numerusform>
            <numerusform>In %n requests: {found}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more numbers</source>
        <translation>
            <numerusform>%n more number</numerusform>
            <numerusform>%n more numbers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more numbers, {changed} changed</source>
        <translation>
            <numerusform>%n more number, {changed} changed</numerusform>
            <numerusform>%n more numbers, {changed} changed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Differs from {policy} in %n numbers</source>
        <translation>
            <numerusform>Differs from {policy} in %n number</numerusform>
            <numerusform>Differs from {policy} in %n numbers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>used in %n conversations</source>
        <translation>
            <numerusform>used in %n conversation</numerusform>
            <numerusform>used in %n conversations</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rounds without a message from you. Continue?</source>
        <translation>
            <numerusform>%n round without a message from you. Continue?</numerusform>
            <numerusform>%n rounds without a message from you. Continue?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{tool} wants to do %n things</source>
        <translation>
            <numerusform>{tool} wants to do %n thing</numerusform>
            <numerusform>{tool} wants to do %n things</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The %n conversations of this project</source>
        <translation>
            <numerusform>The conversation of this project</numerusform>
            <numerusform>The %n conversations of this project</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All your conversations (%n)</source>
        <translation>
            <numerusform>All your conversations (%n)</numerusform>
            <numerusform>All your conversations (%n)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cached: %n tokens up to here were read from the provider’s cache</source>
        <translation>
            <numerusform>Cached: %n token up to here were read from the provider’s cache</numerusform>
            <numerusform>Cached: %n tokens up to here were read from the provider’s cache</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>stands for %n messages</source>
        <translation>
            <numerusform>stands for %n message</numerusform>
            <numerusform>stands for %n messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools</source>
        <translation>
            <numerusform>%n tool</numerusform>
            <numerusform>%n tools</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{before} → %n tokens</source>
        <translation>
            <numerusform>{before} → %n token</numerusform>
            <numerusform>{before} → %n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n parts of {all} are listed: the first and the newest</source>
        <translation>
            <numerusform>%n part of {all} is listed: the first and the newest</numerusform>
            <numerusform>%n parts of {all} are listed: the first and the newest</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n parts</source>
        <translation>
            <numerusform>%n part</numerusform>
            <numerusform>%n parts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{category}: {count} of %n parts</source>
        <translation>
            <numerusform>{category}: {count} of %n part</numerusform>
            <numerusform>{category}: {count} of %n parts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n results</source>
        <translation>
            <numerusform>%n result</numerusform>
            <numerusform>%n results</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The first %n results</source>
        <translation>
            <numerusform>The first result</numerusform>
            <numerusform>The first %n results</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n models</source>
        <translation>
            <numerusform>%n model</numerusform>
            <numerusform>%n models</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lines with “{query}”</source>
        <translation>
            <numerusform>%n line with “{query}”</numerusform>
            <numerusform>%n lines with “{query}”</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lines · {size}</source>
        <translation>
            <numerusform>%n line · {size}</numerusform>
            <numerusform>%n lines · {size}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>(%n more characters)</source>
        <translation>
            <numerusform>(%n more character)</numerusform>
            <numerusform>(%n more characters)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tokens in each request.</source>
        <translation>
            <numerusform>%n token in each request.</numerusform>
            <numerusform>%n tokens in each request.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{tokens} tokens in each request · {on} of %n tools on</source>
        <translation>
            <numerusform>{tokens} tokens in each request · {on} of %n tool on</numerusform>
            <numerusform>{tokens} tokens in each request · {on} of %n tools on</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools of {source} are no longer sent</source>
        <translation>
            <numerusform>%n tool of {source} is no longer sent</numerusform>
            <numerusform>%n tools of {source} are no longer sent</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>System prompt · %n tokens</source>
        <translation>
            <numerusform>System prompt · %n token</numerusform>
            <numerusform>System prompt · %n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Show all %n characters</source>
        <translation>
            <numerusform>Show all %n characters</numerusform>
            <numerusform>Show all %n characters</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Reasoning · %n words</source>
        <translation>
            <numerusform>Reasoning · %n word</numerusform>
            <numerusform>Reasoning · %n words</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Reasoning · at least %n words</source>
        <translation>
            <numerusform>Reasoning · at least %n word</numerusform>
            <numerusform>Reasoning · at least %n words</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages not loaded yet</source>
        <translation>
            <numerusform>%n message not loaded yet</numerusform>
            <numerusform>%n messages not loaded yet</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tool results shortened</source>
        <translation>
            <numerusform>%n tool result shortened</numerusform>
            <numerusform>%n tool results shortened</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Copied, without %n messages that are not loaded</source>
        <translation>
            <numerusform>Copied, without %n message that is not loaded</numerusform>
            <numerusform>Copied, without %n messages that are not loaded</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Show all %n lines</source>
        <translation>
            <numerusform>Show all %n lines</numerusform>
            <numerusform>Show all %n lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lines so far</source>
        <translation>
            <numerusform>%n line so far</numerusform>
            <numerusform>%n lines so far</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Show %n more lines</source>
        <translation>
            <numerusform>Show %n more line</numerusform>
            <numerusform>Show %n more lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>runs on this computer, with %n models</source>
        <translation>
            <numerusform>runs on this computer, with %n model</numerusform>
            <numerusform>runs on this computer, with %n models</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{name}: %n tokens</source>
        <translation>
            <numerusform>{name}: %n token</numerusform>
            <numerusform>{name}: %n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} of %n facts in the summary</source>
        <translation>
            <numerusform>{count} of %n fact in the summary</numerusform>
            <numerusform>{count} of %n facts in the summary</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} of %n facts lost</source>
        <translation>
            <numerusform>{count} of %n fact lost</numerusform>
            <numerusform>{count} of %n facts lost</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n in the summary</source>
        <translation>
            <numerusform>%n in the summary</numerusform>
            <numerusform>%n in the summary</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} of %n facts word for word</source>
        <translation>
            <numerusform>{count} of %n fact word for word</numerusform>
            <numerusform>{count} of %n facts word for word</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} of %n facts only in the archive</source>
        <translation>
            <numerusform>{count} of %n fact only in the archive</numerusform>
            <numerusform>{count} of %n facts only in the archive</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n word for word</source>
        <translation>
            <numerusform>%n word for word</numerusform>
            <numerusform>%n word for word</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n only in the archive</source>
        <translation>
            <numerusform>%n only in the archive</numerusform>
            <numerusform>%n only in the archive</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lost</source>
        <translation>
            <numerusform>%n lost</numerusform>
            <numerusform>%n lost</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n facts checked: all kept</source>
        <translation>
            <numerusform>%n fact checked: kept</numerusform>
            <numerusform>%n facts checked: all kept</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n facts checked:</source>
        <translation>
            <numerusform>%n fact checked:</numerusform>
            <numerusform>%n facts checked:</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>… and %n more</source>
        <translation>
            <numerusform>… and %n more</numerusform>
            <numerusform>… and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n bytes</source>
        <translation>
            <numerusform>%n byte</numerusform>
            <numerusform>%n bytes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{title} · %n characters</source>
        <translation>
            <numerusform>{title} · %n character</numerusform>
            <numerusform>{title} · %n characters</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n conversations were imported before. Importing again continues from there.</source>
        <translation>
            <numerusform>%n conversation was imported before. Importing again continues from there.</numerusform>
            <numerusform>%n conversations were imported before. Importing again continues from there.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n conversations imported</source>
        <translation>
            <numerusform>%n conversation imported</numerusform>
            <numerusform>%n conversations imported</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n could not be read</source>
        <translation>
            <numerusform>%n could not be read</numerusform>
            <numerusform>%n could not be read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n conversations found. Nothing is stored yet.</source>
        <translation>
            <numerusform>%n conversation found. Nothing is stored yet.</numerusform>
            <numerusform>%n conversations found. Nothing is stored yet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Backed up and checked: %n conversations, {size}.</source>
        <translation>
            <numerusform>Backed up and checked: %n conversation, {size}.</numerusform>
            <numerusform>Backed up and checked: %n conversations, {size}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Exported to {file}: %n conversations, {size}.</source>
        <translation>
            <numerusform>Exported to {file}: %n conversation, {size}.</numerusform>
            <numerusform>Exported to {file}: %n conversations, {size}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n damaged entries are missing in it.</source>
        <translation>
            <numerusform>%n damaged entry is missing in it.</numerusform>
            <numerusform>%n damaged entries are missing in it.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n are here already.</source>
        <translation>
            <numerusform>%n is here already.</numerusform>
            <numerusform>%n are here already.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n items removed, {size} freed.</source>
        <translation>
            <numerusform>%n item removed, {size} freed.</numerusform>
            <numerusform>%n items removed, {size} freed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n files</source>
        <translation>
            <numerusform>%n file</numerusform>
            <numerusform>%n files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n conversations are in no project now</source>
        <translation>
            <numerusform>%n conversation is in no project now</numerusform>
            <numerusform>%n conversations are in no project now</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n conversations moved to {project}</source>
        <translation>
            <numerusform>%n conversation moved to {project}</numerusform>
            <numerusform>%n conversations moved to {project}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tokens of each request</source>
        <translation>
            <numerusform>%n token of each request</numerusform>
            <numerusform>%n tokens of each request</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All %n projects…</source>
        <translation>
            <numerusform>All %n projects…</numerusform>
            <numerusform>All %n projects…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n models were added.</source>
        <translation>
            <numerusform>%n model was added.</numerusform>
            <numerusform>%n models were added.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n characters in all</source>
        <translation>
            <numerusform>%n character in all</numerusform>
            <numerusform>%n characters in all</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{name}: %n tokens, {share}</source>
        <translation>
            <numerusform>{name}: %n token, {share}</numerusform>
            <numerusform>{name}: %n tokens, {share}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>↓ %n new messages</source>
        <translation>
            <numerusform>↓ %n new message</numerusform>
            <numerusform>↓ %n new messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>of %n with reported tokens</source>
        <translation>
            <numerusform>of %n with reported tokens</numerusform>
            <numerusform>of %n with reported tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n long outputs in files: {size}</source>
        <translation>
            <numerusform>%n long output in a file: {size}</numerusform>
            <numerusform>%n long outputs in files: {size}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n calls</source>
        <translation>
            <numerusform>%n call</numerusform>
            <numerusform>%n calls</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n files read</source>
        <translation>
            <numerusform>%n file read</numerusform>
            <numerusform>%n files read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n files changed</source>
        <translation>
            <numerusform>%n file changed</numerusform>
            <numerusform>%n files changed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n commands</source>
        <translation>
            <numerusform>%n command</numerusform>
            <numerusform>%n commands</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n searches</source>
        <translation>
            <numerusform>%n search</numerusform>
            <numerusform>%n searches</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pages fetched</source>
        <translation>
            <numerusform>%n page fetched</numerusform>
            <numerusform>%n pages fetched</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n failed</numerusform>
            <numerusform>%n failed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>… %n more lines</source>
        <translation>
            <numerusform>… %n more line</numerusform>
            <numerusform>… %n more lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The messages alone, as text: {read} tokens to read, in %n requests</source>
        <translation>
            <numerusform>The messages alone, as text: {read} tokens to read, in one request</numerusform>
            <numerusform>The messages alone, as text: {read} tokens to read, in %n requests</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>at most %n pictures</source>
        <translation>
            <numerusform>at most %n picture</numerusform>
            <numerusform>at most %n pictures</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n versions</source>
        <translation>
            <numerusform>%n version</numerusform>
            <numerusform>%n versions</numerusform>
        </translation>
    </message>
</context>
</TS>
