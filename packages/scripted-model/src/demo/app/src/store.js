import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { answer, newSchedule } from './sm2.js';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS decks (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  );
  CREATE TABLE IF NOT EXISTS cards (
    id TEXT PRIMARY KEY,
    deck_id INTEGER NOT NULL REFERENCES decks (id) ON DELETE CASCADE,
    front TEXT NOT NULL,
    back TEXT NOT NULL,
    repetitions INTEGER NOT NULL,
    interval_days INTEGER NOT NULL,
    easiness REAL NOT NULL,
    due TEXT NOT NULL,
    UNIQUE (deck_id, front)
  );
  CREATE INDEX IF NOT EXISTS cards_by_due ON cards (due);
  CREATE TABLE IF NOT EXISTS reviews (
    id INTEGER PRIMARY KEY,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    day TEXT NOT NULL,
    quality INTEGER NOT NULL CHECK (quality BETWEEN 0 AND 5)
  );
`;

const CARD = `
  SELECT cards.id, decks.name AS deck, front, back, repetitions,
    interval_days AS intervalDays, easiness, due
  FROM cards JOIN decks ON decks.id = cards.deck_id
`;

/** Decks, cards and reviews in one SQLite file (`:memory:` for none). Close it when done. */
export class Store {
  #db;

  constructor(path) {
    this.#db = new DatabaseSync(path);
    this.#db.exec('PRAGMA busy_timeout = 5000');
    this.#db.exec(SCHEMA);
  }

  /** Adds a card, due on `day`. Returns it, or undefined if the deck has a card with this front. */
  addCard({ deck, front, back }, day) {
    const deckId = this.#deckId(deck);
    const known = this.#db.prepare('SELECT 1 FROM cards WHERE deck_id = ? AND front = ?').get(deckId, front);
    if (known !== undefined) return undefined;
    const id = this.#freeId();
    const { repetitions, intervalDays, easiness, due } = newSchedule(day);
    this.#db
      .prepare('INSERT INTO cards VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
      .run(id, deckId, front, back, repetitions, intervalDays, easiness, due);
    return this.card(id);
  }

  /** Adds all cards or, when one cannot be added, none. Cards that are there already are skipped. */
  addCards(cards, day) {
    return this.#transaction(() => {
      const added = cards.filter((card) => this.addCard(card, day) !== undefined).length;
      return { added, skipped: cards.length - added };
    });
  }

  card(id) {
    return this.#db.prepare(`${CARD} WHERE cards.id = ?`).get(id);
  }

  cards(deck) {
    return this.#db
      .prepare(`${CARD} WHERE ? IS NULL OR decks.name = ? ORDER BY decks.name, front`)
      .all(deck ?? null, deck ?? null);
  }

  /** What is to be answered on `day`, the longest overdue first. */
  dueCards(day, deck) {
    return this.#db
      .prepare(`${CARD} WHERE due <= ? AND (? IS NULL OR decks.name = ?) ORDER BY due, cards.rowid`)
      .all(day, deck ?? null, deck ?? null);
  }

  /** Records an answer and returns the card with its new schedule. */
  review(id, quality, day) {
    return this.#transaction(() => {
      const card = this.card(id);
      if (card === undefined) throw new Error(`No card has the id ${id}`);
      const next = answer(card, quality, day);
      this.#db
        .prepare('UPDATE cards SET repetitions = ?, interval_days = ?, easiness = ?, due = ? WHERE id = ?')
        .run(next.repetitions, next.intervalDays, next.easiness, next.due, id);
      this.#db.prepare('INSERT INTO reviews (card_id, day, quality) VALUES (?, ?, ?)').run(id, day, quality);
      return this.card(id);
    });
  }

  removeCard(id) {
    return this.#db.prepare('DELETE FROM cards WHERE id = ?').run(id).changes === 1;
  }

  /** Per deck: cards, how many are new, due and well known (21 days or more), reviews, share of passed reviews. */
  stats(day) {
    return this.#db
      .prepare(`
        SELECT decks.name AS deck, count(*) AS cards,
          sum(repetitions = 0 AND interval_days = 0) AS fresh,
          sum(due <= ?) AS due,
          sum(interval_days >= 21) AS mature,
          coalesce(sum(answers.total), 0) AS reviews,
          coalesce(sum(answers.passed), 0) AS passed
        FROM cards JOIN decks ON decks.id = cards.deck_id
        LEFT JOIN (
          SELECT card_id, count(*) AS total, sum(quality >= 3) AS passed FROM reviews GROUP BY card_id
        ) AS answers ON answers.card_id = cards.id
        GROUP BY decks.id ORDER BY decks.name
      `)
      .all(day);
  }

  close() {
    this.#db.close();
  }

  #deckId(name) {
    this.#db.prepare('INSERT INTO decks (name) VALUES (?) ON CONFLICT DO NOTHING').run(name);
    return this.#db.prepare('SELECT id FROM decks WHERE name = ?').get(name).id;
  }

  #freeId() {
    const taken = this.#db.prepare('SELECT 1 FROM cards WHERE id = ?');
    for (;;) {
      const id = randomBytes(3).toString('hex');
      if (taken.get(id) === undefined) return id;
    }
  }

  #transaction(work) {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}
