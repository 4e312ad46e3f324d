// @vitest-environment happy-dom
import { type LonghaulEvent, type SubtaskFacts, subtaskMetadata, type ToolPart } from '@longhaul/protocol';
import { act, cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { afterEvent } from '../../data/session-changes.ts';
import { shownSession } from '../../data/shown-session.fixture.tsx';
import { sessionInfo } from '../../sessions/session-info.fixture.ts';
import { ToolView } from './tool-view.tsx';

afterEach(cleanup);

const FACTS: SubtaskFacts = { sessionId: 'child', agent: 'explore', state: 'running' };

function taskPart(facts: SubtaskFacts, more: Partial<ToolPart> = {}): ToolPart {
  return {
    type: 'tool',
    callId: `call ${JSON.stringify(facts)}`,
    name: 'task',
    input: { prompt: 'Find the parser' },
    state: 'running',
    metadata: subtaskMetadata(facts),
    ...more,
  };
}

it('shows what a child does, follows its events, and leads to its conversation', () => {
  const { session, show } = shownSession('s');
  const { container } = show(<ToolView part={taskPart(FACTS)} />);
  expect(container.textContent).toContain('explore is at work');
  expect(container.textContent).toContain('Find the parser');
  const facts = { ...FACTS, title: 'grep zebra', steps: 3, tokens: 4_200, contextPercent: 21 };
  const place = { callId: 'c', handle: 'm2.0', sessionId: 's', at: 0 };
  const event: LonghaulEvent = { type: 'subtask:progress', facts, ...place };
  act(() => session.store.setState(afterEvent(session.store.getState(), event) ?? {}));
  expect(container.textContent).toContain('grep zebra · 3 steps · 4.2k tokens · 21 % of its window');
  const link = screen.getByRole('link', { name: 'Open its conversation' });
  expect(link.getAttribute('href')).toBe('#/session/child');
});

it('reads the session of a child in the background, whose call has ended long before', async () => {
  const { server, show } = shownSession('s');
  const usage = {
    inputTokens: 1,
    outputTokens: 1,
    reasoningTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
  const figures = { steps: 7, usage: { ...usage, totalTokens: 9_000 }, queued: 0, openApprovals: 0 };
  vi.spyOn(server.client.sessions, 'get').mockResolvedValue({
    ...sessionInfo({ id: 'child', parentId: 's', state: 'completed', figures }),
    lastEvent: 1,
    queued: 0,
  });
  const part = taskPart({ ...FACTS, isBackground: true }, { state: 'error' });
  const { container } = show(<ToolView part={part} />);
  await expect.poll(() => container.textContent).toContain('has completed the task · 7 steps · 9.0k tokens');
  expect(container.textContent).toContain('in the background');
});
