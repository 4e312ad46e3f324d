import type { ToolContext, ToolResult } from '@longhaul/core';
import { cutLine, displayPath, plural } from '@longhaul/core/tool-output';
import type { JsonObject } from '@longhaul/protocol';
import { quoteWord } from '../command-line.ts';
import { toLineFeeds } from '../edit/text-replacer.ts';
import { describeChange } from '../file-patch.ts';
import { loadText } from '../text-file.ts';
import { failedResult, reportRefusals, textResult } from '../tool-result.ts';
import { applyHunks } from './apply-hunks.ts';
import { type FileChange, parsePatch } from './parse-patch.ts';
import { inFolders } from './patch-command.ts';

export interface PatchInput {
  patch: string;
  /** Folder to which the paths are relative. Default: the workspace. */
  workdir?: string;
}

/** Applies a patch to the files of the workspace. Nothing is written unless all of it can be applied. */
export function runPatch({ patch, workdir }: PatchInput, context: ToolContext): Promise<ToolResult> {
  return reportRefusals(async () => {
    const changes = parsePatch(patch);
    if (typeof changes === 'string') return failedResult(changes);
    const plan = new PatchPlan(context);
    for (const change of changes) {
      const refusal = await plan.add(inFolder(change, workdir));
      if (refusal !== undefined)
        return failedResult(
          `${refusal}\nNothing was changed. Correct this part and send the whole patch again.`,
        );
    }
    context.signal.throwIfAborted();
    return plan.write();
  });
}

function inFolder(change: FileChange, folder: string | undefined): FileChange {
  const path = inFolders(change.path, folder);
  if (change.kind !== 'update' || change.moveTo === undefined) return { ...change, path };
  return { ...change, path, moveTo: inFolders(change.moveTo, folder) };
}

/** What a file will be. `text` undefined: it is deleted. `movedFrom`: it keeps the mode of that file. */
interface Planned {
  before: string | undefined;
  text: string | undefined;
  movedFrom?: string;
  ignoring: string[];
}

class PatchPlan {
  readonly #context: ToolContext;
  /** By path, in the order of the patch. */
  readonly #files = new Map<string, Planned>();

  constructor(context: ToolContext) {
    this.#context = context;
  }

  /** Plans a change. Returns why it cannot be made. */
  async add(change: FileChange): Promise<string | undefined> {
    const { toolFiles: files } = this.#context.sandbox;
    if (change.kind === 'add') {
      const path = await files.resolve(change.path);
      const info = await files.stat(path);
      if (info !== undefined && info.kind !== 'file') return `${displayPath(path)} is not a regular file.`;
      const before =
        this.#files.get(path)?.before ?? (info === undefined ? undefined : await this.#textOf(path));
      this.#files.set(path, { before, text: change.text, ignoring: [] });
      return undefined;
    }
    if (change.kind === 'delete') return this.#delete(change.path);
    return this.#update(change);
  }

  async #delete(given: string): Promise<string | undefined> {
    const { toolFiles: files } = this.#context.sandbox;
    const path = await entryPath(given, this.#context);
    const info = await files.stat(given);
    if (info?.kind === 'directory') return `${displayPath(path)} is a folder: a patch deletes files only.`;
    if (info === undefined && this.#files.get(path)?.text === undefined)
      return `${displayPath(path)} does not exist, so it cannot be deleted.`;
    const isText = info?.kind === 'file' && info.size < MAX_COMPARED_BYTES;
    this.#files.set(path, { before: isText ? await this.#textOf(path) : '', text: undefined, ignoring: [] });
    return undefined;
  }

  async #update({
    path: given,
    moveTo,
    hunks,
  }: Extract<FileChange, { kind: 'update' }>): Promise<string | undefined> {
    const { toolFiles: files } = this.#context.sandbox;
    const planned = this.#files.get(await files.resolve(given));
    const loaded =
      planned?.text === undefined
        ? await loadText(files, given)
        : { path: await files.resolve(given), text: planned.text };
    if ('refusal' in loaded) return loaded.refusal;
    const { path, text } = loaded;
    const applied = hunks.length === 0 ? { text, ignoring: [] } : await applyHunks(text, hunks);
    if ('refusal' in applied) return `${displayPath(path)}: ${applied.refusal}`;
    const before = planned?.before ?? text;
    if (moveTo === undefined) {
      this.#files.set(path, { before, text: applied.text, ignoring: applied.ignoring });
      return undefined;
    }
    const target = await files.resolve(moveTo);
    if (target === path) return `${displayPath(path)} cannot be moved to itself.`;
    if ((await files.stat(target)) !== undefined)
      return `${displayPath(target)} already exists, so nothing is moved there.`;
    this.#files.set(path, { before, text: undefined, ignoring: [] });
    this.#files.set(target, {
      before: undefined,
      text: applied.text,
      movedFrom: path,
      ignoring: applied.ignoring,
    });
    return undefined;
  }

  /** Writes the files, and reports what was done if a write fails in between. */
  async write(): Promise<ToolResult> {
    const done: string[] = [];
    const moved = new Set([...this.#files.values()].flatMap(({ movedFrom }) => movedFrom ?? []));
    const facts: JsonObject[] = [];
    try {
      for (const [path, planned] of this.#files) {
        if (planned.text === undefined && moved.has(path)) continue;
        await this.#writeFile(path, planned);
        done.push(describeFile(path, planned));
        facts.push(factsOf(path, planned));
      }
    } catch (thrown) {
      if (done.length === 0 || !(thrown instanceof Error)) throw thrown;
      return failedResult(
        `Only a part of the patch was applied:\n${done.join('\n')}\nThen: ${thrown.message}`,
      );
    }
    return textResult(`Success. Updated the following files:\n${done.join('\n')}`, {
      title: facts.length === 1 ? (done[0] ?? '') : plural(facts.length, 'file'),
      metadata: { files: facts, ...(await this.#shownChange()) },
    });
  }

  async #writeFile(path: string, { text, movedFrom }: Planned): Promise<void> {
    const { sandbox } = this.#context;
    if (text === undefined) await this.#run(`rm -f -- ${quoteWord(path)}`);
    else {
      if (movedFrom !== undefined) {
        const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
        await this.#run(
          `mkdir -p -- ${quoteWord(folder)} && mv -- ${quoteWord(movedFrom)} ${quoteWord(path)}`,
        );
      }
      await sandbox.toolFiles.write(path, text);
    }
  }

  /** Deletes and moves inside the sandbox, like a command of the agent. */
  async #run(command: string): Promise<void> {
    const output: string[] = [];
    const ended = await this.#context.sandbox.exec(command, {
      timeoutMs: FILE_COMMAND_MS,
      signal: this.#context.signal,
      onOutput: (chunk) => void output.push(Buffer.from(chunk).toString()),
    });
    if (ended.ended === 'exit' && ended.exitCode === 0) return;
    throw new Error(cutLine(output.join('').trim() || `${command} did not succeed`, 500));
  }

  /** The whole change, for people. */
  async #shownChange(): Promise<JsonObject> {
    const changes = await Promise.all(
      [...this.#files.values()].map(({ before = '', text = '' }) =>
        describeChange(toLineFeeds(before), toLineFeeds(text)),
      ),
    );
    const patches = changes.flatMap(({ patch }) => (typeof patch === 'string' ? [patch] : []));
    return patches.length === 0 ? {} : { patch: patches.join('\n').slice(0, MAX_SHOWN_CHARS) };
  }

  async #textOf(path: string): Promise<string> {
    const loaded = await loadText(this.#context.sandbox.toolFiles, path);
    return 'text' in loaded ? loaded.text : '';
  }
}

const FILE_COMMAND_MS = 30_000;
const MAX_COMPARED_BYTES = 1024 * 1024;
const MAX_SHOWN_CHARS = 20_000;

/** The path of a folder's entry: a link itself, and not the file that it leads to. */
async function entryPath(given: string, { sandbox: { toolFiles: files } }: ToolContext): Promise<string> {
  const slash = given.lastIndexOf('/');
  const folder = await files.resolve(slash === -1 ? '' : given.slice(0, slash) || '/');
  const name = given.slice(slash + 1);
  if (name === '' || name === '.' || name === '..') return files.resolve(given);
  return folder === '' ? name : `${folder}/${name}`;
}

function describeFile(path: string, { before, text, movedFrom, ignoring }: Planned): string {
  const name = displayPath(path);
  const matched = ignoring.length === 0 ? '' : ` (matched ignoring ${ignoring.join(', ')})`;
  if (text === undefined) return `D ${name}`;
  if (movedFrom !== undefined) return `R ${displayPath(movedFrom)} → ${name}${matched}`;
  return `${before === undefined ? 'A' : 'M'} ${name}${matched}`;
}

function factsOf(path: string, { before, text, movedFrom }: Planned): JsonObject {
  const change =
    text === undefined
      ? 'deleted'
      : movedFrom !== undefined
        ? 'renamed'
        : before === undefined
          ? 'added'
          : 'modified';
  return { path, change, ...(movedFrom !== undefined && { from: movedFrom }) };
}
