import { createHash } from 'node:crypto';
import type {
  ChangedFiles,
  FileRecorder,
  FileTrees,
  MergeConflict,
  RecordedChange,
  Restored,
  WorkspaceCopy,
} from '@longhaul/core';
import { type FileChange, LonghaulError, treeReference } from '@longhaul/protocol';

type Files = ReadonlyMap<string, string>;

/** A workspace in memory, and the trees that are recorded of it. */
export interface MemoryWorkspace {
  readonly files: Map<string, string>;
  readonly trees: FileTrees;
  /** Files written by `materialise` and of copies, by folder. */
  readonly folders: Map<string, Map<string, string>>;
  /** Number of recorders that are open. */
  openRecorders(): number;
  /** Makes the next calls of `record` throw. */
  failWith(error: Error | undefined): void;
  /** Called at the start of each `record`, before the files are compared. */
  onRecord: (() => Promise<void> | void) | undefined;
  /** Called before each file that `restore` writes or deletes. */
  onRestore: ((path: string) => void) | undefined;
}

export function createMemoryWorkspace(files: Readonly<Record<string, string>> = {}): MemoryWorkspace {
  const known = new Map<string, Files>();
  const copies = new Map<string, WorkspaceCopy>();
  let open = 0;
  let failure: Error | undefined;
  const filesOf = (tree: string): Files => known.get(tree) ?? new Map();

  function keep(now: Files): string {
    const sorted = [...now].sort(([a], [b]) => (a < b ? -1 : 1));
    const id = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
    known.set(treeReference(id), new Map(sorted));
    return treeReference(id);
  }

  function createRecorder(files: Map<string, string>, tree: string | undefined): FileRecorder {
    let last = tree;
    return {
      async record() {
        await workspace.onRecord?.();
        if (failure !== undefined) throw failure;
        const before = last;
        last = keep(files);
        if (before === last) return undefined;
        const made = before === undefined ? [] : changesBetween(filesOf(before), filesOf(last));
        const change: RecordedChange = { before, after: last, files: made };
        return change;
      },
      async restore(target, { except = new Set() } = {}) {
        const changes = changesBetween(files, filesOf(target)).filter(({ path }) => !except.has(path));
        for (const { path } of changes) {
          workspace.onRestore?.(path);
          const content = filesOf(target).get(path);
          if (content === undefined) files.delete(path);
          else files.set(path, content);
        }
        last = target;
        const restored: Restored = { files: changes, skipped: [], touched: changes.length > 0 };
        return restored;
      },
      async [Symbol.asyncDispose]() {
        open -= 1;
      },
    };
  }

  const workspace: MemoryWorkspace = {
    files: new Map(Object.entries(files)),
    folders: new Map(),
    openRecorders: () => open,
    failWith(error) {
      failure = error;
    },
    onRecord: undefined,
    onRestore: undefined,
    trees: {
      copies: {
        async make(id, { workspace: original, tree }) {
          const folder = `/copies/${id}/files`;
          const copy = { workspace: folder, original, place: id, tree, shared: [], left: [] };
          if (copies.has(id)) return copies.get(id) ?? copy;
          workspace.folders.set(folder, new Map(filesOf(tree)));
          copies.set(id, copy);
          return copy;
        },
        async restore(id, known, tree) {
          const copy = { ...known, place: `${known.place} again` };
          workspace.folders.set(copy.workspace, new Map(filesOf(tree)));
          copies.set(id, copy);
          return copy;
        },
        find: async (id) => copies.get(id),
        async remove(id) {
          workspace.folders.delete(copies.get(id)?.workspace ?? '');
          copies.delete(id);
        },
        sweep: async () => [],
      },
      async openRecorder(folder, tree) {
        open += 1;
        return createRecorder(workspace.folders.get(folder) ?? workspace.files, tree);
      },
      async changes(before, after) {
        const changed: ChangedFiles = { files: changesBetween(filesOf(before), filesOf(after)) };
        return changed;
      },
      async *diff(before, after, { except = new Set() } = {}) {
        for (const { change, path } of changesBetween(filesOf(before), filesOf(after)))
          if (!except.has(path)) yield `${change} ${path}\n`;
      },
      packsOf: async () => ({ packs: new Set<string>(), broken: [] }),
      async list(tree, path) {
        const below = path === '' ? '' : `${path}/`;
        return [...filesOf(tree)].flatMap(([name, text]) =>
          name.startsWith(below)
            ? [{ name: name.slice(below.length), kind: 'file' as const, size: text.length }]
            : [],
        );
      },
      async read(tree, path) {
        const text = filesOf(tree).get(path);
        if (text === undefined) throw new LonghaulError('not_found', `There is no ${path}.`);
        return new TextEncoder().encode(text);
      },
      async merge({ base, theirs, ours }) {
        const merged = new Map(filesOf(ours));
        const conflicts: MergeConflict[] = [];
        for (const { path } of changesBetween(filesOf(base), filesOf(theirs))) {
          const [old, own] = [filesOf(base).get(path), filesOf(ours).get(path)];
          const other = filesOf(theirs).get(path);
          if (own !== old && own !== other)
            conflicts.push({ path, reason: 'content', message: 'Both sides changed it.' });
          else if (other === undefined) merged.delete(path);
          else merged.set(path, other);
        }
        if (conflicts.length > 0) return { tree: undefined, conflicts, left: [], files: [] };
        const files = changesBetween(filesOf(ours), merged);
        return { tree: keep(merged), conflicts, left: [], files };
      },
      async materialise(tree, folder) {
        workspace.folders.set(folder, new Map(filesOf(tree)));
        return { files: changesBetween(new Map(), filesOf(tree)), skipped: [], touched: true };
      },
    },
  };
  return workspace;
}

function changesBetween(before: Files, after: Files): FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path): FileChange[] => {
    if (before.get(path) === after.get(path)) return [];
    const change = !before.has(path) ? 'added' : after.has(path) ? 'modified' : 'deleted';
    return [{ path, change, restorable: true }];
  });
}
