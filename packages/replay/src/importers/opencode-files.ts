import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isObject, type JsonObject, parseJson } from '@longhaul/protocol';
import { textAt } from './json-fields.ts';

/** The path of the file with which OpenCode describes a session: `storage/session/PROJECT/ID.json`. */
const SESSION_FILE = /[\\/]storage[\\/]session[\\/][^\\/]+[\\/][^\\/]+\.json$/;

export function isOpencodeSessionFile(path: string): boolean {
  return SESSION_FILE.test(path);
}

/** Whether the file describes a session that another session has started. */
export async function isOpencodeChild(path: string): Promise<boolean> {
  return textAt(await objectIn(path), 'parentID') !== undefined;
}

/**
 * Returns a session that OpenCode keeps as one file for each message and part, as the text of an export, in pieces.
 * Older versions keep them below `storage/session`, newer ones beside it.
 */
export async function* opencodeFilesText(path: string): AsyncGenerator<string> {
  const id = basename(path, '.json');
  const folder = dirname(dirname(path));
  const isOld = basename(dirname(path)) === 'info';
  const messages = join(isOld ? folder : dirname(folder), 'message', id);
  const parts = isOld ? join(folder, 'part', id) : join(dirname(folder), 'part');
  yield `{"info":${JSON.stringify(await objectIn(path))},"messages":[`;
  let separator = '';
  for (const name of await jsonFiles(messages)) {
    const info = await objectIn(join(messages, name));
    const partFolder = join(parts, basename(name, '.json'));
    const found = await Promise.all(
      (await jsonFiles(partFolder)).map((part) => objectIn(join(partFolder, part))),
    );
    yield `${separator}${JSON.stringify({ info, parts: found })}`;
    separator = ',\n';
  }
  yield ']}';
}

/** Returns the names of the files in order. OpenCode's ids ascend. */
async function jsonFiles(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** A file that cannot be parsed stays as text, so that it counts as unread. */
async function objectIn(path: string): Promise<JsonObject> {
  const text = await readFile(path, 'utf8');
  const value = parseJson(text);
  return isObject(value) ? value : { type: 'damaged', text };
}
