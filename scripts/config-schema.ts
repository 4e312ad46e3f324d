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
  const all = keyRows(await configJsonSchema(), '').filter(({ isTitle }) => !isTitle);
  const ofModel = withoutRepeated(all, MODEL, PROVIDER, 'as for the provider, for this model alone.');
  const rows = withoutRepeated(ofModel, LONG_PRICE, PRICE, 'as for the price.');
  const lines = rows.map(({ path, cells }) => `| \`${path}\` | ${cells} |`);
  const table = ['| key | default | meaning |', '| --- | --- | --- |', ...lines].join('\n');
  const marks = /(<!-- keys: [^\n]* -->\n)[\s\S]*(<!-- \/keys -->)/;
  if (!marks.test(page))
    throw new Error(
      'docs/configuration.md has no markers for the table of keys (<!-- keys: … --> and <!-- /keys -->).',
    );
  return page.replace(marks, (_, start: string, end: string) => `${start}\n${table}\n\n${end}`);
}

/** Returns docs/trust.md with its table generated from the trust table. */
export function withTrustTable(page: string): string {
  const rows = Object.entries(TRUST_TABLE).map(([key, { allows, danger }]) => ({
    key,
    rule: `${allows === '' ? 'nothing' : allows} | ${allows === 'any value' ? '' : DANGERS[danger]}`,
  }));
  const table = [
    '| key | allowed without trust | danger of other values |',
    '| --- | --- | --- |',
    ...joined(rows).map(({ keys, rule }) => `| ${keys.map((key) => `\`${key}\``).join(', ')} | ${rule} |`),
  ].join('\n');
  const marks = /(<!-- trust: [^\n]* -->\n)[\s\S]*(<!-- \/trust -->)/;
  if (!marks.test(page)) throw new Error('docs/trust.md has no markers for its table.');
  return page.replace(marks, (_, start: string, end: string) => `${start}\n${table}\n\n${end}`);
}

/** Joins neighbouring keys that have the same rule. */
function joined(rows: readonly { key: string; rule: string }[]): { keys: string[]; rule: string }[] {
  const groups: { keys: string[]; rule: string }[] = [];
  for (const { key, rule } of rows) {
    const last = groups.at(-1);
    if (last?.rule === rule) last.keys.push(key);
    else groups.push({ keys: [key], rule });
  }
  return groups;
}

const DANGERS: Readonly<Record<Danger, string>> = {
  code: 'run code',
  data: 'send data',
  access: 'widen access',
};

/** Sections whose keys and meanings are those of another section. */
const REPEATED: ReadonlySet<string> = new Set(['agents.NAME.context.compression', 'agents.NAME.limits']);

const PROVIDER = 'providers.NAME.';
const MODEL = `${PROVIDER}models.NAME.`;
const PRICE = `${MODEL}price.`;
const LONG_PRICE = `${PRICE}long.`;
const MAX_TITLE_WORDS = 9;

interface Row {
  path: string;
  cells: string;
  /** Whether this is a section whose meaning is only a title. Its keys follow, and say more. */
  isTitle: boolean;
}

/** Joins the keys below one path that mean the same as those below another one into one row. */
function withoutRepeated(rows: readonly Row[], below: string, other: string, meaning: string): Row[] {
  const cellsOf = new Map(rows.map(({ path, cells }) => [path, cells]));
  const isRepeated = ({ path, cells }: Row) =>
    path.startsWith(below) && cellsOf.get(path.replace(below, other)) === cells;
  const repeated = rows.filter(isRepeated);
  const keys = repeated.map(({ path }) => path.slice(below.length));
  const names = [...new Set(keys.map((key) => key.replace(/\..*/, '')))];
  const joined = {
    path: `${below}…`,
    cells: ` | ${names.map((name) => `\`${name}\``).join(', ')}: ${meaning}`,
    isTitle: false,
  };
  return rows.flatMap((row) => {
    if (row === repeated[0]) return [joined];
    return isRepeated(row) ? [] : [row];
  });
}

function keyRows(schema: JsonSchema, prefix: string): Row[] {
  return Object.entries(recordAt(schema, 'properties') ?? {}).flatMap(([key, value]) => {
    if (!isRecord(value)) return [];
    const path = prefix === '' ? key : `${prefix}.${key}`;
    return [row(path, value), ...(REPEATED.has(path) ? [] : nestedRows(value, path))];
  });
}

function nestedRows(schema: JsonSchema, path: string): Row[] {
  const named = recordAt(schema, 'additionalProperties');
  const items = recordAt(schema, 'items');
  return [
    ...keyRows(schema, path),
    ...(named ? keyRows(named, `${path}.NAME`) : []),
    ...(items ? keyRows(items, `${path}[]`) : []),
  ];
}

function row(path: string, schema: JsonSchema): Row {
  const isSection = recordAt(schema, 'properties') !== undefined;
  const fallback = schema['default'] === undefined ? '' : `\`${JSON.stringify(schema['default'])}\``;
  const meaning = String(schema['description'] ?? '').replaceAll('|', '\\|');
  const choices = isSection ? [] : unnamed(choicesOf(schema), meaning);
  const listed = choices.length > 0 ? `One of ${choices.map((choice) => `\`${choice}\``).join(', ')}.` : '';
  const isTitle = isSection && meaning.split(' ').length <= MAX_TITLE_WORDS;
  return { path, cells: `${fallback} | ${[meaning, listed].filter(Boolean).join(' ')}`, isTitle };
}

/** None if the meaning explains each of the choices, as in `auto: docker if it works`. */
function unnamed(choices: string[], meaning: string): string[] {
  const explained = new Set([...meaning.matchAll(/([\w-]+):/g)].map(([, word]) => word));
  return choices.every((choice) => explained.has(choice)) ? [] : choices;
}

function choicesOf(schema: JsonSchema): string[] {
  const own = Array.isArray(schema['enum']) ? schema['enum'].map(String) : [];
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
