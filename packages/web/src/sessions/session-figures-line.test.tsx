// @vitest-environment happy-dom
import { ZERO_USAGE } from '@longhaul/protocol';
import type { ContextInfo, SessionInfo } from '@longhaul/protocol/api';
import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { SessionFiguresLine } from './session-figures-line.tsx';
import { sessionInfo } from './session-info.fixture.ts';

const usage = { ...ZERO_USAGE, inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const context = { tokens: 12_000, usableTokens: 24_000, windowTokens: 32_000 };
const textOf = (figures: SessionInfo['figures']) =>
  render(<SessionFiguresLine session={sessionInfo({ id: 's1', figures })} />).container.textContent;

describe('SessionFiguresLine', () => {
  it('shows window, cost, queue and open approvals', () => {
    const text = textOf({ steps: 3, usage, cost: 0.0123, context, queued: 2, openApprovals: 1 });
    expect(text).toContain('Context 50 %');
    expect(text).toContain('$0.0123');
    expect(text).toContain('2 queued');
    expect(text).toContain('1 approval');
  });

  it('shows the window of an open session as its header does', () => {
    const now = { tokens: 6_000, window: { usableTokens: 24_000 } } as ContextInfo;
    const figures = { steps: 3, usage, context, queued: 0, openApprovals: 0 };
    const line = <SessionFiguresLine session={sessionInfo({ id: 's1', figures })} now={now} />;
    expect(render(line).container.textContent).toContain('Context 25 %');
  });

  it('shows only known figures', () => {
    expect(textOf(undefined)).toBe('');
    expect(textOf({ steps: 0, usage, queued: 0, openApprovals: 0 })).toBe('');
  });
});
