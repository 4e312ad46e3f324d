import { expect, test } from 'vitest';
import { JobQueue } from './job-queue.ts';

const FILES = [
  { path: 'small', bytes: 1 },
  { path: 'large', bytes: 100 },
];
const RUNS = [
  { method: 'a', windowTokens: 1 },
  { method: 'b', windowTokens: 1 },
];
const queueOf = () => new JobQueue(FILES, RUNS, { wantsTrace: false });
const told = (job: ReturnType<JobQueue['next']>) => job && `${job.path} ${job.method}`;

test('large files come first, and a worker stays with the file it has read', () => {
  const queue = queueOf();
  const first = queue.next(undefined);
  expect(told(first)).toBe('large a');
  expect(told(queue.next(undefined))).toBe('small a');
  expect(told(queue.next('large'))).toBe('large b');
  expect(told(queue.next('small'))).toBe('small b');
  expect(queue.next('small')).toBeUndefined();
});

test('a worker without a file of its own helps with one that was begun', () => {
  const queue = queueOf();
  queue.next(undefined);
  queue.next(undefined);
  queue.next('small');
  expect(told(queue.next('small'))).toBe('large b');
});

test('nothing more is done for a file that cannot be read', () => {
  const queue = queueOf();
  queue.next(undefined);
  expect(queue.drop('large')).toBe(1);
  expect(told(queue.next('large'))).toBe('small a');
});
