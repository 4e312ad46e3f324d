import { describeModelDriver } from '@longhaul/testing/contracts';
import { startChatServer } from '../test/chat-server.ts';
import { MODEL_INFO } from '../test/drive.ts';
import { createModelDriver } from './model-driver.ts';

const SERVERS = [
  { name: 'openai-compatible', kind: 'openai-compatible', driver: 'ai-sdk' },
  { name: 'lmstudio', kind: 'lmstudio', driver: 'ai-sdk' },
  { name: 'ollama', kind: 'ollama', driver: 'ai-sdk' },
  { name: 'native openai-compatible', kind: 'openai-compatible', driver: 'native' },
] as const;

for (const { name, kind, driver } of SERVERS) {
  describeModelDriver(name, async () => {
    const server = await startChatServer();
    return {
      driver: (options = {}) =>
        createModelDriver({
          kind,
          provider: kind,
          model: 'served-model',
          baseUrl: server.url,
          info: MODEL_INFO,
          settings: { driver },
          ...options,
        }),
      answer: (answer) => server.answer(answer),
      requests: server.requests,
      get abandoned() {
        return server.abandoned;
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  });
}
