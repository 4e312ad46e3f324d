import type { LearnedSettings } from '@longhaul/models';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createModelDriver } from '../src/model-driver.ts';
import { type ChatServer, chunk, startChatServer, startStream } from './chat-server.ts';
import { collect, MODEL_INFO, requestOf, userSays } from './drive.ts';

/** Refuses as long as the request has a maximum that `refusal` names a problem of. */
async function startStrictServer(refusal: (request: Record<string, unknown>) => string | undefined) {
  const server: ChatServer = await startChatServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  server.answer((response) => {
    const message = refusal(JSON.parse(server.requests.at(-1) ?? '{}'));
    if (message === undefined) {
      startStream(response);
      response.end(`${chunk({ content: 'ok' })}${chunk({}, 'stop')}data: [DONE]\n\n`);
    } else {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }));
    }
  });
  return server;
}

async function driverOf(server: ChatServer, more: Partial<Parameters<typeof createModelDriver>[0]> = {}) {
  const learned: LearnedSettings[] = [];
  const driver = await createModelDriver({
    kind: 'openai-compatible',
    provider: 'mine',
    model: 'served-model',
    baseUrl: server.url,
    info: { ...MODEL_INFO, maxOutputTokens: 32_000 },
    onLearned: async (settings) => void learned.push(settings),
    ...more,
  });
  const call = () => collect(driver, { ...requestOf([userSays('Hello.')]), maxOutputTokens: 32_000 });
  return { driver, learned, call };
}

const fieldsOf = (server: ChatServer) =>
  server.requests.map((body) => {
    const { max_tokens, max_completion_tokens } = JSON.parse(body);
    return { max_tokens, max_completion_tokens };
  });

describe.each(['ai-sdk', 'native'] as const)(
  'the maximum length of an answer, with the driver %s',
  (driver) => {
    const settings = { driver };

    it('is lowered to the number in a refusal, at once and for later requests', async () => {
      const server = await startStrictServer(({ max_tokens: sent }) =>
        Number(sent) > 8_192
          ? 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]'
          : undefined,
      );
      const { driver: made, learned, call } = await driverOf(server, { settings });
      expect((await call()).at(-1)).toMatchObject({ type: 'finish' });
      expect((await call()).at(-1)).toMatchObject({ type: 'finish' });
      expect(fieldsOf(server)).toEqual([
        { max_tokens: 32_000 },
        { max_tokens: 8_192 },
        { max_tokens: 8_192 },
      ]);
      expect(learned).toEqual([{ maxOutputTokens: 8_192 }]);
      expect(made.info.maxOutputTokens).toBe(8_192);
      const later = await driverOf(server, { settings, learnedSettings: learned[0] });
      await later.call();
      expect(fieldsOf(server).at(-1)).toEqual({ max_tokens: 8_192 });
    });

    it('is halved until the server accepts it, if the refusal has no number', async () => {
      const server = await startStrictServer(({ max_tokens: sent }) =>
        Number(sent) > 5_000 ? 'max_tokens is too large' : undefined,
      );
      const { call } = await driverOf(server, { settings });
      expect((await call()).at(-1)).toMatchObject({ type: 'finish' });
      expect(fieldsOf(server).map(({ max_tokens }) => max_tokens)).toEqual([32_000, 16_000, 8_000, 4_000]);
    });

    it('ends with the error of a server that refuses every length', async () => {
      const server = await startStrictServer(() => 'max_tokens is too large');
      const { call } = await driverOf(server, { settings });
      const last = (await call()).at(-1);
      expect(last).toMatchObject({ type: 'error', error: { code: 'provider_bad_request' } });
      expect(server.requests.length).toBeLessThan(10);
    });

    it('is sent in the field that the server asks for', async () => {
      const refusal =
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
      const server = await startStrictServer((request) => ('max_tokens' in request ? refusal : undefined));
      const { learned, call } = await driverOf(server, { settings });
      expect((await call()).at(-1)).toMatchObject({ type: 'finish' });
      expect(fieldsOf(server)).toEqual([{ max_tokens: 32_000 }, { max_completion_tokens: 32_000 }]);
      expect(learned).toEqual([{ maxTokensField: 'max_completion_tokens' }]);
    });

    it('is sent in the configured field, and in the new one for reasoning models of OpenAI', async () => {
      const server = await startStrictServer(() => undefined);
      const configured = { ...settings, maxTokensField: 'max_completion_tokens' as const };
      await (await driverOf(server, { settings: configured })).call();
      await (await driverOf(server, { settings, model: 'o3-mini' })).call();
      await (
        await driverOf(server, { settings: { ...settings, maxTokensField: 'max_tokens' }, model: 'o3-mini' })
      ).call();
      const expected = [
        { max_completion_tokens: 32_000 },
        { max_completion_tokens: 32_000 },
        { max_tokens: 32_000 },
      ];
      expect(fieldsOf(server)).toEqual(expected);
    });
  },
);
