import type { CommandFact, ErrorFact, FileFact, LedgerFold } from './ledger-facts.ts';
import { createNameIndex, createSightings, type NameSightings } from './name-index.ts';
import type { FileAction } from './tool-facts.ts';

/** Increase this with every change to the stored form: a fold of another version is rebuilt instead of misread. */
const VERSION = 12;

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

type Plain = Omit<LedgerFold, 'files' | 'commands' | 'errors' | 'failing' | 'names' | 'background' | 'tasks'>;

interface StoredFold extends Plain {
  version: number;
  files: (Omit<FileFact, 'actions'> & { actions: FileAction[] })[];
  commands: CommandFact[];
  errors: [string, ErrorFact][];
  names: NameRow[];
  origins: [string, string][];
  background: [string, string][];
  tasks: [string, string][];
}

/** Returns a fold as text, so that a later process does not have to read the session again. */
export function ledgerFoldToJson(fold: LedgerFold): string {
  const { failing: _, ...facts } = fold;
  const stored: StoredFold = {
    ...facts,
    version: VERSION,
    files: [...fold.files.values()].map((file) => ({ ...file, actions: [...file.actions] })),
    commands: [...fold.commands.values()],
    errors: [...fold.errors],
    names: [...fold.names.sightings].map(toRow),
    origins: [...fold.names.origins],
    background: [...fold.background],
    tasks: [...fold.tasks],
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

function toFold({ version: _, origins, ...stored }: StoredFold): LedgerFold {
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
  for (const [piece, file] of origins) names.origins.set(piece, shared(file));
  return {
    ...stored,
    files: new Map(stored.files.map((file) => [file.key, { ...file, actions: new Set(file.actions) }])),
    commands: new Map(stored.commands.map((fact) => [fact.command, fact])),
    errors: new Map(stored.errors),
    failing: failingOf(stored.errors),
    names,
    background: new Map(stored.background),
    tasks: new Map(stored.tasks),
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
