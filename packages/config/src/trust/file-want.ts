import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { ReadProjectFile } from './project-files.ts';
import { shortText } from './short-text.ts';
import type { Want } from './wants.ts';

export interface WantedFile {
  kind: 'command' | 'skill';
  name: string;
  /** The file, or the folder that it is in: what a person sees as the place. */
  path: string;
  file: ReadProjectFile;
  /** The file below the path; empty if the path is the file itself. */
  fileName: string;
  parse: (bytes: Uint8Array) => { description: string } | { problem: string };
}

/**
 * What a file of a workspace wants: to be offered. Its id depends on the bytes of the file.
 *
 * @param root The workspace, without symbolic links.
 */
export function fileWant(
  { kind, name, path, file, fileName, parse }: WantedFile,
  root: string,
): Omit<Want, 'isTrusted'> {
  const shown = relative(root, path);
  const parsed = 'problem' in file ? file : parse(file.bytes);
  const sha256 = 'problem' in file ? '' : file.sha256;
  const id = createHash('sha256')
    .update(JSON.stringify([kind, path, sha256]))
    .digest('hex');
  const base = { id, key: `${kind}s.${name}`, danger: 'code' as const, folder: root };
  if ('problem' in parsed) {
    return { ...base, text: shown, files: [], refusal: `its ${fileName || 'file'} ${parsed.problem}` };
  }
  const place = fileName === '' ? shown : `${shown}/${fileName}`;
  return { ...base, text: shortText(parsed.description), files: [`${place} ${sha256.slice(0, 12)}`] };
}
