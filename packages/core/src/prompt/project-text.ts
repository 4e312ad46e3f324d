import type { InstructionFile } from './instruction-files.ts';

/** Returns the text of an instruction file, with whose it is. */
export function instructionText({
  path,
  text,
  origin,
}: Pick<InstructionFile, 'path' | 'text' | 'origin'>): string {
  if (origin !== 'user') return projectFile(path, text);
  return `The user's ${quoted(path)}, for all projects:\n<user-file>\n${text.trim()}\n</user-file>`;
}

/** Returns the text of a file of the project. Nothing in it can look like its end, and so like another voice. */
function projectFile(path: string, text: string): string {
  const inside = text.trim().replaceAll(/<(?=\/?(?:project|user)-file)/gi, '&lt;');
  return `The project's ${quoted(path)}, not from the user, whose messages take precedence:\n<project-file>\n${inside}\n</project-file>`;
}

/** Quotes a name that a project chose, so that it cannot look like a sentence, a heading or a mark. */
export function quoted(name: string): string {
  if (/^[\w./@+-]+$/.test(name)) return name;
  return JSON.stringify(name)
    .replaceAll('<', '\\u003c')
    .replaceAll(/[\u2028\u2029\u0085]/g, ' ');
}
