import type { HookName, HookResult } from '@longhaul/core';
import { isObject, type JsonObject, type JsonValue, parseJson } from '@longhaul/protocol';

export interface HookOutput {
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
}

/** Plain output of these hooks is text for the model. */
const ADDS_PLAIN_TEXT: ReadonlySet<HookName> = new Set([
  'session.start',
  'prompt.submit',
  'compaction.before',
]);
/** These events cannot be refused: a reason is text for the model. */
const REFUSES_NOTHING: ReadonlySet<HookName> = new Set([
  'session.start',
  'tool.after',
  'compaction.before',
  'compaction.after',
]);

/**
 * Reads what a command has decided, by the rules of Claude Code: exit code 2 refuses with the reason on standard error,
 * code 0 can print JSON, and every other code is a failure without an effect.
 */
export function readHookOutput(on: HookName, { exitCode, stdout, stderr }: HookOutput): HookResult {
  const reason = stderr.trim();
  if (exitCode === 2) return refused(on, reason === '' ? 'no reason was given' : reason);
  if (exitCode !== 0)
    return {
      notice: `failed with ${exitCode === undefined ? 'a signal' : `exit code ${exitCode}`}${reason === '' ? '' : `: ${reason.slice(0, 500)}`}`,
    };
  const text = stdout.trim();
  const value = text.startsWith('{') ? parseJson(text) : undefined;
  if (isObject(value)) return readDecision(on, value);
  return text !== '' && ADDS_PLAIN_TEXT.has(on) ? { text } : {};
}

function refused(on: HookName, reason: string): HookResult {
  return REFUSES_NOTHING.has(on) ? { text: reason } : { deny: reason };
}

function readDecision(on: HookName, value: JsonObject): HookResult {
  const specific = isObject(value['hookSpecificOutput']) ? value['hookSpecificOutput'] : {};
  const base: HookResult = {
    text: textOf(specific['additionalContext']) ?? textOf(value['additionalContext']),
    notice: textOf(value['systemMessage']),
    input: on === 'tool.before' ? inputOf(specific['updatedInput']) : undefined,
  };
  const stops = value['continue'] === false && on !== 'run.end';
  const decision = specific['permissionDecision'] ?? value['decision'];
  const isRefusal = decision === 'deny' || decision === 'block';
  if (!stops && !isRefusal) return base;
  const reason =
    textOf(specific['permissionDecisionReason']) ?? textOf(value['reason']) ?? textOf(value['stopReason']);
  const { deny, text } = refused(on, reason ?? 'no reason was given');
  return {
    ...base,
    deny,
    text: [base.text, text].filter((each) => each !== undefined).join('\n') || undefined,
  };
}

function inputOf(value: JsonValue | undefined): JsonValue | undefined {
  return isObject(value) ? value : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
