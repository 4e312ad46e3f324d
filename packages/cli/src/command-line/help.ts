import { wrapText } from '../render/word-wrapper.ts';

const OVERVIEW = `Longhaul: a coding agent for work that outlasts the context window.

Try it
  longhaul                                 start a conversation in the current folder
  longhaul demo                            watch it build an application; needs no key and no network
  longhaul run "Fix the failing test"      let it work in the current folder
  longhaul run --model ollama/qwen3:8b "…" use a model of your own
  longhaul doctor                          check the installation and configuration, with a remedy for each problem

Commands
  chat       start a conversation in this terminal; longhaul alone does the same
  run        give the agent a task and watch it work
  resume     continue an interrupted session
  cancel     end the run of a session, even if another process runs it
  send       send a message to a session, and wait for its answer if you like
  queue      list and change the messages that wait for a session
  fork       copy a session, up to one of its messages, into a new one
  diff       show what a session changed in the workspace, as a patch
  revert     restore files and conversation as they were before a message; unrevert takes the revert back
  tree       show the branches of a session and its forks
  sessions   list the sessions of this folder
  ps         list the commands that sessions of this folder run
  show       read a session, including the messages that the model no longer sees
  search     search all sessions
  context    see what fills a session's window
  compact    replace older messages of a session with a summary, or preview this
  undo       undo the newest compaction
  pin        keep a message visible to the model through every compaction; unpin removes the pin
  import     create a session from another agent's session file
  export     write a session as JSON
  serve      serve sessions over HTTP, and a page for the browser
  token      give others access to the server: add, list and revoke tokens, and set their budgets
  usage      print what model calls have used, and what is left of budgets
  share      let other tokens of the server use a session
  acp        connect to an editor that supports the Agent Client Protocol
  gateway    compact long conversations between clients and local models
  gc         remove unneeded data and free its disk space
  backup     save sessions and settings in a folder; restore brings them back
  repair     recover a damaged database
  migrate-storage
             copy all sessions to another database
  models     list models, with windows and prices
  doctor     check this machine
  config     show the effective configuration
  login      store the API key of a provider; logout removes it
  mcp        list, add, remove and test MCP servers, and log in to them
  trust      show which settings of a folder need your trust, and trust them
  replay     measure each compaction strategy on recorded sessions
  demo       run the agent with a scripted model

longhaul COMMAND --help explains a command. --version prints the version.
`;

const WHERE = `  -C, --cwd DIR         the folder to work in (default: the current one)
      --config FILE     read this file instead of the project's longhaul.yml
      --trust           trust this folder's longhaul.yml, for this command only`;

const ALL = `      --all             sessions of every folder, not only of this workspace`;

const RESTORING = `      --preview         show what would be restored, and change nothing
      --keep            leave files that somebody else has changed since, and restore the others
      --force           also restore files that somebody else has changed since`;

const ID = `ID is a session id, the beginning of one, or "last" for the newest session of this workspace.`;

const TOPICS: Readonly<Record<string, string>> = {
  run: `Give the agent a task and watch it work.

  longhaul run "Fix the failing test"
  longhaul run < task.md                          a longer task from a file
  git diff | longhaul run "Review this change:" - a task, followed by standard input
  longhaul run --sandbox bubblewrap --network off --max-cost 2 "…"
  longhaul run --model NAME --base-url http://127.0.0.1:8080/v1 "…"
  longhaul run --session last "Now update the README"

Model
      --agent NAME      an agent of the configuration (coder)
  -m, --model NAME      provider/model, such as ollama/qwen3:8b; the name of the model is enough if only one provider
                        or local server has it; with --base-url, any name
      --base-url URL    address of an OpenAI-compatible server
      --window N        tokens of the model's context window; a smaller window that the server reports is used instead
      --max-output N    maximum tokens of one answer
      --effort LEVEL    how much the model reasons: none, minimal, low, medium, high, xhigh or max. A model supports
                        some of these levels (default: the provider's level)
      --strategy NAME   how the context is compacted: reactive-overflow (default), proactive-threshold,
                        structured-summary, middle-removal, pruning-agent, provider-compaction, or the path of a
                        module
      The API key comes from the environment: from the variable of the provider, or from LONGHAUL_API_KEY.

Workspace
${WHERE}
      --sandbox KIND    docker, bubblewrap, seatbelt, local (no isolation) or auto (the first that works)
      --network on|off  whether commands can reach the network (default: on)
      --env NAME        pass this environment variable to commands, in place of sandbox.env; repeatable. With
                        --sandbox local, --env all passes all variables except the keys of providers
      --keep-processes  with --sandbox local: do not end processes that commands leave running
  -y, --yes             allow calls that would ask for approval (see docs/approvals.md)
      --assume-ended    continue although a command of an earlier run, on another machine or of another user, may
                        still be running

Session
      --session ID      send the task to an earlier session: its id, the beginning of it, or "last" for the newest
                        session of this workspace
      --all             with --session or --resume: sessions of every folder, not only of this workspace
      --resume          continue without a new task: the session of --session ID, or else the newest session that can
                        be resumed
      --wait            if another process works on the session, wait for its answer

Files
      --git URL         work in a clone of this repository, in a folder of Longhaul's own
      --ref NAME        the branch, tag or commit of --git
      --image FILE      attach an image to the task; repeatable
      @path in the task attaches a text, an image or a PDF of the workspace; @"two words.txt" if its name has spaces.
      Words after @ that name no file stay text.

Limits
      --max-steps N     stop after this many model calls
      --max-cost USD    stop at this cost in US dollars, if the price of the model is known
      --max-minutes N   stop after this time

Output
      --json            print one event per line on standard output, and nothing else
  -q, --quiet           print only the final answer
      --verbose         print changes of files and outputs of commands completely
      --no-color        no colours and no status line (also NO_COLOR=1)

Exit code: 0 done, 1 failed, 2 wrong usage or configuration, 3 stopped at a limit or because the model repeated the same
calls, 4 calls were refused because nobody could approve them, and no call that can change something was allowed, 130
cancelled.
Ctrl-C ends a run cleanly; a second Ctrl-C ends it at once. The session keeps all finished work. If another process
works on the session, the message is queued, and the agent receives it before its next step.
`,
  chat: `Start a conversation with the agent in this terminal. What you enter is sent as a message, except commands, which
begin with /. /help lists keys and commands.

  longhaul                                        a new conversation in the current folder
  longhaul chat --continue                        the newest session of this workspace
  longhaul chat --resume                          choose a session first
  longhaul chat 0197a3c2-5e1b                     this session
  longhaul chat --attach http://127.0.0.1:4140    the sessions of a longhaul serve

Model
      --agent NAME      an agent of the configuration (coder)
  -m, --model NAME      as for longhaul run; /model changes it later
      --base-url URL    address of an OpenAI-compatible server
      --window N        tokens of the model's context window; /window changes it later
      --max-output N    maximum tokens of one answer
      --effort LEVEL    how much the model reasons: none, minimal, low, medium, high, xhigh or max; /effort changes it
      --strategy NAME   how the context is compacted; /strategy changes it later

Workspace
${WHERE}
${ALL}
      --sandbox KIND    docker, bubblewrap, seatbelt, local (no isolation) or auto (the first that works)
      --network on|off  whether commands can use the network

Session
      --continue        continue the newest session of this workspace
      --resume          choose a session of this workspace
      --attach URL      use the sessions of a longhaul serve. Its token is read from LONGHAUL_TOKEN, or from the file
                        that a server on this machine uses

Terminal
      --theme NAME      colours for a dark or a light background: auto (default), dark or light
      --plain           print lines only and redraw nothing, for screen readers and terminals that cannot redraw
      --no-color        no colours; NO_COLOR does the same

A chat needs a terminal. In scripts, use longhaul run. Text that you typed but did not send is kept for the next chat in
this folder. If you leave while the agent works, its run is interrupted, and longhaul chat ID continues it.
Exit code: 0 when you leave, 2 for wrong usage or configuration.
`,

  resume: `Continue a session that was interrupted by a crash, a cancel, a limit or a closed terminal. No tool call is
repeated; if a call was interrupted, the model learns that its outcome is unknown.

  longhaul resume                            the newest session of this workspace that can be resumed
  longhaul resume last
  longhaul resume 0197a3c2-5e1b --max-cost 5

Model
      --agent NAME      default: the agent of the session
  -m, --model NAME      default: the model of the session
      --base-url URL    address of an OpenAI-compatible server; default: the address of the session
      --window N        tokens of the model's context window; a smaller window that the server reports is used instead
      --max-output N    maximum tokens of one answer
      --effort LEVEL    how much the model reasons: none, minimal, low, medium, high, xhigh or max. A model supports
                        some of these levels (default: the provider's level)
      --strategy NAME   how the context is compacted

Workspace (the session keeps its own)
${ALL}
${WHERE}
      --sandbox KIND    docker, bubblewrap, seatbelt, local or auto
      --network on|off  whether commands can reach the network (default: on)
      --env NAME        pass this environment variable to commands, in place of sandbox.env; repeatable. With
                        --sandbox local, --env all passes all variables except the keys of providers
      --keep-processes  with --sandbox local: do not end processes that commands leave running
  -y, --yes             allow calls that would ask for approval (see docs/approvals.md)
      --assume-ended    continue although a command of an earlier run, on another machine or of another user, may
                        still be running

Limits
      --max-steps N     stop after this many model calls
      --max-cost USD    stop at this cost in US dollars, if the price of the model is known
      --max-minutes N   stop after this time

Output
      --json            print one event per line; {"status":"nothing"} if there is nothing to resume
  -q, --quiet           print only the final answer
      --verbose         print changes of files and outputs of commands completely
      --no-color        no colours and no status line

If the last message has its answer and no other message waits, no model is called. The exit codes are those of
longhaul run.
`,
  cancel: `End the run of a session, even if another process runs it. This ends the model call, the tools and all their
processes, and returns when they have ended. Commands that the agent keeps running after its run are ended too.
Finished work and waiting messages are kept.

  longhaul cancel last
  longhaul cancel last --clear-queue

      --clear-queue     remove the waiting messages
      --force           end the process of the run if it does not answer within 5 seconds
      --json            print one JSON object
${ALL}
${WHERE}

${ID}
If the process of a run has died, the run is recorded as interrupted. Exit code: 0, also if nothing was running.
`,
  send: `Send a message to a session. It waits on disk until the agent of the session receives it: before the next step of a
run, or when the next run begins.

  longhaul send last "Use tabs, please"
  git diff | longhaul send 0197a3c2 "Review this:" -   "-" appends standard input
  longhaul send 0197a3c2 "Which port?" --wait          print the answer

      --wait            print the answer of the run that receives the message; start this run if no process works on
                        the session
      --from ID         a session sends the message, not you: its agent does not take it for your word
      --id KEY          repeating a key sends nothing, and waits for the same answer; for a retry after a failure
      --sandbox DRIVER  with --wait: where commands run, as for longhaul run
  -y, --yes             with --wait: allow every call that needs approval
      --assume-ended    with --wait: continue although a command of an earlier run may still run
      --json            print one JSON object; with --wait, one event per line
${ALL}
${WHERE}

${ID}
With --wait, the exit codes are those of longhaul run. @path in the text attaches a file of the workspace, as in longhaul
run.
`,
  queue: `List and change the messages that wait for a session. They are on disk and survive a cancel and a crash.

  longhaul queue last                          list them
  longhaul queue last add "Use tabs, please"
  git diff | longhaul queue last add "See:" -  "-" appends standard input
  longhaul queue last edit 1 "Use spaces"      name a message by its position in the list, or by its id
  longhaul queue last remove 1
  longhaul queue last clear

      --json            print JSON
${ALL}
${WHERE}

${ID}
The agent receives all waiting messages as one message. If no run works on the session, longhaul resume delivers them.
`,
  fork: `Copy a session, up to one of its messages, into a new session. The first session is not changed.

  longhaul fork last
  longhaul fork last --at m12
  longhaul run --session last "Try it with a queue instead"

      --at SEQ          the last message to copy, by its number or handle (12, m12); default: copy all messages
      --title TEXT      title of the new session; default: the title of the first session
      --files DIR       write the files of that moment into DIR, a new or empty folder, which the new session works in
      --worktree        with --files in a git repository: make DIR a worktree on a new branch
      --json            print the new session as JSON
${ALL}
${WHERE}

${ID}
longhaul show prints the messages with their handles.
`,
  sessions: `List the sessions of this workspace, newest first. A git repository is one workspace.

  longhaul sessions
  longhaul sessions --all
  longhaul sessions -v            with what was done in each
  longhaul sessions --tree
  longhaul sessions --limit 5 --json

  -v, --verbose         under each session, what was done in it
      --tree            also list the child sessions, below their parents
  -n, --limit N         maximum number of results, without children (default: 20)
      --json            print one session per line
${ALL}
${WHERE}
`,
  ps: `List the commands that sessions of this workspace run now: those of working runs, and those that the agent keeps
running after its run. A git repository is one workspace.

  longhaul ps
  longhaul ps --all
  longhaul cancel ID    ends the run of a session, and the commands that it keeps

      --json            print one command per line
${ALL}
${WHERE}

"kept": the command outlives its run. "left": its run has died, and the next run of the session ends it.
`,
  show: `Read a session. Changes of files and outputs of commands are shown completely.

  longhaul show 0197a3c2-5e1b    the beginning of an id, as longhaul sessions prints it
  longhaul show last             the newest session of this workspace
  longhaul show last --json      messages and marks as they are stored

      --json            print JSON
      --no-color        no colours
${ALL}
${WHERE}
`,
  search: `Search all sessions, including messages that the model no longer sees.

  longhaul search "retry after"
  longhaul search retryAfter --session last

      --session ID      search one session
  -n, --limit N         maximum number of results (default: 20)
      --reverted        also find reverted messages
      --json            print one match per line
      --no-color        no colours
${ALL}
${WHERE}

A text matches if it contains all the words. A word also matches a part of an identifier: "retry" finds retryAfter. Each
match begins with a handle, such as m12.3. longhaul show prints the same handles, and the agent can read the text of a
handle with recall.
Exit code: 0 if something was found, else 1.
`,
  context: `Show what fills a session's window (system text, tools, summary, messages, calls and their outputs) and which
messages the model no longer sees.

  longhaul context last
  longhaul context last --json
  longhaul context last --request      show the next request as the model would read it

      --request         print the next request: system text, names of tools, messages. With --json, the request of the
                        model's API. Sends nothing and needs no key
      --window N        show the request against a window of this size; needed if the window is unknown because the
                        session has never run
      --json            print one JSON object
      --no-color        no colours
${ALL}
${WHERE}

${ID}
`,
  compact: `Compact a session now, before its window is full. Nothing is lost: hidden messages can be found again, and
longhaul undo undoes the compaction.

  longhaul compact last --preview      show the messages that would be hidden, and the summary
  longhaul compact last
  longhaul compact last --focus "the API of the queue"
  longhaul compact last --strategy reactive-overflow

      --preview         change nothing and call no model
      --focus WORDS     what the summary should keep in particular
      --strategy NAME   use this strategy instead of the configured one
      --window N        tokens of the window; needed if it is unknown because the session has never run
      --json            print one JSON object
      --no-color        no colours
${ALL}
${WHERE}

${ID}
If a run works on the session, that run compacts before its next step. If a compaction would save too little, nothing
is changed.
`,
  diff: `Show what a session changed in the workspace, as a unified diff that git apply accepts.

  longhaul diff last                 all changes of the session
  longhaul diff last m12             the changes of one step, or of all steps that answer a user's message
  longhaul diff last --stat          one line per file
  longhaul diff last > changes.patch

      --stat            one line per file instead of the diff
      --json            print the changed files as JSON
      --no-color        no colours
${ALL}
${WHERE}

${ID}
`,
  revert: `Restore the files and the conversation as they were before a message. The current files are recorded first, and no
message is deleted, so longhaul unrevert can take the revert back. A running session is cancelled first.

  longhaul revert last m8
  longhaul revert last m8 --preview
  longhaul revert last m8 --files

      --files           restore only the files
      --conversation    restore only the conversation
${RESTORING}
      --json            print one JSON object
${ALL}
${WHERE}

${ID}
longhaul show prints the messages with their handles. Files that are ignored, secret or too large are never changed.
`,
  unrevert: `Take back the newest revert of a session: its files and its conversation. Messages that were sent after the revert
are hidden; longhaul tree shows where they are.

  longhaul unrevert last

${RESTORING}
      --json            print one JSON object
${ALL}
${WHERE}

${ID}
`,
  tree: `Show the branches of a session's conversation, and the sessions that were copied from it. The first message after a
revert begins a new branch.

  longhaul tree last

      --json            print one JSON object
${ALL}
${WHERE}

${ID}
longhaul revert can restore the state before any message of any branch.
`,
  undo: `Undo the newest compaction of a session: the model sees the hidden messages again. The next automatic
compaction then waits until the window is full. Run it again to undo the compaction before that one.

  longhaul undo last

      --json            print one JSON object
${ALL}
${WHERE}

${ID}
`,
  pin: `Keep a message visible to the model through every compaction. If the message is hidden, the model sees it again.

  longhaul pin last m7       a message, by the handle that longhaul show and longhaul search print
  longhaul pin last m12.3    message 12: the pin of a part pins its whole message
  longhaul unpin last m7

      --json            print one JSON object
${ALL}
${WHERE}

${ID}
`,
  unpin: `Remove the pin of a message, so that compactions can hide it.

  longhaul unpin last m7

      --json            print one JSON object
${ALL}
${WHERE}

${ID}
`,
  import: `Create sessions from recorded session files, to show, search and continue them. Formats: Claude Code, Codex,
OpenCode, pi, Gemini CLI, Copilot, Aider, SpecStory, mini-swe-agent, SWE-agent, OpenHands, ATIF, chat messages, and
longhaul export.

  longhaul import ~/.claude/projects/*/*.jsonl
  longhaul import session.json --cwd ~/src/app
  longhaul run --session last "Continue where this ended"

  -C, --cwd DIR         the folder in which the session works (default: the current one), even if the file names another
      --config FILE     read this file instead of the project's longhaul.yml
      --trust           trust this folder's longhaul.yml, for this command only
      --partial         import files of which less than 90 % can be read, which are errors otherwise
      --json            print one session per line
      --no-color        no colours

A file with several sessions creates all of them; FILE#3 names the third. Importing a file twice creates two sessions. Content that cannot be imported is reported. The files of an export with
--files are stored, not written into the workspace: longhaul revert and fork --files restore them.
Exit code: 0 done, 1 if a file could not be imported. The other files are imported in any case.
`,
  export: `Write a whole session as JSON (format longhaul-session, version 1).

  longhaul export last > session.json
  longhaul export last --files > session.json

      --files           add the recorded files of the workspace, so that an import can restore them
${ALL}
${WHERE}

${ID}
`,
  serve: `Serve sessions over HTTP and server-sent events. Ctrl-C lets running steps finish; a second Ctrl-C stops at once.

  longhaul serve --open                 opens the page of the server in your browser
  longhaul serve --port 8080 --resume
  longhaul serve --host 0.0.0.0         reachable from other machines: always with a token

      --host ADDRESS    address to listen on (127.0.0.1)
  -p, --port N          port (4140); 0 takes any free one
      --role ROLE       of several servers with one PostgreSQL database: all, api (answers) or worker (drives sessions)
      --no-token        require no token; allowed only if the server listens on a loopback address
      --resume          resume the sessions whose run was interrupted
      --open            open the page in the browser, signed in, and print its address
      --log-file FILE   write the log to this file, and open it again at SIGHUP (default: standard error)
      --log-level LEVEL debug, info, warn, error or silent (info: one line per run)
      --json            print the address as one JSON object
${WHERE}

Every request must have a token. It is created at the first start, in a file that only you can read; serve prints its
path. Sessions work in the folder where serve was started, or in those of server.workspaces. The log goes to standard
error, one JSON object per line. The page is served under /. GET /openapi.json describes the API; docs/api.md explains
it.
`,
  acp: `Connect to an editor that supports the Agent Client Protocol, such as Zed. The editor starts this command and talks to it
over standard input and output. Notices go to standard error.

  longhaul acp
  longhaul acp --model anthropic/claude-sonnet-4-5

  -m, --model NAME      model of new sessions, provider/model (default: as configured); the editor can select others
      --sandbox KIND    where commands run: auto, docker, bubblewrap, seatbelt or local (auto)
${WHERE}

The editor names the folder of each session. docs/editors.md has the configuration of editors.
`,
  gateway: `Offer the API of LM Studio, Ollama, llama.cpp or vLLM, and compact the conversations that outgrow the window
instead of cutting or refusing them. Runs until Ctrl-C.

  longhaul gateway --upstream http://127.0.0.1:1234/v1
  longhaul gateway --upstream lmstudio=http://127.0.0.1:1234/v1 --upstream ollama=http://127.0.0.1:11434/v1
  longhaul gateway --compactor none            call no model for summaries: computed facts alone replace old messages

  -u, --upstream URL    a server, or NAME=URL; with several, their models are offered as NAME/MODEL;
                        embedded:MODEL for a model that runs inside Longhaul
      --host ADDRESS    address to listen on (127.0.0.1)
  -p, --port N          port (4141); 0 takes any free one
      --notices KIND    how users are informed: text, reasoning, comment or off (text)
      --compactor MODEL the model that writes summaries: __same__, none, or NAME/MODEL (__same__)
      --forget MODEL    forget the window that was learned from a refused or silently cut request, and exit; NAME/MODEL
                        for the model of one server; can be repeated
      --open            open the page of the gateway in the browser, signed in
      --no-token        accept clients without a token, even at an address that other machines can reach
      --json            print the address, and the log, as one JSON object per line
${WHERE}

Set the base URL of a client to the address that gateway prints, ending in /v1. The page at / shows conversations,
windows and compactions, and changes settings; GET /status shows figures. Clients on other machines must send the token of LONGHAUL_GATEWAY_TOKEN as their API key. docs/gateway.md
explains the rest.
`,
  doctor: `Check what is installed, reachable and configured, with a remedy for each problem.

  longhaul doctor
  longhaul doctor --base-url http://127.0.0.1:8080/v1

  -m, --model NAME      check this model instead of the configured one
      --base-url URL    check the OpenAI-compatible server at this address
      --deep            also read every page of the database and every stored blob
      --json            print one check per line
      --no-color        no colours
${WHERE}

Exit code: 0 if a task can be run here and no stored content is lost, else 1.
`,
  gc: `Remove unneeded data and free its disk space: blobs that no session names, unfinished files of killed programs,
free pages of the database, and its log. Sessions are removed only if you agree.

  longhaul gc                              removes no session, unless storage.retention is set
  longhaul gc --older-than 30d --dry-run   print what would be removed
  longhaul gc --older-than 30d --max-size 2GB --yes

      --older-than AGE  remove sessions that were not used for this long (90m, 12h, 30d, 8w), and older backups
      --max-size SIZE   remove the least recently used sessions until the rest takes no more than this (500MB, 2GB)
      --dry-run         only print what would be removed
  -y, --yes             do not ask; needed if there is no terminal to ask on
      --json            print one JSON object
${WHERE}

A session is always kept while a run works on it, while messages wait for it, and for an hour after its last use, even
if it exceeds a limit. Other programs can use the database at the same time.
`,
  backup: `Save the database, its blobs and the settings in a new folder, and check the copies. Programs can use the database in the
meantime: the backup has the state of one moment.

  longhaul backup /backup/2026-01-02

      --json            print one JSON object
${WHERE}

Only your user can read the folder. It contains stored keys and tokens. Exit code: 1 if blobs of the store are damaged.
`,
  restore: `Restore a backup. It is checked first, and nothing is overwritten: move an existing database away.

  longhaul restore /backup/2026-01-02

      --without-settings  restore only the database and its blobs
      --json              print one JSON object
${WHERE}

The database is restored to where storage.url names it now: an SQLite file, or PostgreSQL without other sessions.
`,
  'migrate-storage': `Copy all sessions with their blobs from one database to another, and compare them. The source is not changed, and nothing in
the target is overwritten.

  longhaul migrate-storage sqlite:PATH postgres://me@db.example/longhaul
  longhaul migrate-storage URL URL --from-blobs /old/blobs --blobs s3://my-bucket/longhaul   only the blobs

      --blobs PLACE       where TO keeps its blobs, if it is PostgreSQL (default: storage.blobs)
      --from-blobs PLACE  where FROM keeps its blobs, if it is PostgreSQL (default: storage.blobs)
      --json              print one JSON object
${WHERE}

If the command is interrupted, run it again: it continues. Sessions with a run are left out. Exit code: 1 if something was
not copied.
`,
  repair: `Copy the readable content of a damaged database into a new one. The damaged file is renamed. It is never changed or
deleted.

  longhaul repair
  longhaul repair --move-aside   save nothing: the next run starts with a new database

      --move-aside      copy nothing: only rename the file and its log
  -y, --yes             do not ask; needed if there is no terminal to ask on
      --json            print one JSON object
${WHERE}

End every run first. Exit code: 0 if the database was not damaged or is repaired, 1 if nothing could be saved. In the
last case, the file is not renamed.
`,
  models: `List models with their windows, longest answers and prices: first those of the servers on this machine, then those of
the built-in catalogue. No model is called.

  longhaul models list
  longhaul models list sonnet
  longhaul models list openrouter glm
  longhaul models list --embedded      models that can run inside Longhaul, and what they need
  longhaul models pull NAME            fetch one of them, or hf:USER/REPOSITORY:QUANTISATION, or a URL
  longhaul models ls                   models that were fetched
  longhaul models rm NAME              delete one of them

      --embedded        list models that can run inside Longhaul
      --json            print one model per line
      --no-color        no colours
${WHERE}

A model is listed if its name contains all the words. A hosted provider without a client of its own, such as openrouter,
needs its address in the configuration: providers.NAME.baseUrl. Exit code: 0 if a model was found, else 1.
`,
  mcp: `List, add, remove and test MCP servers, whose tools the agent can call, and log in to them.

  longhaul mcp
  longhaul mcp add github -- npx -y @modelcontextprotocol/server-github
  longhaul mcp add docs --url https://mcp.example.com/mcp
  longhaul mcp test github
  longhaul mcp login docs
  longhaul mcp logout docs
  longhaul mcp remove github

      --url URL         add a server that is reached over HTTP, instead of a command
      --header TEXT     a header of each request, as NAME: VALUE; can be repeated
      --env NAME=VALUE  a variable of the program; can be repeated
      --json            print one server per line
${WHERE}

A server is added to your own longhaul.yml. The value $NAME is read from the environment when the server is used. test
starts all servers, or those that you name, and prints their tools. Exit code: 0 if all of them work, else 1.
login opens your browser for a server that wants you to log in, and stores its tokens in a file that only you can read.
docs/mcp.md explains the rest.
`,
  config: `Show the effective configuration: every value, and the source of each value that is not the default. Keys are
masked.

  longhaul config
  longhaul config --schema > longhaul.schema.json    for editors

      --json            print JSON, with the source of each value
      --schema          print the JSON Schema of longhaul.yml
${WHERE}
`,
  login: `Store the API key of a provider in a file that only you can read. You are asked for the key, and it is not shown. A key in
the environment, or in your longhaul.yml, is used in place of the stored one.

  longhaul login anthropic
  pass show openai | longhaul login openai --stdin

      --stdin           read the key from standard input
${WHERE}
`,
  logout: `Remove the stored API key of a provider.

  longhaul logout anthropic

${WHERE}
`,
  token: `Give programs and people their own access to longhaul serve. A running server accepts a new token, and refuses a
revoked one, without a restart. A session belongs to the name of the token that created it.

  longhaul token add ann --expires 90d
  longhaul token add metrics --scope read
  longhaul token add bob --budget-usd-per-day 20
  longhaul token budget bob --budget-usd-per-day 40
  longhaul token list
  longhaul token revoke ann

A token is printed once, and only its hash is stored. The scopes:
  admin   everything
  work    create sessions, and use its own and shared ones (the default)
  read    read its own and shared sessions, and change nothing

      --scope SCOPE     admin, work or read
      --expires AGE     refuse the token after this time (90m, 12h, 90d, 8w); default: never
      --budget-usd N    what its sessions may cost in all, in US dollars; none: no limit; default: as configured
      --budget-usd-per-day N      the same on one day (UTC)
      --budget-tokens N           the same in tokens of input and output
      --budget-tokens-per-day N
      --json            print JSON
${WHERE}
`,
  usage: `Print what the model calls of all sessions have used: calls, tokens of input, of it from the provider's cache,
tokens of output, and the cost. Days are those of UTC. Below, what is left of budgets.

  longhaul usage                        by day, the newest first
  longhaul usage --by model,token
  longhaul usage --from 2026-11-01 --to 2026-11-30 --by session
  longhaul usage --session last

      --by KEYS         day, token, model, session, or several, separated by commas (default: day)
      --from DAY        first day, such as 2026-11-30
      --to DAY          last day
      --token NAME      only the sessions of the token of this name; admin: your own
      --session ID      only this session with its child sessions
      --limit N         maximum rows (default: 30)
      --json            print JSON
${ALL}
${WHERE}

${ID}
`,
  share: `Let other tokens of the server read a session, or work in it. Its owner and an admin always can. Without a second
word, the command shows how the session is shared.

  longhaul share last read      others can read it
  longhaul share last work      others can also send messages, answer approvals and change it
  longhaul share last none      others do not see it

      --json            print JSON
${ALL}
${WHERE}

${ID}
`,
  trust: `Show the settings in a folder's longhaul.yml that could run code, send data or widen access, and allow them. Until you
allow them, they are ignored. If such a setting changes, or a file that it uses, the setting is ignored again.

  longhaul trust
  longhaul trust ~/src/project --yes
  longhaul trust --show

      --show            only print these settings, and whether the file is trusted
      --revoke          withdraw the trust
  -y, --yes             do not ask
      --json            print JSON
`,
  replay: `Run recorded sessions through strategies, step by step, and measure what each strategy keeps, loses and costs. No
model is called. Formats: Claude Code, Codex, OpenCode, pi, Gemini CLI, Copilot, Aider, SpecStory, mini-swe-agent,
SWE-agent, OpenHands, ATIF, chat messages, and longhaul export. FILE#3 names the third session of a file.

  longhaul replay                      the newest 30 sessions that coding agents have recorded on this machine
  longhaul replay ~/.claude/projects --window 64000 --baselines
  longhaul replay session.jsonl --window 16000,32000,64000 --html page.html

      --window N,N      tokens of the model's window, one or several (default: 32000)
      --strategy NAMES  separated by commas, or all (default: all)
      --baselines       simple methods for comparison, such as dropping the oldest messages
      --partial         also measure files of which less than 90 % can be read, which are errors otherwise
      --narrative NAME  provider/model that writes narratives, or none (default: none)
      --max-cost USD    limit of their cost (default: 5)
      --probes          also plant details into the sessions, and count those that each view still has
      --view-command CMD
                        also measure a program: messages as JSON on its standard input, messages as JSON on its output
      --against-recorded
                        also measure the compactions that the recorded agents made, beside our ledger of the same size
      --html FILE       write one page with all results and every step
      --workers N       threads (default: one per processor, at least 2)
      --through-agent   play the sessions through the whole agent instead: a scripted model with this window sends the
                        recorded answers, tools return the recorded results, and the stored session is compared with
                        the recording
      --database FILE   with --through-agent: keep the database (default: a temporary one)
      --json            print one line per session; the last line has the totals
      --no-color        no colours
${WHERE}

Exit code: 0 done, 1 if a file could not be replayed or did not pass through the agent. The other files are replayed in
any case.
`,
  demo: `Watch a whole run: a scripted model builds a flashcard application in an empty folder, with real tools in a real
sandbox. The window of the model is far too small for the task. No key and no network are used.

  longhaul demo
  longhaul demo --window 24000

      --children        give parts to three children at once, and compare with the same task without children
      --window N        tokens of the model's window (default: 16000)
      --sandbox KIND    bubblewrap, docker, seatbelt, local, or auto: the first that works (default)
      --keep            keep the session's database even if the demo succeeds
      --json            print one event per line, then one line with the outcome
      --no-color        no colours

The application is kept. With --json, it is kept only if the demo fails, or with --keep.
`,
};

/**
 * Returns the help of a command, or of all. Lines longer than `columns` are broken at words. Default: as written, at
 * most 120 columns.
 */
export function helpFor(topic: string | undefined, columns = 120): string {
  const text = topic === undefined ? OVERVIEW : (TOPICS[topic] ?? OVERVIEW);
  if (text.split('\n').every((line) => line.length <= columns)) return text;
  // Paragraphs and explanations are joined, so that each is broken as a whole.
  const joined = text.replaceAll(/\n {20,}(?=\S)/g, ' ').replaceAll(/^(\S.*)\n(?=\S)/gm, '$1 ');
  const lines = joined.split('\n');
  return lines.map((line) => (line.length <= columns ? line : breakLine(line, columns))).join('\n');
}

/** A line that explains a term has it on the left, two spaces before the explanation. */
function breakLine(line: string, columns: number): string {
  const left = /^ *(?:\S+ )*\S+ {2,}(?=\S)/.exec(line)?.[0] ?? /^ */.exec(line)?.[0] ?? '';
  if (left.trim() === '' || left.length <= columns / 2)
    return left + hanging(line.slice(left.length), columns, { start: left.length });
  const start = left.length - left.trimStart().length;
  const own = hanging(left.trim(), columns, { start, indent: INDENT });
  return `${' '.repeat(start)}${own}\n${' '.repeat(INDENT)}${hanging(line.slice(left.length), columns, { start: INDENT })}`;
}

interface Indents {
  start: number;
  indent?: number;
}

/** Breaks the text after `start` columns of a line; further lines begin at `indent`. */
function hanging(text: string, columns: number, { start, indent = start }: Indents): string {
  return wrapText(text, columns - Math.max(start, indent))
    .trimEnd()
    .replaceAll('\n', `\n${' '.repeat(indent)}`);
}

const INDENT = 8;
