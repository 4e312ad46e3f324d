import type { ToolResult } from '@longhaul/core';
import { type ErrorCode, type JsonObject, LonghaulError } from '@longhaul/protocol';

export interface TextResultOptions {
  title?: string;
  metadata?: JsonObject;
}

export function textResult(text: string, options: TextResultOptions = {}): ToolResult {
  return { ...options, content: [{ type: 'text', text }] };
}

/** Returns a failure for the model, which it can react to. */
export function failedResult(text: string, options: TextResultOptions = {}): ToolResult {
  return { ...options, content: [{ type: 'text', text }], isError: true };
}

/** Refusals of a workspace or sandbox that a model can react to. All other errors are thrown to the caller. */
const FOR_THE_MODEL: ReadonlySet<ErrorCode> = new Set([
  'path_outside_workspace',
  'not_found',
  'invalid_request',
  'file_unreadable',
  'store_full',
  'store_readonly',
  'sandbox_failed',
]);

/** Runs `work`. Turns a refusal of the workspace into a result with the refusal's message. */
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
