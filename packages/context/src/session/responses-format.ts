import { LonghaulError, type Part } from '@longhaul/protocol';
import {
  argumentsText,
  contentBlocks,
  looksFailed,
  readArguments,
  readBlock,
  readOutput,
  sealedPart,
  textOfContent,
  withTexts,
} from './content-blocks.ts';
import {
  callPart,
  fieldsOf,
  type MessageFormat,
  type MessageReading,
  opaquePart,
  type PartChange,
  stringIn,
  textsOf,
} from './message-format.ts';

/** The part of an item of OpenAI's Responses that is read here. The official client's types fit. */
export interface ResponsesItem {
  type?: string | null;
}

/**
 * Reads and writes items of OpenAI's Responses: the `input` of a request, and the `output` of an answer. Send them with
 * `store: false` and without `previous_response_id`, so that the input is the whole conversation. Reasoning then needs
 * `include: ['reasoning.encrypted_content']`.
 *
 * The items of one answer are sent or hidden together, because the server refuses reasoning without the item after it.
 * Prompts in `instructions` belong to the option `system` of `fit`.
 *
 * @example
 * createContextSession({ format: responsesFormat<OpenAI.Responses.ResponseInputItem>(), windowTokens, maxOutputTokens
 * });
 */
export function responsesFormat<M extends ResponsesItem = ResponsesItem>(): MessageFormat<M> {
  // The caller's type describes the same wire form more exactly. Every item that is written below is valid in it.
  const own = (item: Item) => item as unknown as M;
  return {
    read: (item) => readItem(fieldsOf(item)),
    rewrite: (item, changes) => own(rewriteItem(fieldsOf(item), changes)),
    userMessage: (text) => own({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
    assistantMessage: (text) => own({ type: 'message', role: 'assistant', content: text }),
    toolMessage: ({ callId }, text) => own({ type: 'function_call_output', call_id: callId, output: text }),
  };
}

type Item = Record<string, unknown>;

function readItem(item: Item): MessageReading {
  const { type = 'message', role } = item;
  if (type === 'message') return readMessage(item, role);
  if (type === 'item_reference')
    throw new LonghaulError(
      'invalid_request',
      'An item_reference names an item on the server, so its size is unknown. Send the item itself, with store: false.',
    );
  if (isAnswer(type)) {
    const { output } = item;
    const callId = stringIn(item, 'call_id') ?? '';
    const content = readOutput(typeof output === 'string' || Array.isArray(output) ? output : [output]);
    return { role: 'tool', results: [{ callId, output: content, isError: looksFailed(output) }] };
  }
  return { role: 'assistant', parts: readAnswerItem(item, type), isContinued: true };
}

function readMessage({ content }: Item, role: unknown): MessageReading {
  if (role === 'system' || role === 'developer') return { role: 'system', text: textOfContent(content) };
  const parts = contentBlocks(content).map(readBlock);
  if (role === 'user') return { role, parts };
  if (role === 'assistant') return { role, parts, isContinued: true };
  throw new LonghaulError(
    'invalid_request',
    `Unknown role ${JSON.stringify(role)}. Use one of: system, developer, user, assistant.`,
  );
}

/** An item that answers a call: `function_call_output`, and those of all other kinds of calls. */
function isAnswer(type: unknown): boolean {
  return typeof type === 'string' && type.endsWith('_call_output');
}

function readAnswerItem(item: Item, type: unknown): Part[] {
  switch (type) {
    case 'function_call':
      return [readArguments(item['call_id'], item['name'], item['arguments'])];
    case 'custom_tool_call': {
      const call = { callId: stringIn(item, 'call_id') ?? '', name: stringIn(item, 'name') ?? '' };
      return [callPart(call, stringIn(item, 'input') ?? '')];
    }
    case 'reasoning':
    case 'compaction':
      return readSealed(item);
    default:
      // A call whose arguments have a form of their own, or one that the provider runs.
      return [opaquePart(JSON.stringify(item))];
  }
}

/** Reasoning has texts, or is encrypted, or both. */
function readSealed(item: Item): Part[] {
  const texts = [item['summary'], item['content']].flatMap((list) => (Array.isArray(list) ? list : []));
  const sealed = stringIn(item, 'encrypted_content');
  const parts = texts.map((text) => opaquePart(textOfContent([text])));
  return sealed === undefined ? parts : [...parts, sealedPart(sealed)];
}

function rewriteItem(item: Item, changes: ReadonlyMap<number, PartChange>): Item {
  const change = changes.get(0);
  if (isAnswer(item['type']))
    return change !== undefined && 'text' in change ? { ...item, output: change.text } : item;
  if (change !== undefined && 'input' in change) {
    const key = item['type'] === 'function_call' ? 'arguments' : 'input';
    return { ...item, [key]: argumentsText(change.input) };
  }
  return 'content' in item ? { ...item, content: withTexts(item['content'], textsOf(changes)) } : item;
}
