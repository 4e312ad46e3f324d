import type { BlobStore, StagedSession, Store, Tool } from '@longhaul/core';
import type { Part } from '@longhaul/protocol';
import type { FaultPoint, FaultPoints } from './fault-points.ts';

/** A step of `collectGarbage`. */
type GarbageStep = 'session-dropped' | 'backup-dropped' | 'rests-dropped' | 'blobs-swept' | 'space-released';

/** Wraps a store, with a fault point before and after each of its writes. Its behaviour stays the same. */
export function storeWithFaultPoints(store: Store, faults: FaultPoints): Store {
  const around = <T>(kind: Kind | undefined, write: () => Promise<T>) => passing(faults, kind, write);
  return overlay(store, {
    enqueue: (...args) => around('enqueue', () => store.enqueue(...args)),
    async acquireLease(...args) {
      const acquired = await store.acquireLease(...args);
      faults.reach('lease-committed');
      return acquired;
    },
    async takeQueue(lease, build) {
      const taken = await store.takeQueue(lease, (queued) => {
        faults.reach('queue-taking');
        return build(queued);
      });
      if (taken !== undefined) faults.reach('queue-taken');
      return taken;
    },
    appendMessage: (...args) => around('message', () => store.appendMessage(...args)),
    putPart: (lease, target, part, events) =>
      around(kindOf(part), () => store.putPart(lease, target, part, events)),
    closeMessage: (...args) => around('close', () => store.closeMessage(...args)),
    async appendEvents(lease, events) {
      const stored = await store.appendEvents(lease, events);
      if (events.some((event) => event.type === 'llm:retry')) faults.reach('retry-announced');
      return stored;
    },
    async forkSession(sourceId, session, options) {
      const newId = () => {
        faults.reach('fork-copying');
        return options.newId();
      };
      const forked = await store.forkSession(sourceId, session, { ...options, newId });
      faults.reach('fork-committed');
      return forked;
    },
    async stageSession(session) {
      const staged = await store.stageSession(session);
      faults.reach('import-begun');
      return stagedWithFaultPoints(staged, faults);
    },
    async recordProcess(...args) {
      await store.recordProcess(...args);
      faults.reach('process-committed');
    },
    recordCompaction: (...args) => around('compaction', () => store.recordCompaction(...args)),
    finishRun: (...args) => around('finish', () => store.finishRun(...args)),
  });
}

function stagedWithFaultPoints(staged: StagedSession, faults: FaultPoints): StagedSession {
  return {
    async append(drafts) {
      faults.reach('import-piece-before-commit');
      await staged.append(drafts);
      faults.reach('import-piece-committed');
    },
    async publish(last) {
      faults.reach('import-publish-before-commit');
      const session = await staged.publish(last);
      faults.reach('import-published');
      return session;
    },
    discard: () => staged.discard(),
  };
}

/** Returns the hook `passed` of `collectGarbage`, with a fault point after each step. */
export function garbageFaultPoints(faults: FaultPoints): (step: GarbageStep) => void {
  return (step) => faults.reach(`gc-${step}`);
}

/** A step of recording or restoring files. */
type FilesStep =
  | 'folder-opened'
  | 'file-read'
  | 'pack-stored'
  | 'tree-stored'
  | 'entry-checked'
  | 'entry-restored';

/** Returns the hook `passed` of `createFileTrees`, with a fault point at each step. */
export function filesFaultPoints(faults: FaultPoints): (step: FilesStep) => void {
  return (step) => faults.reach(`files-${step}`);
}

/** Wraps a blob store, with a fault point after each blob. */
export function blobsWithFaultPoints(blobs: BlobStore, faults: FaultPoints): BlobStore {
  async function stored<T>(writing: Promise<T>): Promise<T> {
    const info = await writing;
    faults.reach('blob-stored');
    return info;
  }
  return overlay(blobs, {
    put: (data) => stored(blobs.put(data)),
    putStream: (source) => stored(blobs.putStream(source)),
  });
}

/** Wraps a store's clock. The store reads it inside its transactions. */
export function clockWithFaultPoints(now: () => number, faults: FaultPoints): () => number {
  return () => {
    faults.reach('transaction-open');
    return now();
  };
}

/** Wraps a tool, with a fault point before and after its work. */
export function toolWithFaultPoints<Input>(tool: Tool<Input>, faults: FaultPoints): Tool<Input> {
  return {
    ...tool,
    parse: (input) => tool.parse(input),
    async execute(input, context) {
      faults.reach('tool-started');
      const result = await tool.execute(input, context);
      faults.reach('tool-returned');
      return result;
    },
  };
}

/** Writes with a point after them, and mostly one before them (`BEFORE`). */
type Kind =
  | 'enqueue'
  | 'message'
  | 'text'
  | 'call'
  | 'start'
  | 'result'
  | 'interrupt'
  | 'close'
  | 'compaction'
  | 'finish';

const BEFORE: Partial<Record<Kind, FaultPoint>> = {
  enqueue: 'enqueue-before-commit',
  message: 'message-before-commit',
  text: 'text-before-commit',
  call: 'call-before-commit',
  result: 'result-before-commit',
  interrupt: 'interrupt-before-commit',
  close: 'close-before-commit',
  compaction: 'compaction-before-commit',
  finish: 'finish-before-commit',
};

async function passing<T>(faults: FaultPoints, kind: Kind | undefined, write: () => Promise<T>): Promise<T> {
  if (kind === undefined) return write();
  const before = BEFORE[kind];
  if (before !== undefined) faults.reach(before);
  const result = await write();
  faults.reach(`${kind}-committed`);
  return result;
}

function kindOf(part: Part): Kind | undefined {
  if (part.type !== 'tool' && part.type !== 'text' && part.type !== 'reasoning') return undefined;
  if (part.state === 'interrupted') return 'interrupt';
  if (part.type !== 'tool') return 'text';
  if (part.state === 'pending') return 'call';
  return part.state === 'running' ? 'start' : 'result';
}

/**
 * Replaces some methods of an object. The others run on the object itself, because a copy would lack its private
 * fields.
 */
function overlay<T extends object>(target: T, replaced: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      if (Object.hasOwn(replaced, key)) return Reflect.get(replaced, key);
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
