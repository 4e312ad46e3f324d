import type { ModelQuestion } from '@longhaul/core';
import { sanitizeText } from '@longhaul/core/tool-output';
import {
  type CreateMessageRequest,
  type CreateMessageResult,
  ErrorCode,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { RunningCalls } from './running-calls.ts';

type Params = CreateMessageRequest['params'];

/** The protocol's code for a request that a person has refused. */
const REFUSED = -1;

/**
 * Lets the session's model answer a server (sampling).
 *
 * @param signal Aborted when the server no longer waits.
 * @throws {McpError} with the reason, if the model may not or cannot answer.
 */
export async function askModel(
  server: string,
  params: Params,
  { calls, signal }: { calls: RunningCalls; signal: AbortSignal },
): Promise<CreateMessageResult> {
  const call = calls.next();
  if ('refusal' in call) throw new McpError(REFUSED, call.refusal);
  const reply = await call.asking.askModel?.(toModelQuestion(server, params), signal);
  if (reply?.isAnswered !== true) {
    throw new McpError(REFUSED, `Longhaul did not call the model: ${reply?.reason ?? 'no model is there'}`);
  }
  return {
    role: 'assistant',
    model: reply.model,
    stopReason: reply.isCut ? 'maxTokens' : 'endTurn',
    content: { type: 'text', text: reply.text },
  };
}

/** What the person approves is what the model gets, so nothing may hide in it. */
function toModelQuestion(server: string, { systemPrompt, messages, maxTokens }: Params): ModelQuestion {
  return {
    server,
    system: systemPrompt === undefined ? undefined : sanitizeText(systemPrompt),
    messages: messages.map(({ role, content }) => ({ role, text: textOf(content) })),
    maxTokens,
  };
}

function textOf(content: Params['messages'][number]['content']): string {
  const parts = Array.isArray(content) ? content : [content];
  return parts
    .map((part) => {
      if (part.type === 'text') return sanitizeText(part.text);
      throw new McpError(
        ErrorCode.InvalidParams,
        `Longhaul passes on only text to the model, and this message has a part of the type ${part.type}.`,
      );
    })
    .join('\n');
}
