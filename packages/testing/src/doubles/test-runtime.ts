import { ReactiveOverflowStrategy } from '@longhaul/context/engine';
import {
  ALLOW_ALL,
  type ModelDriver,
  type RunOptions,
  Runtime,
  type RuntimeOptions,
  type Store,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '@longhaul/core';
import type { EventOf, EventType, LonghaulEvent, Message } from '@longhaul/protocol';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { createMemoryStore } from '@longhaul/storage/memory';
import { createIdleSandbox } from './idle-sandbox.ts';

/** A tool that runs the test's function and counts its starts. */
export interface TestTool extends Tool<{ [key: string]: unknown }> {
  starts: number;
}

export function testTool(
  name: string,
  execute: (input: { [key: string]: unknown }, context: ToolContext) => Promise<ToolResult> | ToolResult,
  traits: Partial<Pick<Tool, 'runsAlone' | 'isReadOnly' | 'isProtected' | 'maxOutputChars'>> = {},
): TestTool {
  const tool: TestTool = {
    ...traits,
    name,
    starts: 0,
    schema: { name, description: `does ${name}`, parameters: { type: 'object', properties: {} } },
    parse: (input) =>
      typeof input === 'object' && input !== null && !Array.isArray(input)
        ? { ok: true, input }
        : { ok: false, reason: 'the arguments must be an object' },
    async execute(input, context) {
      tool.starts += 1;
      return execute(input, context);
    },
  };
  return tool;
}

export function text(value: string, more: Partial<ToolResult> = {}): ToolResult {
  return { content: [{ type: 'text', text: value }], ...more };
}

/** Tries again at once. */
const TEST_RETRY = { attempts: 3, totalMs: 60_000, firstDelayMs: 1 };

export interface TestRun {
  runtime: Runtime;
  store: Store;
  sessionId: string;
  events: LonghaulEvent[];
  run(content?: string, options?: Omit<RunOptions, 'content'>): ReturnType<Runtime['run']>;
  messages(): Promise<Message[]>;
  of<T extends EventType>(type: T): EventOf<T>[];
  closedSandboxes(): number;
}

export async function testRun(
  driver: ModelDriver,
  tools: readonly Tool[] = [],
  options: Partial<RuntimeOptions> = {},
): Promise<TestRun> {
  const store = options.store ?? createMemoryStore();
  let closed = 0;
  const runtime = new Runtime({
    store,
    blobs: createMemoryBlobStore(),
    tools,
    openSandbox: async () =>
      createIdleSandbox({
        onClose: () => {
          closed += 1;
        },
      }),
    driverFor: async () => driver,
    summariserFor: async () => undefined,
    compression: { strategy: new ReactiveOverflowStrategy(), auto: true, ledgerShare: 0.2 },
    retry: TEST_RETRY,
    approverFor: () => ALLOW_ALL,
    ...options,
  });
  const session = await runtime.createSession({ workspace: '/', model: 'played/test', task: 'the task' });
  const events: LonghaulEvent[] = [];
  runtime.subscribe((event) => events.push(event));
  return {
    runtime,
    store,
    sessionId: session.id,
    events,
    run: (content, more = {}) =>
      runtime.run(session.id, {
        ...more,
        ...(content === undefined ? {} : { content: [{ type: 'text', text: content }] }),
      }),
    messages: async () => (await store.loadLog(session.id)).messages,
    of: <T extends EventType>(type: T) => events.filter((event): event is EventOf<T> => event.type === type),
    closedSandboxes: () => closed,
  };
}
