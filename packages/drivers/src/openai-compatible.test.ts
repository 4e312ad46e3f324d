import { describeModelDriver } from '@longhaul/testing/contracts';
import { startChatServer } from '../test/chat-server.ts';
import { MODEL_INFO } from '../test/drive.ts';
import { createModelDriver } from './model-driver.ts';

for (const kind of ['openai-compatible', 'lmstudio', 'ollama'] as const) {
  describeModelDriver(kind, async () => {
    const server = await startChatServer();
    return {
      driver: (options = {}) =>
        createModelDriver({
          kind,
          provider: kind,
          model: 'served-model',
          baseUrl: server.url,
          info: MODEL_INFO,
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
