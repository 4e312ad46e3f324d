import { stat } from 'node:fs/promises';
import type { BlobStore, Store } from '@longhaul/core';
import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import {
  type ImportReport,
  importSession,
  isOneOfSeveral,
  openSession,
  partialProblem,
  type SessionSource,
  type Skipped,
  sessionPaths,
  sessionSource,
} from '@longhaul/replay';
import { ChildImporter } from './child-importer.ts';
import { FamilyLinks } from './family-links.ts';
import { storePack } from './imported-files.ts';
import { SessionImporter } from './session-importer.ts';

export interface ImportFileOptions {
  storage: { store: Store; blobs: BlobStore };
  /** The folder that the session goes on in. */
  workspace: string;
  /** Whether a file that can be read only in part is imported anyway. Default: it is a problem. */
  acceptsPartial?: boolean | undefined;
  signal: AbortSignal;
}

export interface ImportedFile {
  sessionId: string;
  title: string;
  format: NonNullable<ImportReport['format']>;
  messages: number;
  calls: number;
  compactions: number;
  /** Marks of our own export: compactions, prunings, cuts and pins. */
  marks: number;
  /** Sessions below it that were imported with it, if there are any. */
  children?: number;
  skipped: Skipped[];
  /** Where the recorded agent worked. */
  recordedWorkspace?: string;
}

export type ImportOutcome =
  | { status: 'imported'; file: ImportedFile }
  | { status: 'problem'; message: string };

/** Returns one path for each session in a file. A path that cannot be read is returned, so that its import says why. */
export async function sessionsIn(path: string): Promise<string[]> {
  try {
    return isOneOfSeveral(await sessionSource(path)) ? [path] : await sessionPaths(path);
  } catch (error) {
    if (readProblem(error) === undefined) throw error;
    return [path];
  }
}

/**
 * Makes a session of a recorded file, or of one session in it (`FILE#3`). What is wrong with the file is an outcome; nothing of it is stored then.
 *
 * @throws {LonghaulError} what the store throws, and `cancelled`.
 */
export async function importFile(path: string, options: ImportFileOptions): Promise<ImportOutcome> {
  const { workspace, storage, signal } = options;
  const found = await look(path);
  if ('problem' in found) return { status: 'problem', message: found.problem };
  const source = openSession(found.source);
  const createdAt = found.modifiedAt;
  const links = new FamilyLinks();
  const children = new ChildImporter({ ...options, path, links, createdAt });
  const { messages, report } = importSession(source, {
    createdAt,
    storePack: (pack) => storePack(storage.blobs, pack),
    storeChild: (text) => children.add(text),
  });
  const importer = new SessionImporter(storage, { workspace, path, report, links });
  try {
    for await (const message of messages) {
      if (signal.aborted)
        throw new LonghaulError('cancelled', 'Cancelled; what was imported before is kept.');
      await importer.add(message);
    }
    if (report.format === undefined || report.messages === 0)
      return { status: 'problem', message: report.problem ?? 'No message in it can be read.' };
    const partial = options.acceptsPartial === true ? undefined : partialProblem(report);
    if (partial !== undefined) {
      await discard(children);
      await discard(importer);
      return { status: 'problem', message: partial };
    }
    const file = await importer.finish(await children.end());
    return { status: 'imported', file: { format: report.format, ...file } };
  } catch (error) {
    await discard(children);
    await discard(importer);
    const problem = readProblem(error);
    if (problem === undefined) throw error;
    return { status: 'problem', message: problem };
  }
}

/** Reports the first thing that went wrong. */
async function discard(importer: SessionImporter | ChildImporter): Promise<void> {
  try {
    await importer.discard();
  } catch (error) {
    process.emitWarning(
      `What was imported of a file could not be taken back: ${toLonghaulError(error).message}`,
    );
  }
}

async function look(
  path: string,
): Promise<{ problem: string } | { modifiedAt: number; source: SessionSource }> {
  try {
    const source = await sessionSource(path);
    const info = await stat(source.file);
    if (info.isDirectory()) return { problem: 'It is a folder; name the files in it.' };
    if (!info.isFile()) return { problem: 'It is no file.' };
    return { modifiedAt: Math.floor(info.mtimeMs), source };
  } catch (error) {
    const problem = readProblem(error);
    if (problem === undefined) throw error;
    return { problem };
  }
}

/** The words for a file that cannot be read; undefined for what is not the file's fault. */
function readProblem(error: unknown): string | undefined {
  if (error instanceof LonghaulError || !(error instanceof Error) || !('code' in error)) return undefined;
  switch (error.code) {
    case 'ENOENT':
      return 'There is no such file.';
    case 'EACCES':
    case 'EPERM':
      return 'You may not read it.';
    case 'EIO':
    case 'EISDIR':
    case 'ENAMETOOLONG':
    case 'ENOTDIR':
    case 'ELOOP':
      return `It cannot be read (${error.code}).`;
    default:
      return toLonghaulError(error).message;
  }
}
