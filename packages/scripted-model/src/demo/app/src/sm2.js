// SM-2 as published in "Optimization of learning" (1990), step by step:
// intervals of 1 day, 6 days, then the last interval times the easiness factor, rounded up;
// the easiness factor moves with every passed answer and never falls below 1.3;
// an answer below 3 starts the repetitions again and leaves the easiness factor as it was.

import { addDays } from './dates.js';

export const INITIAL_EASINESS = 2.5;
export const MINIMUM_EASINESS = 1.3;
export const PASSING_QUALITY = 3;
/** Answers below this are asked again in the same sitting. */
export const FLUENT_QUALITY = 4;

/** The schedule of a card that nobody has answered yet: due at once. */
export function newSchedule(day) {
  return { repetitions: 0, intervalDays: 0, easiness: INITIAL_EASINESS, due: day };
}

/**
 * The schedule after an answer on `day`.
 *
 * `quality` is 0 (blackout), 1, 2 (wrong), 3 (right with effort), 4 (right), 5 (at once).
 * The card passed in is not changed.
 */
export function answer(card, quality, day) {
  assertQuality(quality);
  if (quality < PASSING_QUALITY) {
    return { repetitions: 0, intervalDays: 1, easiness: card.easiness, due: addDays(day, 1) };
  }
  const repetitions = card.repetitions + 1;
  const easiness = nextEasiness(card.easiness, quality);
  const intervalDays = nextInterval(repetitions, card.intervalDays, easiness);
  return { repetitions, intervalDays, easiness, due: addDays(day, intervalDays) };
}

/** The interval before the next repetition, when `repetitions` have been passed in a row. */
export function nextInterval(repetitions, lastIntervalDays, easiness) {
  if (repetitions === 1) return 1;
  if (repetitions === 2) return 6;
  // Easiness has two decimals. Without the inner rounding 100 × 1.1 = 110.00000000000001 would become 111 days.
  return Math.ceil(roundToHundredths(lastIntervalDays * easiness));
}

export function nextEasiness(easiness, quality) {
  const missing = 5 - quality;
  const changed = easiness + 0.1 - missing * (0.08 + missing * 0.02);
  return Math.max(MINIMUM_EASINESS, roundToHundredths(changed));
}

function roundToHundredths(value) {
  return Math.round(value * 100) / 100;
}

function assertQuality(quality) {
  if (!Number.isInteger(quality) || quality < 0 || quality > 5) {
    throw new RangeError(`Quality must be a whole number from 0 to 5, got ${quality}`);
  }
}
