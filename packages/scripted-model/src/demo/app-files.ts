import { readFileSync } from 'node:fs';

/**
 * Always in `src`, even if this module runs from `dist`, because the application is plain JavaScript and is not
 * compiled.
 */
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

/** A correction of a first draft: `draft` is the first text, and `final` replaces it. */
export interface Correction {
  path: AppFile;
  draft: string;
  final: string;
}

/** The draft uses the count before the answer instead of after it, so the first interval is 0 days. */
export const SM2_CORRECTION: Correction = {
  path: 'src/sm2.js',
  draft: 'nextInterval(card.repetitions, card.intervalDays, easiness)',
  final: 'nextInterval(repetitions, card.intervalDays, easiness)',
};

/** In the draft, a card due today is not due yet. Only the tests of the command line find this. */
export const STORE_CORRECTION: Correction = {
  path: 'src/store.js',
  draft: 'WHERE due < ? AND',
  final: 'WHERE due <= ? AND',
};

/** Adds the unit test that is missing in the draft. */
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

/** Returns the final text of a file. */
export function finalText(path: AppFile): string {
  return readFileSync(new URL(path, APP_FOLDER), 'utf8');
}

/**
 * Returns the first draft of a file, with the defects that the tests find.
 *
 * @throws {Error} if a correction does not match the application's text.
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
