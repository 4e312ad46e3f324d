import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, DEFAULT_CONFIG, loadConfig } from '@longhaul/config';
import { describe, expect, it } from 'vitest';
import { PAGE_FILE, SCHEMA_FILE, schemaText, withKeyTable } from './config-schema.ts';

const HOW = 'run: node --conditions=longhaul-src scripts/config-schema.ts';

describe('the documents of the configuration', () => {
  it('the committed JSON Schema is up to date', async () => {
    expect(await readFile(SCHEMA_FILE, 'utf8'), HOW).toBe(await schemaText());
  });

  it('the committed table of keys is up to date', async () => {
    const page = await readFile(PAGE_FILE, 'utf8');
    expect(page, HOW).toBe(await withKeyTable(page));
  });

  it('every default stands in the schema, and none that is no default', async () => {
    const schema: unknown = JSON.parse(await schemaText());
    expect(defaultsOf(schema)).toEqual(DEFAULT_CONFIG);
  });

  it('the complete example is one: it loads, and sets every key there is', async () => {
    const config = await loadExample();
    expect(config.providers['mine']?.apiKey).toBe('key');
    expect(missingKeys(DEFAULT_CONFIG, await exampleKeys())).toEqual([]);
  });
});

/** The defaults as editors are told of them; mappings of names have none. */
function defaultsOf(schema: unknown): unknown {
  if (!isRecord(schema)) return undefined;
  if ('default' in schema) return schema['default'];
  if (isRecord(schema['additionalProperties'])) return {};
  if (!isRecord(schema['properties'])) return undefined;
  const entries = Object.entries(schema['properties']).map(
    ([key, value]) => [key, defaultsOf(value)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

async function exampleText(): Promise<string> {
  const page = await readFile(PAGE_FILE, 'utf8');
  const text = /## Complete example\n\n```yaml\n([\s\S]*?)```/.exec(page)?.[1];
  if (text === undefined) throw new Error('docs/configuration.md has no complete example.');
  return text;
}

async function loadExample(): Promise<Config> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-example-'));
  try {
    await writeFile(join(folder, 'longhaul.yml'), await exampleText());
    const { config } = await loadConfig({ cwd: folder, home: folder, env: { MINE_KEY: 'key' } });
    return config;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function exampleKeys(): Promise<unknown> {
  const { parse } = await import('yaml');
  return parse(await exampleText());
}

function missingKeys(expected: unknown, found: unknown, path = ''): string[] {
  if (!isRecord(expected)) return [];
  return Object.entries(expected).flatMap(([key, value]) => {
    const whole = path === '' ? key : `${path}.${key}`;
    return isRecord(found) && key in found ? missingKeys(value, found[key], whole) : [whole];
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
