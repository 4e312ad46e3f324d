import {
  beginsTurn,
  type FilePart,
  handleOf,
  isOpen,
  type JsonValue,
  type Message,
  type Part,
  type ProviderMetadata,
  type ToolOutputContent,
  type ToolPart,
} from '@longhaul/protocol';
import { cutMiddle } from './cut-middle.ts';
import { type ActiveMarks, activeMarks, type ContextLog, firstUserMessage, liveLog, partKey } from './log.ts';
import { omissionOf, omittedMedia, omittedText, type PartPlace } from './omission.ts';
import { outlineOf } from './outline.ts';
import { summaryMessages } from './summary-message.ts';
import type { ViewAssistantPart, ViewMessage, ViewUserMessage } from './view-message.ts';

/** A message of the view, and its source in the log. */
export interface ViewEntry {
  readonly message: ViewMessage;
  /** The message of the log that this one shows. Absent for a summary and for a synthetic message after it. */
  readonly source?: Message;
}

/** The beginning of the text that replaces a pruned output. */
export const PRUNED_PREFIX = '[Old tool result content cleared';

/** The result of a tool call without a known result. */
export const INTERRUPTED_RESULT =
  '[Interrupted: the outcome of this call is unknown. Check what happened before repeating it.]';

/**
 * Builds the messages to the model: a pure function of the log and its marks.
 *
 * The view has all messages of the live path that are not hidden, in order. The summary takes the place of the first
 * hidden message, but comes after the first user message. A tool call and its result are one part, so neither appears
 * without the other.
 */
export function buildView(whole: ContextLog): ViewEntry[] {
  const log = liveLog(whole);
  const builder = new ViewBuilder(activeMarks(log.marks), firstUserMessage(log.messages));
  for (const message of log.messages) builder.add(message);
  return [...builder.entries, ...builder.ending()];
}

/** Builds a view message by message, so that new messages can be added to a known view. */
export class ViewBuilder {
  readonly entries: ViewEntry[] = [];
  readonly #marks: ActiveMarks;
  readonly #first: Message | undefined;
  /** `due` from the first hidden message on, so that the summary takes its place. */
  #summary: 'none' | 'awaited' | 'due';
  /** Role of the newest entry. */
  #lastRole: ViewMessage['role'] | undefined;

  constructor(marks: ActiveMarks, first: Message | undefined) {
    this.#marks = marks;
    this.#first = first;
    this.#summary = marks.hidden.size > 0 ? 'awaited' : 'none';
  }

  /** Adds the next message of the log. */
  add(message: Message): void {
    if (this.#marks.hidden.has(message.id)) {
      if (this.#summary === 'awaited') this.#summary = 'due';
      return;
    }
    const shown = showMessage(message, this.#marks);
    if (shown === undefined) return;
    if (this.#summary === 'due' && message !== this.#first && !isBefore(message, this.#first)) {
      this.entries.push(...this.#summaryEntries(message.role));
      this.#summary = 'none';
    }
    this.entries.push({ message: shown, source: message });
    this.#lastRole = shown.role;
  }

  /** Returns the entries after the last message: the summary, if everything after it is hidden. */
  ending(): ViewEntry[] {
    return this.#summary === 'none' ? [] : this.#summaryEntries(undefined);
  }

  #summaryEntries(next: ViewMessage['role'] | undefined): ViewEntry[] {
    const { compaction } = this.#marks;
    if (compaction === undefined) return [];
    const place = { before: this.#lastRole, next };
    return summaryMessages(compaction, place).map((message) => ({ message }));
  }

  /** Returns a builder that continues from here. It has no entries yet. */
  fork(): ViewBuilder {
    const fork = new ViewBuilder(this.#marks, this.#first);
    fork.#summary = this.#summary;
    fork.#lastRole = this.#lastRole;
    return fork;
  }
}

function isBefore(message: Message, first: Message | undefined): boolean {
  return first !== undefined && message.sequence < first.sequence;
}

function showMessage(message: Message, marks: ActiveMarks): ViewMessage | undefined {
  if (message.role === 'user') return showUserMessage(message, marks);
  const content: ViewAssistantPart[] = [];
  for (const [index, part] of message.parts.entries()) {
    const shown = showAssistantPart(message, index, part, marks);
    if (shown !== undefined) content.push(shown);
  }
  if (content.length === 0) return undefined;
  return { role: 'assistant', content, model: message.model };
}

function showUserMessage(message: Message, marks: ActiveMarks): ViewUserMessage | undefined {
  const content: ViewUserMessage['content'] = [];
  for (const [index, part] of message.parts.entries()) {
    const shown = showUserPart(part, { message, index, marks });
    if (shown !== undefined) content.push(shown);
  }
  if (content.length === 0) return undefined;
  return beginsTurn(message) ? { role: 'user', content } : { role: 'user', synthetic: true, content };
}

function showUserPart(part: Part, place: PartPlace): ViewUserMessage['content'][number] | undefined {
  if (part.type === 'text' && part.text !== '') return { type: 'text', text: showText(part.text, place) };
  if (part.type === 'file')
    return omissionOf(place) === undefined ? showFile(part) : omittedMedia(part, place);
  if (part.type === 'notice' && part.forModel) return { type: 'text', text: showText(part.text, place) };
  return undefined;
}

/** Returns, for each content of the message in the view, the index of the part that it shows. */
export function shownPartIndexes(message: Message, marks: ActiveMarks): number[] {
  return message.parts.flatMap((part, index) => {
    const shown =
      message.role === 'user'
        ? showUserPart(part, { message, index, marks })
        : showAssistantPart(message, index, part, marks);
    return shown === undefined ? [] : [index];
  });
}

function showFile(part: FilePart): ViewUserMessage['content'][number] {
  if (part.mediaType.startsWith('image/'))
    return { type: 'image', data: part.data, mediaType: part.mediaType };
  return { type: 'file', data: part.data, mediaType: part.mediaType, filename: part.filename };
}

function showAssistantPart(
  message: Message,
  index: number,
  part: Part,
  marks: ActiveMarks,
): ViewAssistantPart | undefined {
  const place = { message, index, marks };
  if (part.type === 'text' || part.type === 'reasoning') {
    const metadata = metadataOf(part, message);
    if (part.text === '' && metadata.providerMetadata === undefined) return undefined;
    if (omissionOf(place) !== undefined)
      return part.type === 'reasoning' ? undefined : { type: 'text', text: showText(part.text, place) };
    const text = part.type === 'text' ? showText(part.text, place) : part.text;
    return { type: part.type, text, ...metadata };
  }
  if (part.type === 'tool') return showTool(message, index, part, marks);
  if (part.type === 'notice' && part.forModel) return { type: 'text', text: showText(part.text, place) };
  return undefined;
}

function showText(text: string, place: PartPlace): string {
  if (omissionOf(place) !== undefined) return omittedText('Text', place);
  return cutText(text, place.message, place.index, place.marks);
}

function showTool(message: Message, index: number, part: ToolPart, marks: ActiveMarks): ViewAssistantPart {
  return {
    type: 'tool',
    callId: part.callId,
    name: part.name,
    input: toolInput(message, index, part, marks),
    output: toolOutput(message, index, part, marks),
    isError: part.state !== 'completed',
    ...(omissionOf({ message, index, marks })?.what === 'all' ? {} : metadataOf(part, message)),
  };
}

/** A cut also applies to the arguments of a call: a file that the model wrote can be larger than any output. */
function toolInput(message: Message, index: number, part: ToolPart, marks: ActiveMarks): JsonValue {
  if (omissionOf({ message, index, marks })?.what === 'all') return {};
  const cut = marks.cuts.get(partKey(message.id, index));
  if (cut === undefined) return part.input;
  return cutStrings(part.input, cut.keepChars, handleOf(message.sequence, index));
}

function cutStrings(value: JsonValue, maxChars: number, handle: string): JsonValue {
  if (typeof value === 'string') return cutMiddle(value, maxChars, handle).text;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cutStrings(item, maxChars, handle));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, cutStrings(item, maxChars, handle)]),
  );
}

function toolOutput(
  message: Message,
  index: number,
  part: ToolPart,
  marks: ActiveMarks,
): ToolOutputContent[] {
  const key = partKey(message.id, index);
  const place = { message, index, marks };
  const omission = omissionOf(place);
  if (omission?.what === 'all') return [{ type: 'text', text: omittedText('Call and result', place) }];
  if (marks.pruned.has(key))
    return [{ type: 'text', text: prunedPlaceholder(message.sequence, index, part) }];
  // An unchanged output is the same array, by which callers recognise it.
  const output = omission === undefined ? resultOf(part) : withoutMedia(resultOf(part), place);
  const cut = marks.cuts.get(key);
  if (cut === undefined) return output;
  return cutOutput(output, cut.keepChars, handleOf(message.sequence, index));
}

function withoutMedia(output: readonly ToolOutputContent[], place: PartPlace): ToolOutputContent[] {
  return output.map((content) => (content.type === 'text' ? content : omittedMedia(content, place)));
}

/** Every call has a result: providers refuse a request in which one is missing. */
function resultOf(part: ToolPart): ToolOutputContent[] {
  if (part.output !== undefined && part.output.length > 0) return part.output;
  return [
    { type: 'text', text: part.error ?? (part.state === 'completed' ? '[no output]' : INTERRUPTED_RESULT) },
  ];
}

function cutOutput(
  output: readonly ToolOutputContent[],
  keepChars: number,
  handle: string,
): ToolOutputContent[] {
  const texts = output.filter((content) => content.type === 'text').length;
  const each = Math.floor(keepChars / Math.max(1, texts));
  return output.map((content) => ({
    type: 'text',
    text:
      content.type === 'text'
        ? cutMiddle(content.text, each, handle).text
        : `[${content.type} left out; handle ${handle}]`,
  }));
}

/** The text that replaces a pruned output: how to read the output, and an outline of it. */
export function prunedPlaceholder(sequence: number, partIndex: number, part: ToolPart): string {
  const { lines, outline } = digestOf(part);
  const head = `${PRUNED_PREFIX}; recall handle ${handleOf(sequence, partIndex)}, ${lines} lines]`;
  return outline === '' ? head : `${head}\n${outline}`;
}

/** A closed part never changes, and every later request shows its placeholder. */
const digests = new WeakMap<ToolPart, { lines: number; outline: string }>();

function digestOf(part: ToolPart): { lines: number; outline: string } {
  const known = digests.get(part);
  if (known !== undefined) return known;
  const text = textOfOutput(part.output ?? []);
  const digest = { lines: text.split('\n').length, outline: outlineOf(text, outlineChars(text)) };
  if (!isOpen(part)) digests.set(part, digest);
  return digest;
}

/** The outline of a larger output has more names. */
function outlineChars(text: string): number {
  return Math.max(240, Math.min(8_000, Math.floor(text.length * 0.2)));
}

/** Returns the output of a tool as text. Media are shown by their type. */
export function textOfOutput(output: readonly ToolOutputContent[]): string {
  return output.map((content) => (content.type === 'text' ? content.text : `[${content.type}]`)).join('\n');
}

function cutText(text: string, message: Message, index: number, marks: ActiveMarks): string {
  const cut = marks.cuts.get(partKey(message.id, index));
  return cut === undefined ? text : cutMiddle(text, cut.keepChars, handleOf(message.sequence, index)).text;
}

/** Metadata without the name of its model cannot be returned to any model. */
function metadataOf(
  part: { providerMetadata?: ProviderMetadata },
  message: Message,
): { providerMetadata?: ProviderMetadata } {
  if (part.providerMetadata === undefined || message.model === undefined) return {};
  return { providerMetadata: part.providerMetadata };
}
