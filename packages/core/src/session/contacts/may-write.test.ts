import { accessMetadata, type Session, type Share } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { mayWrite } from './may-write.ts';

const session = (id: string, more: Partial<Session> = {}): Session => ({
  id,
  createdAt: 0,
  updatedAt: 0,
  status: 'active',
  task: '',
  title: `Title of ${id}`,
  model: 'p/m',
  workspace: '/work',
  ...more,
});

const own = session('s1');
const near = session('s2', { metadata: { agent: 'reviewer' } });
const far = session('s3', { workspace: '/other/api', title: near.title, metadata: { agent: 'reviewer' } });
const child = session('s4', { parentId: 's2', metadata: { agent: 'reviewer' } });
const agentOf = ({ metadata }: Session) => String(metadata?.['agent'] ?? 'coder');
const allowed = (...patterns: string[]) =>
  [own, near, far, child].filter((each) => mayWrite(own, each, { patterns, agentOf })).map(({ id }) => id);

it('matches the title or the agent of sessions in the same workspace', () => {
  expect(allowed()).toEqual([]);
  expect(allowed('reviewer')).toEqual(['s2']);
  expect(allowed('Title of *')).toEqual(['s2']);
  expect(allowed('*')).toEqual(['s2']);
  expect(allowed('Reviewer', 'title of s2', 's', '')).toEqual([]);
});

it('reaches another workspace only if a pattern names it, or the session', () => {
  expect(allowed('/other/*')).toEqual(['s3']);
  expect(allowed('/other')).toEqual([]);
  expect(allowed('s3')).toEqual(['s3']);
  expect(allowed('/*')).toEqual(['s2', 's3']);
});

it('reaches a child only by its whole id, and never the session itself', () => {
  expect(allowed('s4')).toEqual(['s4']);
  expect(allowed('s1')).toEqual([]);
});

it('writes to a session of another owner only if it is shared for work', () => {
  const owned = (shared: Share) => session('s5', { metadata: accessMetadata({ owner: 'ann', shared }) });
  const talk = { patterns: ['*', 's5'], agentOf };
  expect(mayWrite(own, owned('none'), talk)).toBe(false);
  expect(mayWrite(own, owned('read'), talk)).toBe(false);
  expect(mayWrite(own, owned('work'), talk)).toBe(true);
  expect(mayWrite({ ...own, metadata: near.metadata }, owned('none'), talk)).toBe(false);
  expect(mayWrite(owned('none'), own, talk)).toBe(false);
  expect(mayWrite({ ...owned('read'), id: 's6' }, owned('none'), talk)).toBe(true);
});
