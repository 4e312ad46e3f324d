import type { ServerResponse } from 'node:http';
import { type ChatServer, chunk, startChatServer, startStream } from './chat-server.ts';
import { DONE, refuses } from './raw-answers.ts';

interface SentMessage {
  role: string;
  content?: unknown;
  reasoning_content?: string;
  tool_calls?: unknown[];
  [field: string]: unknown;
}

/** Returns the refusal of a request, or undefined to answer it. */
type Rule = (messages: readonly SentMessage[]) => string | undefined;

/** DeepSeek: once a conversation has tools, every answer needs the field, which may be empty. */
export const DEEPSEEK: Rule = (messages) => {
  const lacks = answersIn(messages).some(({ reasoning_content }) => typeof reasoning_content !== 'string');
  return lacks ? 'The `reasoning_content` in the thinking mode must be passed back to the API.' : undefined;
};

/** Moonshot: every answer with a call needs the field. */
export const KIMI: Rule = (messages) => {
  const index = messages.findIndex(
    ({ tool_calls, reasoning_content }) => tool_calls !== undefined && typeof reasoning_content !== 'string',
  );
  return index === -1
    ? undefined
    : `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`;
};

/** Groq: no message may have the field. */
export const GROQ: Rule = (messages) => {
  const index = messages.findIndex((message) => 'reasoning_content' in message);
  return index === -1
    ? undefined
    : `'messages.${index}' : for 'role:assistant' the following must be satisfied[('messages.${index}' : property 'reasoning_content' is unsupported)]`;
};

export function answersIn(messages: readonly SentMessage[]): SentMessage[] {
  return messages.filter(({ role }) => role === 'assistant');
}

/** What the model says in one answer. */
export interface Said {
  thought?: string;
  /** Fragments of `reasoning_details`, in chunks of their own. */
  details?: object[];
  text?: string;
  /** Arguments of a call of the tool `look`. */
  look?: object;
  finish?: string;
}

export interface ThinkingServer extends ChatServer {
  /** Messages of the requests that were answered. */
  readonly answered: SentMessage[][];
  readonly refusals: string[];
}

/** Starts a server whose model thinks, and that refuses requests by a rule. Without more answers, it says "Done.". */
export async function startThinkingServer(rule: Rule, ...said: Said[]): Promise<ThinkingServer> {
  const server = await startChatServer();
  const answered: SentMessage[][] = [];
  const refusals: string[] = [];
  server.answer((response) => {
    const { messages } = JSON.parse(server.requests.at(-1) ?? '');
    const refusal = rule(messages);
    if (refusal !== undefined) {
      refusals.push(refusal);
      return refuses(400, refusal)(response);
    }
    answered.push(messages);
    say(response, said.shift() ?? { thought: 'Finished?', text: 'Done.' });
  });
  return Object.assign(server, { answered, refusals });
}

let calls = 0;

function say(response: ServerResponse, { thought, details = [], text, look, finish }: Said): void {
  startStream(response);
  for (const detail of details) response.write(chunk({ reasoning_details: [detail] }));
  if (thought !== undefined) response.write(chunk({ reasoning_content: thought }));
  if (text !== undefined) response.write(chunk({ content: text }));
  if (look !== undefined) {
    calls += 1;
    const called = { name: 'look', arguments: JSON.stringify(look) };
    response.write(
      chunk({ tool_calls: [{ index: 0, id: `c${calls}`, type: 'function', function: called }] }),
    );
  }
  response.end(chunk({}, finish ?? (look === undefined ? 'stop' : 'tool_calls')) + DONE);
}
