import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { TrustWant } from '@longhaul/protocol';
import { isPlainObject, pathText } from '../config-layer.ts';
import { referencedVariable } from '../environment.ts';
import { expandHome } from '../expand-home.ts';
import { maskAddress, maskSettings } from '../mask-secrets.ts';
import { type ProjectFile, type ReadProjectFile, readModules, readProjectFile } from './project-files.ts';
import type { DangerousSetting } from './restrict.ts';

/** Something that a project's files want, and that needs trust. */
export interface Want extends TrustWant {
  /** Hash of the key, its value, and the bytes of the files that it uses. */
  id: string;
}

/** Where a project is. */
export interface ProjectPlace {
  /** The folder of its file, without symbolic links. */
  root: string;
  home: string;
}

/** A want with the bytes of its files. */
export interface ReadWant {
  want: Omit<Want, 'isTrusted'>;
  files: ProjectFile[];
}

/**
 * Reads the files of a dangerous setting, and returns what it wants.
 */
export async function readWant(setting: DangerousSetting, place: ProjectPlace): Promise<ReadWant> {
  const { path, value, danger } = setting;
  const { root } = place;
  const read = await filesOf(setting, place);
  const files = 'problem' in read ? [] : read;
  const shown = files.map((file) => `${file.path.slice(root.length + 1)} ${file.sha256.slice(0, 12)}`);
  const identity = JSON.stringify([pathText(path), value, files.map((file) => [file.path, file.sha256])]);
  const want = {
    id: createHash('sha256').update(identity).digest('hex'),
    key: pathText(path),
    danger,
    text: textOf(setting),
    files: shown,
    ...('problem' in read ? { refusal: `${String(value)} ${read.problem}` } : {}),
  };
  return { want, files };
}

async function filesOf(
  { path, value }: DangerousSetting,
  { root, home }: ProjectPlace,
): Promise<ProjectFile[] | { problem: string }> {
  if (typeof value !== 'string') return [];
  const file = resolve(root, expandHome(value, home));
  const key = path.map((part, index) => (index === 1 && path[0] === 'agents' ? 'NAME' : part)).join('.');
  if (key === 'agents.NAME.prompt') return listOf(await readProjectFile(file, root));
  if (key === 'context.compression.strategy') return readModules(file, root);
  return [];
}

function listOf(read: ReadProjectFile): ProjectFile[] | { problem: string } {
  return 'problem' in read ? read : [read];
}

function textOf({ path, value }: DangerousSetting): string {
  if (path[0] === 'providers' && isPlainObject(value)) return providerText(value);
  return compact(value);
}

/** The address and the variables come first: they say who receives what. */
function providerText({ baseUrl, apiKey, ...rest }: Record<string, unknown>): string {
  const variable = referencedVariable(apiKey);
  const key = variable === undefined ? 'a key from this file' : `$${variable}`;
  const sent = apiKey === undefined ? 'your sessions' : `${key} and your sessions`;
  const address = baseUrl === undefined ? 'its usual address' : compact(baseUrl);
  const more = Object.keys(rest).length === 0 ? '' : `; ${compact(rest)}`;
  return `sends ${sent} to ${address}${more}`;
}

const MAX_CHARS = 2_000;

function compact(value: unknown): string {
  if (typeof value === 'string') return maskAddress(value);
  const text = value === undefined ? 'nothing' : JSON.stringify(maskSettings(value));
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}… (${text.length} characters)` : text;
}
