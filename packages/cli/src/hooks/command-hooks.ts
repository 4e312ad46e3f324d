import type { HookConfig } from '@longhaul/config';
import type { Hook, HookContext, HookEvent, HookResult, Sandbox } from '@longhaul/core';
import { sanitizeText } from '@longhaul/core/tool-output';
import { LonghaulError, matchesPattern, type Session } from '@longhaul/protocol';
import { quoteWord } from '@longhaul/tools';
import { readHookOutput } from './hook-output.ts';
import { claudeToolName, hookPayload } from './hook-payload.ts';

export interface CommandHooksOptions {
  hooks: Readonly<Record<string, HookConfig>>;
  /** Opens the place of commands outside of the sandbox. It is closed after each command. */
  openHost: (session: Session, signal: AbortSignal) => Promise<Sandbox>;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** Makes hooks of configured commands. */
export function commandHooks({ hooks, openHost }: CommandHooksOptions): Hook[] {
  return Object.entries(hooks).map(([name, config]) => ({
    name,
    on: config.on,
    matches: (toolName) => matchesTool(config.tools, toolName),
    run: (event, context) => runCommand(event, { config, context, openHost }),
  }));
}

/** By the tool's own name, or by its name in Claude Code. */
function matchesTool(patterns: string | undefined, toolName: string): boolean {
  if (patterns === undefined) return true;
  const names = [toolName, claudeToolName(toolName)];
  return patterns.split('|').some((pattern) => names.some((name) => matchesPattern(pattern.trim(), name)));
}

interface Place {
  config: HookConfig;
  context: HookContext;
  openHost: CommandHooksOptions['openHost'];
}

async function runCommand(event: HookEvent, { config, context, openHost }: Place): Promise<HookResult> {
  if (config.onHost !== true) return await execute(event, { config, context, sandbox: context.sandbox });
  await using host = await openHost(context.session, context.signal);
  return await execute(event, { config, context, sandbox: host });
}

/** A timeout kills the command with everything that it has started. */
async function execute(
  event: HookEvent,
  { config, context, sandbox }: Omit<Place, 'openHost'> & { sandbox: Sandbox },
): Promise<HookResult> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, command } = config;
  const output = { stdout: new Collected(), stderr: new Collected() };
  const folder = quoteWord(sandbox.workspacePath);
  const { exitCode, ended } = await sandbox.exec(
    `export CLAUDE_PROJECT_DIR=${folder} LONGHAUL_PROJECT_DIR=${folder}\n${command}`,
    {
      timeoutMs,
      signal: context.signal,
      stdin: JSON.stringify(hookPayload(event, { ...context, sandbox })),
      onOutput: (chunk, stream) => output[stream].add(chunk),
    },
  );
  if (ended === 'timeout')
    throw new LonghaulError('sandbox_failed', `The command was killed after ${timeoutMs} ms (timeoutMs).`);
  if (ended === 'aborted') return {};
  return readHookOutput(config.on, {
    exitCode,
    stdout: output.stdout.text,
    stderr: output.stderr.text,
  });
}

/** The beginning of an output. */
class Collected {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  add(chunk: Uint8Array): void {
    const kept = chunk.subarray(0, MAX_OUTPUT_BYTES - this.#bytes);
    this.#bytes += kept.length;
    if (kept.length > 0) this.#chunks.push(kept);
  }

  get text(): string {
    return sanitizeText(Buffer.concat(this.#chunks).toString('utf8'));
  }
}
