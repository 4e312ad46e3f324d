import type { ChatCompletionRequest } from '@longhaul/protocol';
import { z } from 'zod';
import { type ApiError, invalidRequest } from './api-error.ts';
import { lastUserText } from './messages.ts';
import type { Wire } from './wire/wire.ts';

/** @throws {ApiError} 400, with OpenAI's wording where it is known. */
export function parseRequest(body: unknown, wire: Wire): ChatCompletionRequest {
  const complaint = wire.complaint(body);
  if (complaint !== undefined) throw invalidRequest(complaint, null);
  const parsed = chatRequest.safeParse(wire.toChat(body));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = issue?.path.join('.') ?? '';
    throw invalidRequest(`Invalid value for '${path}': ${issue?.message ?? 'unknown'}`, path || null);
  }
  checkToolPairs(parsed.data);
  return parsed.data;
}

/** See {@link ScriptRequest.asksForSummary}. */
export function asksForSummary(request: ChatCompletionRequest): boolean {
  if (request.messages.at(-1)?.role !== 'user') return false;
  const text = lastUserText(request.messages);
  const mayCallTools = (request.tools?.length ?? 0) > 0 && request.tool_choice !== 'none';
  // A summary request at the end of a session still offers the session's tools. Only its first word identifies it.
  return mayCallTools ? /^\s*summari[sz]e\b/i.test(text) : /summar(y|i[sz]e)/i.test(text);
}

/** Returns the client's limit for the reply, if there is one. */
export function requestedMaxTokens(request: ChatCompletionRequest): number | undefined {
  return request.max_completion_tokens ?? request.max_tokens ?? undefined;
}

const toolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()]).optional(),
  name: z.string().optional(),
  tool_calls: z.array(toolCall).optional(),
  tool_call_id: z.string().optional(),
  reasoning_content: z.string().optional(),
});

const tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string(),
    description: z.string().optional(),
    parameters: z.unknown().optional(),
    strict: z.boolean().nullish(),
  }),
});

const tokenLimit = z.int().positive().nullish();

const chatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z.array(tool).optional(),
  tool_choice: z.unknown().optional(),
  stream: z
    .boolean()
    .nullish()
    .transform((value) => value ?? false),
  stream_options: z
    .looseObject({ include_usage: z.boolean().optional() })
    .nullish()
    .transform((value) => value ?? undefined),
  max_tokens: tokenLimit,
  max_completion_tokens: tokenLimit,
  temperature: z.number().nullish(),
});

/** Parses the text of a body. @throws {ApiError} 400 */
export function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw invalidRequest(
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
      null,
    );
  }
}

/**
 * Refuses calls without results and results without calls, as OpenAI does, so that tests against this server find such
 * requests.
 */
function checkToolPairs(request: ChatCompletionRequest): void {
  let open = new Set<string>();
  for (const [index, { role, tool_calls, tool_call_id }] of request.messages.entries()) {
    if (role === 'tool') {
      if (tool_call_id === undefined || !open.delete(tool_call_id)) throw orphanedResult(index);
      continue;
    }
    if (open.size > 0) throw orphanedCalls(open, index);
    open = new Set(tool_calls?.map(({ id }) => id));
  }
  if (open.size > 0) throw orphanedCalls(open, request.messages.length);
}

function orphanedResult(index: number): ApiError {
  return invalidRequest(
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    `messages.[${index}].role`,
  );
}

function orphanedCalls(ids: ReadonlySet<string>, index: number): ApiError {
  return invalidRequest(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`,
    `messages.[${index}].role`,
  );
}
