import { describe, expect, it } from 'vitest';
import { AgentContextManager } from './agent-context-manager.ts';
import { answerRoom, dueInputTokens } from './compaction/output-room.ts';

/** Counts each message as the number in its content. */
const count = (messages: readonly { content?: unknown }[]) =>
  messages.reduce((sum, { content }) => sum + Number(content), 0);
const message = (tokens: number) => ({ role: 'user', content: String(tokens) }) as const;
const result = (tokens: number) => ({ role: 'tool', tool_call_id: 'c', content: String(tokens) }) as const;

describe('AgentContextManager', () => {
  it('reports the threshold at exactly 80 % with an answer’s room of a fifth of the free window', () => {
    const manager = new AgentContextManager({ contextLimit: 100_000, count });
    // 75,000 + 5,000 is exactly the threshold.
    expect(manager.estimateInputTokens([message(75_000)])).toEqual({
      inputTokens: 75_000,
      outputRoomTokens: 5_000,
      totalTokens: 80_000,
      isOverThreshold: true,
    });
    expect(manager.estimateInputTokens([message(74_998)]).isOverThreshold).toBe(false);
  });

  it('reserves at least 1,000 tokens for the answer', () => {
    const manager = new AgentContextManager({ contextLimit: 5_000, count });
    expect(manager.estimateInputTokens([message(3_000)])).toMatchObject({
      outputRoomTokens: 1_000,
      totalTokens: 4_000,
      isOverThreshold: true,
    });
    expect(manager.estimateInputTokens([message(2_999)]).isOverThreshold).toBe(false);
  });

  it('counts tool schemas with every request', () => {
    const manager = new AgentContextManager({ contextLimit: 5_000, count, fixedTokens: 1 });
    expect(manager.estimateInputTokens([message(2_999)]).isOverThreshold).toBe(true);
  });

  it('approaches the limit at exactly 90 % and is over it at exactly 100 %', () => {
    const manager = new AgentContextManager({ contextLimit: 8_000 });
    manager.updateUsage({ inputTokens: 6_000, outputTokens: 1_199 });
    expect(manager.isApproachingLimit()).toBe(false);
    manager.updateUsage({ outputTokens: 1_200 });
    expect(manager.isApproachingLimit()).toBe(true);
    expect(manager.getUsagePercentage()).toBe(90);
    manager.updateUsage({ outputTokens: 1_999 });
    expect(manager.isOverLimit()).toBe(false);
    manager.updateUsage({ outputTokens: 2_000 });
    expect(manager.isOverLimit()).toBe(true);
    expect(manager.getUsagePercentage()).toBe(100);
  });

  it('uses other thresholds', () => {
    const manager = new AgentContextManager({
      contextLimit: 8_000,
      warningThreshold: 0.5,
      inputThreshold: 0.6,
      count,
    });
    manager.updateUsage({ inputTokens: 4_000 });
    expect(manager.isApproachingLimit()).toBe(true);
    expect(manager.estimateInputTokens([message(3_800)]).isOverThreshold).toBe(true);
    expect(manager.estimateInputTokens([message(3_799)]).isOverThreshold).toBe(false);
  });

  it('adds tool results to the tokens in use', () => {
    const manager = new AgentContextManager({ contextLimit: 10_000, count });
    manager.updateUsage({ inputTokens: 5_000 });
    expect(manager.checkBeforeToolResponse([result(1_000), result(999)])).toEqual({
      fits: true,
      resultTokens: 1_999,
      projectedTokens: 6_999,
      isLargerThanWindow: false,
    });
    expect(manager.checkBeforeToolResponse([result(2_000)])).toMatchObject({
      fits: false,
      projectedTokens: 7_000,
    });
    expect(manager.checkBeforeToolResponse([result(10_000)]).isLargerThanWindow).toBe(true);
  });

  it('remembers the results that a restart must keep until the flag is reset', () => {
    const manager = new AgentContextManager({ contextLimit: 10_000 });
    const results = [result(1)];
    expect(manager.needsRestart()).toBe(false);
    manager.markRestartNeeded(results);
    manager.markRestartNeeded();
    expect(manager.needsRestart()).toBe(true);
    expect(manager.getLastToolResult()).toBe(results);
    manager.resetRestartFlag();
    expect(manager.needsRestart()).toBe(false);
    expect(manager.getLastToolResult()).toBeUndefined();
  });

  it('clears usage and restart flag on reset', () => {
    const manager = new AgentContextManager({ contextLimit: 10 });
    manager.updateUsage({ inputTokens: 8, outputTokens: 8 });
    manager.markRestartNeeded();
    manager.reset();
    expect(manager.getUsagePercentage()).toBe(0);
    expect(manager.needsRestart()).toBe(false);
  });

  it('counts but reports no limit when disabled', () => {
    const manager = new AgentContextManager({ contextLimit: 10, enabled: false, count });
    manager.updateUsage({ inputTokens: 100 });
    expect(manager.getUsagePercentage()).toBe(1_000);
    expect([manager.isApproachingLimit(), manager.isOverLimit()]).toEqual([false, false]);
    expect(manager.estimateInputTokens([message(50)])).toMatchObject({
      inputTokens: 50,
      isOverThreshold: false,
    });
    expect(manager.checkBeforeToolResponse([result(50)])).toMatchObject({
      fits: true,
      isLargerThanWindow: false,
    });
  });
});

it.each([512, 2_048, 4_096, 8_192, 32_768, 131_072])(
  'finds the smallest request that is too large for a window of %d',
  (window) => {
    const due = dueInputTokens(window, 0.8);
    const isDue = (tokens: number) => tokens + answerRoom(tokens, window) >= window * 0.8;
    expect(isDue(due)).toBe(true);
    if (due > 0) expect(isDue(due - 1)).toBe(false);
  },
);

it('stores the conversation, counts it, and reports the usage', () => {
  const manager = new AgentContextManager({ contextLimit: 1_000, count, fixedTokens: 100 });
  expect(manager.getConversationHistory()).toEqual([]);
  const messages = [message(300), message(100)];
  manager.updateConversationHistory(messages);
  messages.pop();
  expect(manager.getConversationHistory()).toEqual([message(300), message(100)]);
  manager.updateUsage({ outputTokens: 250 });
  expect(manager.getUsageStats()).toEqual({
    inputTokens: 500,
    outputTokens: 250,
    totalTokens: 750,
    contextLimit: 1_000,
    remainingTokens: 250,
    usagePercentage: 75,
  });
  manager.updateUsage({ outputTokens: 900 });
  expect(manager.getUsageStats()).toMatchObject({ remainingTokens: 0, usagePercentage: 140 });
  manager.reset();
  expect(manager.getConversationHistory()).toEqual([]);
  expect(manager.getUsageStats()).toMatchObject({ totalTokens: 0, remainingTokens: 1_000 });
});
