import { describe, expect, it } from 'vitest';
import { documentTitle } from './document-title.ts';

describe('documentTitle', () => {
  it('has the open approvals, the state and the name', () => {
    expect(documentTitle({ name: 'Fix', state: 'running' }, 2)).toBe('(2) ● Fix · Longhaul');
    expect(documentTitle({ name: 'Fix', state: 'failed' }, 0)).toBe('✗ Fix · Longhaul');
    expect(documentTitle({ name: 'Fix', state: 'completed' }, 0)).toBe('Fix · Longhaul');
    expect(documentTitle({ name: 'Settings' }, 1)).toBe('(1) Settings · Longhaul');
  });
});
