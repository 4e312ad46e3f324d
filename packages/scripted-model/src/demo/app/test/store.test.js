import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { Store } from '../src/store.js';

const DAY = '2026-03-01';
const CARD = { deck: 'Spanish', front: 'la mesa', back: 'the table' };

let folder;
let store;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flashcards-'));
  store = new Store(join(folder, 'cards.db'));
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

it('gives a card a short hex id', () => {
  assert.match(store.addCard(CARD, DAY).id, /^[0-9a-f]{6}$/);
});

it('has a new card due on the day it was added, and not the day before', () => {
  store.addCard(CARD, DAY);
  assert.equal(store.dueCards(DAY).length, 1);
  assert.equal(store.dueCards('2026-02-28').length, 0);
});

it('does not add the same front twice to one deck', () => {
  store.addCard(CARD, DAY);
  assert.equal(store.addCard({ ...CARD, back: 'a table' }, DAY), undefined);
  assert.notEqual(store.addCard({ ...CARD, deck: 'Furniture' }, DAY), undefined);
});

it('keeps schedule and reviews when the file is opened again', () => {
  const { id } = store.addCard(CARD, DAY);
  store.review(id, 4, DAY);
  store.review(id, 5, '2026-03-02');
  store.close();
  store = new Store(join(folder, 'cards.db'));
  const { repetitions, intervalDays, easiness, due } = store.card(id);
  assert.deepEqual(
    { repetitions, intervalDays, easiness, due },
    {
      repetitions: 2,
      intervalDays: 6,
      easiness: 2.6,
      due: '2026-03-08',
    },
  );
  assert.equal(store.stats(DAY)[0].reviews, 2);
});

it('adds all cards of an import or none', () => {
  const broken = [CARD, { deck: 'Spanish', front: 'la silla', back: null }];
  assert.throws(() => store.addCards(broken, DAY));
  assert.equal(store.cards().length, 0);
  assert.deepEqual(store.addCards([CARD, CARD], DAY), { added: 1, skipped: 1 });
});

it('leaves the card as it was when the quality is refused', () => {
  const { id } = store.addCard(CARD, DAY);
  assert.throws(() => store.review(id, 7, DAY), RangeError);
  assert.equal(store.card(id).due, DAY);
  assert.equal(store.stats(DAY)[0].reviews, 0);
});

it('removes a card with its reviews', () => {
  const { id } = store.addCard(CARD, DAY);
  store.review(id, 4, DAY);
  assert.equal(store.removeCard(id), true);
  assert.equal(store.removeCard(id), false);
  assert.deepEqual(store.stats(DAY), []);
});
