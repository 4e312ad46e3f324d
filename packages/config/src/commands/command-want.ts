import { fileWant } from '../trust/file-want.ts';
import type { Want } from '../trust/wants.ts';
import type { FoundCommand } from './find-commands.ts';
import { parseCommand } from './parse-command.ts';

/** What a command of a workspace wants: to be offered to the person. */
export function commandWant({ name, path, file }: FoundCommand, root: string): Omit<Want, 'isTrusted'> {
  const parse = (bytes: Uint8Array) => parseCommand(bytes, name);
  return fileWant({ kind: 'command', name, path, file, fileName: '', parse }, root);
}
