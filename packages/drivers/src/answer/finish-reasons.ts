import type { FinishReason } from '@longhaul/protocol';

/**
 * How an answer ended. `interrupted`: the server or the network stopped it. `overloaded`: the server had no resources
 * to finish it. `malformed`: the provider discarded what the model wrote. `full`: the window has no room left. These
 * are retried, or continued if there is a part of an answer.
 */
export type AnswerEnd = FinishReason | 'interrupted' | 'overloaded' | 'malformed' | 'full';

/** Finish reasons as servers send them, in lower case. Sources: the providers' documentation, and reports of users. */
const ENDS: Readonly<Record<Exclude<AnswerEnd, 'other'>, readonly string[]>> = {
  stop: [
    'stop',
    'end_turn',
    'stop_sequence',
    'eos',
    'eos_token',
    'end',
    'complete',
    'completed',
    'done',
    'finished',
    'finish',
    'success',
  ],
  'tool-calls': ['tool_calls', 'tool_call', 'tool_use', 'function_call', 'function_calls'],
  length: [
    'length',
    'max_tokens',
    'max_output_tokens',
    'max_completion_tokens',
    'max_length',
    'model_length',
    'token_limit',
    'truncated',
    'incomplete',
    'continuation',
    'compaction',
  ],
  'content-filter': [
    'content_filter',
    'content-filter',
    'refusal',
    'sensitive',
    'safety',
    'recitation',
    'language',
    'blocklist',
    'prohibited_content',
    'spii',
    'image_safety',
    'image_prohibited_content',
    'image_recitation',
    'guardrail_intervened',
    'error_toxic',
  ],
  /** Anthropic: a long turn of the provider's own tools. https://docs.anthropic.com/en/api/handling-stop-reasons */
  paused: ['pause_turn'],
  full: [
    'model_context_window_exceeded',
    'context_length_exceeded',
    'context_window_exceeded',
    'error_limit',
  ],
  interrupted: [
    'abort',
    'aborted',
    'cancel',
    'cancelled',
    'canceled',
    'user_cancel',
    'network_error',
    'timeout',
    'time_limit',
    'connection_error',
    'disconnect',
    'disconnected',
    'interrupted',
    'finish_reason_unspecified',
    // Gemini, for no reason that it names.
    'other',
    'unload',
    'model_unloaded',
  ],
  overloaded: [
    'insufficient_system_resource',
    'overloaded',
    'engine_overloaded',
    'rate_limit',
    'server_busy',
  ],
  /** Gemini. https://ai.google.dev/api/generate-content#FinishReason */
  malformed: [
    'malformed_function_call',
    'malformed_tool_use',
    'malformed_model_output',
    'malformed_response',
    'unexpected_tool_call',
    'missing_thought_signature',
    'too_many_tool_calls',
    'no_image',
    'image_other',
  ],
  error: [
    'error',
    'failed',
    'failure',
    'server_error',
    'internal_error',
    'internal_server_error',
    'exception',
  ],
};

const BY_REASON: ReadonlyMap<string, AnswerEnd> = new Map(
  Object.entries(ENDS).flatMap(([end, reasons]) =>
    reasons.map((reason): [string, AnswerEnd] => [reason, end as AnswerEnd]),
  ),
);

/** Returns how an answer ended, from the finish reason as the server sent it. `other`: unknown. */
export function answerEnd(raw: string): AnswerEnd {
  return BY_REASON.get(raw.trim().toLowerCase()) ?? 'other';
}
