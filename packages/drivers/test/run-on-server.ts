import type { RuntimeOptions } from '@longhaul/core';
import type { ToolPart } from '@longhaul/protocol';
import { INFO, testRun, testTool, text } from '@longhaul/testing/doubles';
import { createModelDriver, type ModelDriverOptions } from '../src/model-driver.ts';
import type { ChatServer } from './chat-server.ts';
import { tested } from './tested-driver.ts';

export interface StartOptions extends Partial<ModelDriverOptions> {
  runtime?: Partial<RuntimeOptions>;
  /** Returns the output of the tool `look`. */
  saw?: (input: object) => string;
}

/** Creates a session with one tool, `look`, whose model is a real server called by the real driver. */
export async function startOn(server: ChatServer, { runtime, saw, ...options }: StartOptions = {}) {
  const driver = await createModelDriver({
    kind: 'openai-compatible',
    provider: 'local',
    model: 'served-model',
    baseUrl: server.url,
    info: INFO,
    stallMs: 100_000,
    ...options,
    settings: { ...tested.settings, ...options.settings },
  });
  const look = testTool('look', (input) => text(saw?.(input) ?? `saw ${JSON.stringify(input)}`));
  const retry = { attempts: 3, totalMs: 100_000, firstDelayMs: 10 };
  const test = await testRun(driver, [look], { retry, ...runtime });
  const tools = async () =>
    (await test.messages())
      .flatMap((message) => message.parts)
      .filter((part): part is ToolPart => part.type === 'tool');
  return { test, look, tools, driver };
}
