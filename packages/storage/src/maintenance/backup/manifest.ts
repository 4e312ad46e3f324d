import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';

/** Written last: a folder without it is no complete backup. */
export const MANIFEST = 'longhaul-backup.json';
export const DATABASE = 'database.db';
export const BLOBS = 'blobs';
/** The folder of the settings. */
export const FILES = 'files';

export interface BackedUpFile {
  /** Below `FILES`. */
  path: string;
  bytes: number;
  sha256: string;
}

export interface Manifest {
  format: 1;
  createdAt: string;
  database: Omit<BackedUpFile, 'path'>;
  files: BackedUpFile[];
  /** Blobs need no checksum here: their names are their hashes. */
  blobs: { count: number; bytes: number };
}

/** @throws {LonghaulError} `not_found`, `invalid_request` */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const message = `${folder} is no complete backup: ${MANIFEST} cannot be read. Name a folder that longhaul backup has written.`;
    throw new LonghaulError('not_found', message, { cause: error });
  });
  const value = parsed(text);
  if (isManifest(value)) return value;
  const message = `${path} is damaged, or was written by a newer Longhaul. Use that version, or another backup.`;
  throw new LonghaulError('invalid_request', message);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Reported as damaged.
  }
}

function isManifest(value: unknown): value is Manifest {
  return (
    isRecord(value) &&
    value['format'] === 1 &&
    isFile(value['database']) &&
    Array.isArray(value['files']) &&
    value['files'].every((file) => isFile(file) && isInnerPath(file['path'])) &&
    isRecord(value['blobs']) &&
    typeof value['blobs']['count'] === 'number'
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isFile(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && typeof value['bytes'] === 'number' && typeof value['sha256'] === 'string';
}

/** A path that cannot lead out of the folder. */
function isInnerPath(value: unknown): boolean {
  return typeof value === 'string' && value.split('/').every((name) => !['', '.', '..'].includes(name));
}
