import type { CommandFact, ErrorFact, FileFact, LedgerFold } from './ledger-facts.ts';
import { createNameIndex, createSightings, type NameSightings } from './name-index.ts';
import type { FileAction } from './tool-facts.ts';

/** Increase this with every change to the stored form: a fold of another version is rebuilt instead of misread. */
const VERSION = 10;

type NameRow = [
  name: string,
  file: string | 0,
  calls: number,
  users: number,
  texts: number,
  results: number,
  last: number,
  elsewhere: number,
  defined: 0 | 1,
];

interface StoredFold {
  version: number;
  instructions: LedgerFold['instructions'];
  turnStart: number;
  said?: LedgerFold['said'];
  report?: LedgerFold['report'];
  done: LedgerFold['done'];
  lastChange: number;
  todo?: string;
  todoHandle?: string;
  kept?: LedgerFold['kept'];
  files: (Omit<FileFact, 'actions'> & { actions: FileAction[] })[];
  commands: CommandFact[];
  errors: [string, ErrorFact][];
  names: NameRow[];
  origins: [string, string][];
  background: [string, string][];
  /** Absent in folds of earlier versions, which knew no child sessions. */
  tasks?: [string, string][];
  handles: LedgerFold['handles'];
}

/** Returns a fold as text, so that a later process does not have to read the session again. */
export function ledgerFoldToJson(fold: LedgerFold): string {
  const stored: StoredFold = {
    version: VERSION,
    instructions: fold.instructions,
    turnStart: fold.turnStart,
    said: fold.said,
    report: fold.report,
    done: fold.done,
    lastChange: fold.lastChange,
    todo: fold.todo,
    todoHandle: fold.todoHandle,
    kept: fold.kept,
    files: [...fold.files.values()].map((file) => ({ ...file, actions: [...file.actions] })),
    commands: [...fold.commands.values()],
    errors: [...fold.errors],
    names: [...fold.names.sightings].map(toRow),
    origins: [...fold.names.origins],
    background: [...fold.background],
    tasks: [...fold.tasks],
    handles: fold.handles,
  };
  return JSON.stringify(stored);
}

/** Reads a stored fold. Undefined if it has another version or is damaged. */
export function ledgerFoldFromJson(text: string): LedgerFold | undefined {
  let stored: StoredFold;
  try {
    stored = JSON.parse(text);
    if (stored.version !== VERSION) return undefined;
    return toFold(stored);
  } catch {
    return undefined;
  }
}

function toFold(stored: StoredFold): LedgerFold {
  const names = createNameIndex();
  // Thousands of names came from one file. Its key is in memory once.
  const keys = new Map<string, string>();
  const shared = (key: string) => {
    const known = keys.get(key) ?? key;
    keys.set(known, known);
    return known;
  };
  for (const [name, file, ...counts] of stored.names) {
    names.sightings.set(name, fromRow(name, file === 0 ? undefined : shared(file), counts));
  }
  for (const [piece, file] of stored.origins) names.origins.set(piece, shared(file));
  return {
    instructions: stored.instructions,
    turnStart: stored.turnStart,
    said: stored.said,
    report: stored.report,
    done: stored.done,
    lastChange: stored.lastChange,
    todo: stored.todo,
    todoHandle: stored.todoHandle,
    kept: stored.kept,
    files: new Map(stored.files.map((file) => [file.key, { ...file, actions: new Set(file.actions) }])),
    commands: new Map(stored.commands.map((fact) => [fact.command, fact])),
    errors: new Map(stored.errors),
    failing: failingOf(stored.errors),
    names,
    background: new Map(stored.background),
    tasks: new Map(stored.tasks),
    handles: stored.handles,
  };
}

function failingOf(errors: StoredFold['errors']): LedgerFold['failing'] {
  const failing: LedgerFold['failing'] = new Map();
  for (const [key, { program, resolved }] of errors) {
    if (program === undefined || resolved) continue;
    failing.set(program, (failing.get(program) ?? new Set()).add(key));
  }
  return failing;
}

function toRow([name, seen]: [string, NameSightings]): NameRow {
  const { file = 0, calls, users, texts, results, lastSequence, elsewhere, defined } = seen;
  return [name, file, calls, users, texts, results, lastSequence, elsewhere, defined ? 1 : 0];
}

function fromRow(
  name: string,
  file: string | undefined,
  [calls, users, texts, results, lastSequence, elsewhere, defined]: Counts,
): NameSightings {
  const counts = { calls, users, texts, results, elsewhere, defined: defined === 1, lastSequence };
  return createSightings(name, { file, ...counts });
}

type Counts = NameRow extends [string, string | 0, ...infer Rest] ? Rest : never;
