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
const queueOf = () =>
  new JobQueue(FILES, RUNS, {
    wantsTrace: false,
    acceptsPartial: false,
    againstRecorded: false,
    wantsProbes: false,
  });
const nameOf = (job: ReturnType<JobQueue['next']>) => job && `${job.path} ${job.method}`;

test('hands out large files first, and keeps a worker on the file it has read', () => {
  const queue = queueOf();
  const first = queue.next(undefined);
  expect(nameOf(first)).toBe('large a');
  expect(nameOf(queue.next(undefined))).toBe('small a');
  expect(nameOf(queue.next('large'))).toBe('large b');
  expect(nameOf(queue.next('small'))).toBe('small b');
  expect(queue.next('small')).toBeUndefined();
});

test("gives a worker without a file a job of another worker's file", () => {
  const queue = queueOf();
  queue.next(undefined);
  queue.next(undefined);
  queue.next('small');
  expect(nameOf(queue.next('small'))).toBe('large b');
});

test('stops handing out jobs of a file that cannot be read', () => {
  const queue = queueOf();
  queue.next(undefined);
  expect(queue.drop('large')).toBe(1);
  expect(nameOf(queue.next('large'))).toBe('small a');
});
