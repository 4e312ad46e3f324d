import { createHash } from 'node:crypto';
import type { FileRecorder, RecordedChange } from '@longhaul/core';
import { type FileChange, treeReference } from '@longhaul/protocol';

/** A workspace in memory, and a recorder of its files. */
export interface MemoryWorkspace {
  files: Map<string, string>;
  /** Number of recorders that are open. */
  openRecorders(): number;
  /** Makes the next calls of `record` throw. */
  failWith(error: Error | undefined): void;
  /** Called at the start of each `record`, before the files are compared. */
  onRecord: (() => Promise<void> | void) | undefined;
  openRecorder(tree: string | undefined): Promise<FileRecorder>;
}

export function createMemoryWorkspace(files: Readonly<Record<string, string>> = {}): MemoryWorkspace {
  const trees = new Map<string, ReadonlyMap<string, string>>();
  let open = 0;
  let failure: Error | undefined;
  const workspace: MemoryWorkspace = {
    files: new Map(Object.entries(files)),
    openRecorders: () => open,
    failWith(error) {
      failure = error;
    },
    onRecord: undefined,
    async openRecorder(tree) {
      open += 1;
      let last = tree;
      return {
        async record() {
          await workspace.onRecord?.();
          if (failure !== undefined) throw failure;
          const now = new Map([...workspace.files].sort(([a], [b]) => (a < b ? -1 : 1)));
          const reference = treeOf(now);
          const before = last;
          if (before === reference) return undefined;
          trees.set(reference, now);
          last = reference;
          const change: RecordedChange = { before, after: reference, files: [] };
          if (before !== undefined) change.files = changesBetween(trees.get(before) ?? new Map(), now);
          return change;
        },
        async [Symbol.asyncDispose]() {
          open -= 1;
        },
      };
    },
  };
  return workspace;
}

function treeOf(files: ReadonlyMap<string, string>): string {
  return treeReference(createHash('sha256').update(JSON.stringify([...files])).digest('hex'));
}

function changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path): FileChange[] => {
    if (before.get(path) === after.get(path)) return [];
    const change = !before.has(path) ? 'added' : after.has(path) ? 'modified' : 'deleted';
    return [{ path, change, restorable: true }];
  });
}
