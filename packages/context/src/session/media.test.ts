import type { ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import type { Media } from '../media/count-media.ts';
import { aiSdkFormat } from './ai-sdk-format.ts';
import { createContextSession } from './context-session.ts';
import { type OpenAiChatMessage, openAiChatFormat } from './openai-chat-format.ts';
import type { ContextSessionOptions } from './session-types.ts';

function chatSession(more: Partial<ContextSessionOptions<OpenAiChatMessage>> = {}) {
  return createContextSession<OpenAiChatMessage>({
    format: openAiChatFormat(),
    windowTokens: 32_000,
    maxOutputTokens: 1_000,
    ...more,
  });
}

const LOW = { type: 'image_url', image_url: { url: 'https://images.example/a.png', detail: 'low' } };
const HIGH = { type: 'image_url', image_url: { url: 'https://images.example/a.png', detail: 'high' } };
const TEXT = { type: 'text', text: 'word '.repeat(2_000) };

describe('the tokens of images', () => {
  it('do not distort the text that follows when they are learned', async () => {
    for (const image of [LOW, HIGH]) {
      const session = chatSession();
      session.append([{ role: 'user', content: [TEXT, image, image, image] }]);
      await session.fit();
      session.learn(2_010 + 3 * 85);
      session.append([
        { role: 'assistant', content: 'word '.repeat(6_000) },
        { role: 'user', content: 'Go on.' },
      ]);
      const { predictedTokens } = await session.fit();
      expect(predictedTokens).toBeGreaterThan(8_280 * 0.97);
      expect(predictedTokens).toBeLessThan(8_280 * 1.1);
    }
  });

  it('are still known after a restart', async () => {
    const session = chatSession();
    session.append([{ role: 'user', content: [TEXT, HIGH, HIGH, HIGH] }]);
    await session.fit();
    session.learn(2_010 + 3 * 85);
    const restored = chatSession({ state: JSON.parse(JSON.stringify(session)) });
    expect((await restored.fit()).predictedTokens).toBeLessThan(2_400);
  });

  it('come from countMedia, which receives everything in the message', async () => {
    const seen: Media[] = [];
    const session = chatSession({
      countMedia: (media) => {
        seen.push(media);
        return 4_000;
      },
    });
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
    const pdf = { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } };
    session.append([{ role: 'user', content: [LOW, audio, pdf] }]);
    expect((await session.fit()).predictedTokens).toBeGreaterThan(12_000);
    expect(seen).toEqual([
      { mediaType: 'image/*', detail: 'low' },
      { mediaType: 'audio/*', data: 'AAAA' },
      { mediaType: 'application/pdf', data: 'data:application/pdf;base64,AAAA' },
    ]);
  });

  it('give an error if countMedia returns no number', async () => {
    const session = chatSession({ countMedia: () => Number.NaN });
    session.append([{ role: 'user', content: [LOW] }]);
    await expect(session.fit()).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('of a PDF in an answer are counted, and the calls beside it are still cut', async () => {
    const session = createContextSession<ModelMessage>({
      format: aiSdkFormat<ModelMessage>(),
      windowTokens: 16_000,
      maxOutputTokens: 1_000,
    });
    const call = { toolCallId: 'c', toolName: 'read' };
    session.append([
      { role: 'user', content: 'Draw, then read.' },
      {
        role: 'assistant',
        content: [
          { type: 'file', mediaType: 'application/pdf', data: new Uint8Array(100_000) },
          { type: 'tool-call', ...call, input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', ...call, output: { type: 'text', value: 'a line\n'.repeat(20_000) } },
        ],
      },
    ]);
    const { messages, predictedTokens } = await session.fit();
    expect(predictedTokens).toBeGreaterThan(7_000);
    expect(JSON.stringify(messages.at(-1)).length).toBeLessThan(40_000);
  });
});
