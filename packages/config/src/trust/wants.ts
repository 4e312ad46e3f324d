import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { TrustWant } from '@longhaul/protocol';
import { pathText } from '../config-layer.ts';
import { expandHome } from '../expand-home.ts';
import { type ProjectFile, type ReadProjectFile, readModules, readProjectFile } from './project-files.ts';
import type { DangerousSetting } from './restrict.ts';
import { wantText } from './want-text.ts';

/** Something that a project's files want, and that needs trust. */
export interface Want extends TrustWant {
  /** Hash of the key, its value, and the bytes of the files that it uses. */
  id: string;
  /** Real path of the workspace whose file it is. Absent for what a `longhaul.yml` or a `.mcp.json` sets. */
  folder?: string;
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

/** More lines could not be read before an answer. */
const MAX_LINES = 100;

const BY_DANGER = ['code', 'data', 'access'] as const;

/**
 * Reads the files of dangerous settings, and returns what each wants, in the same order. What would not fit on the page
 * is refused, the least dangerous first.
 */
export async function readWants(
  settings: readonly DangerousSetting[],
  place: ProjectPlace,
): Promise<ReadWant[]> {
  const read = new Map<DangerousSetting, ReadWant>();
  let lines = 0;
  for (const setting of BY_DANGER.flatMap((danger) => settings.filter((each) => each.danger === danger))) {
    const { want, files } = lines < MAX_LINES ? await readWant(setting, place) : refused(setting, TOO_MANY);
    const more = want.refusal === undefined ? want.text.split('\n').length + want.files.length : 0;
    if (lines + more > MAX_LINES) read.set(setting, refused(setting, TOO_MANY));
    else {
      lines += more;
      read.set(setting, { want, files });
    }
  }
  return settings.flatMap((setting) => read.get(setting) ?? []);
}

const TOO_MANY = `is too much to show: all settings that need trust can have ${MAX_LINES} lines together`;

async function readWant(setting: DangerousSetting, place: ProjectPlace): Promise<ReadWant> {
  const { path, value, danger } = setting;
  const { text, problem } = wantText(setting);
  if (problem !== undefined) return refused(setting, problem);
  const read = await filesOf(setting, place);
  if ('problem' in read) return refused(setting, `${String(value)} ${read.problem}`);
  const shown = read.map((file) => `${file.path.slice(place.root.length + 1)} ${file.sha256.slice(0, 12)}`);
  const used = read.map((file) => [file.path, file.sha256]);
  return { want: { id: idOf(setting, used), key: pathText(path), danger, text, files: shown }, files: read };
}

function refused(setting: DangerousSetting, refusal: string): ReadWant {
  const { path, danger } = setting;
  const { text } = wantText(setting);
  return {
    want: { id: idOf(setting, []), key: pathText(path), danger, text, files: [], refusal },
    files: [],
  };
}

function idOf({ path, value }: DangerousSetting, files: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify([pathText(path), value, files]))
    .digest('hex');
}

/** Its value can be the path of a module. */
const STRATEGY_KEY = 'context.compression.strategy';

async function filesOf(
  { path, value }: DangerousSetting,
  { root, home }: ProjectPlace,
): Promise<ProjectFile[] | { problem: string }> {
  if (typeof value !== 'string') return [];
  const file = resolve(root, expandHome(value, home));
  const key = path.map((part, index) => (index === 1 && path[0] === 'agents' ? 'NAME' : part)).join('.');
  if (key === 'agents.NAME.prompt') return listOf(await readProjectFile(file, root));
  if (key === STRATEGY_KEY || key === `agents.NAME.${STRATEGY_KEY}`) return readModules(file, root);
  return [];
}

function listOf(read: ReadProjectFile): ProjectFile[] | { problem: string } {
  return 'problem' in read ? read : [read];
}
