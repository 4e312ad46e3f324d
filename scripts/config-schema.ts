/**
 * Writes docs/longhaul.schema.json and the table of keys in docs/configuration.md from the configuration schema, and
 * the table in docs/trust.md from the trust table.
 *
 * node --conditions=longhaul-src scripts/config-schema.ts
 */
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { configJsonSchema, type Danger, TRUST_TABLE } from '@longhaul/config';

type JsonSchema = Record<string, unknown>;

export const SCHEMA_FILE = new URL('../docs/longhaul.schema.json', import.meta.url);
export const TRUST_FILE = new URL('../docs/trust.md', import.meta.url);
export const PAGE_FILE = new URL('../docs/configuration.md', import.meta.url);

export async function schemaText(): Promise<string> {
  return `${JSON.stringify(await configJsonSchema(), null, 2)}\n`;
}

/** Returns the page with its table of keys generated from the schema. */
export async function withKeyTable(page: string): Promise<string> {
  const rows = keyRows(await configJsonSchema(), '');
  const table = ['| key | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
  const marks = /(<!-- keys: [^\n]* -->\n)[\s\S]*(<!-- \/keys -->)/;
  if (!marks.test(page))
    throw new Error(
      'docs/configuration.md has no markers for the table of keys (<!-- keys: … --> and <!-- /keys -->).',
    );
  return page.replace(marks, (_, start: string, end: string) => `${start}\n${table}\n\n${end}`);
}

/** Returns docs/trust.md with its table generated from the trust table. */
export function withTrustTable(page: string): string {
  const rows = Object.entries(TRUST_TABLE).map(([key, { allows, danger }]) => {
    const without = allows === '' ? 'nothing' : allows;
    return `| \`${key}\` | ${without} | ${allows === 'any value' ? '' : DANGERS[danger]} |`;
  });
  const table = [
    '| key | allowed without trust | danger of other values |',
    '| --- | --- | --- |',
    ...rows,
  ].join('\n');
  const marks = /(<!-- trust: [^\n]* -->\n)[\s\S]*(<!-- \/trust -->)/;
  if (!marks.test(page)) throw new Error('docs/trust.md has no markers for its table.');
  return page.replace(marks, (_, start: string, end: string) => `${start}\n${table}\n\n${end}`);
}

const DANGERS: Readonly<Record<Danger, string>> = {
  code: 'run code',
  data: 'send data',
  access: 'widen access',
};

/** Sections whose keys and meanings are those of another section. */
const REPEATED: ReadonlySet<string> = new Set(['agents.NAME.context.compression', 'agents.NAME.limits']);

function keyRows(schema: JsonSchema, prefix: string): string[] {
  return Object.entries(recordAt(schema, 'properties') ?? {}).flatMap(([key, value]) => {
    if (!isRecord(value)) return [];
    const path = prefix === '' ? key : `${prefix}.${key}`;
    return [row(path, value), ...(REPEATED.has(path) ? [] : nestedRows(value, path))];
  });
}

function nestedRows(schema: JsonSchema, path: string): string[] {
  const named = recordAt(schema, 'additionalProperties');
  const items = recordAt(schema, 'items');
  return [
    ...keyRows(schema, path),
    ...(named ? keyRows(named, `${path}.NAME`) : []),
    ...(items ? keyRows(items, `${path}[]`) : []),
  ];
}

function row(path: string, schema: JsonSchema): string {
  const isSection = recordAt(schema, 'properties') !== undefined;
  const fallback = schema['default'] === undefined ? '' : `\`${JSON.stringify(schema['default'])}\``;
  const meaning = String(schema['description'] ?? '').replaceAll('|', '\\|');
  const choices = isSection ? [] : choicesOf(schema);
  return `| \`${path}\` | ${fallback} | ${[meaning, choices.length > 0 ? `One of ${choices.join(', ')}.` : ''].filter(Boolean).join(' ')} |`;
}

function choicesOf(schema: JsonSchema): string[] {
  const own = Array.isArray(schema['enum']) ? schema['enum'].map((choice) => `\`${choice}\``) : [];
  const alternatives = alternativesOf(schema);
  return alternatives.some(isObject) ? own : [...own, ...alternatives.flatMap(choicesOf)];
}

/** An object is also allowed, so a list of the other choices would not be complete. */
function isObject(schema: JsonSchema): boolean {
  return schema['type'] === 'object' || alternativesOf(schema).some(isObject);
}

function alternativesOf(schema: JsonSchema): JsonSchema[] {
  return Array.isArray(schema['anyOf']) ? schema['anyOf'].filter(isRecord) : [];
}

function recordAt(schema: JsonSchema, key: string): JsonSchema | undefined {
  const value = schema[key];
  return isRecord(value) ? value : undefined;
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await writeFile(SCHEMA_FILE, await schemaText());
  await writeFile(TRUST_FILE, withTrustTable(await readFile(TRUST_FILE, 'utf8')));
  await writeFile(PAGE_FILE, await withKeyTable(await readFile(PAGE_FILE, 'utf8')));
}
