import type { SessionQuery } from '@longhaul/core';
import { maySee, type Session } from '@longhaul/protocol';

/** Splits a session search into words. Matching ignores the case of ASCII letters. */
export function searchWords(search: string | undefined): string[] {
  return (search ?? '').split(/\s+/).filter((word) => word !== '');
}

export function sessionHolds({ title, task }: Session, words: readonly string[]): boolean {
  const texts = [title, task].map(lowerAscii);
  return words.every((word) => texts.some((text) => text.includes(lowerAscii(word))));
}

/** Whether the session works in the folder, or, with `below`, in one that is in it. */
export function sessionWorksIn({ workspace }: Session, query: SessionQuery['workspace']): boolean {
  if (query === undefined || workspace === query.folder) return true;
  return query.below === true && workspace.startsWith(folderStart(query.folder));
}

/** Whether the session is a child of this one; for null, whether it is no child. */
export function isChildOf({ parentId }: Session, wanted: SessionQuery['parentId']): boolean {
  return wanted === undefined || (wanted === null ? parentId === undefined : parentId === wanted);
}

/** Whether the token of this name may see the session, or only the first ancestor of the session decides. */
export function isVisibleTo(session: Session, name: string | undefined): boolean {
  return name === undefined || session.parentId !== undefined || maySee(name, session);
}

/** The beginning of every path in a folder. */
export function folderStart(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`;
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
