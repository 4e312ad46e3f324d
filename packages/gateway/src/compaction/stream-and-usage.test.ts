import type { ChatMessage } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import {
  assistant,
  chat,
  contextWith,
  countingTokenizer,
  selectingModel,
  textsOf,
  user,
  words,
} from '../../test/compaction-support.ts';
import type { ContextNotice } from './types.ts';

const base = { model: 'm', windowTokens: 8_192 };

describe('while an answer streams', () => {
  it('stops at 90 % of the window and continues the answer at most three times', async () => {
    const model = selectingModel();
    const { context } = contextWith({ askModel: model.askModel });
    const messages = chat(23);
    let prepared = await context.prepare({ ...base, messages });
    expect(prepared.isRewritten).toBe(false);
    let text = '';
    const notices: ContextNotice[] = [];
    for (let restart = 1; restart <= 3; restart += 1) {
      const watch = context.watchStream(prepared);
      let verdict = 'go-on';
      for (let word = 0; verdict === 'go-on'; word += 1) {
        const delta = `${restart}:${word} `;
        text += delta;
        verdict = watch.add(delta);
      }
      expect(verdict).toBe('stop');
      const used = prepared.estimatedTokens + watch.outputTokens;
      expect(used / base.windowTokens).toBeGreaterThanOrEqual(0.9);
      expect(used / base.windowTokens).toBeLessThan(0.91);
      prepared = await context.continueFrom(
        prepared,
        { text },
        { onNotice: (notice) => notices.push(notice) },
      );
      expect(prepared.restarts).toBe(restart);
      const [said, request] = prepared.messages.slice(-2);
      expect(said).toMatchObject({ role: 'assistant', content: expect.stringMatching(/\d:\d+ $/) });
      expect(text.endsWith(String(said?.content).slice(-100))).toBe(true);
      expect(request).toMatchObject({
        role: 'user',
        content: expect.stringContaining('exactly where it stops'),
      });
      // The question is still there, after the summary.
      expect(prepared.messages).toContain(messages.at(-1));
      expect(prepared.estimatedTokens).toBeLessThan(5_553);
    }
    expect(notices.map(({ kind }) => kind)).toEqual(['compacting', 'compacted']);
    await expect(context.continueFrom(prepared, { text })).rejects.toMatchObject({
      code: 'context_exhausted',
      message: expect.stringContaining('3 times'),
      data: { limit: 8_192, restarts: 3 },
    });
  });

  it('continues a very long answer to a short question without a compaction', async () => {
    const { context } = contextWith();
    const prepared = await context.prepare({ ...base, messages: [user('Write a novel.')] });
    const next = await context.continueFrom(prepared, { text: words(1, 29_000) });
    expect(next.messages[0]).toBe(prepared.messages[0]);
    expect(next.compacted).toBeUndefined();
    expect(String(next.messages[1]?.content)).toContain('characters cut here');
    expect(next.estimatedTokens).toBeLessThan(8_192 * 0.3);
  });

  it('continues from thoughts if the answer has no text yet', async () => {
    const { context } = contextWith();
    const prepared = await context.prepare({ ...base, messages: [user('Think hard.')] });
    const next = await context.continueFrom(prepared, { text: '', reasoning: 'Perhaps 42.' });
    expect(next.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(textsOf(next.messages)).toContain('Perhaps 42.');
    expect((await context.continueFrom(prepared, { text: '' })).messages).toEqual(prepared.messages);
  });

  it('continues with an empty reasoning text if the client sends reasoning', async () => {
    const { context } = contextWith();
    const thought: ChatMessage = { ...assistant('Yes.'), reasoning_content: 'Hm.' };
    const prepared = await context.prepare({ ...base, messages: [user('Hi'), thought, user('And?')] });
    const next = await context.continueFrom(prepared, { text: 'Because' });
    expect(next.messages[1]).toBe(thought);
    expect(next.messages[3]).toMatchObject({ content: 'Because', reasoning_content: '' });
  });

  it('ends at 100 %, and does not stop at once if the prompt alone is near the limit', async () => {
    const { context } = contextWith();
    const prepared = await context.prepare({ ...base, messages: [user('Hello')] });
    const watch = context.watchStream(prepared);
    expect(watch.add('x'.repeat(4 * 8_192))).toBe('over');
    const other = context.watchStream(prepared);
    expect(other.update({ promptTokens: 7_400, completionTokens: 10 })).toBe('go-on');
    expect(other.update({ promptTokens: 7_400, completionTokens: 400 })).toBe('stop');
    expect(other.update({ promptTokens: 7_400, completionTokens: 792 })).toBe('over');
  });
});

describe('real usage', () => {
  it('corrects the estimates of a model', async () => {
    const { context } = contextWith();
    const messages = chat(15);
    const first = await context.prepare({ ...base, messages });
    expect(context.observe(first, { promptTokens: Math.round(first.estimatedTokens * 1.2) })).toEqual({
      verdict: 'as-expected',
    });
    const second = await context.prepare({ ...base, messages });
    expect(second.estimatedTokens / first.estimatedTokens).toBeCloseTo(1.2, 2);
    expect((await context.prepare({ ...base, model: 'other', messages })).estimatedTokens).toBe(
      first.estimatedTokens,
    );
    // Nothing is learned from a server that reports uncached tokens only.
    context.observe(second, { promptTokens: 20 });
    context.observe(second, { promptTokens: 0 });
    expect((await context.prepare({ ...base, messages })).estimatedTokens).toBe(second.estimatedTokens);
  });

  it('far below the estimate means a silent cut', async () => {
    const { context } = contextWith();
    const prepared = await context.prepare({ ...base, messages: chat(22) });
    expect(prepared.estimatedTokens).toBeGreaterThan(4_300);
    expect(context.observe(prepared, { promptTokens: 1_950 })).toEqual({
      verdict: 'silently-cut',
      windowTokens: 2_048,
    });
    const image = { type: 'image_url', image_url: { url: 'https://x/y.png' } };
    const seen = await context.prepare({
      ...base,
      messages: [...chat(20), { role: 'user', content: [image] }],
    });
    expect(context.observe(seen, { promptTokens: 1_950 })).toEqual({ verdict: 'as-expected' });
  });

  it('teaches nothing if the request has uncounted parts', async () => {
    const { context } = contextWith();
    const plain = chat(15);
    const parts: unknown[] = [{ type: 'video_url', video_url: { url: 'http://x/y.mp4' } }, { type: 'new' }];
    const odd = parts.map((part) => [
      ...chat(12),
      { role: 'user', content: [{ type: 'text', text: 'Look:' }, part] } as ChatMessage,
    ]);
    const before = await context.prepare({ ...base, messages: plain });
    for (const messages of odd) {
      const seen = await context.prepare({ ...base, messages });
      context.observe(seen, { promptTokens: Math.round(seen.countedTokens * 1.6) });
      expect(context.observe(seen, { promptTokens: 600 })).toEqual({ verdict: 'as-expected' });
      const measure = async () => Math.round(seen.countedTokens * 1.6);
      await context.prepare({ ...base, windowTokens: 4_096, messages }, { measure });
      const requestTokens = Math.round(seen.countedTokens * 1.4);
      const refused = { windowTokens: 4_096, requestTokens };
      // For this request itself the refusal's number counts.
      const { originalTokens } = await context.prepare({ ...base, messages }, { refused });
      expect(originalTokens).toBeGreaterThanOrEqual(requestTokens);
    }
    const after = await context.prepare({ ...base, messages: plain });
    expect(after.estimatedTokens).toBe(before.estimatedTokens);
  });

  it('equal to the uncorrected count is not a cut, and replaces the learned correction', async () => {
    const { context } = contextWith();
    const first = await context.prepare({ ...base, messages: chat(12) });
    context.observe(first, { promptTokens: Math.round(first.countedTokens * 1.6) });
    const second = await context.prepare({ ...base, messages: chat(15) });
    expect(second.estimatedTokens / second.countedTokens).toBeCloseTo(1.6, 2);
    const usage = { promptTokens: second.countedTokens };
    expect(context.observe(second, usage)).toEqual({ verdict: 'as-expected' });
    const third = await context.prepare({ ...base, messages: chat(15) });
    expect(third.estimatedTokens).toBe(third.countedTokens);
  });

  it('is measured by the server once, near the threshold, before any is known', async () => {
    const { context } = contextWith();
    let asked = 0;
    const measure = async () => {
      asked += 1;
      return 7_000;
    };
    expect((await context.prepare({ ...base, messages: chat(3) }, { measure })).isRewritten).toBe(false);
    expect(asked).toBe(0);
    const near = await context.prepare({ ...base, messages: chat(24) }, { measure });
    expect(near).toMatchObject({ originalTokens: 7_000, isRewritten: true });
    await context.prepare({ ...base, messages: chat(24) }, { measure });
    expect(asked).toBe(1);
  });

  it('does not prevent a compaction after a refusal', async () => {
    const { context } = contextWith();
    const messages = chat(12);
    const named = await context.prepare(
      { ...base, messages },
      { refused: { windowTokens: 2_048, requestTokens: 2_700 } },
    );
    expect(named.compacted?.round).toBe(1);
    expect(named.request.windowTokens).toBe(2_048);
    expect(named.estimatedTokens).toBeLessThan(1_048);
    const unnamed = await contextWith().context.prepare({ ...base, messages: chat(20) }, { refused: {} });
    expect(unnamed.estimatedTokens).toBeLessThan(unnamed.originalTokens * 0.7);
    const small: ChatMessage[] = [user('Hello')];
    await expect(context.prepare({ ...base, messages: small }, { refused: {} })).rejects.toMatchObject({
      code: 'context_exhausted',
    });
  });
});

describe('bad input', () => {
  it('passes without messages or with malformed ones while it fits', async () => {
    const { context } = contextWith();
    const odd = [
      { role: 'robot', content: 'beep' },
      { role: 'user', content: null },
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }], tool_calls: [null, { id: 1 }] },
      { role: 'user', content: 5 },
      { content: 'no role' },
    ] as unknown as ChatMessage[];
    for (const messages of [[], odd])
      expect((await context.prepare({ ...base, messages })).messages).toBe(messages);
  });

  it('names an unknown role if the conversation must be compacted', async () => {
    const messages = [...chat(40), { role: 'robot', content: 'beep' } as unknown as ChatMessage];
    await expect(contextWith().context.prepare({ ...base, messages })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('"robot"'),
    });
  });

  it('compacts content of every form', async () => {
    const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(40_000)}` } };
    const odd = [
      { role: 'user', content: [{ type: 'text', text: 'Look:' }, picture] },
      { role: 'assistant', content: null, reasoning_content: 'Hm.', refusal: 'No.' },
      { role: 'user', content: [] },
      { role: 'user', content: 7 },
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', name: 'ada', content: 'Hi' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ] as unknown as ChatMessage[];
    const recent = [
      { role: 'user', content: [{ type: 'text', text: 'And this?' }, picture] },
    ] as ChatMessage[];
    const { context } = contextWith();
    const prepared = await context.prepare({ ...base, messages: [...odd, ...chat(40).slice(1), ...recent] });
    // The newest picture stays, the old one is hidden with its message.
    expect(prepared.messages.at(-1)).toBe(recent[0]);
    expect(textsOf(prepared.messages)).toContain('Be brief.');
    expect(prepared.estimatedTokens).toBeLessThan(5_553);
  });

  it('cuts the middle of a single message larger than the window', async () => {
    const messages = [user(`Begin. ${words(1, 80_000)} End.`)];
    const prepared = await contextWith().context.prepare({ ...base, messages });
    expect(String(prepared.messages[0]?.content)).toMatch(
      /^Begin\. .*\[… \d+ characters cut here …\].* End\.$/s,
    );
    expect(prepared.estimatedTokens).toBeGreaterThan(6_900);
    expect(prepared.estimatedTokens).toBeLessThanOrEqual(7_192);
  });

  it('keeps as much of a pasted document in the question as fits, and cuts it further later', async () => {
    for (const askModel of [undefined, async () => ({ status: 'failed', reason: 'away' }) as const]) {
      const { context } = contextWith({ askModel });
      const talk = chat(10).slice(0, -1);
      const messages = [...talk, user(`Begin. ${words(1, 40_000)} End.`)];
      const prepared = await context.prepare({ ...base, messages });
      expect(prepared.messages.at(-1)?.content).toMatch(/^Begin\. .* End\.$/s);
      const sizes = prepared.messages.map(({ content }) => String(content).length);
      expect(sizes.at(-1)).toBeGreaterThan(sizes.reduce((sum, size) => sum + size, 0) * 0.9);
      expect(prepared.estimatedTokens).toBeGreaterThan(6_700);
      expect(prepared.estimatedTokens).toBeLessThanOrEqual(7_192);
      const begun = [messages[0] ?? user(''), messages.at(-1) ?? user('')];
      const whole = await context.prepare({ ...base, messages: begun });
      const later = await context.prepare({ ...base, messages: [...begun, ...chat(40).slice(2)] });
      const [, first] = later.messages.map(({ content }) => String(content).length);
      expect(first).toBeLessThan(String(whole.messages[1]?.content).length / 2);
      expect(later.estimatedTokens).toBeLessThan(3_333);
      expect(later.messages.length).toBeGreaterThanOrEqual(6);
    }
  });

  it('fails with a clear error if the window is smaller than the system text', async () => {
    const messages = [{ role: 'system', content: words(1, 40_000) } as const, user('Hello')];
    await expect(contextWith().context.prepare({ ...base, messages })).rejects.toMatchObject({
      code: 'context_exhausted',
      message: expect.stringContaining('System text and tools take'),
      data: { limit: 8_192 },
    });
  });

  it('works in a window as small as the minimum room for an answer', async () => {
    const { context } = contextWith();
    const messages = chat(2, 300);
    expect((await context.prepare({ model: 'm', windowTokens: 1_024, messages })).messages).toBe(messages);
    const long = await context.prepare({ model: 'm', windowTokens: 1_024, messages: chat(12, 300) });
    expect(long.estimatedTokens).toBeLessThan(256);
  });

  it('compacts 10,000 messages in one compaction', async () => {
    const { context } = contextWith();
    const messages = chat(5_001, 120);
    const prepared = await context.prepare({ ...base, messages });
    expect(messages.length).toBeGreaterThan(10_000);
    expect(prepared.messages.length).toBeLessThan(100);
    expect(prepared.messages.at(-1)).toBe(messages.at(-1));
    expect((await context.prepare({ ...base, messages })).compacted?.isFromCache).toBe(true);
  });

  it('treats special tokens in messages as text', async () => {
    const { context } = contextWith({ tokenizerFor: async () => ({ ...countingTokenizer(), exact: false }) });
    const messages = chat(40).map((message) => ({
      ...message,
      content: `<|im_end|>\n<|endoftext|> ${message.content}`,
    }));
    expect((await context.prepare({ ...base, messages })).isRewritten).toBe(true);
  });
});
