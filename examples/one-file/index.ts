/**
 * A coding agent in one file, for Bun. It works in a sandbox, stores every message, and never outgrows the window of its
 * model: `@longhaul/context` decides when to compact and what to keep.
 *
 * Run it: `OPENAI_API_KEY=… bun run index.ts`, type a task, and end it with an empty line. A task can also come from
 * standard input: `echo "Write a flashcard app" | bun run index.ts`.
 *
 * | variable | meaning | default |
 * | --- | --- | --- |
 * | `MODEL` | a model of the table below, or any other name together with `WINDOW` | `gpt-4o` |
 * | `WINDOW` | the window of the model in tokens | from the table |
 * | `OPENAI_BASE_URL` | a server that speaks OpenAI's format, for example a local one | the provider of the model |
 * | `SANDBOX` | `docker` or `bubblewrap` | `docker` |
 * | `IMAGE`, `NETWORK` | the image of the container, and its network | `oven/bun:latest`, `bridge` |
 * | `WORKSPACE` | the folder that the sandbox shows as `/workspace` | `./workspace` |
 * | `DATABASE` | the file of the database | `./agent.db` |
 */

import { Database } from 'bun:sqlite';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  aiSdkFormat,
  type CompactedMessages,
  type ContextSession,
  countByClasses,
  createContextSession,
  RECALL_TOOL,
  type RecallInput,
  type SessionSummarise,
  StructuredSummaryStrategy,
} from '@longhaul/context';
import { availableTokens, computeBudget, cutMiddle } from '@longhaul/context/engine';
import { mapProviderError } from '@longhaul/models';
import type { LanguageModel, ModelMessage, ToolSet } from 'ai';
import { APICallError, asSchema, generateText, isStepCount, jsonSchema, tool } from 'ai';
import { eq, inArray } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/bun-sqlite';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';

// ── 1. Configuration ────────────────────────────────────────────────────────────────────────────────────────────────

/** The windows of some models, in tokens. */
const WINDOWS: Readonly<Record<string, number>> = {
  'gpt-4o': 128_000,
  'gpt-4-turbo': 128_000,
  'claude-3-5-sonnet': 200_000,
  'claude-3-haiku': 200_000,
};

const MAX_STEPS = 50;
const MAX_OUTPUT_TOKENS = 4_000;
const RECENT_MESSAGES = 10;
const COMPACT_AT = 0.8;
const COMMAND_TIMEOUT_MS = 60_000;
const MAX_TOOL_CHARS = 10_000;

const SYSTEM = `You are a coding agent. You work in /workspace, inside a sandbox, with the tools that you have.
Look before you change something. Run what you write. When the task is done, say in a few lines what you did.
Older messages may be replaced by a summary. It is true: do not repeat what it says is done. Use recall to read what it
leaves out.`;

interface Settings {
  model: string;
  windowTokens: number;
  baseUrl: string | undefined;
  sandbox: 'docker' | 'bubblewrap';
  image: string;
  network: string;
  workspace: string;
  database: string;
}

function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const model = env['MODEL'] || 'gpt-4o';
  const windowTokens = env['WINDOW'] ? Number(env['WINDOW']) : windowOf(model);
  if (windowTokens === undefined || !Number.isInteger(windowTokens) || windowTokens < 4_000)
    throw new Error(
      `The window of the model ${model} is not known or not valid. Set WINDOW to its tokens (at least 4000), or MODEL to one of: ${Object.keys(WINDOWS).join(', ')}.`,
    );
  const sandbox = env['SANDBOX'] || 'docker';
  if (sandbox !== 'docker' && sandbox !== 'bubblewrap')
    throw new Error(`SANDBOX is docker or bubblewrap, not ${sandbox}.`);
  return {
    model,
    windowTokens,
    baseUrl: env['OPENAI_BASE_URL'],
    sandbox,
    image: env['IMAGE'] || 'oven/bun:latest',
    network: env['NETWORK'] || 'bridge',
    workspace: resolve(env['WORKSPACE'] || 'workspace'),
    database: env['DATABASE'] || './agent.db',
  };
}

/** Dated names, such as claude-3-5-sonnet-20241022, have the window of their model. */
function windowOf(model: string): number | undefined {
  const known = Object.keys(WINDOWS).toSorted((left, right) => right.length - left.length);
  const name = known.find((each) => model === each || model.startsWith(`${each}-`));
  return name === undefined ? undefined : WINDOWS[name];
}

function openModel({ model, baseUrl }: Settings): LanguageModel {
  if (baseUrl !== undefined && baseUrl !== '') {
    const apiKey = process.env['OPENAI_API_KEY'] || 'none';
    return createOpenAICompatible({ name: 'server', baseURL: baseUrl, apiKey })(model);
  }
  return model.startsWith('claude-') ? createAnthropic()(model) : createOpenAI().chat(model);
}

// ── 2. Schema ───────────────────────────────────────────────────────────────────────────────────────────────────────

const sessions = sqliteTable('sessions', {
  id: text('id').primaryKey(),
  createdAt: integer('created_at').notNull(),
  status: text('status', { enum: ['running', 'completed', 'failed'] }).notNull(),
  task: text('task').notNull(),
});

const messages = sqliteTable('messages', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  sessionId: text('session_id').notNull(),
  sequence: integer('sequence').notNull(),
  role: text('role', { enum: ['system', 'user', 'assistant', 'tool'] }).notNull(),
  /** The content of the AI SDK's message, as JSON. */
  content: text('content').notNull(),
  tokenCount: integer('token_count').notNull(),
  /** Whether a summary replaces the message, or its old output was left out. */
  isCompacted: integer('is_compacted', { mode: 'boolean' }).notNull().default(false),
});

const compactionEvents = sqliteTable('compaction_events', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  sessionId: text('session_id').notNull(),
  round: integer('round').notNull(),
  tokensBefore: integer('tokens_before').notNull(),
  tokensAfter: integer('tokens_after').notNull(),
  summaryContent: text('summary_content').notNull(),
});

const CREATE_TABLES = `
  CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, status TEXT NOT NULL, task TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions (id), sequence INTEGER NOT NULL,
    role TEXT NOT NULL, content TEXT NOT NULL, token_count INTEGER NOT NULL, is_compacted INTEGER NOT NULL DEFAULT 0,
    UNIQUE (session_id, sequence)
  );
  CREATE TABLE IF NOT EXISTS compaction_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions (id), round INTEGER NOT NULL,
    tokens_before INTEGER NOT NULL, tokens_after INTEGER NOT NULL, summary_content TEXT NOT NULL
  );`;

// ── 3. Database ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** What one session stores. Every message is written once, before the model is asked again. */
class SessionStore {
  readonly #client: Database;
  readonly #db: ReturnType<typeof drizzle>;
  readonly #id: string;
  /** The row of each message that was stored. */
  readonly #rows = new Map<ModelMessage, number>();
  readonly #compacted = new Set<number>();

  constructor(path: string, { id, task }: { id: string; task: string }) {
    this.#client = new Database(path);
    this.#client.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON;');
    this.#client.exec(CREATE_TABLES);
    this.#db = drizzle({ client: this.#client });
    this.#id = id;
    this.#db.insert(sessions).values({ id, createdAt: Date.now(), status: 'running', task }).run();
    this.add([{ role: 'system', content: SYSTEM }]);
  }

  /** Stores the messages that are new. */
  add(all: readonly ModelMessage[]): void {
    const added = all.filter((message) => !this.#rows.has(message));
    this.#db.transaction((tx) => {
      for (const message of added) {
        const content = JSON.stringify(message.content);
        const row = { sessionId: this.#id, sequence: this.#rows.size, role: message.role, content };
        const [stored] = tx
          .insert(messages)
          .values({ ...row, tokenCount: countTokens(content) })
          .returning({ id: messages.id })
          .all();
        if (stored !== undefined) this.#rows.set(message, stored.id);
      }
    });
  }

  /** Stores a compaction, and marks the messages that the model no longer gets as they were, in one transaction. */
  compact(
    { round, tokensBefore, tokensAfter, summary }: CompactedMessages,
    sent: readonly ModelMessage[],
  ): void {
    const shown = new Set(sent);
    const gone = [...this.#rows].filter(([message]) => message.role !== 'system' && !shown.has(message));
    const ids = gone.map(([, id]) => id).filter((id) => !this.#compacted.has(id));
    this.#db.transaction((tx) => {
      tx.insert(compactionEvents)
        .values({ sessionId: this.#id, round, tokensBefore, tokensAfter, summaryContent: summary })
        .run();
      if (ids.length > 0)
        tx.update(messages).set({ isCompacted: true }).where(inArray(messages.id, ids)).run();
    });
    for (const id of ids) this.#compacted.add(id);
  }

  end(status: 'completed' | 'failed'): void {
    this.#db.update(sessions).set({ status }).where(eq(sessions.id, this.#id)).run();
    this.#client.close();
  }
}

// ── 4. Sandbox ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface CommandResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

interface ExecOptions {
  stdin?: string;
  timeoutMs?: number;
}

interface Sandbox {
  exec(command: readonly string[], options?: ExecOptions): Promise<CommandResult>;
  close(): Promise<void>;
}

async function openSandbox(settings: Settings, sessionId: string, signal: AbortSignal): Promise<Sandbox> {
  mkdirSync(settings.workspace, { recursive: true });
  const isDocker = settings.sandbox === 'docker';
  return isDocker ? await openDocker(settings, sessionId, signal) : openBubblewrap(settings, signal);
}

/** A container with a network, which waits for commands until it is removed. */
async function openDocker(settings: Settings, sessionId: string, signal: AbortSignal): Promise<Sandbox> {
  const { image, network, workspace } = settings;
  await removeOrphans();
  const name = `coding-agent-${sessionId}`;
  const create = ['run', '--detach', '--init', '--name', name, '--label', `coding-agent.pid=${process.pid}`];
  const place = ['--network', network, '--volume', `${workspace}:/workspace`, '--workdir', '/workspace'];
  const started = await runProgram('docker', [...create, ...place, image, 'tail', '-f', '/dev/null']);
  const close = () => removeContainer(name);
  if (started.exitCode !== 0) {
    await close();
    throw new Error(`The container cannot start: ${started.stderr.trim()}`);
  }
  const enter = ['exec', '--interactive', name];
  return {
    // The time limit is inside the container: to end `docker exec` alone would leave the command running.
    exec: (command, { stdin, timeoutMs = COMMAND_TIMEOUT_MS } = {}) =>
      runProgram('docker', [...enter, ...limited(command, timeoutMs)], { stdin, timeoutMs, signal }),
    close,
  };
}

/** Removes the containers of agents that were killed. */
async function removeOrphans(): Promise<void> {
  const list = ['ps', '--all', '--filter', 'label=coding-agent.pid', '--format'];
  const { stdout } = await runProgram('docker', [...list, '{{.ID}} {{.Label "coding-agent.pid"}}']);
  for (const line of stdout.split('\n')) {
    const [id, pid] = line.split(' ');
    if (id && pid && !isAlive(Number(pid))) await removeContainer(id);
  }
}

async function removeContainer(name: string): Promise<void> {
  await runProgram('docker', ['rm', '--force', '--volumes', name]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Each command gets namespaces of its own, which end with this process. The system's programs can be read. */
function openBubblewrap({ workspace }: Settings, signal: AbortSignal): Sandbox {
  const system = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc'].filter((path) => existsSync(path));
  const flags = [
    ...['--unshare-all', '--share-net', '--die-with-parent', '--new-session', '--clearenv'],
    ...['--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin', '--setenv', 'HOME', '/workspace'],
    ...system.flatMap((path) => ['--ro-bind', path, path]),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...['--bind', workspace, '/workspace', '--chdir', '/workspace'],
  ];
  return {
    exec: (command, { stdin, timeoutMs = COMMAND_TIMEOUT_MS } = {}) =>
      runProgram('bwrap', [...flags, '--', ...limited(command, timeoutMs)], { stdin, timeoutMs, signal }),
    close: async () => {},
  };
}

function limited(command: readonly string[], timeoutMs: number): string[] {
  return ['timeout', '-s', 'KILL', String(Math.ceil(timeoutMs / 1000)), ...command];
}

const MAX_COLLECTED_CHARS = 1_000_000;

function runProgram(
  program: string,
  args: readonly string[],
  { stdin = '', timeoutMs, signal }: ExecOptions & { signal?: AbortSignal } = {},
): Promise<CommandResult> {
  const { promise, resolve: done } = Promise.withResolvers<CommandResult>();
  const child = spawn(program, args, { stdio: 'pipe', signal, killSignal: 'SIGKILL' });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      if (output[name].length < MAX_COLLECTED_CHARS) output[name] += chunk;
    });
  // A command that outlives its limit inside the sandbox is ended from outside.
  const timer = timeoutMs && setTimeout(() => child.kill('SIGKILL'), timeoutMs + 5_000);
  child.on('error', (error) => done({ ...output, stderr: `${program}: ${error.message}`, exitCode: 127 }));
  child.on('close', (code) => {
    if (timer) clearTimeout(timer);
    const isLate = timeoutMs !== undefined && (code === null || code === 137 || code === 124);
    if (isLate) output.stderr += `\nThe command was ended after ${timeoutMs} ms.`;
    done({ ...output, exitCode: code ?? 137 });
  });
  // A program that does not read its input closes it early. Its exit code says what happened.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  return promise;
}

// ── 5. Tools ────────────────────────────────────────────────────────────────────────────────────────────────────────

const PATH = z.string().describe('Relative to /workspace, or absolute.');

function createTools(sandbox: Sandbox, context: ContextSession<ModelMessage>) {
  const inSandbox = async (command: readonly string[], options?: ExecOptions) =>
    cutResult(await sandbox.exec(command, options));
  const textOf = async (command: readonly string[], options?: ExecOptions) => {
    const { stdout, stderr, exitCode } = await inSandbox(command, options);
    return exitCode === 0 ? stdout : `Error: ${stderr.trim() || `exit code ${exitCode}`}`;
  };
  return {
    execute_command: tool({
      description: 'Runs a command with sh in /workspace.',
      inputSchema: z.object({
        command: z.string(),
        timeout: z.number().positive().max(600_000).default(COMMAND_TIMEOUT_MS).describe('Milliseconds.'),
      }),
      execute: ({ command, timeout }) => inSandbox(['sh', '-c', command], { timeoutMs: timeout }),
    }),
    read_file: tool({
      description: 'Reads a text file.',
      inputSchema: z.object({ path: PATH }),
      execute: ({ path }) => textOf(['cat', '--', path]),
    }),
    write_file: tool({
      description: 'Writes a text file, and creates its folders.',
      inputSchema: z.object({ path: PATH, content: z.string() }),
      execute: async ({ path, content }) => {
        const script = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1"';
        const said = await textOf(['sh', '-c', script, 'sh', path], { stdin: content });
        return said === '' ? `Wrote ${path} (${Buffer.byteLength(content)} bytes).` : said;
      },
    }),
    list_directory: tool({
      description: 'Lists a folder. Folders end with /.',
      inputSchema: z.object({ path: PATH }),
      execute: ({ path }) => textOf(['ls', '-1Ap', '--', path]),
    }),
    recall: tool({
      description: RECALL_TOOL.description,
      inputSchema: jsonSchema<RecallInput>(RECALL_TOOL.parameters),
      execute: (input) => context.recall(input),
    }),
  };
}

/** Output over 10,000 characters keeps its beginning and its end. */
function cutResult({ stdout, stderr, exitCode }: CommandResult): CommandResult {
  const cut = (output: string) => cutMiddle(output, MAX_TOOL_CHARS).text;
  return { stdout: cut(stdout), stderr: cut(stderr), exitCode };
}

// ── 6. Tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** A prediction that needs no vocabulary. The engine corrects it by the numbers that the model's server reports. */
const countTokens = countByClasses;

/**
 * The tokens that messages may take: the window without the reserves for the system text (2,000), the answer (4,000) and
 * errors of the prediction (5,000). A window below 128k reserves less, in proportion.
 */
function roomForMessages(windowTokens: number): number {
  const size = { windowTokens, maxOutputTokens: MAX_OUTPUT_TOKENS, fixedTokens: countTokens(SYSTEM) };
  return Math.floor(availableTokens(computeBudget(size)));
}

// ── 7. Compaction ───────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The engine. At 80 % of the room it replaces all but the newest ten messages by a summary of six sections, which
 * contains the earlier rounds. If `summarise` fails, the sections are filled with facts from the log.
 */
function createContext(windowTokens: number, summarise: SessionSummarise<ModelMessage>) {
  return createContextSession<ModelMessage>({
    format: aiSdkFormat<ModelMessage>(),
    windowTokens,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    count: countTokens,
    strategy: new StructuredSummaryStrategy({
      trigger: { kind: 'available', percent: COMPACT_AT },
      recentMessagesToKeep: RECENT_MESSAGES,
    }),
    summarise,
  });
}

// ── 8. Agent loop ───────────────────────────────────────────────────────────────────────────────────────────────────

interface Agent {
  model: LanguageModel;
  windowTokens: number;
  sandbox: Sandbox;
  store: SessionStore;
  signal: AbortSignal;
}

/** Works on the task until the model has answered without a call. Returns the answer. */
async function work(task: string, agent: Agent): Promise<string> {
  const { model, windowTokens, sandbox, store, signal } = agent;
  const context = createContext(windowTokens, async ({ signal: abortSignal, ...request }) => {
    const asked = { model, instructions: SYSTEM, tools, toolChoice: 'none', maxRetries: 1 } as const;
    return (await generateText({ ...asked, ...request, abortSignal })).text;
  });
  const tools: ToolSet = createTools(sandbox, context);
  const schemas = await schemasOf(tools);
  const remember = (all: readonly ModelMessage[]) => {
    context.sync(all);
    store.add(context.messages);
  };
  let history: ModelMessage[] = [{ role: 'user', content: task }];
  let steps = 0;
  for (;;) {
    try {
      const result = await generateText({
        model,
        instructions: SYSTEM,
        messages: history,
        tools,
        stopWhen: isStepCount(MAX_STEPS - steps),
        abortSignal: signal,
        prepareStep: async ({ initialMessages, responseMessages }) => {
          remember([...initialMessages, ...responseMessages]);
          const fitted = await context.fit({ system: SYSTEM, tools: schemas, signal });
          if (fitted.compacted !== undefined) {
            store.compact(fitted.compacted, fitted.messages);
            sayCompacted(fitted.compacted);
          }
          return { messages: fitted.messages, maxOutputTokens: fitted.maxOutputTokens };
        },
        onStepEnd: ({ text: said, toolCalls, usage }) => {
          steps += 1;
          context.learn(usage.inputTokens);
          sayStep(steps, said, toolCalls);
        },
      });
      remember([...history, ...result.responseMessages]);
      if (result.finishReason !== 'tool-calls') return result.text;
      throw new Error(`The task is not done after ${MAX_STEPS} steps.`);
    } catch (error) {
      if (signal.aborted || !learnRefusal(error, context)) throw error;
      // The steps that were done stay. The next `fit` makes room.
      history = [...context.messages];
    }
  }
}

/** The tools as the server gets them. They count in every request. */
async function schemasOf(tools: ToolSet): Promise<unknown[]> {
  const entries = Object.entries(tools).map(async ([name, { description, inputSchema }]) => ({
    name,
    description,
    parameters: await asSchema(inputSchema).jsonSchema,
  }));
  return await Promise.all(entries);
}

/** Whether the server refused a request as too long. The engine learns the sizes that it named. */
function learnRefusal(error: unknown, context: ContextSession<ModelMessage>): boolean {
  if (!APICallError.isInstance(error)) return false;
  const { statusCode: status, responseBody: body, message } = error;
  const { code, data } = mapProviderError({ provider: 'the server', model: '', message, status, body });
  if (code !== 'context_overflow') return false;
  const sizeOf = (size: unknown) => (typeof size === 'number' ? size : undefined);
  context.learnRefusal({
    windowTokens: sizeOf(data['windowTokens']),
    requestTokens: sizeOf(data['requestTokens']),
  });
  return true;
}

// ── 9. Console ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Reads the task: at a terminal up to an empty line or Ctrl-D, else all of standard input. */
async function readTask(): Promise<string> {
  const isTerminal = process.stdin.isTTY === true;
  if (isTerminal) console.log('Type a task. An empty line ends it.');
  const streams = { input: process.stdin, output: process.stdout };
  const reader = createInterface({ ...streams, terminal: isTerminal, prompt: '> ' });
  reader.on('SIGINT', () => process.exit(130));
  reader.prompt();
  const lines: string[] = [];
  for await (const line of reader) {
    if (isTerminal && line.trim() === '' && lines.length > 0) break;
    lines.push(line);
    if (isTerminal) reader.prompt();
  }
  if (!isTerminal) console.log();
  return lines.join('\n').trim();
}

function sayStep(step: number, said: string, calls: readonly { toolName: string; input: unknown }[]): void {
  if (said.trim() !== '' && calls.length > 0) console.log(plain(said.trim()));
  for (const { toolName, input } of calls)
    console.log(`[${step}/${MAX_STEPS}] ${toolName} ${plain(cutMiddle(JSON.stringify(input), 120).text)}`);
}

function sayCompacted({ round, tokensBefore, tokensAfter, warnings }: CompactedMessages): void {
  console.log(`Compaction ${round}: ${tokensBefore} → ${tokensAfter} tokens.`);
  for (const warning of warnings) console.log(plain(warning));
}

/** Without control characters, which could change the terminal. */
function plain(output: string): string {
  return output.replaceAll(/[^\P{Cc}\n\t]/gu, '');
}

// ── 10. Main ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Runs one session. The sandbox is removed, and the end is stored, however the session ends. */
async function runSession(task: string, settings: Settings, signal: AbortSignal): Promise<number> {
  const id = crypto.randomUUID().slice(0, 8);
  const store = new SessionStore(settings.database, { id, task });
  let sandbox: Sandbox | undefined;
  let status: 'completed' | 'failed' = 'failed';
  try {
    console.log(
      `Session ${id}: ${settings.model}, ${roomForMessages(settings.windowTokens)} tokens for messages.`,
    );
    sandbox = await openSandbox(settings, id, signal);
    const { windowTokens } = settings;
    const answer = await work(task, { model: openModel(settings), windowTokens, sandbox, store, signal });
    console.log(`\n${plain(answer)}`);
    status = 'completed';
  } catch (error) {
    console.error(`The session failed: ${signal.aborted ? 'it was stopped.' : reasonOf(error)}`);
  } finally {
    await sandbox?.close();
    store.end(status);
  }
  return status === 'completed' ? 0 : 1;
}

function reasonOf(error: unknown): string {
  return plain(error instanceof Error ? error.message : String(error));
}

async function main(): Promise<number> {
  const settings = readSettings(process.env);
  const task = await readTask();
  if (task === '') {
    console.error('There is no task. Type one, or pass it on standard input.');
    return 2;
  }
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort());
  return await runSession(task, settings, stop.signal);
}

process.exit(
  await main().catch((error: unknown) => {
    console.error(reasonOf(error));
    return 2;
  }),
);
