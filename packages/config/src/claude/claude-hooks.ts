import type { HookConfig } from '../config.ts';
import { isPlainObject } from '../config-layer.ts';
import { referencedVariable } from '../environment.ts';
import { toolPatterns } from './claude-matcher.ts';

export interface ReadHooks {
  hooks: Record<string, HookConfig>;
  /** Why other hooks of the file do not run. */
  warnings: string[];
}

export interface ClaudeFile {
  /** How messages name the file. */
  name: string;
  /** The beginning of the names of its hooks. */
  prefix: string;
  /** Whether its commands run on this machine, outside of the sandbox. */
  onHost: boolean;
}

interface HookEvent {
  on: HookConfig['on'];
  /** The values that a matcher must name, since the hook always runs for them. Absent: it matches names of tools. */
  cases?: readonly string[];
}

const EVENTS: ReadonlyMap<string, HookEvent> = new Map<string, HookEvent>([
  ['PreToolUse', { on: 'tool.before' }],
  ['PostToolUse', { on: 'tool.after' }],
  ['UserPromptSubmit', { on: 'prompt.submit', cases: [] }],
  ['SessionStart', { on: 'session.start', cases: ['startup'] }],
  ['PreCompact', { on: 'compaction.before', cases: ['manual', 'auto'] }],
  ['PostCompact', { on: 'compaction.after', cases: ['manual', 'auto'] }],
  ['Stop', { on: 'run.end', cases: [] }],
]);

/** Fields of a hook that change nothing about when and how it runs. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(['type', 'command', 'timeout', 'statusMessage']);

/** Reads the hooks of a settings file of Claude Code. The file is not ours, so what is not known is left out. */
export function claudeHooks(value: unknown, file: ClaudeFile): ReadHooks {
  const read: ReadHooks = { hooks: {}, warnings: [] };
  const events = isPlainObject(value) && value['disableAllHooks'] !== true ? value['hooks'] : undefined;
  for (const [name, groups] of entriesOf(events)) {
    const event = EVENTS.get(name);
    let number = 0;
    for (const { group, hook } of hooksOf(groups)) {
      number += 1;
      const made = event === undefined ? 'Longhaul has no such event' : toHook(hook, { group, event, file });
      if (typeof made !== 'string') read.hooks[`${file.prefix}-${name}-${number}`] = made;
      else read.warnings.push(`${file.name}: hook ${number} of ${name.slice(0, 100)} does not run: ${made}.`);
    }
  }
  return read;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isPlainObject(value) ? Object.entries(value) : [];
}

function hooksOf(groups: unknown): { group: Record<string, unknown>; hook: Record<string, unknown> }[] {
  return listOf(groups).flatMap((group) => listOf(group['hooks']).map((hook) => ({ group, hook })));
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

/** Returns the reason if the hook cannot run as its file says. */
function toHook(
  { type, command, timeout, ...more }: Record<string, unknown>,
  { group, event, file }: { group: Record<string, unknown>; event: HookEvent; file: ClaudeFile },
): HookConfig | string {
  if (type !== 'command' || typeof command !== 'string' || command.trim() === '')
    return 'only hooks of the type "command" are supported';
  const unknown = Object.keys(more).find((key) => !KNOWN_FIELDS.has(key));
  if (unknown !== undefined) return `its field "${unknown.slice(0, 100)}" is not supported`;
  const matched = matchedBy(group['matcher'], event);
  if (typeof matched === 'string') return matched;
  return {
    on: event.on,
    // A value that is only `$NAME` would be replaced before the shell reads it.
    command: referencedVariable(command) === undefined ? command : `${command} `,
    ...matched,
    ...(typeof timeout === 'number' && timeout > 0 && { timeoutMs: Math.ceil(timeout * 1000) }),
    ...(file.onHost && { onHost: true }),
  };
}

function matchedBy(matcher: unknown, { cases }: HookEvent): Pick<HookConfig, 'tools'> | string {
  const text = typeof matcher === 'string' ? matcher.trim() : '';
  if (text === '' || text === '*' || text === '.*') return {};
  if (cases === undefined) {
    const tools = toolPatterns(text);
    return tools === undefined ? `its matcher "${text.slice(0, 100)}" is not supported` : { tools };
  }
  const named = text.split('|').map((each) => each.trim());
  const isAlways = cases.every((each) => named.includes(each));
  return isAlways
    ? {}
    : `it is only for "${text.slice(0, 100)}", and Longhaul does not tell these cases apart`;
}
