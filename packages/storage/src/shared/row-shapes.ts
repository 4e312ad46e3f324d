import { withoutNulls } from './json.ts';
import { unpackText } from './packed-text.ts';
import type { CheckedTable } from './row-checksum.ts';

type Row = Readonly<Record<string, unknown>>;

/** Returns what is wrong with the content of a row, or undefined. @throws {Error} If its JSON cannot be parsed. */
export type RowCheck = (table: CheckedTable, row: Row) => string | undefined;

interface Schema {
  safeParse(value: unknown): { success: boolean; error?: SchemaError | undefined };
}

interface SchemaError {
  message: string;
  issues?: readonly { path: readonly PropertyKey[]; message: string }[];
}

/** Loads the check of rows without a checksum: the one that reading a session makes. Loading zod takes 40 ms. */
export async function loadRowCheck(): Promise<RowCheck> {
  const schemas = await import('@longhaul/protocol/schemas');
  return (table, row) => {
    if (table === 'parts') return problemOf(schemas.partSchema, json(row['body']));
    if (table === 'messages') return problemOf(schemas.messageRowSchema, parsed(row, ['usage', 'metadata']));
    if (table === 'marks')
      return row['kind'] === 'compaction' ? undefined : problemOf(schemas.markSchema, json(row['body']));
    if (table === 'compactions') {
      const { summaryContent, hides, ...columns } = row;
      json(hides);
      const compaction = {
        ...withoutNulls(columns),
        kind: 'compaction',
        summary: json(summaryContent),
        hides: [],
      };
      return problemOf(schemas.compactionSchema, compaction);
    }
    return undefined;
  };
}

function problemOf(schema: Schema, value: unknown): string | undefined {
  const { success, error } = schema.safeParse(value);
  return success || error === undefined ? undefined : describeProblem(error);
}

/** Describes the first problem in one line. */
export function describeProblem({ message, issues = [] }: SchemaError): string {
  const [first] = issues;
  if (first === undefined) return message;
  return first.path.length === 0 ? first.message : `${first.path.join('.')}: ${first.message}`;
}

function parsed(row: Row, names: readonly string[]): object {
  const values = names.map((name) => [name, row[name] === null ? null : json(row[name])] as const);
  return withoutNulls({ ...row, ...Object.fromEntries(values) });
}

function json(column: unknown): unknown {
  return JSON.parse(unpackText(column ?? 'null'));
}
