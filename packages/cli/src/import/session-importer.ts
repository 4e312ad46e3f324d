import { createLedgerFold, foldMessage, pathsChanged, sessionSummary } from '@longhaul/context/engine';
import {
  type BlobStore,
  lastAnswer,
  type MessageDraft,
  newId,
  recordedTrees,
  type StagedChild,
  type StagedSession,
  type Store,
  storedTokens,
  storeMedia,
} from '@longhaul/core';
import {
  type ChildPlace,
  childMetadata,
  GIT_START_KEY,
  type JsonObject,
  type Mark,
  type Message,
  type Part,
  parseBlobReference,
  type ToolOutputContent,
} from '@longhaul/protocol';
import type { ImportReport, Skipped } from '@longhaul/replay';
import type { FamilyLink, FamilyLinks } from './family-links.ts';
import { countLostTrees } from './imported-files.ts';
import { importedModel } from './imported-model.ts';
import { importedTitle } from './imported-title.ts';

/** Messages that share one transaction, and so one wait for the disk: so many, or so much text. */
const BATCH_MESSAGES = 200;
const BATCH_TOKENS = 150_000;
const MAX_TASK_CHARS = 2_000;

interface SessionImporterOptions {
  workspace: string;
  path: string;
  report: ImportReport;
  links: FamilyLinks;
  /** The session is a child, and this is its place. */
  member?: ChildMember;
}

type ChildMember = Omit<FamilyLink, 'place'> & { place: ChildPlace };

/**
 * Stores a recorded session as its messages come. It becomes visible as a whole: a killed import leaves nothing that
 * any command shows. Ids are new, so that a file can be imported again.
 */
export class SessionImporter {
  readonly #store: Store;
  readonly #blobs: BlobStore;
  readonly #options: SessionImporterOptions;
  /** New ids by recorded ones: marks name messages. Only our own export has marks. */
  readonly #ids = new Map<string, string>();
  readonly #sessionId: string;
  #staged: StagedSession | undefined;
  #batch: MessageDraft[] = [];
  #batchTokens = 0;
  #missingBlobs = 0;
  readonly #facts = createLedgerFold();
  #lastAnswer = '';
  /** The recorded states of the workspace that the session names. */
  readonly #trees = new Set<string>();

  constructor({ store, blobs }: { store: Store; blobs: BlobStore }, options: SessionImporterOptions) {
    this.#sessionId = options.member?.id ?? newId();
    this.#store = store;
    this.#blobs = blobs;
    this.#options = options;
  }

  async add(recorded: Message): Promise<void> {
    const message = this.#relinked(recorded);
    const { sessionId: _, sequence: __, ...rest } = message;
    const parts = await Promise.all(message.parts.map((part) => this.#withMedia(part)));
    for (const tree of recordedTrees({ messages: [message], marks: [] })) this.#trees.add(tree);
    foldMessage(this.#facts, message);
    this.#lastAnswer = lastAnswer([message]) || this.#lastAnswer;
    const id = newId();
    if (this.#options.report.format === 'longhaul') this.#ids.set(message.id, id);
    const tokenCount = storedTokens(parts);
    this.#batch.push({ ...rest, id, parts, tokenCount });
    this.#batchTokens += tokenCount;
    if (this.#batch.length >= BATCH_MESSAGES || this.#batchTokens >= BATCH_TOKENS) await this.#flush();
  }

  /** Stores the rest, and makes the session visible, together with its children. */
  async finish(children: readonly StagedChild[]) {
    const { staged, lostTrees } = await this.end();
    const { patch, marks } = staged;
    const { report } = this.#options;
    const { title } = await (await this.#begun()).publish({ patch, marks, children });
    return {
      sessionId: this.#sessionId,
      title,
      messages: report.messages,
      calls: report.calls,
      compactions: report.compactions.length,
      marks: marks.length,
      ...(children.length > 0 && { children: children.length }),
      skipped: [...report.skipped, ...this.#missing(lostTrees)],
      ...(report.workspace === undefined ? {} : { recordedWorkspace: report.workspace }),
    };
  }

  /** Stores the rest, and returns how the session becomes visible. */
  async end(): Promise<{ staged: StagedChild; lostTrees: number }> {
    await this.#flush();
    const { report } = this.#options;
    const marks = report.marks.map((mark) => this.#withNewIds(mark, this.#sessionId));
    for (const tree of recordedTrees({ messages: [], marks })) this.#trees.add(tree);
    const lostTrees = await countLostTrees(this.#blobs, this.#trees);
    const summary = sessionSummary({ text: this.#lastAnswer, files: pathsChanged(this.#facts) });
    const patch = { ...this.#description(lostTrees > 0), summary, status: 'completed' as const };
    return { staged: { id: this.#sessionId, messages: report.messages, patch, marks }, lostTrees };
  }

  /** Takes back what was stored so far. */
  async discard(): Promise<void> {
    await this.#staged?.discard();
    this.#staged = undefined;
  }

  #relinked(message: Message): Message {
    const { report, links, member } = this.#options;
    if (report.format !== 'longhaul') return message;
    const { sourceId = message.sessionId } = report;
    return links.relinked(message, { id: this.#sessionId, sourceId, depth: member?.place.depth ?? 0 });
  }

  async #begun(): Promise<StagedSession> {
    const { member } = this.#options;
    this.#staged ??= await this.#store.stageSession({
      id: this.#sessionId,
      createdAt: Date.now(),
      workspace: this.#options.workspace,
      ...(member && { parentId: member.parentId, parentCallId: member.parentCallId }),
      ...this.#description(),
    });
    return this.#staged;
  }

  async #flush(): Promise<void> {
    const drafts = this.#batch;
    this.#batch = [];
    this.#batchTokens = 0;
    if (drafts.length > 0) await (await this.#begun()).append(drafts);
  }

  #description(withoutFiles = false): { task: string; title: string; model: string; metadata: JsonObject } {
    const { path, report, member } = this.#options;
    const task = report.firstUserText ?? '';
    const { format, sourceId, workspace, git } = report;
    return {
      task: task.slice(0, MAX_TASK_CHARS),
      title: importedTitle(report),
      model: importedModel(report.model),
      metadata: {
        imported: {
          path,
          ...(format === undefined ? {} : { format }),
          ...(sourceId === undefined ? {} : { sourceId }),
          ...(workspace === undefined ? {} : { workspace }),
          // Garbage collection must not keep other files for states that never were in this store.
          ...(withoutFiles && { withoutFiles }),
        },
        ...(git !== undefined && { [GIT_START_KEY]: { ...git } }),
        // The copy does not run by itself, so its parent never waits for a result.
        ...(member && { ...childMetadata({ ...member.place, isDelivered: true }), agent: member.agent }),
      },
    };
  }

  async #withMedia(part: Part): Promise<Part> {
    if (part.type === 'file') {
      const [stored] = await this.#stored([{ ...part, type: 'file' as const }]);
      return stored === undefined ? part : { ...part, data: stored.data };
    }
    if (part.type !== 'tool') return part;
    const { fullOutput, ...rest } = part;
    const isKept = fullOutput === undefined || !(await this.#isMissing(fullOutput));
    const whole = isKept && fullOutput !== undefined ? { ...rest, fullOutput } : rest;
    return rest.output === undefined ? whole : { ...whole, output: await this.#stored(rest.output) };
  }

  async #stored<T extends ToolOutputContent>(content: readonly T[]): Promise<T[]> {
    for (const piece of content) if (piece.type !== 'text') await this.#isMissing(piece.data);
    return storeMedia(content, this.#blobs);
  }

  /** An export names blobs by what is in them: on the machine that wrote it they are there. */
  async #isMissing(data: string): Promise<boolean> {
    const id = parseBlobReference(data);
    if (id === undefined || (await this.#blobs.stat(id)) !== undefined) return false;
    this.#missingBlobs += 1;
    return true;
  }

  #missing(lostTrees: number): Skipped[] {
    const lost: [reason: string, count: number][] = [
      ['images, files and outputs that are not in the export', this.#missingBlobs],
      ['recorded files, which only an export with --files contains', lostTrees],
    ];
    return lost
      .filter(([, count]) => count > 0)
      .map(([reason, count]) => ({ where: 'messages', reason, count }));
  }

  /** The importer has dropped marks on messages that are not there. */
  #withNewIds(mark: Mark, sessionId: string): Mark {
    const idOf = (recorded: string) => this.#ids.get(recorded) ?? recorded;
    if (mark.kind === 'compaction')
      return { ...mark, id: this.#markId(mark.id), sessionId, hides: mark.hides.map(idOf) };
    if (mark.kind === 'revert') {
      const undoes = mark.undoes === undefined ? {} : { undoes: this.#markId(mark.undoes) };
      return { ...mark, id: this.#markId(mark.id), ...undoes };
    }
    const moved = { ...mark, id: this.#markId(mark.id), messageId: idOf(mark.messageId) };
    if (!('compactionId' in moved) || moved.compactionId === undefined) return moved;
    return { ...moved, compactionId: this.#markId(moved.compactionId) };
  }

  readonly #markIds = new Map<string, string>();

  #markId(recorded: string): string {
    const id = this.#markIds.get(recorded) ?? newId();
    this.#markIds.set(recorded, id);
    return id;
  }
}
