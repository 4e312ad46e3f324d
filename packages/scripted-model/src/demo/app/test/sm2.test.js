import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answer, MINIMUM_EASINESS, newSchedule, nextEasiness, nextInterval } from '../src/sm2.js';

const DAY = '2026-03-01';

function answerAll(qualities) {
  const steps = [];
  let card = newSchedule(DAY);
  for (const quality of qualities) {
    card = answer(card, quality, card.due);
    steps.push(card);
  }
  return steps;
}

describe('intervals', () => {
  it('are 1, 6, then the last one times the easiness factor, rounded up', () => {
    const intervals = answerAll([4, 4, 4, 4]).map((card) => card.intervalDays);
    assert.deepEqual(intervals, [1, 6, 15, 38]);
  });

  it('grow with the easiness factor after this answer', () => {
    const last = answerAll([5, 5, 5]).at(-1);
    assert.equal(last.easiness, 2.8);
    assert.equal(last.intervalDays, 17);
  });

  it('do not gain a day from binary fractions', () => {
    assert.equal(nextInterval(3, 100, 1.1), 110);
  });

  it('move the due day across months', () => {
    const dues = answerAll([4, 4, 4]).map((card) => card.due);
    assert.deepEqual(dues, ['2026-03-02', '2026-03-08', '2026-03-23']);
  });
});

describe('a failed answer', () => {
  it('starts the repetitions again and keeps the easiness factor', () => {
    const [, , before, failed, again, then] = answerAll([5, 5, 5, 2, 4, 4]);
    assert.equal(failed.repetitions, 0);
    assert.equal(failed.intervalDays, 1);
    assert.equal(failed.easiness, before.easiness);
    assert.deepEqual([again.intervalDays, then.intervalDays], [1, 6]);
  });
});

describe('the easiness factor', () => {
  it('follows the published formula', () => {
    const changed = [3, 4, 5].map((quality) => nextEasiness(2.5, quality));
    assert.deepEqual(changed, [2.36, 2.5, 2.6]);
  });

  it('never falls below 1.3', () => {
    const last = answerAll(Array(20).fill(3)).at(-1);
    assert.equal(last.easiness, MINIMUM_EASINESS);
  });
});

it('refuses a quality outside 0 to 5', () => {
  for (const quality of [-1, 6, 2.5, '4', undefined]) {
    assert.throws(() => answer(newSchedule(DAY), quality, DAY), RangeError);
  }
});
