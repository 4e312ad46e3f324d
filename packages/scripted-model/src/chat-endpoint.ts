import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChatCompletionRequest } from '@longhaul/protocol';
import { sendError, sendJson, sendWhole, streamEvents } from './answer.ts';
import { ApiError, faultError, invalidRequest, scriptFailed, unknownModel, wrongKey } from './api-error.ts';
import { newHead, usageOf } from './completion.ts';
import type { DiskJournal } from './disk-journal.ts';
import type { Fault, StatusFault } from './fault.ts';
import type { RequestRecord } from './journal.ts';
import { type Handling, OwnWords } from './own-words.ts';
import type { PromptCount, PromptCounter } from './prompt-counter.ts';
import { readBody } from './read-body.ts';
import { fitReply, toReply } from './reply.ts';
import { asksForSummary, parseBody, parseRequest } from './request.ts';
import type { Script, ScriptReply } from './script.ts';
import { asksForTitle, FREE, firstLine, namedTask } from './title-request.ts';
import { type Room, refusal, replyRoom } from './window.ts';
import { CHAT_WIRE } from './wire/chat-wire.ts';
import type { Wire } from './wire/wire.ts';

export interface ChatSettings extends Room {
  script: Script;
  model: string;
  apiKey: string | undefined;
  /** Faults by the number of their request. */
  faults: Readonly<Record<number, Fault>>;
  /** Called for requests that are not in `faults`. */
  randomFault?: (requestNumber: number) => Fault | undefined;
  journal?: DiskJournal | undefined;
  /** Maximum characters of a delta. */
  chunkChars: number;
  chunkDelayMs: number;
  keepBodies: boolean;
  countTokens: (text: string) => number;
  /** Handles a prompt that is too long. Returns undefined if the prompt fits. Default: OpenAI's error. */
  handleLength?: (chat: ChatCompletionRequest, prompt: PromptCount) => Handling | undefined;
  /** See `ScriptedModelServerOptions`. */
  compaction?: 'works' | 'fails' | 'is unknown';
  /** Returns the title of a session. Default: the first line of its task. */
  title?: ((task: string) => string) | undefined;
  /** Whether requests for any model name are answered. Default: false, only for `model`. */
  answersToAnyName?: boolean;
}

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Default: Chat Completions. */
  wire?: Wire;
  /** Called if the request is none of a session's conversation: it has no number. */
  forget?: (record: RequestRecord) => void;
}

/** Answers one chat request and stores the outcome in its record. Never rejects. */
export async function answerChat(
  exchange: Exchange & { record: RequestRecord },
  settings: ChatSettings,
  counter: PromptCounter,
): Promise<void> {
  const { request, response, record, wire = CHAT_WIRE } = exchange;
  response.once('close', () => {
    noteClose(record);
    const { number, outcome, status, fault, isTitle = false } = record;
    if (isTitle) return;
    settings.journal?.write({ type: 'end', number, outcome, status, ...(fault && { fault }) });
  });
  try {
    checkKey(request, settings.apiKey);
    const text = await readBody(request);
    if (asksForTitle(text)) return await answerTitle(text, { ...exchange, wire }, settings);
    settings.journal?.write({ type: 'request', number: record.number, path: wire.path, body: text });
    const body = parseBody(text);
    const asked = parseRequest(body, wire);
    noteRequest(record, asked, settings.keepBodies);
    if (asked.model !== settings.model && settings.answersToAnyName !== true) throw unknownModel(asked.model);

    const ordered = settings.faults[record.number] ?? settings.randomFault?.(record.number);
    if (ordered?.kind === 'status') {
      noteFault(record, ordered);
      throw faultError(ordered);
    }
    const { chat, prompt } = admit(asked, record, { ...settings, wire }, counter);
    const compacted = wire.compact(body, chat, prompt.promptTokens);
    if (compacted !== undefined) return sendCompacted(compacted, { record, response, settings });
    const reply = await play(settings.script, scriptRequest(chat, prompt, { record, settings }));
    if (response.destroyed) return;
    const fault = ordered ?? reply.fault;
    if (fault !== undefined) noteFault(record, fault);
    if (fault?.kind === 'status') throw faultError(fault);
    if (fault?.kind === 'error-event' && chat.stream !== true) throw lateError(fault);

    await send(reply, { chat, prompt, record, response, settings, fault, wire });
  } catch (error) {
    if (error instanceof OwnWords) return error.send(record, response);
    const answer = error instanceof ApiError ? error : unexpected(error);
    noteError(record, answer);
    if (response.headersSent || response.destroyed) response.destroy();
    else sendError(response, answer, wire.errorBody(answer));
  }
}

/** Answers a request for the title of a session. It costs nothing, and gets no fault. @throws {ApiError} */
async function answerTitle(
  text: string,
  { response, record, wire, forget }: Exchange & { record: RequestRecord; wire: Wire },
  settings: ChatSettings,
): Promise<void> {
  record.isTitle = true;
  forget?.(record);
  const chat = parseRequest(parseBody(text), wire);
  if (chat.model !== settings.model && settings.answersToAnyName !== true) throw unknownModel(chat.model);
  const { title = firstLine } = settings;
  const free = { ...settings, countTokens: () => 0, journal: undefined };
  const sending = { chat, prompt: FREE, record, response, settings: free, fault: undefined, wire };
  await send({ text: title(namedTask(chat)) }, sending);
}

/** Sends a summary in the provider's own form, if this server makes any. @throws {ApiError} */
function sendCompacted(
  compacted: object,
  { record, response, settings }: Pick<Sending, 'record' | 'response' | 'settings'>,
): void {
  record.isCompaction = true;
  const { compaction = 'is unknown' } = settings;
  if (compaction === 'is unknown') throw invalidRequest('compaction: Extra inputs are not permitted', null);
  if (compaction === 'fails') throw faultError({ kind: 'status', status: 529 });
  record.status = 200;
  noteAnswered(record);
  sendJson(response, 200, compacted);
}

/** Answers with the number of tokens of a request's input. Never rejects. */
export async function answerCount(
  { request, response, wire = CHAT_WIRE }: Exchange,
  { apiKey }: ChatSettings,
  counter: PromptCounter,
): Promise<void> {
  try {
    checkKey(request, apiKey);
    const body = parseBody(await readBody(request));
    // These requests have no limit of their answer, which a model call needs.
    const chat = parseRequest({ max_tokens: 1, store: false, ...Object(body) }, wire);
    sendJson(response, 200, { input_tokens: counter.count(chat).promptTokens });
  } catch (error) {
    const answer = error instanceof ApiError ? error : unexpected(error);
    sendError(response, answer, wire.errorBody(answer));
  }
}

/** @throws {ApiError} 401 */
export function checkKey({ headers }: IncomingMessage, apiKey: string | undefined): void {
  const given = headers.authorization ?? `Bearer ${headers['x-api-key']}`;
  if (apiKey !== undefined && given !== `Bearer ${apiKey}`) throw wrongKey();
}

/** @throws {ApiError} `context_length_exceeded`, or {OwnWords} */
function admit(
  chat: ChatCompletionRequest,
  record: RequestRecord,
  settings: WireSettings,
  counter: PromptCounter,
): Admitted {
  const { prefix, ...prompt } = counter.count(chat);
  record.promptTokens = prompt.promptTokens;
  const handling = settings.handleLength?.(chat, prompt);
  if (handling?.kind === 'dropped')
    return admitRest({ ...chat, messages: handling.messages }, record, counter);
  const refused =
    handling === undefined ? ordinaryRefusal(chat, prompt, settings) : new OwnWords(handling, chat);
  if (refused !== undefined) {
    record.outcome = 'overflow';
    throw refused;
  }
  record.cachedTokens = prompt.cachedTokens;
  counter.remember(prefix);
  return { chat, prompt };
}

type WireSettings = ChatSettings & { wire: Wire };

interface Admitted {
  chat: ChatCompletionRequest;
  prompt: PromptCount;
}

function ordinaryRefusal(
  chat: ChatCompletionRequest,
  prompt: PromptCount,
  settings: WireSettings,
): ApiError | undefined {
  return settings.handleLength === undefined ? refusal(chat, prompt, settings) : undefined;
}

/** Admits a prompt whose oldest messages were dropped. */
function admitRest(chat: ChatCompletionRequest, record: RequestRecord, counter: PromptCounter): Admitted {
  const { prefix, ...prompt } = counter.count(chat);
  record.droppedTokens = record.promptTokens - prompt.promptTokens;
  record.promptTokens = prompt.promptTokens;
  counter.remember(prefix);
  return { chat, prompt };
}

async function play(script: Script, request: Parameters<Script>[0]): Promise<ScriptReply> {
  try {
    return toReply(await script(request));
  } catch (error) {
    throw scriptFailed(error);
  }
}

function scriptRequest(
  chat: ChatCompletionRequest,
  prompt: PromptCount,
  { record, settings }: { record: RequestRecord; settings: Room },
): Parameters<Script>[0] {
  const { messages, model, tools = [] } = chat;
  return {
    messages,
    tools,
    model,
    number: record.number,
    promptTokens: prompt.promptTokens,
    windowTokens: settings.windowTokens,
    replyTokens: replyRoom(chat, prompt, settings),
    asksForSummary: asksForSummary(chat),
  };
}

interface Sending {
  chat: ChatCompletionRequest;
  prompt: PromptCount;
  record: RequestRecord;
  response: ServerResponse;
  settings: ChatSettings;
  wire: Wire;
  fault: Exclude<Fault, StatusFault> | undefined;
}

async function send(reply: ScriptReply, sending: Sending): Promise<void> {
  const { chat, prompt, record, response, settings, fault, wire } = sending;
  const final = fitReply(reply, replyRoom(chat, prompt, settings), settings.countTokens);
  record.status = 200;
  record.completionTokens = final.completionTokens;
  record.finishReason = final.finishReason;

  const answer = { head: newHead(chat.model), reply: final, usage: usageOf(prompt, final) };
  const { chunkDelayMs, journal } = settings;
  const { number } = record;
  const onSend = (data: string) => journal?.write({ type: 'sent', number, data });
  const delivery = { wire, response, fault, chunkDelayMs, onSend, beforeEnd: () => noteAnswered(record) };
  if (chat.stream !== true) return sendWhole(wire.whole(answer), delivery);
  const includeUsage = chat.stream_options?.include_usage === true;
  return streamEvents(wire.stream(answer, { chunkChars: settings.chunkChars, includeUsage }), delivery);
}

function noteRequest(record: RequestRecord, chat: ChatCompletionRequest, keepBody: boolean): void {
  record.messageCount = chat.messages.length;
  if (keepBody) record.body = chat;
}

/** A `slow` fault does not change the outcome. */
function noteFault(record: RequestRecord, fault: Fault): void {
  record.fault = fault.kind;
  if (fault.kind !== 'slow') record.outcome = 'fault';
}

function noteError(record: RequestRecord, error: ApiError): void {
  record.status = error.status;
  if (error.body.error.code !== null) record.errorCode = error.body.error.code;
  if (record.outcome === 'answering') record.outcome = 'rejected';
}

/** Called before the last byte is sent, so that the outcome is set when the client has read the answer. */
function noteAnswered(record: RequestRecord): void {
  if (record.outcome === 'answering') record.outcome = 'answered';
}

function noteClose(record: RequestRecord): void {
  if (record.outcome === 'answering') record.outcome = 'client-gone';
}

/** Without a stream, an error event becomes an error status. */
function lateError(fault: Extract<Fault, { kind: 'error-event' }>): ApiError {
  return faultError({ kind: 'status', status: 500, message: fault.message });
}

function unexpected(error: unknown): ApiError {
  const text = error instanceof Error ? error.message : String(error);
  return new ApiError(500, `The scripted model server failed: ${text}`, { type: 'server_error' });
}
