import { LonghaulError, suggestion } from '@longhaul/protocol';
import type { z } from 'zod';
import type { ConfigInput } from './config.ts';
import {
  type ConfigLayer,
  type ConfigPath,
  type ConfigProblem,
  isPlainObject,
  pathText,
  problemLine,
} from './config-layer.ts';
import { type Environment, type FilledIn, fillInEnvironment } from './environment.ts';
import { toEditorSchema } from './json-schema.ts';
import { isSecretKey, maskAddress } from './mask-secrets.ts';
import { configSchema } from './schema.ts';

/**
 * Checks one layer and returns it with the variables replaced by their values.
 *
 * @throws {LonghaulError} `config_invalid`. The message has a line with a position for each mistake, at most 20.
 */
export function checkLayer(layer: ConfigLayer, env: Environment): ConfigInput {
  const filled = fillInEnvironment(withoutEmptySections(layer.value), env);
  const missing = new Set(filled.problems.map((problem) => JSON.stringify(problem.path)));
  const result = parse(filled);
  const wrong = result.success ? [] : problemsOf(result.error.issues, filled.value);
  // The problem of a variable that is not set is enough: that `$NAME` is not a number, say, adds nothing.
  const problems = [
    ...filled.problems,
    ...wrong.filter((problem) => !missing.has(JSON.stringify(problem.path))),
  ];
  if (result.success && problems.length === 0) return result.data;
  const lines = problems.map((problem) => problemLine(layer, problem));
  throw new LonghaulError('config_invalid', lines.slice(0, MAX_LINES).join('\n'), {
    data: { source: layer.name, problems: lines.length },
  });
}

const MAX_LINES = 20;

/**
 * Removes headings without content, which are `null` in YAML. An empty provider or agent becomes `{}` and takes its
 * defaults.
 */
function withoutEmptySections(root: unknown): unknown {
  if (!isPlainObject(root)) return root;
  return mapEntries(root, (value, key) => {
    if (!isPlainObject(value) || !SECTIONS.has(key)) return value ?? undefined;
    return mapEntries(value, (item) => item ?? (OF_NAMES.has(key) ? {} : undefined));
  });
}

const OF_NAMES: ReadonlySet<string> = new Set(['providers', 'agents']);
const SECTIONS: ReadonlySet<string> = new Set([...OF_NAMES, 'context', 'tools', 'mcp']);

function mapEntries(
  object: Record<string, unknown>,
  change: (value: unknown, key: string) => unknown,
): Record<string, unknown> {
  const changed = Object.entries(object).map(([key, value]) => [key, change(value, key)] as const);
  return Object.fromEntries(changed.filter(([, value]) => value !== undefined));
}

/** Validates the layer. Converts the text of a variable if the schema expects a number or a boolean. */
function parse(filled: FilledIn): z.ZodSafeParseResult<ConfigInput> {
  const first = configSchema.safeParse(filled.value);
  if (first.success || filled.filled.size === 0) return first;
  for (const issue of first.error.issues) {
    const path = configPath(issue.path);
    if (issue.code === 'invalid_type' && filled.filled.has(JSON.stringify(path))) {
      convertAt(filled.value, path);
    }
  }
  return configSchema.safeParse(filled.value);
}

function convertAt(root: unknown, path: ConfigPath): void {
  const parent = path.slice(0, -1).reduce<unknown>(childOf, root);
  const key = path.at(-1);
  if (!isPlainObject(parent) || typeof key !== 'string') return;
  const text = String(parent[key]);
  if (/^-?\d+(\.\d+)?$/.test(text)) parent[key] = Number(text);
  if (text === 'true' || text === 'false') parent[key] = text === 'true';
}

function childOf(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function configPath(path: readonly PropertyKey[]): (string | number)[] {
  return path.map((key) => (typeof key === 'number' ? key : String(key)));
}

function problemsOf(issues: readonly z.core.$ZodIssue[], root: unknown): ConfigProblem[] {
  return issues.slice(0, MAX_LINES).flatMap((issue) => {
    const path = configPath(issue.path);
    // Only so many are shown, and each searches for a similar key.
    if (issue.code === 'unrecognized_keys')
      return issue.keys.slice(0, MAX_LINES).map((key) => unknownKey(path, key));
    const value = path.reduce<unknown>(childOf, root);
    const hint =
      issue.code === 'invalid_value' && typeof value === 'string'
        ? suggestion(value, issue.values.map(String))
        : '';
    const text = `${pathText(path)} ${complaint(issue, path, value)}.${hint}`;
    return { path, text, key: issue.code === 'invalid_key' };
  });
}

function unknownKey(path: ConfigPath, key: string): ConfigProblem {
  const whole = [...path, key];
  const hint = suggestion(key, knownKeys(path));
  return { path: whole, text: `${pathText(whole)} is not a known key.${hint}`, key: true };
}

function complaint(issue: z.core.$ZodIssue, path: ConfigPath, value: unknown): string {
  if (value === undefined) return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPE_WORDS[issue.expected] ?? issue.expected}, not ${describe(value, path)}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map(String))}, not ${describe(value, path)}`;
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty';
      return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}, not ${describe(value, path)}`;
    case 'too_big':
      return `must be at most ${issue.maximum}, not ${describe(value, path)}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? issue.message;
    default:
      // A secret is not shown, and its type is not given as the reason.
      return path.some(isSecretKey) ? issue.message : `${issue.message}, not ${describe(value, path)}`;
  }
}

function oneOf(values: readonly string[]): string {
  const [last = '', ...others] = values.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of keys',
  record: 'a mapping of names',
};

/** Describes a value for a message. Never shows a key or a password. */
function describe(value: unknown, path: ConfigPath): string {
  if (Array.isArray(value)) return 'a list';
  if (isPlainObject(value)) return 'a mapping';
  if (path.some(isSecretKey)) return `a ${typeof value}`;
  const shown = typeof value === 'string' ? maskAddress(value) : value;
  const text = JSON.stringify(shown) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Returns the keys that a section may have, from the schema for editors. */
export function knownKeys(path: ConfigPath): string[] {
  let schema: unknown = toEditorSchema();
  for (const key of path) schema = descend(schema, key);
  const properties = firstWith(schema, 'properties');
  return isPlainObject(properties) ? Object.keys(properties) : [];
}

function descend(schema: unknown, key: string | number): unknown {
  if (typeof key === 'number') return firstWith(schema, 'items');
  const properties = firstWith(schema, 'properties');
  if (isPlainObject(properties) && Object.hasOwn(properties, key)) return properties[key];
  return firstWith(schema, 'additionalProperties');
}

/** Returns a keyword of the schema, or of its first alternative that has it. */
function firstWith(schema: unknown, keyword: string): unknown {
  if (!isPlainObject(schema)) return undefined;
  if (schema[keyword] !== undefined) return schema[keyword];
  const alternatives = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  return alternatives
    .map((alternative) => firstWith(alternative, keyword))
    .find((found) => found !== undefined);
}
