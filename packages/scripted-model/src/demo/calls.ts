import type { ScriptToolCall } from '../script.ts';
import { type AppFile, type Correction, draftText, finalText } from './app-files.ts';
import type { Seen } from './seen.ts';
import { STANDING_RULES } from './task.ts';

export function write(path: AppFile): ScriptToolCall {
  return { name: 'write', arguments: { path, content: draftText(path) } };
}

export function edit({ path, draft, final }: Correction): ScriptToolCall {
  return { name: 'edit', arguments: { path, old: draft, new: final } };
}

export function read(path: string, offset?: number, limit?: number): ScriptToolCall {
  return {
    name: 'read',
    arguments: {
      path,
      ...(offset === undefined ? {} : { offset }),
      ...(limit === undefined ? {} : { limit }),
    },
  };
}

export function grep(pattern: string, path: string): ScriptToolCall {
  return { name: 'grep', arguments: { pattern, path } };
}

export function glob(pattern: string): ScriptToolCall {
  return { name: 'glob', arguments: { pattern } };
}

export function bash(command: string): ScriptToolCall {
  return { name: 'bash', arguments: { command } };
}

export function task(agent: 'general' | 'explore', prompt: string): ScriptToolCall {
  return { name: 'task', arguments: { agent, prompt } };
}

/** Writes the README with only those standing instructions that the script can still see. */
export function writeReadme(seen: Seen): ScriptToolCall {
  const lost = STANDING_RULES.filter((rule) => !rule.inSight.test(seen.prose));
  let content = finalText('README.md');
  for (const { readmeLine } of lost) content = content.replace(`${readmeLine}\n`, '');
  return { name: 'write', arguments: { path: 'README.md', content } };
}

/**
 * Returns a key that identifies a call in the messages: its tool and its distinctive arguments. A `recall` is
 * identified by the kind of its argument, because the handle is known only at run time.
 */
export function signatureOf(name: string, input: Readonly<Record<string, unknown>>): string {
  if (name === 'recall') return 'query' in input ? 'recall query' : 'recall handle';
  const keys = ['path', 'pattern', 'command', 'old', 'offset', 'prompt'];
  return [name, ...keys.map((key) => (input[key] === undefined ? '' : String(input[key])))].join('\0');
}
