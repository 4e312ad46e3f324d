import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ChatMessage, JsonObject } from '@longhaul/protocol';
import { createScriptedModelServer, type Script, type ScriptAnswer } from '@longhaul/scripted-model';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { onTestFinished } from 'vitest';

/** The model's name in tests. The scripted model accepts any. */
export const MODEL = 'openai-compatible/scripted';

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-agents-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a scripted model for the rest of the test, and returns its address. */
export async function startModel(script: Script): Promise<string> {
  const server = await createScriptedModelServer({ script });
  onTestFinished(() => server.close());
  return server.url;
}

/** A call of a tool, and nothing else. */
export function call(name: string, input: JsonObject, text = 'Next step.'): ScriptAnswer {
  return { text, toolCalls: [{ name, arguments: input }] };
}

/** How many calls the model has made since the last message that the user wrote. */
export function callsSinceUser(messages: readonly ChatMessage[]): number {
  const since = messages.slice(
    messages.findLastIndex((message) => message.role === 'user' && !isNote(message)),
  );
  return since.filter(({ role }) => role === 'tool').length;
}

/** Whether a message is the program's note of files that others have changed, such as the log of a service. */
function isNote({ content }: ChatMessage): boolean {
  return JSON.stringify(content).startsWith('"These files were changed outside this session');
}

/** Runs an adapter with Node, as its user does, in a bubblewrap room. Returns what it prints. */
export async function runAdapter(file: string, args: readonly string[]): Promise<string> {
  const script = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const argv = [...FROM_SOURCE, script, '--room', 'bubblewrap', '--model', MODEL, ...args];
  const { LONGHAUL_API_KEY: _key, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env });
  return stdout;
}

/** Whether a program can be run here. */
export function has(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args.length === 0 ? ['--version'] : args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Arguments of bubblewrap for this machine, read-only, without what is installed in `/opt`. */
export const READ_ONLY_ROOT = [
  '--ro-bind',
  '/',
  '/',
  '--tmpfs',
  '/opt',
  '--dev-bind',
  '/dev',
  '/dev',
] as const;

/** Why no bubblewrap room can be opened here, or undefined. */
export function whyNoRoom(): string | undefined {
  return has('bwrap', ...READ_ONLY_ROOT, '--bind', '/proc', '/proc', 'true')
    ? undefined
    : 'bwrap cannot make a root here';
}
