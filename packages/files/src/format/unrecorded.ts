import type { LeafKind } from './node.ts';

/** Why a content is not recorded, by the kind of its node. */
export const UNRECORDED = {
  secret: 'its content is a secret, so only a hash of it is recorded',
  large: 'it is larger than `files.maxFileMb`, so only its hash is recorded',
  unreadable: 'it could not be read when it was recorded',
} as const;

export type UnrecordedKind = keyof typeof UNRECORDED;

/** Undefined: the content is recorded. */
export function unrecordedKind({ kind }: { kind: LeafKind }): UnrecordedKind | undefined {
  return kind === 'file' || kind === 'link' ? undefined : kind;
}
