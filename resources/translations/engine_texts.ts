<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1">
<context>
    <name></name>
    <message>
        <source>Everything that was stored before is still there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file was not touched.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check the folder and its permissions, or choose another one with --data-dir.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The data folder {parent} cannot be used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file was left as it is; conversations outside of the damaged place can still be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the file away, run `palimpsest doctor`, and go on from a backup if there is one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The archive {path} is damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The disk is full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Free some space, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} cannot be written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check the permissions of the file and of its folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} cannot be opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check that the folder exists and can be written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The disk reported an error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check the disk and its free space.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close other programs that use it, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another program is using the archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{folder} is in use by process {holder}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{folder} is in use.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use the window that is open, close it first, or choose another folder with --data-dir.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Palimpsest is already open on this data folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move it elsewhere, or choose another folder with --data-dir.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} is not a Palimpsest archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The archive {path} is empty, but its log is not</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}-wal holds what was written last. Opening the empty file would erase it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy both files away, then put a backup in their place, or choose another folder with --data-dir.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Neither file was touched.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has version {version}; this program knows version {known} and older.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} was written by a newer Palimpsest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Install the newest Palimpsest.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has version {version}, and is brought up to date when Palimpsest opens it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start Palimpsest once on this data folder, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} was written by an older Palimpsest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start Palimpsest once, import a conversation, or choose another folder with --data-dir.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no archive in {parent} yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no conversation {conversation}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It does not exist, or it was deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose one from the list.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The backup {path} could not be made</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The archive and older backups were not changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} cannot be restored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The backup {path} is damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another backup.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conversation {conversation} is not among the deleted ones</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look again at what takes space.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again in a minute: a backup or another program is reading it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} is being read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was removed is gone; its space will be used again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The archive could not be made smaller</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} cannot be imported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export everything again, with the newest Palimpsest.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Room was made several times in this turn, and its results fill the window again. Optimize to go on, or ask for less at once.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is hardly any room left in the window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The request would take {tokens} of the {usable} tokens that can be used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your message and the whole conversation are saved; nothing was sent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optimize the conversation, choose a model with a larger window, or send it anyway: the reply may be cut short then.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optimize the conversation, or choose a model with a larger window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing to optimize right now: all messages are recent enough to stay unchanged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No summary would be shorter than what it replaces.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your text is still in the editor, and nothing was changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shorten it, or take the summary that was proposed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This summary is longer than what it replaces</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open Optimize conversation again for a new plan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conversation has changed since this plan was made</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the latest messages were kept because a summary without a model would have freed nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Assembled by rules because {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the latest messages were kept because {reason}, and a summary without a model would have freed nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its window is not known yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no room for a summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>too little comes before the latest messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the window of {model} is too small for it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} would have to be asked {number} times</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} failed ({reason})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the reply of {model} called a tool instead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>summaries by a model were switched off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the summary was longer than it may be</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its summary was not shorter than what it would have replaced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{label} is too small to summarize conversations reliably.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model is set up for summaries.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} cannot summarize this because {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{why}: this summary was assembled by rules instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{why}: {model} wrote this summary instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summaries by a model are paused until {time}: {number} were started within {minutes} minutes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} took too long</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the reply of {model} was cut off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the reply of {model} was longer than it may be</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} (in place of {other})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder that exists.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no folder {path}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no policy “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conversation was not changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A file {name} already exists</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was not changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replace it, or choose another.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} could not be written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This memory belongs to no {scope}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A memory cannot be empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A memory can have at most {max_note_characters} characters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shorten it, or split it in two.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conversation is no longer being opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This operation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what} is not in this conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the conversation again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This conversation was deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was sent or changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your question is saved, and so is what was read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The web cannot be searched here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch web_search on in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask for less at once, or choose another model for research.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The research found no answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model kept searching until the limit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The research took too long</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{label} cannot call tools.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another model for research.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>web_search and web_fetch are switched off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{why}: {model} answered instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This part of the request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The message fits now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your message is larger than the model’s context window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It takes {tokens} tokens, and there is room for {room}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your message and the whole conversation are saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach it as a file, of which the model reads what it needs; cut it; or choose a model with a larger window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cut it, or choose a model with a larger window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model with a larger window: optimizing would free nothing here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The built-in tools take {tokens} of {window} tokens: switch some off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The tools of {name} take {tokens} of {window} tokens: switch some off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned messages take {tokens} of {window} tokens: unpin some.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory takes {tokens} of {window} tokens: remove some of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The system prompt takes {tokens} of {window} tokens: shorten it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your message takes {tokens} of {window} tokens: shorten it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The results of {name} take {tokens} of {window} tokens: ask for less at once.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or send it anyway: the reply may be cut short then.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server of {model} accepts at most {most} pictures in a request, as it said earlier.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model makes the same call again and again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It called {tool} {times} times with the same arguments; the result stays the same.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each result is saved. The call was not run again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tell the model what to do instead, or choose another one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your message is stored, and so is the text that had arrived. None of them was run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more than {calls} tool calls</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more than {characters} characters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing but keep-alive messages for {seconds} seconds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The reply of {model} was stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its server sent {what} in one reply.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another model may answer better. The limit is a number of the policy.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context limit exceeded ({used}/{window} tokens)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The window was full before the reply had ended.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What had arrived of the reply is saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optimize the conversation and ask the model to go on, or choose a model with a larger window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server may have read only a part of the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} reports {prompt_tokens} tokens for a request of about {sent}. Some servers drop what they have no room for without saying so, often the beginning: the system prompt, and your rules.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The reply is kept as it came.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From now on the window is assumed to be {limit} tokens instead of {own}. Make room and let the model answer again, or use the full window if you know that it is correct.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The provider accepts no more requests for now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model wants to continue, but nobody answered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer, or raise the number of rounds in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your message is stored, and so is what has arrived of the reply.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This does not fit into the model’s context window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{needed} tokens must be sent, but only {usable} are usable.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something went wrong inside Palimpsest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything that was shown as saved is saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again; the log file has the details.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wait until it is finished, or stop it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A reply is still being written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” is the name of another policy, so this one is not used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” is based on “{preset}”, which is not a preset; balanced is used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{field} must be {bounds}, not {value}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{field} may have {words}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{field}: “{text}” names no tool.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{field}: “{text}” is not a number.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kept for the reply; 0: by the share</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reserved tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the window kept for the reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reserved for the reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the most that this share gives</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reserve, at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the least that is kept for the reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reserve, at least</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Limit if the window is not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of a request if the window is not known; 0: no limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages, at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Phases</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in which room is made at the shares below; in others, only where it would not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the layer that runs first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what the shares below refer to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shares are of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the background, after a reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shorten old tool results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarize older messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is sent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Safety margin, share of what is free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of what is free, added to a request before it is compared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Safety margin, at least</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at least added to a request before it is compared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of one tool result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines of a result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes of a result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of one line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Length of a line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the result of that tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Limits by tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One tool result, in characters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the result of any other tool</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One tool result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the usable window: the most for one tool result; 0: no such limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>which end stays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which end of a result stays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only a notice, above</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>above which only the notice remains, with both ends for a command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Long outputs are kept for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the strategies, mildest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Order of shortening</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Input of failed calls is dropped after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after which the input of a failed call is dropped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>up to which a result is left alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trim results older than</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trim results longer than</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Beginning of a trimmed result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kept from its beginning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kept from its end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End of a trimmed result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who writes the digest of old results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>who writes the digest of old results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Results next to the digest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>that stay visible next to the digest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of a digest by rule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A streaming reply is stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Making room in one turn, tries</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>to make room in one turn; room that lasts for ten replies gives them back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking up automatically, share</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Research, rounds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Research, time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the window: the most that this protects</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the window: the most that this asks for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>who writes the summary; if that fails, the next one does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the first share at which room is made: the most for the target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>that stay word for word; 0: by messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newest messages, replies of the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the model that stay if they fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newest messages, number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarize, at least</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Length of the summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary, share of what it replaces</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of what it replaces: the most for the summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of a model for one summary; a head that needs more is summarized by rules</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for one call of that model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more, when rules or open questions are lost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Automatic summaries, counted within</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in which they are counted, over all conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your own messages kept word for word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the user&apos;s own messages that stay word for word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the whole window: the reply ends with an error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of one reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of tools in one reply; with more it is stopped, and none is run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>without content while the server sends keep-alive messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>that a provider may ask to wait; if it asks for more, you are asked instead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after a provider said that the request was too long</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the usable window: the most of that distance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of memories in the system prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the model for one research, including its answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after which nothing more is searched</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The budget</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When room is made</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>While a reply streams, at tool results, after an overflow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Besides the conversation: research and images</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waits long, keeps much, and the user&apos;s own messages word for word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the default</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>makes room early and much of it: for small windows and slow models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>OpenFork&apos;s three layers: truncate, prune to the first 2,000 characters, compact to half</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>LM Studio autocompaction: three phases, compaction alone, 40 to 60 % less each time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SPEC-008: trims old results always, saves memory, compacts when the window is full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the Go agent: a digest of old results, compaction after a turn or at 50 messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seline: free pruning, background compaction at 75 %, forced at 90 %, blocked at 95 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model wrote nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model refused to write it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model&apos;s reply was cut off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model answered something else</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>missing result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>result without a call</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>repeated call id</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>call that no provider would accept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>empty message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>second system message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>beginning without a user&apos;s message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>removed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The settings could not be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The defaults are used. Your file was kept as {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some of the settings could not be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All others are used. Your file was kept as {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file was not changed; all other numbers are used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Correct “policies” in {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some numbers of your policies are not used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan is no longer valid</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open Optimize conversation again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This was cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This attachment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The built-in model has no address that curl could reach</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the request as JSON, or choose the model of a server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let the model write it, or choose a summary without a model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The summary is not written yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its conversation was deleted. Restore it to read the message there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message cannot be shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The part that the model saw is in the conversation.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This output is no longer available</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message has been sent already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine does not know this request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The window and the engine seem to have different versions, perhaps because an update was not completed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close Palimpsest and start it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The previous settings are used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Correct {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The settings could not be saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make sure that {data} can be written and the disk is not full.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The settings were not changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The package xllamacpp, which runs the built-in model, is not installed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The built-in model&apos;s file is not installed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The built-in model&apos;s file {path} has {size} bytes instead of {right}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The built-in model&apos;s file {path} is not the published one: its SHA-256 is {found}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The built-in model is not installed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your message is stored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} does not answer at {address}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no model “{model_id}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The models that are set up: {models}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose one of them, or add its server in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{address} answered with status {status}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conversation is too long for {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} accepts no more requests for now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your quota at {server} is used up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} refused the key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} does not know the model {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} did not accept how the messages follow each other</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} refused the content</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} cannot do what was asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} reported an error of its own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start fresh with a summary, or edit an earlier message and send it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That often passes within a minute. Another model may answer in the meantime.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A local server may be busy with another request, or still load the model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wait a little, or choose another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It takes requests again in a second.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It takes requests again in {seconds} seconds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It takes requests again in {minutes} minutes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} has stopped answering</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} is loading the model {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} cannot be reached</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The reply of {model} broke off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} does not speak OpenAI&apos;s protocol</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} did not accept the request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check the key of {server} in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change the last message, or choose another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send the message again once the model is loaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start the server, or check its address in the settings and your network.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The network, the server or a proxy between them closed the connection.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check the address in the settings: it usually ends with /v1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} is not available in your region</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model of another provider.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} needs a key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter the key of {server} in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} asks for payment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} took too long</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optimize the conversation, so that it becomes shorter by {more} tokens or more, or choose a model with a larger window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optimize the conversation, so that it becomes shorter, or choose a model with a larger window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>See your account at {page}, or choose a model of another provider.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check your account with {server}, or choose a model of another provider.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check the model&apos;s name and the address {address} in the settings (it usually ends with /v1).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It offers: {names} and {more} more. Change the model in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It offers: {names}. Change the model in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lower the longest reply for this model in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send the message without that image, or choose a model that can see it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch the tools off for this conversation, or choose a model that can use them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another model, or change this one&apos;s options in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There was no connection to “{address}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing came from {address} for {seconds} seconds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{address} closed the connection before the reply was finished.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{address} answered with something other than a chat completion.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} sent something that is not a chat reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The reply of {model} began well, then {address} sent something that is not part of one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If it happens again, the server or a proxy in front of it needs an update.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It did not answer within {start_seconds} seconds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The built-in model could not be started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again. If it happens again, run `palimpsest doctor`, or choose another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>o200k (estimate for {family})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>o200k (estimate for an unknown family)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{url} answered {status} ({phrase})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{answered} with something other than JSON.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you wrote is kept, and nothing was changed in the conversation.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{base_url}” is not the address of a server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write the whole address in the settings, such as http://localhost:1234/v1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} has no valid address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing answers at {address}, and it has never said how many tokens {model} accepts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The window of {model} is known once it is loaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{answered}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check the address: it usually ends with /v1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} is not found at this address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It does not list {model}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The window of {model} is not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} does not say how many tokens {model} accepts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter in the settings how many tokens {model} accepts, such as 8192 or 32K. If the server has a list of models, check the address: it usually ends with /v1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The address of {name} lacks “/v1”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{answered}, but {better_address}/models answers as it should.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change the address to {better_address} in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{answered}, and no key is set.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{url} answered {status}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is neither an image nor text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is not a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach the files in it one by one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is larger than {size} MB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach a part of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check its path and its permissions.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} cannot be read: {strerror}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} could not be read within {seconds} seconds and 1 GB of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save it again in the program that made it, or attach a part of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save it again in the program that made it, or attach it as text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} holds more than {max_text} characters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was sent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It showed no sign of progress for {seconds} seconds, and was stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check its settings, then ask again: it will be restarted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The MCP server “{server}” does not answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conversation goes on without its tools.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A tool of the MCP server “{server}” is not offered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The tool “{tool}”: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its other tools are offered.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the makers of the server can change that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It closed its output.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its program ended with the code {code}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its program was ended by the signal {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{reason}
The last lines of its errors:
{errors}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A long output could not be kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A long output could not be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was shown of it is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Free some space, or check the data folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It compresses its answers, although it was asked not to.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its answer has more than {most} bytes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look at its command in the settings, and try it in a terminal.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It does not accept the key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter its key in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no such server at its address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Correct the address.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It receives too many requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wait a minute.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It reported an internal error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wait, or ask who runs it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its address is not valid.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Correct the address in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The connection broke: {error}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it sent does not follow the protocol.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try a newer version of the server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try another version of the server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its program could not be started: {error}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It closed the connection.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It refuses the request: {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has forgotten this session.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{text} (HTTP {status}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The connection broke off: {error}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It did not answer within {seconds} seconds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{silent} Its output does not follow the protocol: {garbage}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If it takes long to start, try again in a while.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its address does not answer in time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check whether it is running.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Do not send it anything before you know why.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its certificate is not valid: this may be another computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It could not be reached: {error}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its folder {folder} does not exist.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its program {program} was not found.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Install it, or correct the command.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its program {program} could not be started: {error}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its schema has {bytes} bytes, and at most {most} are sent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its schema has more than {bytes} bytes, and at most {most} are sent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its schema cannot be written as JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its argument {name} has a name that providers refuse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something went wrong inside Palimpsest.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Please report it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The Python package `mcp` is not installed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set Palimpsest up again: packaging/run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the server has more than {most} tools, and providers accept no more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>(copy)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>(continued)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in memory, for this session only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in memory, for this session only: {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in the file {path}, as plain text that only you can read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} cannot be written ({reason})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>others can read {path}; chmod 600 makes it yours alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} cannot be read ({reason})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} is not JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path} is not of the shape {{server: key}}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this system offers no keyring ({variable} can name a file)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in the system’s keyring ({name})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the system’s keyring did not open ({kind})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it has no messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this is not JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is not whole, or not JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this is not a JSON object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it has no messages; {problem}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>line {number} cannot be read: {problem}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>element {number} cannot be read: {problem}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>message {number} cannot be read: {problem}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its format is not known: it seems to be {kind}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an empty file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JSON with the fields {names}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JSON without conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a file without text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plain text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a ZIP archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an SQLite database</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a PDF document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a gzip archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an image or a sound</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a web page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this is not UTF-8 text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a chat message must be a JSON object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this is not JSON ({error})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file holds no messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the role “{role}” is not one of {roles}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this is not a chat message: {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its messages are not in the export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the JSON file that it exports under Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the zip of a data export, or the conversations.json in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it holds database files, which cannot be read; what “Export to phone” in Cherry Studio saves can be</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>parts of messages that are not in the backup: {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the zip of a backup, or the data.json in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it needs more memory than is allowed for it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it branches off more than {limit} times</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what is nested too deeply was left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an incomplete character was replaced by U+FFFD</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its id appears twice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it names no known sender</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no conversation says that it belongs to this project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.claude/projects, or the file of a session in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its beginning is in a file that is not here: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.codex/sessions, or a rollout-….jsonl in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a session or a saved chat from its folder .gemini/tmp, or the folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a conversation that was exported as JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a conversation from its folder .lmstudio/conversations, or the folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JSON Lines with a chat message each, a JSON list of them, or requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is one part of a session: give the whole folder of opencode</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} cannot be read: {problem}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is a damaged database ({error})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.config/io.datasette.llm, or logs.db in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.local/share/opencode, opencode.db in it, or the output of opencode export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all chats, or one, exported as JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it cannot be opened ({error})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it has a line of more than {megabytes} MB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is locked with a password</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is larger than {megabytes} MB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is not whole: {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is not UTF-8 text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it cannot be read ({error})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no such file or folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you do not have permission to read it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is a damaged zip file ({error})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the process that read it ended early (code {code})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The package index {index} has no file {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only {size} of {all} bytes arrived.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What arrived is not the published file: its SHA-256 is {found}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The package index {index} could not be reached: {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The built-in model could not be fetched</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What has arrived is kept, and is not fetched again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again later, or choose another model. A proxy is set as for pip.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unused space in the archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Long outputs that nothing refers to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backups</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copies from before an update</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copies from before a repair or a restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Older logs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What takes space has changed in the meantime</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was removed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look again, then choose again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} could not be removed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check the permissions of the folder {folder}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A project “{name}” already exists</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A project needs a name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This project no longer exists</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is part of a whole archive of Palimpsest: give its zip file itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Covers any {names} that only reads; secrets are still asked for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Covers any {names} that only reads. Git also runs programs that the settings of the repository name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Covers any {names} with its usual options: it changes files, or runs programs that files of the project name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Covers any {names}, which can run any program: this allows nearly everything.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Covers any {names}, whatever it does; only options known to run or write something are still asked for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Covers every command that fits this rule, whatever it does.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Covers every file below {names}; secrets are still asked for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Covers changing every file below {names}; secrets, hooks and hidden settings are still asked for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Covers every host whose name ends in {names}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Covers also hosts of somebody else, such as {names}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Covers everything that fits this rule.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{wrong} Install it in the settings or by “palimpsest model install”, or choose another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The package xllamacpp, which runs the built-in model, is not installed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Install it as Palimpsest was installed, and then try again: {ways}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is being fetched already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An import added to this conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no message to answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a message first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What could be read is here: {conversations} conversations with {entries} entries.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What could be read is here: {conversations} conversations with {entries} entries. {missing} are missing; where messages were lost, the conversation says so.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The damaged file was kept as it was: {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If you miss something, restore a backup: Settings, Data.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The archive was damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The archive is not damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It runs in the sandbox: if it needs more than that gives it, change that in its settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The sandbox is available on Linux only.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bubblewrap is not installed (the system&apos;s package “bubblewrap”).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bubblewrap is installed, but does not work here: {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Palimpsest is closing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is in use as the archive of Palimpsest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is neither a file nor a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Automatic summaries are paused: the last two freed less than 10 %. Unpin messages, choose a model with a larger window, or optimize and keep fewer of the newest messages.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>filling up: room is made in the background, after a reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nearly full: old tool results are shortened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>full: older messages are summarized</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>too long: nothing is sent until there is room</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This entry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from which older messages are summarized when there is no limit in tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>whether room is made automatically</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after which a long output that nothing refers to is removed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Digest, at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reduce to one line, older than</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>up to which a result is not reduced to one line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newest messages never shortened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at the end that are never shortened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never shortened, share of the window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the user that are never shortened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Turns never shortened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tools never shortened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>patterns of tools, including MCP tools, whose results are never shortened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shorten down to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the usable window at which shortening stops</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shorten, at least</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>below which shortening is not worth losing the provider&apos;s cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shorten at least, share of the window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Room that shortening must leave</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>below background_at that shortening must leave; else a summary follows soon</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at which shortening stops</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shortening stops at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who writes the summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarize down to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>to which summarizing brings the request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summarize down to, at least</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target, share of the first threshold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newest messages kept word for word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newest messages, share</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the usable window: the most for the newest messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>that stay when the newest are not measured in tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fewer are not summarized</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary, share of the target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary, calls at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One call for a summary, time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for all calls of one summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One summary, time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repairs of a summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Automatic summaries by a model, at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>that ask a model automatically within the time below; 0: no limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the whole window: the reply is stopped, and goes on once there is room</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A streaming reply ends with an error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restarts of a reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool calls of one reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Silence of a reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept of a result that was not read yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wait before a retry, at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After an overflow, retries</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After an overflow, results left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the tool results that are left out then, one step after the other</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memories are saved before summarizing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>before older messages are summarized, at which memories are saved; 0: never</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memories are saved before summarizing, share</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saving memories, time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for the model that decides what to remember; after that, rules do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memories in the system prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking things up, at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>that one lookup may bring back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the usable window: the most for what is looked up automatically</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layer 1: cut oversized results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layer 2: shorten old results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layer 3: summarize older messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose what is missing again, or repair the file that was kept and put it back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write its output to a file, and attach that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the summary of {model} said too little about the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter in the settings how many tokens {model} accepts, such as 8192 or 32K.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{shown} of {whole} lines are sent; the model can read the rest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{shown} of {whole} bytes are sent; the model can read the rest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{shown} of {whole} characters are sent, from its beginning and its end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kept of each result that no reply has followed, if not all fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only its name is sent; the model can read it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the target in a small window, where the share would be less</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the target, minus what must stay: the most for the summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no old tool results to shorten.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no reply to continue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the newest reply can be continued.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>result apart from its call</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>second result of a call</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cut off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unreadable call</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The MCP server “{server}” wants to write outside of its folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its sandbox kept it from writing {path}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its sandbox kept it from writing a file; its error does not name it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The call failed, and nothing was written there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If it should, add the folder to those that it may write, in its settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} of {pages} pages are pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>comments: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>form fields: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>embedded files are not read: {names}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>formulas without values: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cells with errors: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hidden sheets: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>charts and pictures are not read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>without number formats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tracked changes: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>with hidden text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not read: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.pi/agent/sessions, or a session in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.copilot/session-state, or the folder of a session in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.qwen/projects, or a session in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.local/share/kilo, or kilo.db in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.kimi-code/sessions, or the folder of a session in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The certificate of {address} is not trusted. SSL_CERT_FILE can name a file with certificates to trust.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The key contains {characters}, which no key does.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The key of {server} cannot be sent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the key again, and enter it in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The proxy that {name} names ({kind}) is of a kind that cannot be used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{variable} names the certificates {path}, which cannot be read: no encrypted connection can be checked.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lines}, read as {encoding}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the first {read} of {pages} pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 chart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} charts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 embedded object</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} embedded objects</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 embedded document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} embedded documents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 sheet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} sheets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} cannot use tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your message was sent again without tools.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Turn tool calls on in its server, and start Palimpsest again; or choose another model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.continue/sessions, or a session in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The request takes only {tokens} tokens: the server seems to have a smaller window than it says, to share it between requests, or to add something of its own. Give the model a larger window there, or choose another one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for MCP servers to start: {servers}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The message is sent together with their tools. The first start of a server may install it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It wants you to sign in with a browser (OAuth), which is not supported yet (HTTP 401).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If it also accepts keys, enter one in the settings; or use it through mcp-remote.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It wants a key, and none is set (HTTP 401).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no MCP server in it: a server has a “command” or a “url”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is neither JSON nor TOML: {error}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server}: not used: {fields}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server}: replace {names} by their values.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server}: the old transport “sse” is not supported; many also have an address “/mcp”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file .aider.chat.history.md in the folder of a project, or that folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.local/share/gptme/logs, or the folder of a conversation in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.openhands/conversations, or the folder of a conversation in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The oldest pictures were left out ({count})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>They stay in the conversation; the model is sent a line in their place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach a picture again, or a smaller one, if the model has to see it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pages without text: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pages with pictures that are not read: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No key is set, and Entra needs the package azure-identity: enter a key, set AZURE_OPENAI_AD_TOKEN, or install it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No key is set, and Entra gave no token ({kind}): sign in with `az login`.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No AWS credentials were found: no key, no AWS_ACCESS_KEY_ID, and no access keys in the profile “{name}”. Roles and single sign-on need the package boto3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The credentials in {path} cannot be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The key of the service account cannot be used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Google gave no token for these credentials ({kind}): sign in again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No Google credentials were found: no key, no GOOGLE_APPLICATION_CREDENTIALS, and no application default credentials (`gcloud auth application-default login`).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No project of Google Cloud is named: enter it in the settings, or set GOOGLE_CLOUD_PROJECT.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.vibe/logs/session, or the folder of a session in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{tools} tools are offered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some providers accept no more than {most} in one request, and each costs tokens.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch some off in the sheet of tools. Most of them are from {servers}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.local/share/goose/sessions, or sessions.db in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Window limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of a larger window that are used, unless a request needs more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary, calls at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at the same time, for a head that is read in several parts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the provider has not cached the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the window has no room for the question and the summary behind the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reading the whole conversation would cost more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pages that are too many or too large to be attached: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the list of embedded files could not be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pages that could not be found: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>jbig2dec is not installed, which pictures in JBIG2 need</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>could not be read: page {pages}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>read only in part: page {pages}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>form fields that could not be read: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>comments that could not be read: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pictures that could not be read: page {pages}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export it as PDF in the program that made it, and attach that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save it as docx, odt or PDF in the program that made it, and attach that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sheets that could not be read as a whole: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cells that could not be read: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sheets whose comments could not be read: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>damaged and read only in part: {names}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>notes or comments that could not be read: {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The next request would pass your limit of {limit} for this conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The next request would pass your limit of {limit} a day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>So far {spent} were spent; the next request costs about {needed}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send it anyway, which allows another {limit} from now on; choose a cheaper model; optimize the conversation; or change the limit in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a summary by a model would pass your limit of {limit} for this conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a summary by a model would pass your limit of {limit} a day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Damaged pictures were not sent ({count})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{names}: the file is incomplete, and a server refuses the whole message for it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the picture in another program, save it again, and attach that file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The provider’s cache counts for, at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for which a provider&apos;s cache counts, however long it is kept; 0: never</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warn before a cache is lost, from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in the provider&apos;s cache from which a change that loses it shows its price</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To go on without them, stop the reply and switch them off in the settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a summary ahead, before the first threshold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>below the first threshold at which a summary is written ahead; 0: never</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder ~/.cline/data/sessions, or the folder of a session or a task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The provider’s own summary could not be used because {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} returned no summary that it would accept again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pictures that the server cannot read were left out ({count})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another model may accept it. If every message is refused, start fresh with a summary: the server may refuse something earlier in the conversation.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} is asked less often for summaries because its last ones could not be used.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
