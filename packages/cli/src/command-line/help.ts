import { wrapText } from '../render/word-wrapper.ts';

const OVERVIEW = `Longhaul: a coding agent for work that outlasts the context window.

Try it
  longhaul demo                            watch it build an application; needs no key, no network
  longhaul run "Fix the failing test"      let it work in the current folder
  longhaul run --model ollama/qwen3:8b "…" with a model of your own
  longhaul doctor                          what is installed and configured, and what to do about the rest

Commands
  run        give the agent a task and watch it work
  resume     go on where a session was interrupted
  cancel     end what works on a session, in whichever process
  queue      messages that wait for a session: list, add, edit, remove
  fork       a new session that begins as another stood at one of its messages
  sessions   list what was done before
  show       read a session: what was said and done, and what the model no longer sees
  search     find words in what was said and done
  context    see what fills a session's window
  compact    make room in it now, or see what that would do
  undo       take the newest compaction back
  pin        keep a message in view, whatever is compacted; unpin lets it go
  import     make a session of another agent's session file
  export     write a session as JSON
  serve      sessions over HTTP, for pages, bots and programs
  gateway    stand before a server of local models, and compact instead of breaking
  gc         drop what nobody needs any more, and give its room back to the disk
  repair     save what can be read of a damaged database
  doctor     check this machine
  config     show the configuration that holds here
  replay     measure what each strategy would have kept of recorded sessions
  demo       a run with a scripted model, start to end

  longhaul COMMAND --help says more. --version prints the version.
`;

const WHERE = `  -C, --cwd DIR         the folder to work in (default: here)
      --config FILE     read this instead of the project's longhaul.yml`;

const ALL = `      --all             sessions of every folder, not only of this workspace`;

const TOPICS: Readonly<Record<string, string>> = {
  run: `Give the agent a task and watch it work.

  longhaul run "Fix the failing test"
  longhaul run < task.md                          a longer task from a file
  git diff | longhaul run "Review this change:" - a task and a text together
  longhaul run --sandbox bubblewrap --network off --max-cost 2 "…"
  longhaul run --model openai-compatible/NAME --base-url http://127.0.0.1:8080/v1 "…"
  longhaul run --session last "Now update the README"
  longhaul run --resume                           go on where the newest session stopped

Model
      --agent NAME      an agent of the configuration (coder)
  -m, --model NAME      provider/model, such as anthropic/claude-sonnet-4-5 or ollama/qwen3:8b
      --base-url URL    address of an OpenAI-compatible server
      --window N        tokens of its context window, where the server does not say
      --max-output N    most tokens of one answer
      --strategy NAME   how the context is compacted (reactive-overflow)
      A key comes from the environment: that of the provider, or LONGHAUL_API_KEY.

Where it works
${WHERE}
      --sandbox KIND    docker, bubblewrap, local (no isolation) or auto (docker, else bubblewrap)
  -y, --yes             allow what would be asked for (see docs/approvals.md)
      --network on|off  whether its commands reach the network (default: on)
      --session ID      continue an earlier session: its id, the beginning of it, or "last" for the newest here
      --all             with --session or --resume: sessions of every folder, not only of this workspace
      --resume          resume --session ID, or the newest session that can be resumed (as longhaul resume)
      --wait            where another process works on the session: wait for its answer

Limits
      --max-steps N     model calls
      --max-cost USD    US dollars
      --max-minutes N   time

Output
      --json            one event per line, and nothing else, on standard output
  -q, --quiet           only the final answer
      --verbose         whole changes of files and whole outputs of commands
      --no-color        no colours, nothing drawn over (also NO_COLOR=1)

Exit code: 0 done, 1 failed, 2 wrong usage or configuration, 3 stopped at a limit, 4 nothing could be
approved, 130 cancelled. Ctrl-C ends a run cleanly; a second one at once. What was done is kept in the session.

A message to a session that another process works on is queued, and taken there before the next step.
`,
  resume: `Go on where a session was interrupted: by a crash, a cancel, a limit or a closed terminal. What was open is
closed, what is not known is said, and nothing is started a second time.

  longhaul resume                            the newest session of this workspace that can be resumed
  longhaul resume last
  longhaul resume 0197a3c2-5e1b --max-cost 5

Model
      --agent NAME      default: the session's own
  -m, --model NAME      provider/model; default: the session's own
      --base-url URL    address of an OpenAI-compatible server; default: the one the session was run with
      --window N        tokens of its context window, where the server does not say
      --max-output N    most tokens of one answer
      --strategy NAME   how the context is compacted

Where it works: in the session's own folder
${ALL}
${WHERE}
      --sandbox KIND    docker, bubblewrap, local or auto
  -y, --yes             allow what would be asked for (see docs/approvals.md)
      --network on|off  whether its commands reach the network (default: on)

Limits
      --max-steps N     model calls
      --max-cost USD    US dollars
      --max-minutes N   time

Output
      --json            one event per line; {"status":"nothing"} when there is nothing to go on with
  -q, --quiet           only the final answer
      --verbose         whole changes of files and whole outputs of commands
      --no-color        no colours, nothing drawn over

Where the last turn has its answer and no message waits, no model is called. Exit code: as longhaul run.
`,
  cancel: `End what works on a session, in whichever process, and answer when nothing of it goes on any more: model
call, tools and all their processes. What was said and done so far is kept; messages that wait are kept too.

  longhaul cancel last
  longhaul cancel last --clear-queue

      --clear-queue     drop the messages that wait
      --json            as one JSON object
${ALL}
${WHERE}

A run whose process died gets its end. Exit code: 0, also when nothing was running.
`,
  queue: `The messages that wait for a session's next step. They are on disk, and survive a cancel and a crash.

  longhaul queue last                          list them
  longhaul queue last add "Use tabs, please"
  git diff | longhaul queue last add "See:" -  - is standard input
  longhaul queue last edit 1 "Use spaces"      by position, or by id
  longhaul queue last remove 1
  longhaul queue last clear

      --json            as JSON
${ALL}
${WHERE}

Several that wait become one message. Where nothing works on the session, longhaul resume delivers them.
`,
  fork: `Make a new session that begins as another stood at one of its messages, to go another way. The other is left as
it is.

  longhaul fork last
  longhaul fork last --at m12
  longhaul run --session last "Try it with a queue instead"

      --at SEQ          the last message to take, by its number or name (12, m12); default: all
      --title TEXT      default: that of the other
      --json            the new session as JSON
${ALL}
${WHERE}

longhaul show prints the messages with their names.
`,
  sessions: `List sessions, the newest first.

  longhaul sessions
  longhaul sessions --limit 5 --json

  -n, --limit N         how many (default: 20)
      --json            one session per line
${ALL}
${WHERE}
`,
  show: `Read a session.

  longhaul show 0197a3c2-5e1b    the beginning of an id, as longhaul sessions prints it
  longhaul show last             the newest
  longhaul show last --json      messages and marks as they are stored

      --json            as JSON
      --no-color        no colours
${ALL}
${WHERE}
`,
  search: `Find words in all that was said and done, whether the model still sees it or not.

  longhaul search "retry after"
  longhaul search retryAfter --session last

      --session ID      in one session only
  -n, --limit N         how many (default: 20)
      --json            one match per line
      --no-color        no colours
${ALL}
${WHERE}

All words must occur in one text; parts of identifiers are found too (retryAfter by "retry"). Before each match
stands its handle: longhaul show prints the session with these names, and the agent reads it with recall.

Exit code: 0 something was found, 1 nothing.
`,
  context: `See what fills a session's window: system text, tools, summary, messages, calls and their outputs; and what
the model no longer sees.

  longhaul context last
  longhaul context last --json

      --window N        tokens of the window, for a session that has not run here, or to see how it would fit
      --json            as one JSON object
      --no-color        no colours
${ALL}
${WHERE}
`,
  compact: `Make room in a session's context now, without waiting for its window to be full. Nothing is lost: what the
model no longer sees can be found again, and longhaul undo takes the compaction back.

  longhaul compact last --preview      what it would hide, and what would stand in its place
  longhaul compact last
  longhaul compact last --strategy reactive-overflow

      --preview         change nothing, ask no model
      --strategy NAME   another than the configured one
      --window N        tokens of the window, for a session that has not run here
      --json            as one JSON object
      --no-color        no colours
${ALL}
${WHERE}

While a run works on the session, the run compacts before its next step. Where little would be saved, nothing is
done, and that is said.
`,
  undo: `Take a session's newest compaction back: the model sees again what it hid. Until the next one is needed, the
session is compacted only when its window is full. Again, for the one before.

  longhaul undo last

      --json            as one JSON object
${ALL}
${WHERE}
`,
  pin: `Keep a message in what the model sees, whatever is compacted. One that is hidden comes back at once.

  longhaul pin last m7       the message; longhaul show and longhaul search print these names
  longhaul pin last m12.3    the message of that output
  longhaul unpin last m7

      --json            as one JSON object
${ALL}
${WHERE}
`,
  unpin: `Let compactions hide a pinned message again.

  longhaul unpin last m7

      --json            as one JSON object
${ALL}
${WHERE}
`,
  import: `Make sessions of recorded session files, to show, search and go on with. Files of Claude Code, Codex, OpenCode,
pi, mini-swe-agent, SWE-agent, OpenHands, chat messages, and longhaul export are understood.

  longhaul import ~/.claude/projects/*/*.jsonl
  longhaul import session.json --cwd ~/src/app
  longhaul run --session last "Go on where this ended"

  -C, --cwd DIR         the folder that the session goes on in (default: here), whatever the file says
      --config FILE     read this instead of the project's longhaul.yml
      --json            one file per line
      --no-color        no colours

A file imported twice makes two sessions. What a file holds and a session does not is said.

Exit code: 0 done, 1 if a file could not be imported; the others were.
`,
  export: `Write all there is of a session as JSON (format longhaul-session, version 1).

  longhaul export last > session.json

${ALL}
${WHERE}
`,
  serve: `Serve sessions over HTTP and server-sent events, for pages, bots and programs. Stops in good order: Ctrl-C lets
steps finish, a second one ends at once.

  longhaul serve
  longhaul serve --port 8080 --resume
  longhaul serve --host 0.0.0.0         reachable by others: never without a token

      --host ADDRESS    address to listen on (127.0.0.1)
  -p, --port N          port (4140); 0: any free one
      --no-token        every program on this machine may use it; on a loopback address only
      --resume          go on with sessions whose run was cut off
      --log-level LEVEL debug, info, warn, error or silent (info: one line a run)
      --json            where it listens, as one JSON object
${WHERE}

Every request carries a token, which is made at the first start and stands in a file that only you can read; its
name is printed. Sessions work in the folder it was started in, or in those of server.workspaces. The log goes to
standard error, one JSON object a line. GET /openapi.json describes the API; docs/api.md says how to use it.
`,
  gateway: `Stand before LM Studio, Ollama, llama.cpp or vLLM, with the same API: conversations that outgrow the window are
compacted instead of cut or refused. Until Ctrl-C.

  longhaul gateway --upstream http://127.0.0.1:1234/v1
  longhaul gateway --upstream lmstudio=http://127.0.0.1:1234/v1 --upstream ollama=http://127.0.0.1:11434/v1
  longhaul gateway --compactor none            no model is asked to summarise; facts alone stand for what is left out

  -u, --upstream URL    a server, or NAME=URL; several: their models are offered as NAME/MODEL
      --host ADDRESS    address to listen on (127.0.0.1)
  -p, --port N          port (4141); 0: any free one
      --notices KIND    how users are told: text, reasoning, comment or off (text)
      --compactor MODEL who summarises: __same__, none, or NAME/MODEL (__same__)
      --forget MODEL    forget the window that a refusal taught of it, and end; several, or NAME/MODEL for one server
      --no-token        at an address that others reach, let everyone in
      --json            where it listens, and its log, as one JSON object a line
${WHERE}

Point a client at the address it prints, ending in /v1. GET /status there says what it does. Elsewhere than on this
machine clients must bring the token in LONGHAUL_GATEWAY_TOKEN as their API key. docs/gateway.md has more.
`,
  doctor: `Check what is installed, reachable and configured, and say what to do about the rest.

  longhaul doctor
  longhaul doctor --base-url http://127.0.0.1:8080/v1

  -m, --model NAME      check this model instead of the configured one
      --base-url URL    check the OpenAI-compatible server at this address
      --deep            read every page of the database and every blob
      --json            one check per line
      --no-color        no colours
${WHERE}

Exit code: 0 if a task can be run here, else 1.
`,
  gc: `Drop what nobody needs any more, and give its room back to the disk: blobs that no session names, what killed
programs left unfinished, free pages of the database and its log. Sessions go only when you say so.

  longhaul gc                              sessions stay, unless storage.retention says otherwise
  longhaul gc --older-than 30d --dry-run   what would go
  longhaul gc --older-than 30d --max-size 2GB --yes

      --older-than AGE  sessions unused for so long (90m, 12h, 30d, 8w), and old backups of the database
      --max-size SIZE   sessions, the longest unused first, until all takes no more (500MB, 2GB)
      --dry-run         only say what would go
  -y, --yes             do not ask; needed where there is no terminal to ask on
      --json            as one JSON object
${WHERE}

A session stays, whatever the limits say, while a run works on it, while messages wait for it, and for an hour after
its last use. Others may go on working meanwhile.
`,
  repair: `Save what can be read of a damaged database into a new one. The damaged file is moved aside, never changed and
never deleted.

  longhaul repair
  longhaul repair --move-aside   save nothing: the next run begins with a new database

      --move-aside      only move the file aside, with its log
  -y, --yes             do not ask; needed where there is no terminal to ask on
      --json            as one JSON object
${WHERE}

End every run first. Exit code: 0 sound or repaired, 1 if nothing could be saved; then nothing was moved either.
`,
  config: `Show the configuration that holds here: every default, and what files and the API change, with where each value
comes from. Keys are masked.

  longhaul config
  longhaul config --schema > longhaul.schema.json    for editors

      --json            as JSON, with the origin of each value
      --schema          the JSON Schema of longhaul.yml
${WHERE}
`,
  replay: `Run recorded sessions through strategies, step by step, and measure what each would have kept, lost and cost.
No model is called. Sessions of Claude Code, Codex, OpenCode, pi, mini-swe-agent, SWE-agent, OpenHands, chat
messages, and longhaul export are understood.

  longhaul replay ~/.claude/projects --window 64000 --baselines
  longhaul replay session.jsonl --window 16000,32000,64000 --html page.html

      --window N,N      tokens of the model's window, one or several (default: 32000)
      --strategy NAMES  parted by commas, or all (default: all)
      --baselines       simple methods beside them, such as dropping the oldest
      --summarizer NAME provider/model that writes narratives, or none (default: none)
      --html FILE       one page that shows all of it, any step too
      --workers N       threads (default: one for each processor, at least 2)
      --through-agent   play them through the whole agent instead: a scripted model with this window gives the
                        recorded answers, tools return the recorded results, SQLite stores it, and all is compared
      --database FILE   with --through-agent: keep what was stored (default: a temporary database)
      --json            one line for each session; the last line has the totals
      --no-color        no colours
${WHERE}

Exit code: 0 done, 1 if a file could not be replayed, or did not pass through the agent; the others were.
`,
  demo: `Watch a whole run: a scripted model builds a flashcard application in an empty folder, in a window far too
small for it, with real tools in a real sandbox. No key and no network are used.

  longhaul demo
  longhaul demo --window 24000

      --window N        tokens of the model's window (default: 16000)
      --sandbox KIND    bubblewrap, docker or local (default: the first that works here)
      --keep            keep the session's database too; the application is always kept
      --json            one event per line, then one line with the outcome
      --no-color        no colours
`,
};

/** `columns`: lines that are longer are broken at words, further ones set below where the text began. Default: as written, at most 120. */
export function helpFor(topic: string | undefined, columns = 120): string {
  const text = topic === undefined ? OVERVIEW : (TOPICS[topic] ?? OVERVIEW);
  if (text.split('\n').every((line) => line.length <= columns)) return text;
  // A paragraph is broken anew as a whole.
  const lines = text.replaceAll(/^(\S.*)\n(?=\S)/gm, '$1 ').split('\n');
  return lines.map((line) => (line.length <= columns ? line : breakLine(line, columns))).join('\n');
}

/** What a line explains stands left, two spaces before the explanation. */
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

/** What follows `start` columns of a line, further lines below it or at `indent`. */
function hanging(text: string, columns: number, { start, indent = start }: Indents): string {
  return wrapText(text, columns - Math.max(start, indent))
    .trimEnd()
    .replaceAll('\n', `\n${' '.repeat(indent)}`);
}

const INDENT = 8;
