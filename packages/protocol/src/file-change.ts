/** The files of a workspace in the log: references to recorded trees, and what changed between two of them. */

const TREE_PREFIX = '@tree:';

/** Returns the reference to a recorded state of the workspace. `id` is the blob that contains the root of its tree. */
export function treeReference(id: string): string {
  return TREE_PREFIX + id;
}

/** Returns the tree's id if `text` is a reference to one, otherwise undefined. */
export function parseTreeReference(text: string): string | undefined {
  const match = /^@tree:([0-9a-f]{64})$/.exec(text);
  return match?.[1];
}

export interface FileChange {
  /** Relative to the workspace, with `/`. Bytes that are not valid UTF-8 are shown as U+FFFD. */
  path: string;
  /** The exact bytes of the path in base64. Present only if they are not valid UTF-8. */
  pathBytes?: string;
  change: 'added' | 'modified' | 'deleted' | 'renamed';
  /** The former path of a renamed file. */
  from?: string;
  /** Git's mode (`100644`, `100755` or `120000`) after the change. Present if it is new or changed. */
  mode?: string;
  /** Lines. Absent if the file is binary or not restorable. */
  added?: number;
  removed?: number;
  /** False for a secret or too large file: only its hash is recorded, not its content. */
  restorable: boolean;
}

/** What changed in the workspace. A closed part, which the model never sees. */
export interface PatchPart {
  type: 'patch';
  /** `@tree:` reference. Absent for the first record of a session; `files` is empty then. */
  before?: string;
  /** `@tree:` reference. */
  after: string;
  /** At most 1,000. */
  files: FileChange[];
  /** The number of further changed files, which only the trees name. */
  more?: number;
  /** False: somebody else changed the files between two rounds of tools. */
  byAgent: boolean;
  /** Recorded by a revert, after the work of the message. */
  atRevert?: true;
}

/** Describes a patch in one line, such as `3 changed (+10 −2)`. */
export function describePatch({ before, files, more = 0, byAgent }: Omit<PatchPart, 'type'>): string {
  if (before === undefined) return 'recorded';
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
  const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0);
  const lines = added + removed === 0 ? '' : ` (+${added} −${removed})`;
  return `${files.length + more} changed${lines}${byAgent ? '' : ', not by the agent'}`;
}
