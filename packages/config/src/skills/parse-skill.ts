import { showControls } from '@longhaul/core/tool-output';
import { LonghaulError } from '@longhaul/protocol';
import { isPlainObject } from '../config-layer.ts';
import { parseYamlLayer } from '../yaml-layer.ts';

export type ParsedSkill = { name: string; description: string; body: string } | { problem: string };

const MAX_HEADER_CHARS = 16_000;
const MAX_NAME_CHARS = 64;
const MAX_DESCRIPTION_CHARS = 1_024;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Reads a `SKILL.md` of the open Agent Skills format: YAML with `name` and `description` between two lines `---`, then
 * the instructions. Other keys have no effect.
 *
 * @param folder Name of its folder, which must be the name of the skill.
 */
export function parseSkill(bytes: Uint8Array, folder: string): ParsedSkill {
  const text = decode(bytes);
  if (text === undefined) return { problem: 'is not valid UTF-8' };
  const match = /^---[ \t]*\r?\n([\s\S]{0,16000}?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  if (match === null)
    return {
      problem: `must begin with a line ---, the keys name and description, and a line --- (at most ${MAX_HEADER_CHARS} characters)`,
    };
  const facts = headerOf(match[1] ?? '');
  if ('problem' in facts) return facts;
  const problem = problemOf(facts, folder);
  if (problem !== undefined) return { problem };
  const description = showControls(String(facts.description).replace(/\s+/g, ' ').trim());
  return { name: folder, description, body: text.slice(match[0].length).trim() };
}

interface Header {
  name: unknown;
  description: unknown;
}

function headerOf(text: string): Header | { problem: string } {
  try {
    const { value } = parseYamlLayer('its header', text);
    if (!isPlainObject(value)) return { problem: 'has a header without the keys name and description' };
    return { name: value['name'], description: value['description'] };
  } catch (error) {
    if (!(error instanceof LonghaulError)) throw error;
    return { problem: `has a header that cannot be used: ${error.message}` };
  }
}

function problemOf({ name, description }: Header, folder: string): string | undefined {
  if (typeof name !== 'string') return 'has no name in its header';
  if (name.length > MAX_NAME_CHARS || !NAME.test(name))
    return `has the name ${JSON.stringify(name.slice(0, 100))}: only a-z, 0-9 and single hyphens, at most ${MAX_NAME_CHARS} characters`;
  if (name !== folder)
    return `has the name ${name}, but its folder is called ${JSON.stringify(folder.slice(0, 100))}: both must be the same`;
  if (typeof description !== 'string' || description.trim() === '')
    return 'has no description in its header: say what it does and when to use it';
  return description.length > MAX_DESCRIPTION_CHARS
    ? `has a description of ${description.length} characters: at most ${MAX_DESCRIPTION_CHARS}`
    : undefined;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
