import type { BlobStore, StagedChild, Store } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { type ImportReport, readSession } from '@longhaul/replay';
import type { FamilyLink, FamilyLinks } from './family-links.ts';
import { SessionImporter } from './session-importer.ts';

export interface ChildImportOptions {
  storage: { store: Store; blobs: BlobStore };
  workspace: string;
  path: string;
  signal: AbortSignal;
  links: FamilyLinks;
  createdAt: number;
}

/** Stages the child sessions of an export. They become visible together with their parent. */
export class ChildImporter {
  readonly #options: ChildImportOptions;
  readonly #importers = new Map<string, SessionImporter>();

  constructor(options: ChildImportOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#importers.size;
  }

  /** Reads one child, after its parent. Returns why it was refused, if it was: the import continues without it. */
  async add(text: string): Promise<string | undefined> {
    const { storage, links, signal, createdAt, ...options } = this.#options;
    const { messages, report } = readSession(text, { createdAt });
    const found = this.#linkOf(report);
    if (typeof found === 'string') return found;
    const { link, place } = found;
    const member = { ...link, place: { ...place, ...link.place } };
    const importer = new SessionImporter(storage, { ...options, report, links, member });
    this.#importers.set(link.id, importer);
    for (const message of messages) {
      if (signal.aborted)
        throw new LonghaulError('cancelled', 'Cancelled while child sessions were imported.');
      await importer.add(message);
    }
    return report.skipped.length === 0
      ? undefined
      : 'child sessions of which a part cannot be read: the rest was imported';
  }

  /** Stores what is left, and returns how each child becomes visible. */
  async end(): Promise<StagedChild[]> {
    const children: StagedChild[] = [];
    for (const importer of this.#importers.values()) children.push((await importer.end()).staged);
    return children;
  }

  async discard(): Promise<void> {
    for (const importer of this.#importers.values()) await importer.discard();
  }

  #linkOf(report: ImportReport): { link: FamilyLink; place: ChildFacts['place'] } | string {
    const { sourceId, child, messages, format } = report;
    if (format !== 'longhaul' || messages === 0) return 'child sessions without a readable message';
    if (sourceId === undefined || child === undefined) return 'child sessions with wrong or missing fields';
    const link = this.#options.links.get(sourceId);
    if (link === undefined || link.parentSourceId !== child.parentSourceId)
      return 'child sessions that no call of their parent in the export has started';
    return this.#importers.has(link.id) ? 'duplicate child sessions' : { link, place: child.place };
  }
}

type ChildFacts = NonNullable<ImportReport['child']>;
