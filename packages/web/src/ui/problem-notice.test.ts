import { LonghaulError } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { problemNotice } from './problem-notice.ts';

it('separates what went wrong from what to do', () => {
  const noKey = new LonghaulError(
    'key_missing',
    'No API key for one. Run longhaul login one.\nOr set ONE_KEY.',
  );
  expect(problemNotice(noKey)).toEqual({
    kind: 'bad',
    title: 'No API key for one.',
    description: 'Run longhaul login one.\nOr set ONE_KEY.',
  });
  const short = new LonghaulError('not_found', 'There is no file a.txt.');
  expect(problemNotice(short)).toEqual({ kind: 'bad', title: 'There is no file a.txt.' });
});

it('says what can be done here if there is no model', () => {
  const notice = problemNotice(new LonghaulError('model_not_configured', 'Do one of these: longhaul run …'));
  expect(notice.title).toBe('There is no model yet.');
  expect(notice.description).not.toContain('longhaul run');
});
