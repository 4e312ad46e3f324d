import type { ToolResult } from '@longhaul/core';
import { type ErrorCode, type JsonObject, LonghaulError } from '@longhaul/protocol';

export interface TextResultOptions {
  title?: string;
  metadata?: JsonObject;
}

export function textResult(text: string, options: TextResultOptions = {}): ToolResult {
  return { ...options, content: [{ type: 'text', text }] };
}

/** A failure that the model should know of, and can do something about. */
export function failedResult(text: string, options: TextResultOptions = {}): ToolResult {
  return { ...options, content: [{ type: 'text', text }], isError: true };
}

/** What a workspace or a sandbox may refuse, and a model can react to. Everything else is thrown on to the caller. */
const FOR_THE_MODEL: ReadonlySet<ErrorCode> = new Set([
  'path_outside_workspace',
  'not_found',
  'invalid_request',
  'file_unreadable',
  'store_full',
  'store_readonly',
  'sandbox_failed',
]);

/** Runs `work`; a refusal of the workspace becomes a result, with the message that came with it. */
export async function reportRefusals(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof LonghaulError && FOR_THE_MODEL.has(thrown.code)) {
      return failedResult(thrown.message, { metadata: { code: thrown.code } });
    }
    throw thrown;
  }
}
