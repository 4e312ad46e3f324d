import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, DEFAULT_CONFIG, loadConfig } from '@longhaul/config';
import { describe, expect, it } from 'vitest';
import {
  PAGE_FILE,
  SCHEMA_FILE,
  schemaText,
  TRUST_FILE,
  withKeyTable,
  withTrustTable,
} from './config-schema.ts';

const HOW_TO_UPDATE = 'run: node --conditions=longhaul-src scripts/config-schema.ts';

describe('configuration documents', () => {
  it('has an up-to-date JSON Schema', async () => {
    expect(await readFile(SCHEMA_FILE, 'utf8'), HOW_TO_UPDATE).toBe(await schemaText());
  });

  it('has an up-to-date table of keys', async () => {
    const page = await readFile(PAGE_FILE, 'utf8');
    expect(page, HOW_TO_UPDATE).toBe(await withKeyTable(page));
  });

  it('has an up-to-date table of what needs trust', async () => {
    const page = await readFile(TRUST_FILE, 'utf8');
    expect(page, HOW_TO_UPDATE).toBe(withTrustTable(page));
  });

  it('has exactly the defaults of the configuration in the schema', async () => {
    const schema: unknown = JSON.parse(await schemaText());
    expect(defaultsOf(schema)).toEqual(DEFAULT_CONFIG);
  });

  it('has a complete example that loads and sets every key', async () => {
    const config = await loadExample();
    expect(config.providers['mine']?.apiKey).toBe('key');
    expect(missingKeys(DEFAULT_CONFIG, await exampleKeys())).toEqual([]);
  });
});

/** Returns the defaults that editors show. Mappings with free names have none. */
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
  if (text === undefined)
    throw new Error('docs/configuration.md has no section "Complete example" with a YAML block.');
  return text;
}

async function loadExample(): Promise<Config> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-example-'));
  try {
    await writeFile(join(folder, 'longhaul.yml'), await exampleText());
    const { config } = await loadConfig({
      cwd: folder,
      home: folder,
      env: {
        MINE_KEY: 'key',
        GATEWAY_TOKEN: 'token',
        CLUSTER_SECRET: 'a secret of servers',
        GITHUB_TOKEN: 'token',
      },
      file: join(folder, 'longhaul.yml'),
    });
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
