import { isPlainObject, pathText } from '../config-layer.ts';
import { referencedVariable } from '../environment.ts';
import { maskAddress, maskSettings } from '../mask-secrets.ts';
import type { DangerousSetting } from './restrict.ts';
import { isRefusal } from './trust-table.ts';

/** A longer line could not be read before an answer. */
const MAX_LINE_CHARS = 500;

export interface WantText {
  /** One line for each key or rule that needs trust. Contains no other line breaks. */
  text: string;
  /** Why the setting cannot be trusted: a person would not see all of it. */
  problem?: string;
}

/** Describes what a setting wants, for a person. Nothing of what needs trust is left out or cut. */
export function wantText(setting: DangerousSetting): WantText {
  const key = pathText(setting.path);
  if (key.length > MAX_LINE_CHARS) return { text: '', problem: `has a name of ${key.length} characters` };
  const lines = linesOf(setting);
  const longest = Math.max(...lines.map((line) => line.length));
  if (longest <= MAX_LINE_CHARS) return { text: lines.join('\n') };
  const text = lines.map((line) => line.slice(0, MAX_LINE_CHARS)).join('\n');
  return {
    text,
    problem: `is too long to show: a value has ${longest} characters, and at most ${MAX_LINE_CHARS} are allowed`,
  };
}

function linesOf({ path, value, other }: DangerousSetting): string[] {
  if (path[0] === 'providers' && isPlainObject(value)) return providerLines(value);
  if (path[0] === 'approvals' && Array.isArray(value)) return ruleLines(value, other);
  if (path[0] === 'mcp' && isPlainObject(value)) return serverLines(value);
  return valueLines(maskSettings({ [String(path.at(-1))]: value })[String(path.at(-1))]);
}

/** The address and the variables come first: they say who receives what. */
function providerLines({ baseUrl, apiKey, ...rest }: Record<string, unknown>): string[] {
  const variable = referencedVariable(apiKey);
  const key = variable === undefined ? 'a key from this file' : `$${variable}`;
  const sent = apiKey === undefined ? 'your sessions' : `${key} and your sessions`;
  const address = baseUrl === undefined ? 'its usual address' : maskAddress(plain(baseUrl));
  const more = Object.keys(rest).length === 0 ? [] : valueLines(maskSettings(rest));
  return [`sends ${sent} to ${address}`, ...more];
}

/**
 * The program or the address comes first. Nothing is masked: the values are the project's, and are part of what runs.
 */
function serverLines({ command, args, url, sandbox, ...rest }: Record<string, unknown>): string[] {
  const words = [command, ...(Array.isArray(args) ? args : [])].map(plain).join(' ');
  const where = sandbox === true ? 'in the sandbox' : 'outside of the sandbox';
  const runs = command === undefined ? [] : [`starts, ${where}: ${words}`];
  const calls = url === undefined ? [] : [`sends what the model writes to ${plain(url)}`];
  const { oauth } = rest;
  const variable = isPlainObject(oauth) ? oauth['clientSecretEnv'] : undefined;
  const secret = variable === undefined ? [] : [`sends $${plain(variable)} to its authorization server`];
  return [...runs, ...calls, ...secret, ...valueLines(rest)].filter((line) => line !== '{}');
}

/** Refusals need no trust, but a list with another rule is used as a whole, and replaces the user's. */
function ruleLines(rules: readonly unknown[], other: unknown): string[] {
  const granting = rules.filter((rule) => !isRefusal(rule));
  const refusals = rules.length - granting.length;
  const replaced = Array.isArray(other) ? other.length : 0;
  return [
    ...(refusals === 0 ? [] : [`(and ${refusals} that only deny or ask)`]),
    ...(replaced === 0 ? [] : [`replaces ${replaced} of your own rules`]),
    ...granting.map(plain),
  ];
}

/** Mappings and lists of mappings get a line for each value. */
function valueLines(value: unknown, name = ''): string[] {
  const label = name === '' ? '' : `${name}: `;
  if (isPlainObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, below]) => valueLines(below, joined(name, key)));
  }
  if (Array.isArray(value) && value.some((item) => typeof item === 'object')) {
    return value.flatMap((item, index) => valueLines(item, `${name}[${index}]`));
  }
  return [`${label}${plain(value)}`];
}

function joined(name: string, key: string): string {
  return name === '' ? pathText([key]) : `${name}.${pathText([key])}`;
}

function plain(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' && !/\p{Cc}|^\s|\s$|^$/u.test(value) ? value : JSON.stringify(value);
}
