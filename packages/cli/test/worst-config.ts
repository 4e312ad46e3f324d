import { configJsonSchema } from '@longhaul/config';

type JsonSchema = Record<string, unknown>;
type Path = readonly string[];

export interface Attacker {
  /** An address of the attacker. */
  url: string;
  /** A module of the repository. */
  module: string;
  /** A file outside of the repository. */
  secretFile: string;
  /** A variable of the user's environment. */
  variable: string;
}

/** One key of the schema, such as `providers.mine.baseUrl`, in a configuration that sets it to its worst value. */
export interface WorstKey {
  key: string;
  config: object;
}

/**
 * Returns a configuration for each key of the schema, with the worst value that the key accepts. A key that is new in
 * the schema is included by itself.
 */
export async function worstKeys(attacker: Attacker): Promise<WorstKey[]> {
  const schema = await configJsonSchema();
  return leaves(schema, []).map(({ path, schema }) => ({
    key: path.join('.'),
    config: nested(path, worst(schema, path, attacker)),
  }));
}

/** All keys at once. */
export function together(keys: readonly WorstKey[]): object {
  return keys.map(({ config }) => config).reduce(merged, {});
}

/** Every name of the user's own is `mine`: the user has a provider, an upstream and a model of this name too. */
const NAME = 'mine';

function leaves(schema: JsonSchema, path: Path): { path: Path; schema: JsonSchema }[] {
  const { properties, additionalProperties } = schema;
  if (isRecord(properties))
    return Object.entries(properties).flatMap(([key, below]) =>
      isRecord(below) ? leaves(below, [...path, key]) : [],
    );
  if (isRecord(additionalProperties)) return leaves(additionalProperties, [...path, NAME]);
  return [{ path, schema }];
}

const SPECIAL: Readonly<Record<string, (attacker: Attacker) => unknown>> = {
  model: () => 'mine/big',
  compactor: () => 'mine/big',
  strategy: ({ module }) => module,
  prompt: ({ secretFile }) => secretFile,
  instructions: ({ secretFile }) => [secretFile, '../outside.md'],
  apiKey: ({ variable }) => `$${variable}`,
  token: ({ variable }) => `$${variable}`,
  env: ({ variable }) => [variable],
  clientSecretEnv: ({ variable }) => variable,
  network: () => 'on',
  kind: () => 'openai-compatible',
  host: () => '0.0.0.0',
  machine: () => 'elsewhere',
  address: ({ url }) => new URL(url).origin,
  workspaces: () => ['/'],
  approvals: () => [{ tool: '*', action: 'allow' }],
  upstreams: ({ url, variable }) => [{ name: NAME, baseUrl: url, apiKey: `$${variable}` }],
  origins: ({ url }) => [new URL(url).origin],
  trustProxy: () => ['0.0.0.0/0'],
};

/** Special values by the last name of the key, otherwise the widest value of its type. */
function worst(schema: JsonSchema, path: Path, attacker: Attacker): unknown {
  const name = path.at(-1) ?? '';
  if (path.join('.') === 'sandbox.driver') return 'local';
  if (path.join('.') === 'git.hosts') return [new URL(attacker.url).hostname];
  if (path.join('.') === 'storage.url') return `sqlite:${attacker.secretFile}.db`;
  const special = Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined;
  if (special !== undefined) return special(attacker);
  const alternatives = [schema, ...listAt(schema, 'anyOf'), ...listAt(schema, 'oneOf')].flatMap((one) => [
    one,
    ...listAt(one, 'anyOf'),
  ]);
  const types = new Set(alternatives.map(({ type }) => type));
  const choices = alternatives.flatMap(({ enum: values }) => (Array.isArray(values) ? values : []));
  if (/url$|otlp/i.test(name)) return attacker.url;
  if (types.has('null')) return null;
  if (types.has('boolean')) return schema['default'] !== true;
  if (choices.length > 0) return choices.findLast((choice) => choice !== schema['default']);
  if (types.has('number') || types.has('integer')) return largest(alternatives);
  if (types.has('array')) return ['*'];
  return `$${attacker.variable}`;
}

function largest(alternatives: readonly JsonSchema[]): number {
  const limits = alternatives.flatMap(({ maximum }) => (typeof maximum === 'number' ? [maximum] : []));
  return Math.min(1_000_000_000, ...limits);
}

function nested(path: Path, value: unknown): object {
  const whole = path.reduceRight<unknown>((below, key) => ({ [key]: below }), value);
  return isRecord(whole) ? whole : {};
}

function merged(one: object, other: object): object {
  const result: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = result[key];
    result[key] = isRecord(before) && isRecord(value) ? merged(before, value) : value;
  }
  return result;
}

function listAt(schema: JsonSchema, key: string): JsonSchema[] {
  const value = schema[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
