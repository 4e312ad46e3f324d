import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChatCompletionRequest } from '@longhaul/protocol';
import { sendCompletion, sendError, streamChunks } from './answer.ts';
import { ApiError, faultError, invalidRequest, scriptFailed, unknownModel, wrongKey } from './api-error.ts';
import { newHead, toChunks, toCompletion, usageOf } from './completion.ts';
import type { Fault, StatusFault } from './fault.ts';
import type { RequestRecord } from './journal.ts';
import type { PromptCount, PromptCounter } from './prompt-counter.ts';
import { fitReply, toReply } from './reply.ts';
import { asksForSummary, parseChatRequest } from './request.ts';
import type { Script, ScriptReply } from './script.ts';
import { type Room, refusal, replyRoom } from './window.ts';

export interface ChatSettings extends Room {
  script: Script;
  model: string;
  apiKey: string | undefined;
  /** What goes wrong with which request, by its number. */
  faults: Readonly<Record<number, Fault>>;
  /** Most characters of a delta. */
  chunkChars: number;
  chunkDelayMs: number;
  keepBodies: boolean;
  countTokens: (text: string) => number;
}

/** Answers one chat request and notes in its record what became of it. Never rejects. */
export async function answerChat(
  exchange: { request: IncomingMessage; response: ServerResponse; record: RequestRecord },
  settings: ChatSettings,
  counter: PromptCounter,
): Promise<void> {
  const { request, response, record } = exchange;
  response.once('close', () => noteEnd(record, response));
  try {
    checkKey(request, settings.apiKey);
    const chat = parseChatRequest(await readBody(request));
    noteRequest(record, chat, settings.keepBodies);
    if (chat.model !== settings.model) throw unknownModel(chat.model);

    const ordered = settings.faults[record.number];
    if (ordered?.kind === 'status') throw statusFault(record, ordered);
    const prompt = admit(chat, record, settings, counter);
    const reply = await play(settings.script, scriptRequest(chat, record, settings));
    const fault = ordered ?? reply.fault;
    if (fault?.kind === 'status') throw statusFault(record, fault);
    if (fault !== undefined) record.fault = fault.kind;

    await send(reply, { chat, prompt, record, response, settings, fault });
  } catch (error) {
    noteError(record, error);
    if (response.headersSent || response.destroyed) response.destroy();
    else sendError(response, error instanceof ApiError ? error : unexpected(error));
  }
}

/** @throws {ApiError} 401 */
export function checkKey({ headers }: IncomingMessage, apiKey: string | undefined): void {
  if (apiKey !== undefined && headers.authorization !== `Bearer ${apiKey}`) throw wrongKey();
}

/** @throws {ApiError} `context_length_exceeded` */
function admit(
  chat: ChatCompletionRequest,
  record: RequestRecord,
  room: Room,
  counter: PromptCounter,
): PromptCount {
  const { prefix, ...prompt } = counter.count(chat);
  record.promptTokens = prompt.promptTokens;
  const refused = refusal(chat, prompt, room);
  if (refused !== undefined) {
    record.outcome = 'overflow';
    throw refused;
  }
  record.cachedTokens = prompt.cachedTokens;
  counter.remember(prefix);
  return prompt;
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
  { number, promptTokens }: RequestRecord,
  { windowTokens }: Room,
): Parameters<Script>[0] {
  const { messages, model, tools = [] } = chat;
  return { messages, tools, model, number, promptTokens, windowTokens, asksForSummary: asksForSummary(chat) };
}

interface Sending {
  chat: ChatCompletionRequest;
  prompt: PromptCount;
  record: RequestRecord;
  response: ServerResponse;
  settings: ChatSettings;
  fault: Exclude<Fault, StatusFault> | undefined;
}

async function send(reply: ScriptReply, sending: Sending): Promise<void> {
  const { chat, prompt, record, response, settings, fault } = sending;
  const final = fitReply(reply, replyRoom(chat, prompt, settings), settings.countTokens);
  record.completionTokens = final.completionTokens;
  record.finishReason = final.finishReason;

  const head = newHead(chat.model);
  const usage = usageOf(prompt, final);
  const delivery = { response, fault, chunkDelayMs: settings.chunkDelayMs };
  if (chat.stream !== true) return sendCompletion(toCompletion(head, final, usage), delivery);
  const includeUsage = chat.stream_options?.include_usage === true;
  const chunks = toChunks(head, final, usage, { chunkChars: settings.chunkChars, includeUsage });
  return streamChunks(chunks, delivery);
}

/** Sixteen windows of a million tokens; a client that sends more is not talking to a model. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw invalidRequest(`Request body is over ${MAX_BODY_BYTES} bytes.`, null);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function noteRequest(record: RequestRecord, chat: ChatCompletionRequest, keepBody: boolean): void {
  record.messageCount = chat.messages.length;
  if (keepBody) record.body = chat;
}

function statusFault(record: RequestRecord, fault: StatusFault): ApiError {
  record.outcome = 'fault';
  record.fault = fault.kind;
  return faultError(fault);
}

function noteError(record: RequestRecord, error: unknown): void {
  if (record.outcome === 'answering') record.outcome = 'rejected';
  if (error instanceof ApiError && error.body.error.code !== null) record.errorCode = error.body.error.code;
}

function noteEnd(record: RequestRecord, response: ServerResponse): void {
  record.status = response.headersSent ? response.statusCode : 0;
  if (record.outcome !== 'answering') return;
  const harmed = record.fault !== undefined && record.fault !== 'slow';
  if (harmed) record.outcome = 'fault';
  else record.outcome = response.writableFinished ? 'answered' : 'client-gone';
}

function unexpected(error: unknown): ApiError {
  const text = error instanceof Error ? error.message : String(error);
  return new ApiError(500, `The scripted model server failed: ${text}`, { type: 'server_error' });
}
