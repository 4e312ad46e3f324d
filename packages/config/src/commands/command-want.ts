import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { shortText } from '../trust/short-text.ts';
import type { Want } from '../trust/wants.ts';
import type { FoundCommand } from './find-commands.ts';
import { parseCommand } from './parse-command.ts';

/**
 * What a command of a workspace wants: to be offered to the person. Its id depends on the bytes of its file.
 *
 * @param root The workspace, without symbolic links.
 */
export function commandWant({ name, path, file }: FoundCommand, root: string): Omit<Want, 'isTrusted'> {
  const shown = relative(root, path);
  const parsed = 'problem' in file ? file : parseCommand(file.bytes, name);
  const sha256 = 'problem' in file ? '' : file.sha256;
  const id = createHash('sha256')
    .update(JSON.stringify(['command', path, sha256]))
    .digest('hex');
  const base = { id, key: `commands.${name}`, danger: 'code' as const, folder: root };
  if ('problem' in parsed) return { ...base, text: shown, files: [], refusal: `its file ${parsed.problem}` };
  return { ...base, text: shortText(parsed.description), files: [`${shown} ${sha256.slice(0, 12)}`] };
}
