import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import type {
  BlobInfo,
  BlobStore,
  ContextControl,
  ExecOptions,
  ExecResult,
  Sandbox,
  SearchHit,
  Tool,
  ToolContext,
  ToolResult,
  WorkspaceFiles,
} from '@longhaul/core';
import { type JsonValue, LonghaulError } from '@longhaul/protocol';

/** A workspace in a temporary folder, with a tool's context. */
export interface ToolFixture extends AsyncDisposable {
  readonly root: string;
  readonly context: ToolContext;
  readonly blobs: TestBlobStore;
  readonly progress: { title?: string }[];
  readonly abort: AbortController;
  /** The content of `history`, and the todo list of the session. */
  readonly past: { hits: SearchHit[]; texts: Map<string, string>; queries: string[]; todoList?: string };
  put(path: string, data: string | Uint8Array): Promise<void>;
  get(path: string): Promise<string>;
  /** Parses the input and runs the tool, as the executor does. */
  call(tool: Tool, input: JsonValue): Promise<ToolResult>;
  /** The text of `call`'s result. */
  text(tool: Tool, input: JsonValue): Promise<string>;
}

export async function openToolFixture(
  overrides: { sandbox?: Partial<Sandbox>; context?: ContextControl | undefined } = {},
): Promise<ToolFixture> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-tools-')));
  const blobs = createTestBlobStore();
  const abort = new AbortController();
  const progress: { title?: string }[] = [];
  const past: ToolFixture['past'] = { hits: [], texts: new Map(), queries: [] };
  const context: ToolContext = {
    sessionId: 's1',
    callId: 'c1',
    handle: 'm12.3',
    sandbox: { ...createTestSandbox(root), ...overrides.sandbox },
    blobs,
    history: {
      async search(terms, limit) {
        past.queries.push(terms);
        return past.hits.slice(0, limit);
      },
      fullText: async (handle) => past.texts.get(handle),
    },
    todoList: async () => past.todoList,
    signal: abort.signal,
    context: overrides.context,
    progress: (update) => progress.push(update),
  };
  async function call(tool: Tool, input: JsonValue): Promise<ToolResult> {
    const parsed = tool.parse(input);
    if (!parsed.ok) throw new Error(`Refused by parse: ${parsed.reason}`);
    const result = await tool.execute(parsed.input, context);
    if (parsed.remark === undefined) return result;
    return { ...result, content: [...result.content, { type: 'text', text: parsed.remark }] };
  }
  return {
    root,
    context,
    blobs,
    progress,
    abort,
    past,
    async put(path, data) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), data);
    },
    get: (path) => readFile(join(root, path), 'utf8'),
    call,
    text: async (tool, input) => textOf(await call(tool, input)),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

export function textOf(result: ToolResult): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('\n');
}

/** Returns why `parse` refuses the input. */
export function refusalOf(tool: Tool, input: JsonValue): string {
  const parsed = tool.parse(input);
  if (parsed.ok) throw new Error('The input was accepted.');
  return parsed.reason;
}

/** Creates a sandbox with real files and commands, but no isolation: the sandbox package tests escapes. */
function createTestSandbox(root: string): Sandbox {
  const files = createTestFiles(root);
  return {
    kind: 'local',
    workspacePath: root,
    description: 'test',
    exec: (command, options) => runCommand(root, command, options),
    start: () => Promise.reject(new Error('This sandbox starts no processes.')),
    files,
    toolFiles: files,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function runCommand(root: string, command: string, options: ExecOptions): Promise<ExecResult> {
  const startedAt = Date.now();
  const child = spawn('bash', ['-c', command], {
    cwd: join(root, options.cwd ?? ''),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let ended: ExecResult['ended'] = 'exit';
  const kill = (reason: ExecResult['ended']) => {
    ended = reason;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(() => kill('timeout'), options.timeoutMs);
  const onAbort = () => kill('aborted');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const closed = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const drain = async (stream: 'stdout' | 'stderr') => {
    for await (const chunk of child[stream]) await options.onOutput(chunk, stream);
  };
  return Promise.all([closed, drain('stdout'), drain('stderr')]).then(([{ code, signal }]) => {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
    return {
      ended,
      durationMs: Date.now() - startedAt,
      exitCode: ended === 'exit' && code !== null ? code : undefined,
      signal: signal ?? undefined,
    };
  });
}

function createTestFiles(root: string): WorkspaceFiles {
  async function resolve(path: string): Promise<string> {
    const relative = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path === root ? '' : path;
    const clean = normalize(relative === '' ? '.' : relative).replace(/\/$/, '');
    const full = join(root, clean);
    const real = await realpath(full).catch(() => full);
    if (clean.startsWith('/') || clean.startsWith('..') || !(real === root || real.startsWith(`${root}/`))) {
      throw new LonghaulError(
        'path_outside_workspace',
        `${JSON.stringify(path)} leads out of the workspace.`,
      );
    }
    return real === root ? '' : real.slice(root.length + 1);
  }
  const at = async (path: string) => join(root, await resolve(path));
  return {
    root,
    resolve,
    async stat(path) {
      const info = await stat(await at(path)).catch(() => undefined);
      if (info === undefined) return undefined;
      const kind = info.isFile() ? 'file' : info.isDirectory() ? 'directory' : 'other';
      return { kind, size: info.size, modifiedAt: info.mtimeMs };
    },
    async read(path, range) {
      // As every sandbox's files: a pipe would block.
      const info = await stat(await at(path));
      if (!info.isFile())
        throw new LonghaulError('invalid_request', `${JSON.stringify(path)} is not a file.`);
      if (range === undefined) return readFile(await at(path));
      const handle = await open(await at(path));
      try {
        const { bytesRead, buffer } = await handle.read(
          Buffer.alloc(range.length),
          0,
          range.length,
          range.start,
        );
        return buffer.subarray(0, bytesRead);
      } finally {
        await handle.close();
      }
    },
    async write(path, data) {
      const full = await at(path);
      const existed = (await stat(full).catch(() => undefined)) !== undefined;
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, data);
      return { created: !existed };
    },
    async list(path) {
      const full = await at(path);
      const names = await readdir(full);
      return Promise.all(
        names.map(async (name) => {
          const info = await lstat(join(full, name));
          if (info.isSymbolicLink()) return { name, kind: 'link' as const };
          if (info.isDirectory()) return { name, kind: 'directory' as const };
          return { name, kind: info.isFile() ? ('file' as const) : ('other' as const), size: info.size };
        }),
      );
    },
  };
}

export interface TestBlobStore extends BlobStore {
  /** The largest piece that `putStream` received. */
  largestPiece: number;
  /** If set, `putStream` accepts this many bytes, then fails like a full disk. */
  failAfterBytes?: number;
}

/** Keeps small blobs whole. Of large ones it keeps only what tests need: size, hash and the first mebibyte. */
function createTestBlobStore(): TestBlobStore {
  const kept = new Map<string, { head: Buffer; size: number }>();
  const store: TestBlobStore = {
    largestPiece: 0,
    put: async (data) => {
      const bytes = Buffer.from(data);
      return keep(createHash('sha256').update(bytes).digest('hex'), bytes, bytes.length);
    },
    async putStream(source) {
      const hash = createHash('sha256');
      let head = Buffer.alloc(0);
      let size = 0;
      for await (const piece of source) {
        store.largestPiece = Math.max(store.largestPiece, piece.length);
        size += piece.length;
        if (store.failAfterBytes !== undefined && size > store.failAfterBytes) {
          throw new LonghaulError('store_full', 'No space is left on the disk.');
        }
        hash.update(piece);
        if (head.length < 1024 * 1024) head = Buffer.concat([head, piece]);
      }
      return keep(hash.digest('hex'), head, size);
    },
    get: async (id) => found(id).head,
    read: async (id, { start, length }) => found(id).head.subarray(start, start + length),
    stat: async (id) => (kept.has(id) ? { id, size: found(id).size } : undefined),
  };
  function keep(id: string, head: Buffer, size: number): BlobInfo {
    kept.set(id, { head, size });
    return { id, size };
  }
  function found(id: string) {
    const blob = kept.get(id);
    if (blob === undefined) throw new LonghaulError('blob_not_found', `No blob ${id}.`);
    return blob;
  }
  return store;
}
