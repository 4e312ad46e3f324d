import { readFileSync } from 'node:fs';

/** In `src` also when this module runs from `dist`: the application is plain JavaScript and is not compiled. */
const APP_FOLDER = new URL('../../src/demo/app/', import.meta.url);

/** The files of the finished application, in the order in which they are written. */
export const APP_FILES = [
  'package.json',
  'src/dates.js',
  'src/sm2.js',
  'test/sm2.test.js',
  'src/store.js',
  'test/store.test.js',
  'src/csv.js',
  'test/csv.test.js',
  'src/commands.js',
  'src/cli.js',
  'test/cli.test.js',
  'scripts/make-sample-deck.js',
  'README.md',
] as const;

export type AppFile = (typeof APP_FILES)[number];

/** A correction of a first draft: `draft` is what was written first, `final` what stands there in the end. */
export interface Correction {
  path: AppFile;
  draft: string;
  final: string;
}

/** The count before this answer instead of after it: the first interval comes out as 0 days. */
export const SM2_CORRECTION: Correction = {
  path: 'src/sm2.js',
  draft: 'nextInterval(card.repetitions, card.intervalDays, easiness)',
  final: 'nextInterval(repetitions, card.intervalDays, easiness)',
};

/** A card due today is not yet due: only the tests through the command line find it. */
export const STORE_CORRECTION: Correction = {
  path: 'src/store.js',
  draft: 'WHERE due < ? AND',
  final: 'WHERE due <= ? AND',
};

/** The unit test that was missing when the store was written. */
export const STORE_TEST_CORRECTION: Correction = {
  path: 'test/store.test.js',
  draft: "it('does not add the same front twice to one deck', () => {",
  final: `it('has a new card due on the day it was added, and not the day before', () => {
  store.addCard(CARD, DAY);
  assert.equal(store.dueCards(DAY).length, 1);
  assert.equal(store.dueCards('2026-02-28').length, 0);
});

it('does not add the same front twice to one deck', () => {`,
};

const CORRECTIONS = [SM2_CORRECTION, STORE_CORRECTION, STORE_TEST_CORRECTION];

/** A file as it is in the end. */
export function finalText(path: AppFile): string {
  return readFileSync(new URL(path, APP_FOLDER), 'utf8');
}

/**
 * A file as it is first written, with the defect that the tests will find.
 *
 * @throws {Error} if a correction does not fit the application's text any more.
 */
export function draftText(path: AppFile): string {
  let text = finalText(path);
  for (const correction of CORRECTIONS.filter((each) => each.path === path)) {
    if (text.split(correction.final).length !== 2) {
      throw new Error(`Expected exactly once in ${path}: ${correction.final}`);
    }
    text = text.replace(correction.final, () => correction.draft);
  }
  return text;
}
