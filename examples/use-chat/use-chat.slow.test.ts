import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '@ai-sdk/react';
import { createClient } from '@longhaul/client';
import { hasToolCall, type Script, toolResults, userTexts } from '@longhaul/scripted-model';
import { lacks } from '@longhaul/testing/machine';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  safeValidateUIMessages,
} from 'ai';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Served } from '../test-support/serve.ts';
import type { ChatMessage } from './types.ts';

const CHROMIUM = '/usr/bin/chromium';
const SLOW = 'Take your time.';

/** Runs a command if the newest user message is `run X`. Answers all other messages. */
const script: Script = async ({ messages }) => {
  const asked = userTexts(messages).at(-1) ?? '';
  const command = /run (.*)/.exec(asked)?.[1];
  const isDone = messages.at(-1)?.role === 'tool';
  if (command !== undefined && !isDone) {
    return { text: 'I run it.', toolCalls: [{ name: 'bash', arguments: { command } }] };
  }
  if (asked === SLOW) return { text: 'word '.repeat(20_000), fault: { kind: 'slow', delayMs: 10 } };
  if (hasToolCall(messages, 'bash') && isDone)
    return `It said: ${toolResults(messages).at(-1)?.result.trim()}`;
  return `You have said ${userTexts(messages).length}: ${userTexts(messages).join(' | ')}`;
};
const approvals = '[{ tool: "*", action: allow }, { tool: bash, command: "touch *", action: ask }]';

let served: Served;
beforeAll(async () => {
  served = await Served.start({ script, approvals });
});
afterAll(() => served[Symbol.asyncDispose]());

function newChat(more: { id?: string; messages?: ChatMessage[] } = {}) {
  const headers = { authorization: `Bearer ${served.token}` };
  return new Chat<ChatMessage>({
    transport: new DefaultChatTransport({ api: `${served.baseUrl}/api/chat`, headers }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    ...more,
  });
}

async function readChat(id: string, query = '') {
  const response = await fetch(`${served.baseUrl}/api/chat/${encodeURIComponent(id)}${query}`, {
    headers: { authorization: `Bearer ${served.token}` },
  });
  expect(response.status).toBe(200);
  const page: { messages: ChatMessage[]; next?: number } = JSON.parse(await response.text());
  return page;
}

async function loadChat(id: string): Promise<ChatMessage[]> {
  const { messages } = await readChat(id);
  if (messages.length > 0)
    expect(await safeValidateUIMessages({ messages })).toMatchObject({ success: true });
  return messages;
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const textOf = (message: ChatMessage | undefined) =>
  (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? part.text : [])).join(' ');
const toolsOf = (message: ChatMessage | undefined) =>
  (message?.parts ?? []).flatMap((part) => (part.type === 'dynamic-tool' ? part : []));

/**
 * Waits for a text that an automatic request brings, and for the end of that request. `useChat` accepts a message
 * before the end, but then takes one answer's status for the other's and sends no further approval.
 */
const answers = (chat: Chat<ChatMessage>, text: string) =>
  vi.waitFor(
    () => {
      expect(textOf(chat.lastMessage)).toContain(text);
      expect(chat.status).toBe('ready');
    },
    { timeout: 60_000 },
  );

describe('useChat of the AI SDK, unchanged', () => {
  it('shows steps, texts, calls and outputs in one conversation', async () => {
    const chat = newChat();
    await chat.sendMessage({ text: 'run echo hello' });
    expect(chat.error).toBeUndefined();
    const answer = chat.lastMessage;
    expect(answer?.parts.map(({ type }) => type)).toEqual([
      'data-queue',
      'step-start',
      'text',
      'dynamic-tool',
      'step-start',
      'text',
    ]);
    expect(toolsOf(answer)).toMatchObject([
      { toolName: 'bash', state: 'output-available', input: { command: 'echo hello' } },
    ]);
    expect(textOf(answer)).toContain('It said: hello');
    expect(answer?.metadata).toMatchObject({ status: 'completed', lastEvent: expect.any(Number) });
    await chat.sendMessage({ text: 'And now?' });
    expect(textOf(chat.lastMessage)).toBe('You have said 2: run echo hello | And now?');
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('asks for approval, and continues in the same message', async () => {
    const chat = newChat();
    await chat.sendMessage({ text: 'run touch approved' });
    const [call] = toolsOf(chat.lastMessage);
    expect(call).toMatchObject({ state: 'approval-requested' });
    expect(existsSync(join(served.folder, 'approved'))).toBe(false);
    await chat.addToolApprovalResponse({ id: call?.approval?.id ?? '', approved: true });
    await answers(chat, 'It said');
    expect(toolsOf(chat.lastMessage)).toMatchObject([{ state: 'output-available' }]);
    expect(existsSync(join(served.folder, 'approved'))).toBe(true);
    expect(chat.messages).toHaveLength(2);

    await chat.sendMessage({ text: 'run touch refused' });
    const [refused] = toolsOf(chat.lastMessage);
    await chat.addToolApprovalResponse({
      id: refused?.approval?.id ?? '',
      approved: false,
      reason: 'Not here.',
    });
    await answers(chat, 'Not allowed: Not here.');
    expect(toolsOf(chat.lastMessage)).toMatchObject([{ state: 'output-denied' }]);
    expect(existsSync(join(served.folder, 'refused'))).toBe(false);
  });

  it('cancels the run on stop(), and accepts the next message', async () => {
    const chat = newChat();
    const sent = chat.sendMessage({ text: SLOW });
    await vi.waitFor(() => expect(textOf(chat.lastMessage)).toContain('word word'), { timeout: 60_000 });
    await chat.stop();
    await sent;
    const sessionId = chat.lastMessage?.metadata?.sessionId ?? '';
    const client = createClient(served);
    await expect.poll(async () => (await client.sessions.get(sessionId)).state).toBe('cancelled');
    await chat.sendMessage({ text: 'Go on.' });
    expect(textOf(chat.lastMessage)).toBe(`You have said 2: ${SLOW} | Go on.`);
  });

  it('regenerates an answer and accepts an edited message in a fork', async () => {
    const chat = newChat();
    await chat.sendMessage({ text: 'One.' });
    await chat.sendMessage({ text: 'Two.' });
    const before = chat.lastMessage?.metadata?.sessionId;
    await chat.regenerate();
    expect(textOf(chat.lastMessage)).toBe('You have said 2: One. | Two.');
    expect(chat.lastMessage?.metadata?.sessionId).not.toBe(before);
    expect(chat.messages).toHaveLength(4);
    await chat.sendMessage({ text: 'First.', messageId: chat.messages[0]?.id ?? '' });
    expect(textOf(chat.lastMessage)).toBe('You have said 1: First.');
    await chat.sendMessage({ text: 'Second.' });
    expect(textOf(chat.lastMessage)).toBe('You have said 2: First. | Second.');
  });

  it('resumes the answer in progress from its beginning', async () => {
    const first = newChat();
    const sent = first.sendMessage({ text: SLOW }, { body: { onDisconnect: 'continue' } });
    await vi.waitFor(() => expect(textOf(first.lastMessage)).toContain('word word'), { timeout: 60_000 });
    const second = newChat({ id: first.id, messages: structuredClone(first.messages) });
    const resumed = second.resumeStream();
    await vi.waitFor(() => expect(textOf(second.lastMessage).length).toBeGreaterThan(200), {
      timeout: 60_000,
    });
    expect(textOf(second.lastMessage)).toMatch(/^(?:word )+w?o?r?d?$/);
    expect(second.messages).toHaveLength(2);
    await createClient(served).cancel(second.lastMessage?.metadata?.sessionId ?? '');
    await Promise.all([sent, resumed]);
    const nothing = newChat({ id: first.id, messages: second.messages });
    await nothing.resumeStream();
    expect(nothing.status).toBe('ready');
  });

  it('restores texts, calls, files and open approvals in a reloaded page', async () => {
    const chat = newChat();
    const url = `data:image/png;base64,${PIXEL}`;
    const files = [{ type: 'file' as const, mediaType: 'image/png', filename: 'dot.png', url }];
    await chat.sendMessage({ text: 'run echo hello', files });
    await chat.sendMessage({ text: 'run touch remembered' });
    const loaded = await loadChat(chat.id);
    expect(loaded.map(({ id, role }) => ({ id, role }))).toEqual(
      chat.messages.map(({ id, role }) => ({ id, role })),
    );
    expect(loaded.map(textOf)).toEqual(chat.messages.map(textOf));
    expect(loaded.flatMap(toolsOf)).toMatchObject(
      chat.messages.flatMap(toolsOf).map(({ toolCallId, state, input, output }) => ({
        toolCallId,
        state,
        input,
        ...(output === undefined ? {} : { output }),
      })),
    );
    const file = loaded[0]?.parts.find(({ type }) => type === 'file');
    expect(file).toMatchObject({
      url: expect.stringMatching(/^\/blobs\/[0-9a-f]{64}\?type=image%2Fpng&sessionId=[0-9a-f-]{36}$/),
    });

    const again = newChat({ id: chat.id, messages: loaded });
    const [call] = toolsOf(again.lastMessage);
    expect(call).toMatchObject({ state: 'approval-requested' });
    await again.addToolApprovalResponse({ id: call?.approval?.id ?? '', approved: true });
    await answers(again, 'It said');
    expect(again.messages).toHaveLength(4);
    const first = again.messages[0];
    // Goes back to the message with the image, by the id that the server returned.
    await again.sendMessage({
      text: 'See.',
      files: first?.parts.filter((part) => part.type === 'file') ?? [],
      messageId: first?.id ?? '',
    });
    expect(textOf(again.lastMessage)).toBe('You have said 1: See.');
    expect((await loadChat(chat.id)).map(textOf)).toEqual(['See.', textOf(again.lastMessage)]);
    expect(await loadChat('a chat without a message')).toEqual([]);
  });

  it('keeps the text before a stop(), answers the next message, and returns pages', async () => {
    const chat = newChat();
    const sent = chat.sendMessage({ text: SLOW });
    await vi.waitFor(() => expect(textOf(chat.lastMessage)).toContain('word word'), { timeout: 60_000 });
    await chat.stop();
    await sent;
    // Sent at once, while the cancelled run may still be ending.
    await chat.sendMessage({ text: 'run exit 3' });
    const [, cut, , answer] = await loadChat(chat.id);
    expect(textOf(cut)).toMatch(/^word word/);
    expect(toolsOf(answer)).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('3') },
    ]);
    const newest = await readChat(chat.id, '?limit=2');
    expect(newest.messages).toHaveLength(1);
    const older = await readChat(chat.id, `?before=${newest.next}`);
    expect(older.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(older.next).toBeUndefined();
  });

  it('returns the same answer for a message that is sent again, and runs it once', async () => {
    const message = {
      id: 'the-same',
      role: 'user',
      parts: [{ type: 'text', text: 'run echo once >> times' }],
    };
    const send = async () => {
      const response = await fetch(`${served.baseUrl}/api/chat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${served.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ id: 'again', messages: [message] }),
      });
      expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
      return response.text();
    };
    const first = await send();
    expect(first).toContain('"type":"finish"');
    expect(first).toMatch(/data: \[DONE\]\n\n$/);
    expect(await send()).toContain('It said');
    expect(readFileSync(join(served.folder, 'times'), 'utf8')).toBe('once\n');
  });

  it('reports the problem with an invalid message', async () => {
    const chat = newChat();
    const url = 'https://elsewhere.example/picture.png';
    await chat.sendMessage({ files: [{ type: 'file', mediaType: 'image/png', url }] });
    expect(chat.error?.message).toContain('data: URL');
  });
});

describe('the page', () => {
  let vite: ViteDevServer;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    if (!existsSync(CHROMIUM)) return;
    process.env['LONGHAUL_URL'] = served.baseUrl;
    process.env['LONGHAUL_TOKEN'] = served.token;
    const configFile = join(import.meta.dirname, 'vite.config.ts');
    vite = await createServer({
      configFile,
      server: { port: 0 },
      logLevel: 'error',
      cacheDir: join(served.folder, 'vite'),
    });
    await vite.listen();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    page = await browser.newPage({ viewport: { width: 900, height: 800 } });
    // Bundling the page can be slow on a busy machine.
    page.setDefaultTimeout(100_000);
  });
  afterAll(async () => {
    await browser?.close();
    await vite?.close();
  });

  it('works in a browser with a task, an approval and a reload', async ({ skip }) => {
    if (!existsSync(CHROMIUM)) return lacks('chromium', `there is no ${CHROMIUM}`, skip);
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(vite.resolvedUrls?.local[0] ?? '');
    await page.getByLabel('Message').fill('run touch from-the-page && echo made');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('It said: made').waitFor();
    expect(existsSync(join(served.folder, 'from-the-page'))).toBe(true);
    await page.reload();
    await page.getByText('It said: made').waitFor();
    await page.getByLabel('Message').fill(SLOW);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/(?:word ){30}/).waitFor();
    await page.reload();
    await page.getByText(/(?:word ){60}/).waitFor();
    const shot = process.env['LONGHAUL_SCREENSHOT'];
    if (shot !== undefined) await page.screenshot({ path: shot });
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(problems).toEqual([]);
  });
});
